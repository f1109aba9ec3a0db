"""Teams share tables and see nothing of one another, whatever they call."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

import psycopg2
import pytest

import recairn
from recairn import store as stores
from recairn.core.errors import RecairnError, Refused
from recairn.core.model import Act, Edge, Event, Filter, TaskFilter, Vectors
from recairn.core.words import understand
from recairn.store.contract.imported import ImportedRow
from recairn.store.memory_rows import StalenessRow
from recairn.store.project_rows import ProjectMark
from recairn.store.rows import QueryVector
from recairn.store.share_rows import Kept, Queued, Refusal, Share
from recairn.store.tables import BEGINNING, SHAPES
from tests.corpus import NOW, PROJECT, logged_search
from tests.postgres_server import OWNER
from tests.repository import SOURCE

# Stands in every text of the one team, and in nothing that the other one is asked with.
SECRET = "walrus"
EVERYTHING = Filter(now=NOW, include_deleted=True, include_superseded=True, include_documents=True)
CODES = bytes(range(1, 65))
# What a method is asked with, by the annotation of a parameter; then by its name.
BY_TYPE: dict[str, Any] = {
    "int": 1,
    "int | None": 1,
    "bool": False,
    "float": 0.1,
    "bytes": CODES,
    "Sequence[int]": [1, 2],
    "Sequence[int] | None": [1, 2],
    "Sequence[str]": ["t-a"],
    "Sequence[str] | None": ["t-a"],
    "Iterable[str]": ["t-a"],
    "Filter": EVERYTHING,
    "Sequence[Filter]": [EVERYTHING],
    "TaskFilter": TaskFilter(),
    "Act": Act(NOW, None),
    "Event": Event(0, 1, NOW, "updated", "", {}, {}, None, None),
    "Sequence[Event]": [Event(0, 1, NOW, "updated", "", {}, {}, None, None)],
    "Iterable[Edge]": [Edge(1, 2, "relates_to", 1.0, 1.0, "user", NOW, NOW, None)],
    "Position": BEGINNING,
    "Plan": understand(SECRET),
    "Plan | None": understand(SECRET),
    "QueryVector | None": QueryVector(1, "made up", CODES, ()),
    "Sequence[Vectors]": [Vectors(1, "everyone0", "hash", [CODES])],
    "Iterable[StalenessRow]": [StalenessRow(1, NOW, "fresh", 0.0, "")],
    "Iterable[ImportedRow]": [ImportedRow("key", "hash", 1, True, 1)],
    "ProjectMark": ProjectMark("folder", "/elsewhere", 1, 1, NOW),
    "Cursor | None": None,
    "Sequence[NewMemory]": [],
    "Sequence[WholeMemory]": [],
    "Sequence[Mapping[str, Any]]": [],
    "Sequence[tuple[int, int, float | None]]": [(1, 10, 0.5)],
    "Mapping[str, Sequence[int | str]]": {},
    "Mapping[str, Sequence[Any]]": {},
    "Mapping[str, object]": {"fingerprint": "b", "name": "b", "revision": "1", "dim": 64},
    "Mapping[str, str]": {"agent": "b"},
}
BY_NAME: dict[str, Any] = {
    "task": "t-a",
    "on": "t-b",
    "session": "s-a",
    "reference": "1",
    "beginning": "s-",
    "noun": "task",
    "order": "newest",
    "by": "memory",
    "project": PROJECT,
    "text": "lamp",
    "phrase": SECRET,
    "reach": None,
    "limits": [100],
    "how": "cited",
}
BY_METHOD: dict[tuple[str, str], Any] = {
    ("query_stats", "by"): "query",
    ("names", "noun"): "task",
    ("change", "changes"): {"importance": 0.1},
    ("put_document", "document"): {
        "uid": "d-b",
        "path": "b.md",
        "content_hash": "h",
        "created_at": NOW,
        "updated_at": NOW,
    },
    ("change_document", "changes"): {"title": "changed"},
    ("put_injection", "entry"): {"at": NOW, "surface": "b", "tokens": 1, "characters": 1},
    ("put_turn", "turn"): {"at": NOW, "session_id": "b", "event": "prompt"},
    ("log_search", "entry"): logged_search("b"),
    ("add_failure", "entry"): {"at": NOW, "query": "b"},
    ("add_feedback", "entry"): {"at": NOW, "score": 1.0, "source": "b"},
    ("add_compaction", "entry"): {"at": NOW, "task_ids": [], "memories": [1]},
    ("put_task", "task"): {"id": "t-b", "title": "b", "created_at": NOW, "updated_at": NOW},
    ("change_task", "changes"): {"title": "changed"},
    ("set_session_notes", "notes"): {"files": []},
    ("change", "stamps"): None,
    ("erase", "stamp"): None,
    ("put_share", "share"): Share(PROJECT, "b", "b", "", NOW, None),
    ("unqueue", "things"): [Queued("memory", "b", 1)],
    ("refuse", "refusal"): Refusal("memory", "b", "b", "b", NOW),
    ("keep_record", "kept"): Kept("memory", "b", PROJECT, "", "{}"),
    ("put_erased", "stamp"): (NOW, "b"),
    ("add_project_change", "change"): {"at": NOW, "event": "b", "project": "b", "details": "{}"},
}


def methods():
    """Every method that a store promises, with its parameters."""
    for path in sorted((SOURCE / "store" / "contract").glob("[a-z]*.py")):
        if path.stem == "maintenance":
            continue
        for node in ast.parse(path.read_text()).body:
            for function in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(function, ast.FunctionDef):
                    named = function.args.args[1:] + function.args.kwonlyargs
                    yield (
                        function.name,
                        [(each.arg, ast.unparse(each.annotation or each)) for each in named],
                    )


def asked(method, parameters):
    """Arguments that mean what the other team has."""
    arguments = {}
    for name, kind in parameters:
        if (method, name) in BY_METHOD:
            arguments[name] = BY_METHOD[method, name]
        elif name in BY_NAME and not ("project" in name and "int" in kind):
            arguments[name] = BY_NAME[name]
        else:
            arguments[name] = BY_TYPE.get(kind, "b")
    return arguments


@pytest.fixture
def teams(postgres):
    """The address of a team that has something of everything, and of one that has nothing."""
    full, empty = postgres.new_team(), postgres.new_team()
    with recairn.open(full, project=PROJECT, session="s-a", model="static") as memory:
        memory.remember(f"The {SECRET} sleeps on the pier")
        memory.remember(f"A {SECRET} eats clams", kind="rule", force=True)
        memory.link(1, 2, "relates_to")
        memory.add_task(f"Feed the {SECRET}", id="t-a")
        memory.search(SECRET)
        memory.context(prompt=f"{SECRET} on the pier")
        memory.set_config("team.motto", SECRET)
    return full, empty


def exported(address):
    with recairn.open(address, project=PROJECT) as memory:
        return list(memory.export_records())


def test_no_method_of_the_contract_shows_or_changes_what_another_team_has(teams):
    full, empty = teams
    before = exported(full)
    store: Any = stores.open(empty)
    called = 0
    for method, parameters in methods():
        if method in ("close", "transaction", "bookkeeping", "snapshot"):
            continue
        with contextlib.suppress(RecairnError):
            answer = getattr(store, method)(**asked(method, parameters))
            assert SECRET not in repr(answer), method
        called += 1
    for shape in SHAPES:
        assert SECRET not in repr(list(store.records(shape.name)))
    store.close()
    assert called > 130
    assert exported(full) == before
    with recairn.open(full, project=PROJECT) as memory:
        assert memory.verify().problems == ()


def test_every_table_hides_its_rows_even_from_its_owner_and_begins_with_the_team(postgres):
    owner = psycopg2.connect(postgres.server.address(OWNER))
    with owner.cursor() as cursor:
        cursor.execute(
            "select relname, relrowsecurity and relforcerowsecurity, (select attname from"
            " pg_attribute a where a.attrelid = c.oid and attnum = i.indkey[0])"
            " from pg_class c join pg_index i on i.indrelid = c.oid and indisprimary"
            " where relnamespace = 'recairn'::regnamespace and relkind = 'r'"
        )
        tables = cursor.fetchall()
    owner.close()
    assert len(tables) > 30
    assert [name for name, secured, _ in tables if not secured] == []
    assert {name for name, _, leading in tables if leading != "team"} == {"migrations"}


@pytest.mark.parametrize(
    "statement",
    [
        "select set_config('recairn.team', '1', true); insert into config values (2, 'a', 'b', 1)",
        "insert into recairn.teams(name) values ('mine')",
        "delete from recairn.teams",
        "insert into recairn.migrations(version) values (99)",
        "create table recairn.mine(x int)",
        "alter table recairn.memories disable row level security",
        "drop policy own on recairn.memories",
    ],
)
def test_the_role_of_clients_has_no_right_beyond_its_rows(postgres, statement):
    client = psycopg2.connect(postgres.server.address())
    with client.cursor() as cursor:
        cursor.execute("set local search_path to recairn")
        with pytest.raises(psycopg2.Error):
            cursor.execute(statement)
    client.close()


def test_without_a_team_there_is_nothing_to_see(teams, postgres):
    client = psycopg2.connect(postgres.server.address())
    with client.cursor() as cursor:
        for statement in (
            "select count(*) from recairn.memories",
            "select count(*) from recairn.teams",
        ):
            cursor.execute(statement)
            assert cursor.fetchone() == (0,)
        cursor.execute("set row_security to off")
        with pytest.raises(psycopg2.Error, match="row-level security"):
            cursor.execute("select * from recairn.memories")
    client.close()


def test_nothing_of_a_call_stays_in_the_connection_that_a_pool_may_lend_on(teams):
    store: Any = stores.open(teams[0])
    store.get(1)
    with store.transaction():
        store.set_config("a", "b", NOW)
    db = store.connection._db
    with db.cursor() as cursor:
        cursor.execute(
            "select coalesce(current_setting('recairn.team', true), ''),"
            " current_setting('search_path'), current_setting('lock_timeout'),"
            " (select count(*) from pg_prepared_statements)"
        )
        assert cursor.fetchone() == ("", '"$user", public', "0", 0)
    store.close()


@pytest.mark.parametrize("right", ["superuser", "bypassrls"])
def test_a_role_that_is_not_held_back_is_refused(postgres, right):
    owner = psycopg2.connect(postgres.server.address(OWNER))
    owner.autocommit = True
    with owner.cursor() as cursor:
        cursor.execute(f"create role mighty_{right} login {right}")
        cursor.execute(f"grant usage on schema recairn to mighty_{right}")
        cursor.execute(f"grant select on all tables in schema recairn to mighty_{right}")
    owner.close()
    with pytest.raises(Refused, match="nothing would keep teams apart"):
        stores.open(postgres.server.address(f"mighty_{right}"))
