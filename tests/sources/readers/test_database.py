"""Databases of other programs are read, never written, and may be broken in any way."""

import os
from contextlib import suppress

import apsw
import pytest

from recairn.core.errors import BadInput
from recairn.sources.format import Fault
from recairn.sources.readers.database import MAX_VALUE, Database, tables_of
from recairn.sources.readers.files import Origin


@pytest.fixture
def made(tmp_path):
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "keeper.db"
    connection = apsw.Connection(str(path))
    connection.execute("create table watches (id integer primary key, said text, at)")
    connection.execute("insert into watches values (1, 'calm', 5), (2, 'fog', 6.5)")
    yield path, connection
    connection.close()


def rows(path, table="watches"):
    with Database(Origin(str(path), "keeper.db")) as database:
        return list(database.rows(table))


def test_rows_come_with_their_place(made):
    assert rows(made[0]) == [
        ("keeper.db:watches/1", {"id": 1, "said": "calm", "at": 5}),
        ("keeper.db:watches/2", {"id": 2, "said": "fog", "at": 6.5}),
    ]
    assert rows(made[0], "storms") == []


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_still_stands_in_the_log_is_read_and_nothing_is_written(made):
    path, connection = made
    connection.execute("pragma journal_mode = wal")
    connection.execute("insert into watches values (3, 'gale', 7)")
    before = contents(path.parent)
    assert sorted(before) == ["keeper.db", "keeper.db-shm", "keeper.db-wal"]
    assert [each[1]["said"] for each in rows(path)] == ["calm", "fog", "gale"]
    assert contents(path.parent) == before


def test_a_read_only_folder_is_no_obstacle(made):
    made[1].close()
    made[0].chmod(0o400)
    made[0].parent.chmod(0o500)
    try:
        assert len(rows(made[0])) == 2
    finally:
        made[0].parent.chmod(0o700)


def test_a_value_that_is_too_large_costs_its_row_alone(made):
    made[1].execute("insert into watches values (3, zeroblob(?), 7)", (MAX_VALUE + 1,))
    assert rows(made[0])[2] == Fault("keeper.db:watches/3", "a value is larger than 2 MB")


def test_text_that_is_not_utf8_is_read_with_marks(made):
    made[1].execute("insert into watches values (3, cast(x'66ff6f67' as text), x'ff')")
    assert rows(made[0])[2][1] == {"id": 3, "said": "f\ufffdog", "at": b"\xff"}


def test_views_and_virtual_tables_are_not_run(made):
    made[1].execute(
        "create view endless as with recursive n(i) as (select 1 union all select i + 1 from n)"
        " select i as id from n; create virtual table words using fts5(said)"
    )
    with Database(Origin(str(made[0]), "keeper.db")) as database:
        assert "endless" not in database.tables
        assert "words" not in database.tables


def test_a_damaged_page_ends_its_table_and_not_the_import(made):
    made[1].execute(
        "with recursive n(i) as (select 10 union all select i + 1 from n where i < 2000)"
        " insert into watches select i, hex(randomblob(40)), i from n"
    )
    made[1].close()
    raw = bytearray(made[0].read_bytes())
    raw[4096 * 12 : 4096 * 14] = b"\xff" * 8192
    made[0].write_bytes(raw)
    found = rows(made[0])
    assert len(found) > 100
    assert isinstance(found[-1], Fault)
    assert found[-1].reason.startswith("cannot be read on: ")


def test_a_damaged_schema_is_refused_and_raises_nothing_else(made):
    made[1].close()
    whole = made[0].read_bytes()
    at = whole.index(b"CREATE TABLE watches")
    for offset in range(0, 60, 3):
        made[0].write_bytes(whole[: at + offset] + b"\xd3" + whole[at + offset + 1 :])
        with suppress(BadInput):
            rows(made[0])


def test_what_is_no_database_is_refused_with_a_way_out(tmp_path):
    secret = tmp_path / "keeper.db"
    secret.write_bytes(os.urandom(8192))
    with pytest.raises(BadInput, match=r"keeper.db is no SQLite database, or an encrypted one"):
        rows(secret)
    torn = tmp_path / "torn.db"
    torn.write_bytes(b"SQLite format 3\x00" + b"\xff" * 300)
    with pytest.raises(BadInput, match="not a readable database"):
        rows(torn)
    assert (tables_of(str(secret)), tables_of(str(torn))) == (frozenset(), frozenset())


@pytest.mark.parametrize("guard", ["TRUSTED_SCHEMA", "ENABLE_TRIGGER", "ENABLE_VIEW"])
def test_nothing_of_the_databases_own_may_run_while_it_is_read(tmp_path, guard):
    path = tmp_path / "strange.db"
    apsw.Connection(str(path)).execute("create table notes(text)")
    connections: list[apsw.Connection] = []
    watch = connections.append
    apsw.connection_hooks.append(watch)
    try:
        with Database(Origin(str(path), "strange.db")):
            (opened,) = connections
            assert opened.config(getattr(apsw, f"SQLITE_DBCONFIG_{guard}"), -1) == 0
    finally:
        apsw.connection_hooks.remove(watch)
