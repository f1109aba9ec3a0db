"""A migration happens whole or not at all, whenever it is interrupted."""

from __future__ import annotations

import shutil

import pytest

import recairn
from recairn.core.errors import StoreError
from recairn.store.sqlite import schema
from recairn.store.sqlite.copies import look
from recairn.store.sqlite.salvage import salvage
from tests.durability.children import run
from tests.durability.freeze_schema import SAMPLES, freeze
from tests.repository import DATA as FROZEN

KILLED = """
import json, os, shutil, signal, sys
import apsw, recairn, recairn.memory.remember
from recairn.store.sqlite.copies import look

folder, source = sys.argv[1], sys.argv[2]
states, statement = [], 0
while True:
    statement += 1
    database = os.path.join(folder, f"{statement}", "memory.db")
    if source:
        os.mkdir(os.path.dirname(database), 0o700)
        shutil.copy(source, database)
    child = os.fork()
    if child == 0:
        left = statement
        def count(cursor, sql, bindings):
            global left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return True
        apsw.connection_hooks.append(lambda db: setattr(db, "exec_trace", count))
        recairn.open(database).close()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    found = look(database) if os.path.exists(database) else None
    states.append(None if found is None else [found.schema, found.empty])
    with recairn.open(database, project="p") as memory:
        memory.remember("written after the interrupted migration")
        states[-1].append([each.detail for each in memory.verify().problems])
    if os.WIFEXITED(status):
        break
print(json.dumps(states))
"""


def test_creation_killed_at_every_statement_leaves_nothing_or_all(tmp_path):
    """N = every statement of opening a new database, about 100."""
    states = run(KILLED, tmp_path, "")
    assert len(states) > 50
    assert {(version, empty) for version, empty, _ in states} == {
        (0, True),
        (schema.LATEST, False),
    }
    assert [problems for _, _, problems in states if problems] == []


def older_schemas():
    return [path for path in FROZEN.glob("schema-*.db") if path.stem != f"schema-{schema.LATEST}"]


@pytest.mark.parametrize("frozen", older_schemas(), ids=lambda path: path.stem)
def test_migration_killed_at_every_statement_leaves_the_old_or_the_new_schema(tmp_path, frozen):
    states = run(KILLED, tmp_path, frozen)
    assert {version for version, _, _ in states} == {look(str(frozen)).schema, schema.LATEST}
    assert [problems for _, _, problems in states if problems] == []


def test_a_database_of_every_released_schema_opens_with_all_it_holds(tmp_path):
    """tests/data/schema-*.db, and one made now, so that this can fail before the first release."""
    frozen = [*FROZEN.glob("schema-*.db"), freeze(tmp_path / "frozen")]
    for source in frozen:
        copy = tmp_path / source.stem / "memory.db"
        copy.parent.mkdir()
        shutil.copy(source, copy)
        with recairn.open(copy, project="frozen") as memory:
            assert memory.verify().problems == ()
            contents = [each.content for each in memory.listing(include_superseded=True)]
            assert sorted(contents) == sorted(content for content, _ in SAMPLES)
            assert memory.search("frozen penguin").hits
        assert look(str(copy)).schema == schema.LATEST


@pytest.mark.parametrize("frozen", older_schemas(), ids=lambda path: path.stem)
def test_what_is_salvaged_from_an_older_schema_keeps_its_history(tmp_path, frozen):
    salvage(str(frozen), str(tmp_path / "memory.db"))
    with recairn.open(tmp_path / "memory.db", project="frozen") as memory:
        assert memory.verify().problems == ()
        (created,) = [each for each in memory.history(1) if each.event in ("created", "imported")]
    assert (created.event, created.reason) == ("created", "")


def test_a_failing_migration_leaves_the_old_schema_and_its_data(database, monkeypatch):
    with recairn.open(database, project="p") as memory:
        memory.remember("older than the migration")
    steps = "alter table memories add column mood text; create table moods(x); create nonsense"
    original = schema.statements
    with monkeypatch.context() as patch:
        patch.setattr(schema, "LATEST", schema.LATEST + 1)
        patch.setattr(
            schema,
            "statements",
            lambda version: steps if version == schema.LATEST else original(version),
        )
        with pytest.raises(StoreError, match="syntax error"):
            recairn.open(database)
    assert look(str(database)).schema == schema.LATEST
    with recairn.open(database, project="p") as memory:
        assert memory.verify().problems == ()
        assert memory.count() == 1
        memory.remember("younger than the failed migration")


def test_a_read_only_reader_does_not_migrate(database, monkeypatch):
    recairn.open(database).close()
    before = database.read_bytes()
    monkeypatch.setattr(schema, "LATEST", schema.LATEST + 1)
    with pytest.raises(StoreError, match="needs a migration"):
        recairn.open(database, read_only=True)
    assert database.read_bytes() == before
