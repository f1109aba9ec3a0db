"""What only the SQLite store does: files, engine, schema, query plans."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import recairn
from recairn.core.errors import EngineTooOld, NotFound, SchemaTooNew, StoreDamaged, StoreReadOnly
from recairn.core.model import Filter
from recairn.core.record import replace
from recairn.store.memory_rows import Cursor
from recairn.store.sqlite import SqliteStore, schema
from recairn.store.sqlite.connection import APPLICATION_ID, OLDEST_ENGINE, check_engine
from tests.corpus import MEMORIES, NOW, PROJECT, opened
from tests.store.test_contract import keep

PUFFIN = Filter(project=PROJECT, session="s-1", now=NOW)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "deep" / "er" / "memory.db")


@pytest.fixture
def raw():
    """Connections beside recairn's, closed at the end."""
    opened = []

    def connect(path):
        opened.append(apsw.Connection(path))
        return opened[-1]

    yield connect
    for each in opened:
        each.close()


# Files


def test_the_file_and_its_new_folders_belong_to_the_owner_alone(path):
    SqliteStore(path).close()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    folder = os.path.dirname(path)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(os.path.dirname(folder)).st_mode) == 0o700


def test_side_files_are_private_too(path):
    store = SqliteStore(path)
    with store.transaction():
        store.set_config("a", "b", NOW)
    modes = {
        name: stat.S_IMODE(os.stat(os.path.join(os.path.dirname(path), name)).st_mode)
        for name in os.listdir(os.path.dirname(path))
    }
    store.close()
    assert set(modes) == {"memory.db", "memory.db-wal", "memory.db-shm"}
    assert set(modes.values()) == {0o600}


def test_closing_leaves_one_file(path):
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
    assert os.listdir(os.path.dirname(path)) == ["memory.db"]


def test_a_file_stands_where_a_folder_should_be(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(recairn.RecairnError, match="cannot create"):
        SqliteStore(str(tmp_path / "file" / "memory.db"))


# Engine and durability


@pytest.mark.parametrize("version", [(3, 40, 1), (3, 51, 2), (3, 7, 0)])
def test_an_engine_with_the_wal_reset_bug_is_refused(version):
    with pytest.raises(EngineTooOld, match=r"SQLite 3\.") as caught:
        check_engine(version)
    assert "apsw" in caught.value.hint


@pytest.mark.parametrize("version", [OLDEST_ENGINE, (3, 51, 4), (3, 54, 1), (4, 0, 0)])
def test_a_repaired_engine_is_taken(version):
    check_engine(version)


def test_writes_are_logged_ahead_synced_and_checked(path):
    seen = {}

    def watch(connection):
        seen["connection"] = connection

    apsw.connection_hooks.append(watch)
    try:
        store = SqliteStore(path)
    finally:
        apsw.connection_hooks.remove(watch)
    connection = seen["connection"]
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2  # FULL
    assert connection.pragma("foreign_keys") == 1
    assert connection.pragma("application_id") == APPLICATION_ID
    with store.bookkeeping(0.1):
        assert connection.pragma("synchronous") == 1  # NORMAL: counters are worth no flush
    assert connection.pragma("synchronous") == 2
    store.close()


# Schema


def test_a_new_file_has_the_latest_schema(path, raw):
    SqliteStore(path).close()
    assert raw(path).pragma("user_version") == schema.LATEST


def test_a_newer_schema_is_refused_with_the_way_out(path, raw):
    SqliteStore(path).close()
    raw(path).pragma("user_version", schema.LATEST + 1)
    with pytest.raises(SchemaTooNew, match="newer than this recairn") as caught:
        SqliteStore(path)
    assert caught.value.hint == "pip install -U recairn"
    assert raw(path).pragma("user_version") == schema.LATEST + 1


def test_another_programs_database_is_left_alone(path, raw):
    os.makedirs(os.path.dirname(path))
    raw(path).execute("create table recipes(name); insert into recipes values ('fish pie')")
    with pytest.raises(StoreDamaged, match="not one of recairn's"):
        SqliteStore(path)
    assert raw(path).execute("select name from recipes").fetchall() == [("fish pie",)]
    assert raw(path).pragma("user_version") == 0


def test_a_file_that_is_no_database_is_refused(path):
    os.makedirs(os.path.dirname(path))
    Path(path).write_text("gulls, gulls, gulls. " * 100)
    with pytest.raises(StoreDamaged, match="not a database"):
        SqliteStore(path)
    assert Path(path).read_text().startswith("gulls")


def test_migrations_are_numbered_without_gaps():
    assert [bool(schema.statements(number)) for number in range(1, schema.LATEST + 1)] == [
        True
    ] * schema.LATEST


def test_an_unfinished_creation_leaves_an_empty_file_that_opens_again(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(
            schema, "statements", lambda version: "create table memories(id); create nonsense"
        )
        with pytest.raises(recairn.RecairnError):
            SqliteStore(path)
    store = SqliteStore(path)
    assert store.verify().problems == ()
    store.close()


def test_every_table_of_the_data_model_is_there(path, raw):
    SqliteStore(path).close()
    tables = {
        row[0] for row in raw(path).execute("select name from sqlite_schema where type = 'table'")
    }
    assert {
        "memories",
        "history",
        "edges",
        "sessions",
        "session_memories",
        "tasks",
        "task_deps",
        "injections",
        "access_log",
        "query_log",
        "search_failures",
        "config",
        "documents",
        "models",
        "vectors",
        "feedback",
    } <= tables


# Read-only


def test_a_read_only_store_answers_and_refuses_to_write(path):
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
    with opened(path, read_only=True) as memory:
        assert memory.search("harbour").hits
        assert memory.verify().problems == ()
        with pytest.raises(StoreReadOnly):
            memory.remember("a seal")


def test_read_only_does_not_create_a_database(path):
    with pytest.raises(NotFound, match="no database"):
        SqliteStore(path, read_only=True)
    assert not os.path.exists(os.path.dirname(path))


# Verify


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        ("update memories set importance = 0.123 where id = 3", "row hashes"),
        ("insert into memories_fts(memories_fts) values ('delete-all')", "full text"),
        ("insert into look_alikes values (1, 4711)", "orphans"),
        ("update tallies set memories = memories + 1", "tallies"),
        ("delete from history where memory = 3", "history"),
        ("update memories set superseded_by = 4711 where id = 3", "foreign keys"),
        ("update memories set valid_until = valid_from - 1 where id = 3", "times"),
    ],
)
def test_verify_sees_the_damage_and_names_a_remedy(path, raw, damage, check):
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
    raw(path).execute(damage)
    with opened(path) as memory:
        problems = memory.verify().problems
    assert check in {each.check for each in problems}
    assert all(each.remedy.startswith("recairn ") for each in problems)


def test_a_lost_full_text_index_is_made_anew(path, raw):
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
    raw(path).execute("insert into memories_fts(memories_fts) values ('delete-all')")
    with opened(path) as memory:
        assert memory.search("barometers").hits == ()
        memory.store.rebuild_indexes()
        assert [hit.id for hit in memory.search("barometers").hits] == [6]
        assert memory.verify().problems == ()


# Backup


def test_a_backup_is_one_private_file_with_everything_acknowledged(path, tmp_path):
    copy = str(tmp_path / "copy.db")
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
        memory.store.backup_to(copy)
        memory.remember("written after the backup")
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert not os.path.exists(copy + "-wal")
    with opened(copy) as memory:
        assert memory.count(docs=True) == len(MEMORIES)
        assert memory.verify().problems == ()


# Cost


class Watch:
    """What the statements of a connection cost, by their text."""

    def __init__(self):
        self.steps: dict[str, list[dict]] = {}

    def attach(self, connection):
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._note)

    def _note(self, event):
        if event["sql"]:
            self.steps.setdefault(event["sql"], []).append(event["stmt_status"])

    def of_table(self, table):
        return {sql: costs for sql, costs in self.steps.items() if f"from {table} " in sql}


@pytest.fixture
def watch():
    watching = Watch()
    apsw.connection_hooks.append(watching.attach)
    yield watching
    apsw.connection_hooks.remove(watching.attach)


def ordinary(count):
    """Distinct texts of some length; each second word recurs in the others."""
    return [
        {"content": f"reading gauge{number} calm tide{number % 97} wind{number % 89} sky{number}"}
        for number in range(count)
    ]


def look_alike_cost(watch, memory, text):
    watch.steps.clear()
    memory.remember(text)
    return watch.of_table("look_alikes")


def test_look_alikes_come_from_the_primary_key(path, raw, watch):
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
        statements = look_alike_cost(watch, memory, "the lighthouse keeper counts puffins")
    assert statements
    for sql in statements:
        plan = [row[3] for row in raw(path).execute("explain query plan " + sql, _nulls(sql))]
        assert any(re.search(r"SEARCH \w+ USING PRIMARY KEY \(key=\?", line) for line in plan), plan
        # The newest of each key are gone through once they are found.
        assert not any(re.search(r"SCAN (?!newest$)", line) for line in plan), plan


def _nulls(sql):
    return [None] * sql.count("?")


def test_the_price_of_looking_for_duplicates_does_not_grow_with_the_table(path, watch):
    with opened(path) as memory:
        memory.remember_many(ordinary(50))
        small = look_alike_cost(watch, memory, "lighthouse keepers count puffins nightly")
        memory.remember_many(ordinary(5000)[50:])
        assert memory.count() == 5001
        large = look_alike_cost(watch, memory, "fishermen mend their nets on the quay")
    assert small
    assert large

    def steps(costs):
        each = [cost for statement in costs.values() for cost in statement]
        assert sum(cost["SQLITE_STMTSTATUS_FULLSCAN_STEP"] for cost in each) == 0
        return sum(cost["SQLITE_STMTSTATUS_VM_STEP"] for cost in each)

    assert steps(large) <= 2 * steps(small)


def test_a_process_that_dies_in_a_transaction_leaves_nothing(path):
    SqliteStore(path).close()
    program = (
        "import os, sys, recairn\n"
        "memory = recairn.open(sys.argv[1], project='puffin')\n"
        "memory.remember('acknowledged')\n"
        "transaction = memory.store.transaction()\n"
        "transaction.__enter__()\n"
        "memory.store.set_config('half', 'done', 1)\n"
        "os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False)
    assert done.returncode == 9
    with opened(path) as memory:
        assert [each.content for each in memory.listing()] == ["acknowledged"]
        assert memory.config() == {}
        assert memory.verify().problems == ()


# Imports


def test_a_mark_before_the_hash_says_what_is_left_to_do_for_an_imported_record(path, raw):
    """How it was always stored: databases of earlier versions hold such rows."""
    store = SqliteStore(path)
    raw(path).execute(
        "insert into imports(source, origin, key, hash, memory, own, position)"
        " values ('tx', 'puffin', 'a', '~1f', null, 1, 0),"
        " ('tx', 'puffin', 'b', '?2f', null, 1, 1), ('tx', 'puffin', 'c', '3f', null, 1, 2)"
    )
    rows = store.imported("tx", "puffin")
    assert [(row.hash, row.state) for row in rows] == [
        ("1f", "owed"),
        ("2f", "waiting"),
        ("3f", "settled"),
    ]
    store.put_imported("tx", "puffin", rows)
    hashes = raw(path).execute("select hash from imports order by key").fetchall()
    assert hashes == [("~1f",), ("?2f",), ("3f",)]
    store.close()


@pytest.fixture
def plans(tmp_path):
    """Runs something on a store in a file; the plans of the statements it ran."""
    path = str(tmp_path / "memory.db")
    ran = []

    def trace(cursor, sql, bindings):
        ran.append((sql, bindings))
        return True

    def watch(connection):
        connection.exec_trace = trace

    def plans_of(call):
        store = SqliteStore(path)
        keep(store, "tide")
        apsw.connection_hooks.append(watch)
        try:
            watched = SqliteStore(path)
        finally:
            apsw.connection_hooks.remove(watch)
        ran.clear()
        call(watched)
        watched.close()
        store.close()
        plain = apsw.Connection(path)
        return [
            row[3]
            for sql, bindings in ran
            if sql.lstrip().startswith("select")
            for row in plain.execute(f"explain query plan {sql}", bindings)
        ]

    return plans_of


@pytest.mark.parametrize("kind", ["rule", "handoff", "entity"])
def test_the_few_of_a_kind_are_not_looked_for_among_all_of_a_project(plans, kind):
    few = replace(PUFFIN, kinds=(kind,))
    steps = plans(lambda store: store.listing(few, order="newest", limit=50))
    assert any("memories_by_kind (kind=?" in step for step in steps), steps
    assert not any("memories_by_project" in step for step in steps), steps


def test_who_pulls_and_has_all_costs_a_few_rows_found_by_index(plans):
    """All laptops of a team ask every few minutes, and mostly there is nothing."""

    def empty_pull(store):
        return store.feed_last("puffin"), store.epoch(), store.feed("puffin", 7, 500)

    steps = plans(empty_pull)
    assert any("feed_by_number (project=? AND number>?)" in step for step in steps), steps
    assert [step.split()[0] for step in steps] == ["SEARCH"] * 3, steps


@pytest.mark.parametrize("newest", [True, False])
@pytest.mark.parametrize("filter", [PUFFIN, Filter(now=NOW)], ids=["project", "all"])
def test_no_page_scans_or_sorts_the_memories(plans, filter, newest):
    after = Cursor(NOW, 5)
    steps = plans(lambda store: store.page(filter, newest=newest, after=after, limit=50))
    index = "memories_by_project (project=?" if filter.project else "memories_by_time ("
    assert any(index in step for step in steps), steps
    touching = [step for step in steps if step.startswith("SCAN m")]
    assert touching == []
    # Only the ends of the parts are sorted together, not what they hold.
    sorts = [step for step in steps if "TEMP B-TREE" in step]
    assert len(sorts) <= (2 if filter.project else 1), steps


def test_counts_read_no_memories(plans):
    """Only those whose end is still to come, and a session's own, by the indexes of that."""

    def counts(store):
        waiting = replace(PUFFIN, trust="unverified", kinds=("rule",))
        for filter in (PUFFIN, waiting, replace(PUFFIN, candidates=False)):
            store.count(filter)
            store.made_by_day(filter)
        store.stats(NOW)
        store.project_counts()
        store.last_uses()

    steps = plans(counts)
    touching = [step for step in steps if "memories" in step or step.startswith("SCAN m")]
    known = (
        "memories_ending (v",
        "memories_expiring (e",
        "memories_waiting",
        "memories_by_session (s",
        "project (project=?)",
    )
    strange = [step for step in touching if not any(each in step for each in known)]
    assert strange == []
    unverified = replace(PUFFIN, trust="unverified")
    waiting = plans(lambda store: store.listing(unverified, order="oldest", limit=9))
    assert any("memories_waiting" in step for step in waiting), waiting
