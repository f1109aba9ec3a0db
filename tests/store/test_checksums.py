"""What nobody wrote through recairn is noticed in every table, on every engine."""

from __future__ import annotations

import contextlib

import apsw
import psycopg2
import pytest

import recairn
from recairn.core.errors import StoreError
from recairn.core.model import Edge
from recairn.store.postgres.address import Address
from recairn.store.postgres.schema.m005_checksums import SUMMED as ON_SERVER
from recairn.store.postgres.schema.m006_members import SUMMED as OF_MEMBERS
from recairn.store.postgres.schema.m009_devices import SUMMED as OF_DEVICES
from recairn.store.postgres.schema.m011_stamps import SUMMED as OF_STAMPS
from recairn.store.sqlite import SqliteStore
from recairn.store.sqlite.connection import Connection
from recairn.store.sqlite.schema import SUMMED
from recairn.store.statements.memory_table import AUTHORED
from tests.corpus import PROJECT
from tests.postgres_server import OWNER
from tests.store.engines import FILES, SERVERS

# Made from the rest, or with checksums of their own.
DERIVED = {
    *("checksums", "look_alikes", "recent_keys"),
    *("models", "tallies", "vectors", "vector_blocks"),
}
CHANGES = {
    "access_log": "source = 'nobody'",
    "config": "value = '9'",
    "edges": "weight = 0.25",
    "feedback": "score = 0.125",
    "history": "reason = 'because'",
    "injections": "tokens = 7",
    "memories": "usage_count = 77",
    "query_log": "results = 99",
    "search_failures": "note = 'never'",
    "sessions": "branch = 'other'",
    "task_events": "event = 'eaten'",
    "tasks": "title = 'Other'",
}


def fill(address):
    with recairn.open(address, project=PROJECT, model="none") as memory:
        memory.start_session("watch")
        memory.remember("Trim the wick before dusk")
        memory.remember("Wicks come from the chandler in Hull")
        memory.link(2, 1, "depends_on")
        memory.feedback(1, 0.75)
        memory.search("wick")
        memory.record_miss("bell")
        memory.set_config("retrieval.limit", "7")
        task = memory.add_task("Trim the wick")
        memory.start_task(task.id)
        memory.context(task.id)


def change_a_file(path, table, change):
    """As another program does."""
    db = apsw.Connection(path)
    db.execute(f"update {table} set {change}")
    db.close()


def change_a_server(server, address, table, change):
    """As if its pages had changed: the server does not compute the checksum again."""
    db = psycopg2.connect(server.address(OWNER))
    generated = (
        "update pg_attribute set attgenerated = %s"
        " where attrelid = %s::regclass and attname = 'checksum'"
    )
    team = f"team = (select team from recairn.teams where name = '{Address(address).team}')"
    with db, db.cursor() as cursor:
        cursor.execute("set local row_security = off")
        cursor.execute(generated, ("", f"recairn.{table}"))
        cursor.execute(f"update recairn.{table} set {change} where {team}")
        assert cursor.rowcount
        cursor.execute(generated, ("s", f"recairn.{table}"))
    db.close()


@pytest.mark.parametrize("table", CHANGES)
@pytest.mark.parametrize("address", FILES, indirect=True)
def test_a_row_that_another_program_changed_in_a_file_is_noticed(address, table):
    fill(address)
    with recairn.open(address, project=PROJECT, model="none") as memory:
        assert memory.verify().problems == ()
        change_a_file(address, table, CHANGES[table])
        (problem,) = memory.verify().problems
    assert (problem.check, problem.detail.split()[0]) == ("checksums", table)


@pytest.mark.parametrize("address", SERVERS, indirect=True)
def test_a_row_whose_pages_changed_on_a_server_is_noticed(address, postgres):
    fill(address)
    with recairn.open(address, project=PROJECT, model="none") as memory:
        assert memory.verify().problems == ()
        for table, change in CHANGES.items():
            change_a_server(postgres.server, address, table, change)
        problems = memory.verify().problems
    assert {problem.check for problem in problems} == {"checksums"}
    assert [problem.detail.split(" of ")[1].split()[0] for problem in problems] == list(CHANGES)


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_a_repair_keeps_what_is_there_and_is_content(address):
    fill(address)
    change_a_file(address, "tasks", CHANGES["tasks"])
    repaired = recairn.store.maintenance(address).repair()
    assert repaired.aside is None
    with recairn.open(address, project=PROJECT, model="none") as memory:
        assert memory.verify().problems == ()
        assert [task.title for task in memory.tasks()] == ["Other"]


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_one_statement_that_fails_takes_the_whole_change_with_it(address):
    """The engine alone undoes what it had done so far: no sum may hold it."""
    fill(address)
    links = [Edge(1, end, "part_of", 1.0, 1.0, "user", 1, 1, None) for end in (2, 99)]
    with recairn.open(address, project=PROJECT, model="none") as memory:
        store = memory.store
        with pytest.raises(StoreError), store.transaction(), contextlib.suppress(StoreError):
            store.put_edges(links, replace=True)
        assert memory.verify().problems == ()
        assert store.edges_between(1, 2) == []


def test_every_table_of_a_file_is_summed_or_made_from_others(tmp_path):
    SqliteStore(str(tmp_path / "memory.db")).close()
    db = apsw.Connection(str(tmp_path / "memory.db"))
    found = db.execute(
        "select name from pragma_table_list where schema = 'main' and type = 'table'"
        " and name not like 'sqlite_%'"
    )
    tables = {name for (name,) in found}
    assert tables == SUMMED | DERIVED
    columns = [name for (name,) in db.execute("select name from pragma_table_info('memories')")]
    db.close()
    counted = {
        name
        for at, name in enumerate(columns)
        if Connection.checksum("memories", tuple(columns))
        != Connection.checksum("memories", (*columns[:at], "another", *columns[at + 1 :]))
    }
    assert counted | set(AUTHORED) == set(columns)


def test_every_column_on_a_server_is_part_of_its_checksum(postgres):
    assert {*ON_SERVER, *OF_MEMBERS, *OF_DEVICES, *OF_STAMPS} == SUMMED
    db = psycopg2.connect(postgres.server.address(OWNER))
    with db, db.cursor() as cursor:
        cursor.execute(
            "select c.table_name, c.column_name, s.generation_expression"
            " from information_schema.columns c join information_schema.columns s"
            " on s.table_schema = c.table_schema and s.table_name = c.table_name"
            " and s.column_name = 'checksum' where c.table_schema = 'recairn'"
            " and c.column_name <> 'checksum'"
        )
        rows = cursor.fetchall()
    db.close()
    assert {table for table, _, _ in rows} == SUMMED
    left_out = {(table, column) for table, column, content in rows if column not in content}
    assert left_out <= {("memories", column) for column in (*AUTHORED, "team", "document")}
