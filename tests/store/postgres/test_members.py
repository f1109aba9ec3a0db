"""Members of a team see what is shared, and nothing that another keeps; roles say who may what."""

from __future__ import annotations

import contextlib
from typing import Any

import psycopg2
import pytest

import recairn
from recairn import store as stores
from recairn.core.errors import NotFound, RecairnError, Refused, StoreReadOnly
from recairn.core.model import Filter
from recairn.core.words import understand
from recairn.store.tables import SHAPES
from tests.corpus import NOW, PROJECT
from tests.postgres_server import APP, OWNER
from tests.store.postgres.test_teams import SECRET, asked, methods
from tests.store.test_contract import prepared

# Records that are a member's own.
OWN = ("event", "private", "edge", "use", "access", "injection", "injected", "query", "miss")
ANSWERS_NUMBERS = (
    *("all_numbers", "uids", "find", "visible_ids", "count", "passing", "living", "memories_of"),
    "memories_by_branch",
    *("key_holders", "look_alikes", "alike", "dropped_keys", "edges_touching", "history"),
    *("get", "get_many"),
    *("labels", "shown", "sharing", "match_text", "match_vector", "codes", "chunks_of", "mentions"),
)


def member(address, name):
    return f"{address}&member={name}" if name else address


@pytest.fixture
def flock(postgres):
    return postgres.new_team()


@pytest.fixture
def team(flock):
    """A team with two members; ann keeps to herself what she writes."""
    with recairn.open(flock, project=PROJECT) as memory:
        memory.add_member("ann", role="admin")
        memory.add_member("bob", role="admin")
    ann = member(flock, "ann")
    with recairn.open(ann, project=PROJECT, session="s-a", model="static") as own:
        own.remember(f"The {SECRET} sleeps on the pier")
        own.remember(f"A {SECRET} eats clams", kind="rule", force=True)
        own.link(1, 2, "relates_to")
        own.search(SECRET)
        own.context(prompt=f"{SECRET} on the pier")
        own.feedback(1, 1.0, note=SECRET)
        own.edit(2, category=SECRET)
        own.record_miss(f"{SECRET} teeth", wanted=1)
    return flock


def everything(store):
    """All that can be exported."""
    return {shape.name: list(store.records(shape.name)) for shape in SHAPES}


@pytest.mark.parametrize("who", ["bob", ""])
def test_no_method_of_the_contract_shows_or_changes_what_a_member_keeps_private(team, who):
    ann = stores.open(member(team, "ann"))
    before = everything(ann)
    assert all(before[noun] for noun in OWN)
    store: Any = stores.open(member(team, who))
    for method, parameters in methods():
        if method in ("close", "transaction", "bookkeeping", "snapshot"):
            continue
        with contextlib.suppress(RecairnError):
            answer = getattr(store, method)(**asked(method, parameters))
            assert SECRET not in repr(answer), method
            assert method not in ANSWERS_NUMBERS or not answer, method
    store.close()
    after = everything(ann)
    assert [noun for noun in OWN for each in before[noun] if each not in after[noun]] == []
    assert ann.verify().problems == ()
    ann.close()


def found(address, question, **options):
    with recairn.open(address, project="pier", model="static") as memory:
        return [hit.memory.content for hit in memory.search(question, **options).hits]


def remember(address, text, **options):
    with recairn.open(address, project="pier", model="static") as memory:
        return memory.remember(text, **options).id


@pytest.fixture
def pier(flock):
    """A team of an admin, a reviewer, a writer and a reader, each named after their role."""
    with recairn.open(flock, project="pier") as memory:
        for role in ("admin", "reviewer", "writer", "reader"):
            memory.add_member(role, role=role)
    return flock


def test_what_is_private_becomes_the_teams_when_it_is_shared_and_back(pier):
    writer, reader = member(pier, "writer"), member(pier, "reader")
    number = remember(writer, "Terns breed on the shingle bank")
    assert (len(found(writer, "terns breed")), found(reader, "terns breed")) == (1, [])
    with recairn.open(writer, project="pier") as memory:
        memory.share(number)
        assert memory.sharing([number]) == {number: ("writer", False)}
    assert len(found(reader, "terns breed")) == len(found(pier, "terns breed")) == 1
    with recairn.open(writer, project="pier") as memory:
        memory.undo(number)
        assert memory.sharing([number]) == {number: ("writer", True)}
        assert memory.verify().problems == ()
    assert found(reader, "terns breed") == []
    assert len(found(writer, "terns breed")) == 1


def test_the_setting_of_the_team_says_whom_new_memories_are_for(pier):
    with recairn.open(member(pier, "admin"), project="pier") as memory:
        memory.set_config("audience", "team")
    writer, reader = member(pier, "writer"), member(pier, "reader")
    remember(writer, "Terns breed on the shingle bank")
    remember(writer, "Whatever I do, I prefer short sentences", tier="global")
    remember(writer, "The skua is my secret", private=True)
    assert len(found(reader, "terns")) == 1
    assert found(reader, "short sentences") == found(reader, "skua") == []
    assert len(found(writer, "short sentences")) == len(found(writer, "skua")) == 1


def test_the_same_text_may_be_private_to_two_members(pier):
    first = remember(member(pier, "writer"), "Terns breed on the shingle bank")
    second = remember(member(pier, "admin"), "Terns breed on the shingle bank")
    assert first is not None
    assert second > first


def test_the_history_says_who_of_the_team_made_each_change(pier):
    number = remember(member(pier, "writer"), "Terns breed on the bank", private=False)
    with recairn.open(member(pier, "reviewer"), project="pier") as memory:
        memory.edit(number, category="birds")
        assert [(event.event, event.member) for event in memory.history(number)] == [
            ("created", "writer"),
            ("updated", "reviewer"),
        ]


def test_each_role_may_do_what_it_is_for_and_no_more(pier):
    with recairn.open(member(pier, "reader"), project="pier") as memory:
        assert memory.search("terns").hits == ()
        with pytest.raises(StoreReadOnly, match="your role in the team is reader"):
            memory.remember("Terns breed on the shingle bank")
    waiting = remember(pier, "Terns breed on the bank", trust="unverified")
    with recairn.open(member(pier, "writer"), project="pier") as memory:
        with pytest.raises(Refused, match="needs a role of reviewer"):
            memory.accept(waiting)
        with pytest.raises(Refused, match="needs a role of admin"):
            memory.set_config("audience", "team")
        with pytest.raises(Refused, match="needs a role of admin"):
            memory.add_member("eve")
        with pytest.raises(Refused, match="to withhold what the team wrote"):
            memory.withhold(waiting)
    with recairn.open(member(pier, "reviewer"), project="pier") as memory:
        assert memory.accept(waiting)[0].trust == "verified"
    with recairn.open(member(pier, "admin"), project="pier") as memory:
        memory.revoke_member("writer")
        with pytest.raises(Refused, match="only admin"):
            memory.revoke_member("admin")
    with pytest.raises(Refused, match="no longer a member"):
        recairn.open(member(pier, "writer"))
    with pytest.raises(NotFound, match="has no member eve"):
        recairn.open(member(pier, "eve"))


def test_what_is_private_travels_and_is_nobodys_without_a_member(pier, postgres, tmp_path):
    writer = member(pier, "writer")
    remember(writer, "The skua is my secret", private=True)
    remember(writer, "Terns breed on the bank", private=False)
    here = str(tmp_path / "mine.db")
    with recairn.open(writer, project="pier") as memory:
        memory.move_to(here)
    with recairn.open(here, project="pier") as memory:
        states = memory.sharing(memory.store.all_numbers())
        assert sorted(state.is_private for state in states.values()) == [False, True]
        with pytest.raises(Refused, match="names no member"):
            memory.move_to(postgres.new_team())
        with pytest.raises(Refused, match="private to another member"):
            memory.move_to(member(pier, "admin"))
        assert memory.move_to(writer).taken.unchanged == 2


def test_tables_from_before_there_were_members_are_carried_over(postgres):
    """Made by the statements of the versions before, with a memory in them."""
    from recairn.store.postgres import schema
    from recairn.store.postgres.address import Address
    from recairn.store.postgres.setup import grants, migrate

    name = "before_members"
    connection = psycopg2.connect(postgres.server.address(OWNER))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"create schema {name}; set search_path to {name}")
        for version in (1, 2, 3, 4, 5):
            cursor.execute(schema.statements(version))
            cursor.execute("insert into migrations(version) values (%s)", (version,))
        cursor.execute("insert into teams(name) values ('main')")
        for grant in grants(name, APP):
            if ".members" not in grant:
                cursor.execute(grant)
        cursor.execute("select set_config('recairn.team', '1', false)")
        row = prepared("Terns breed on the shingle bank").row
        columns = [
            column for column in row if column not in ("fields", "keywords", "concepts", "branch")
        ]
        cursor.execute(
            f"insert into memories(id, fields, keywords, concepts, decayed_at, row_hash,"
            f" {', '.join(columns)}) values (1, '{{}}', '[]', '[]', 0, '',"
            f" {', '.join(['%s'] * len(columns))})",
            [int(row[name]) if isinstance(row[name], bool) else row[name] for name in columns],
        )
    connection.close()
    owner = postgres.server.address(OWNER, schema=name)
    client = postgres.server.address(schema=name)
    with pytest.raises(StoreReadOnly, match="needs a migration from schema 5"):
        stores.open(client)
    assert migrate(Address(owner))[0] == 6
    store = stores.open(client)
    assert store.get_many([1])[1].content == "Terns breed on the shingle bank"
    store.rebuild_indexes()
    assert [hit.memory for hit in store.match_text(understand("terns"), Filter(now=NOW), 9)] == [1]
    store.close()


def test_an_owner_who_is_no_superuser_numbers_rows_of_all_members(postgres):
    """What numbers rows runs as the owner, for whom row-level security holds, too."""
    connection = psycopg2.connect(postgres.server.address(OWNER))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(
            "create role plain_owner login; create schema plain authorization plain_owner"
        )
    connection.close()
    from recairn.store.postgres.address import Address
    from recairn.store.postgres.setup import migrate

    migrate(Address(postgres.server.address("plain_owner", schema="plain")))
    client = postgres.server.address(schema="plain")
    with recairn.open(client, project="pier") as memory:
        memory.add_member("ann")
        memory.add_member("bob")
    numbers = [
        remember(member(client, name), f"{name} saw a skua", private=True)
        for name in ("ann", "bob", "ann")
    ]
    assert numbers[0] is not None
    assert numbers == [1, 2, 1]  # the third is the first once more
    with pytest.raises(Refused, match="owns the tables"):
        stores.open(postgres.server.address("plain_owner", schema="plain"))
