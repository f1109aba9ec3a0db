"""Files that are not ours, not yet ours or no longer readable by us are left as they are."""

from __future__ import annotations

import apsw
import pytest

import recairn
from recairn.core.errors import EngineTooOld, NotFound, SchemaTooNew, StoreDamaged
from recairn.store.sqlite import schema
from recairn.store.sqlite.connection import check_engine
from tests.durability.ledger import connection_of


def make_database(path, *statements):
    path.parent.mkdir(parents=True, exist_ok=True)
    db = apsw.Connection(str(path))
    for statement in statements:
        db.execute(statement)
    db.close()
    return path.read_bytes()


@pytest.mark.parametrize("newer", [schema.LATEST + 1, 99])
def test_a_schema_newer_than_the_code_is_refused_with_the_way_out(database, newer):
    recairn.open(database).close()
    before = make_database(database, "pragma journal_mode=delete", f"pragma user_version={newer}")
    refusal = f"schema {newer}, newer .* knows .{schema.LATEST}"
    with pytest.raises(SchemaTooNew, match=refusal) as caught:
        recairn.open(database)
    assert caught.value.hint == "pip install -U recairn"
    assert database.read_bytes() == before


@pytest.mark.parametrize("version", [0, 1, 7])
def test_another_programs_database_is_refused_and_untouched(database, version):
    before = make_database(database, "create table notes(x)", f"pragma user_version={version}")
    with pytest.raises(StoreDamaged, match="not one of recairn's") as caught:
        recairn.open(database)
    assert caught.value.hint == "name another file with --db or RECAIRN_DB"
    assert database.read_bytes() == before
    assert [each.name for each in database.parent.iterdir()] == ["memory.db"]


def test_a_file_that_is_no_database_is_refused_and_untouched(database):
    database.parent.mkdir()
    database.write_text("Dear diary,\n" * 200)
    with pytest.raises(StoreDamaged, match="not a database") as caught:
        recairn.open(database)
    assert caught.value.hint == "recairn doctor"
    assert database.read_text() == "Dear diary,\n" * 200


def test_reading_a_database_that_does_not_exist_creates_none(database):
    with pytest.raises(NotFound, match="there is no database"):
        recairn.open(database, read_only=True)
    assert not database.parent.exists()


@pytest.mark.parametrize("version", [(3, 40, 1), (3, 51, 2), (3, 7)])
def test_an_engine_that_can_corrupt_files_is_refused(version):
    with pytest.raises(EngineTooOld, match=r"can corrupt a database") as caught:
        check_engine(version)
    assert "pip install -U apsw" in caught.value.hint


@pytest.mark.parametrize("version", [(3, 51, 3), (3, 53), (4, 0, 0)])
def test_an_engine_with_the_repair_is_accepted(version):
    check_engine(version)


def test_a_backup_copied_into_place_writes_ahead_like_any_database(database):
    with recairn.open(database, project="p") as memory:
        memory.remember("kept in a copy")
        connection_of(memory).backup_to(str(database.with_name("copy.db")))
    with recairn.open(database.with_name("copy.db"), project="p") as memory:
        assert connection_of(memory).value("pragma journal_mode") == "wal"
        assert memory.count() == 1
