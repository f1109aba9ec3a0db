"""Look-alike keys of many memories wait beside those of more; nobody notices where a key lies."""

from __future__ import annotations

import gzip
import re

import apsw
import pytest

from recairn.core.derived import keys_of_row
from recairn.core.model import Filter
from recairn.store.sqlite import SqliteStore
from tests.corpus import NOW, PROJECT, opened

SEA = "harpoons lanterns quayside seagulls trawlers windlass anchorage barnacles compasses"
# Nine keys each: so many that those of a tenth as many wait.
SETTLED, WAITING = 6000, 600


def texts(first: int, count: int) -> list[dict[str, str]]:
    return [
        {"content": " ".join(f"{word}{number * 7919 % 99991}" for word in SEA.split())}
        for number in range(first, first + count)
    ]


def family(first: int, count: int) -> list[dict[str, str]]:
    """Texts that share all keys but their own, and differ in a number."""
    return [{"content": f"{SEA} number {number}"} for number in range(first, first + count)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A database with thirty of a family among the settled and thirty among those that wait."""
    path = tmp_path_factory.mktemp("keys") / "memory.db"
    with opened(path) as memory:
        memory.remember_many(texts(0, SETTLED) + family(0, 30), on_similar="add")
        memory.remember_many(texts(SETTLED, WAITING) + family(30, 30), on_similar="add")
        memory.store.scrub()
    return gzip.compress(path.read_bytes(), 1)


@pytest.fixture
def path(filled, tmp_path):
    copy = tmp_path / "memory.db"
    copy.write_bytes(gzip.decompress(filled))
    assert waiting(copy)
    return copy


def waiting(path):
    return rows(path, "select key, memory from recent_keys")


def rows(path, sql):
    raw = apsw.Connection(str(path))
    try:
        return raw.execute(sql).fetchall()
    finally:
        raw.close()


def wanted(path):
    """The keys that the texts of the memories lead to."""
    columns = ("kind", "title", "content", "details", "content_hash", "reach")
    return sorted(
        (key, number)
        for number, *values in rows(path, f"select id, {', '.join(columns)} from memories")
        for key in set(keys_of_row(dict(zip(columns, values, strict=True))))
    )


def test_every_key_lies_in_one_place(path):
    held = rows(path, "select key, memory from known_keys order by key, memory")
    assert held == wanted(path)
    with opened(path) as memory:
        assert memory.verify().problems == ()


@pytest.mark.parametrize("number", [5, SETTLED + 5])
def test_what_repeats_a_memory_is_told_so_wherever_its_keys_lie(path, number):
    (text,) = texts(number, 1)
    nearly = {"content": text["content"] + " again"}
    with opened(path) as memory:
        assert memory.remember(**nearly).status == "needs_decision"
        assert memory.remember(**text).status == "reinforced"
        alone = [each.status for each in memory.remember_many([text, nearly])]
        assert alone == ["reinforced", "needs_decision"]


def test_of_a_family_the_newest_are_looked_at_wherever_their_keys_lie(path):
    store = SqliteStore(str(path))
    try:
        newest = rows(path, f"select id from memories where content like '{SEA}%' order by id")[
            -24:
        ]
        kin = [key for key, held in store.key_holders(shared(path)).items() if len(held) > 1]
        assert len(kin) > 3
        waits = store.key_holders(kin)
        assert all(held == [number for (number,) in newest] for held in waits.values())
        found = store.look_alikes(kin, 40, now=NOW)
        store.rebuild_indexes()  # which leaves none that wait
        assert not waiting(path)
        assert store.key_holders(kin) == waits
        assert store.look_alikes(kin, 40, now=NOW) == found
    finally:
        store.close()


def shared(path):
    return [key for key, number in wanted(path) if number == SETTLED + 30]


def test_an_edited_memory_and_a_destroyed_one_leave_no_keys_that_wait(path):
    with opened(path) as memory:
        first, second = sorted({number for _, number in waiting(path)})[:2]
        memory.edit(first, content="The fog bell rings twice in the morning")
        memory.destroy(second)
    held = rows(path, "select key, memory from known_keys order by key, memory")
    assert held == wanted(path)
    assert not {first, second} & {number for _, number in waiting(path)}


def test_keys_that_wait_join_the_others_when_they_are_a_tenth_of_all(path):
    with opened(path) as memory:
        for start in range(10_000, 13_000, WAITING):
            memory.remember_many(texts(start, WAITING))
            if not waiting(path):
                break
        assert memory.count() > SETTLED + 60 + WAITING
    assert not waiting(path)
    held = rows(path, "select key, memory from look_alikes order by key, memory")
    assert held == wanted(path)


def test_keys_of_no_memory_are_found_and_removed_wherever_they_lie(path):
    rows(path, "insert into recent_keys values (1, 470011)")
    with opened(path) as memory:
        assert [each.check for each in memory.verify().problems] == ["orphans"]
        memory.store.rebuild_indexes()
        assert memory.verify().problems == ()
    held = rows(path, "select key, memory from look_alikes order by key, memory")
    assert held == wanted(path)


def test_alike_memories_are_grouped_wherever_their_keys_lie(path):
    with opened(path) as memory:
        groups = memory.store.alike_groups(Filter(project=PROJECT, now=NOW))
    assert max(map(len, groups)) == 60


def test_both_places_are_searched_by_their_primary_keys(path):
    asked = []

    def watch(connection):
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))

    apsw.connection_hooks.append(watch)
    try:
        with opened(path) as memory:
            memory.remember("The fog bell rings twice in the morning of the longest day")
    finally:
        apsw.connection_hooks.remove(watch)
    looked = [sql for sql in asked if "recent_keys l" in sql]
    assert looked
    for sql in looked:
        plan = [row[3] for row in rows(path, "explain query plan " + sql.replace("?", "null"))]
        assert any(re.search(r"SEARCH l USING PRIMARY KEY \(key=", line) for line in plan), plan
        assert not any(re.search(r"SCAN (?!newest$)", line) for line in plan), plan
