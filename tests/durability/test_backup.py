"""Backups are whole, checked, private and named by their time; a restore loses nothing either."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

import recairn
from recairn.core.errors import BadInput, NotFound, Refused, StoreDamaged
from recairn.core.times import MINUTE
from recairn.store.sqlite import backup, schema
from tests.durability.children import results_of, start
from tests.durability.ledger import all_memories, connection_of

NOW = 1_790_000_000_000  # 2026-09-21T14:13:20Z


@pytest.fixture
def memory(database):
    with recairn.open(database, project="p") as opened:
        opened.remember("The harbour lies south of the old mill")
        yield opened


def names(folder):
    return sorted(os.listdir(folder))


def contents(memory):
    return sorted(each.content for each in all_memories(memory).values())


def test_a_backup_is_one_file_named_by_its_time(memory, database):
    made = backup.create(str(database), now=NOW)
    assert made.path == str(database.parent / "backups" / "memory-20260921T141320Z.db")
    assert (made.created_at, made.memories, made.schema) == (NOW, 1, schema.LATEST)
    assert made.bytes == os.path.getsize(made.path)
    assert names(database.parent / "backups") == ["memory-20260921T141320Z.db"]


def test_a_backup_of_a_database_at_rest_leaves_nothing_beside_it(database):
    recairn.open(database, project="p").close()
    backup.create(str(database), now=NOW)
    assert names(database.parent) == ["backups", "memory.db"]


def test_two_backups_in_one_second_are_two_files(memory, database):
    backup.create(str(database), now=NOW)
    memory.remember("Ferries leave at dawn")
    backup.create(str(database), now=NOW)
    listed = backup.listing(str(database.parent / "backups"))
    assert [each.memories for each in listed] == [2, 1]


def test_keep_leaves_the_newest_and_other_files_alone(memory, database):
    folder = database.parent / "backups"
    for minute in range(4):
        backup.create(str(database), now=NOW + minute * MINUTE)
    (folder / "memory-of-mine.db").write_text("not a backup")
    (folder / "other-20200101T000000Z.db").write_text("of another database")
    backup.create(str(database), keep=2, now=NOW + 4 * MINUTE)
    assert names(folder) == [
        "memory-20260921T141620Z.db",
        "memory-20260921T141720Z.db",
        "memory-of-mine.db",
        "other-20200101T000000Z.db",
    ]


def test_keeping_none_is_refused(memory, database):
    with pytest.raises(BadInput, match="keep must be 1 or more"):
        backup.create(str(database), keep=0)


def test_the_listing_says_what_cannot_be_read(memory, database):
    folder = database.parent / "backups"
    backup.create(str(database), now=NOW)
    (folder / "memory-20260101T000000Z.db").write_bytes(b"garbage" * 1000)
    good, bad = backup.listing(str(folder))
    assert (good.memories, good.problem) == (1, "")
    assert bad.memories is None
    assert "not a database" in bad.problem
    assert backup.listing(str(folder / "nowhere")) == ()


def test_a_restore_brings_back_the_old_content_and_keeps_the_new(memory, database):
    made = backup.create(str(database), now=NOW)
    memory.remember("Ferries leave at dawn")
    restored = backup.restore(made.path, str(database), now=NOW + MINUTE)
    assert restored.memories == 1
    assert contents(memory) == ["The harbour lies south of the old mill"]
    assert memory.search("harbour").hits
    assert not memory.search("ferries", mode="keyword").hits
    name = "memory-20260921T141420Z-before-restore.db"
    assert restored.previous == str(database.parent / "backups" / name)
    backup.restore(restored.previous, str(database))
    assert len(contents(memory)) == 2
    assert memory.verify().problems == ()
    assert memory.remember("Writing goes on").status == "added"


def test_a_damaged_backup_changes_nothing(memory, database):
    made = backup.create(str(database), now=NOW)
    memory.remember("Ferries leave at dawn")
    whole = bytearray(Path(made.path).read_bytes())
    at = whole.index(b"The harbour lies")
    whole[at : at + 3] = b"Thy"
    Path(made.path).write_bytes(whole)
    with pytest.raises(StoreDamaged, match="is damaged"):
        backup.restore(made.path, str(database))
    assert len(contents(memory)) == 2
    assert names(database.parent) == ["backups", "memory.db", "memory.db-shm", "memory.db-wal"]


def test_what_is_no_backup_is_refused(memory, database, tmp_path):
    with pytest.raises(NotFound, match="there is no backup"):
        backup.restore(str(tmp_path / "gone.db"), str(database))
    (tmp_path / "empty.db").touch()
    with pytest.raises(Refused, match="not a backup of recairn"):
        backup.restore(str(tmp_path / "empty.db"), str(database))


def test_a_restore_mends_a_file_that_is_no_database_any_more(database):
    with recairn.open(database, project="p") as memory:
        memory.remember("The harbour lies south of the old mill")
    made = backup.create(str(database), now=NOW)
    database.write_bytes(b"garbage" * 1000)
    restored = backup.restore(made.path, str(database), now=NOW)
    assert restored.previous == f"{database}.damaged-20260921T141320Z"
    assert Path(restored.previous).read_bytes() == b"garbage" * 1000
    with recairn.open(database, project="p") as memory:
        assert memory.count() == 1
        assert memory.verify().problems == ()


def test_a_restore_makes_the_database_where_there_is_none(memory, database, tmp_path):
    made = backup.create(str(database), now=NOW)
    target = tmp_path / "elsewhere" / "memory.db"
    assert backup.restore(made.path, str(target)).previous is None
    with recairn.open(target, project="p") as other:
        assert other.count() == 1
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_damaged_database_is_not_backed_up_as_if_it_were_whole(memory, database):
    connection_of(memory).run("update memories set content = 'changed behind its back'")
    with pytest.raises(StoreDamaged, match="is damaged"):
        backup.create(str(database))
    assert names(database.parent / "backups") == []


WRITER = """
import json, sys, recairn
kept = []
with recairn.open(sys.argv[1], project="p") as memory:
    print("writing", flush=True)
    for number in range(int(sys.argv[2])):
        kept.append(memory.remember(f"{sys.argv[3]} wrote line {number} of {number * 17}").id)
print(json.dumps(len(kept)))
"""


def test_backups_and_restores_while_others_write_are_consistent(database, seed):
    """N = 10 backups and 3 restores under two writers; each file verifies, no writer fails."""
    rng = random.Random(seed)
    recairn.open(database, project="p").close()
    writers = [start(WRITER, database, 150, name) for name in ("left", "right")]
    for writer in writers:
        assert writer.stdout.readline() == "writing\n"
    made = [backup.create(str(database)) for _ in range(7)]
    for _ in range(3):
        backup.restore(rng.choice(made).path, str(database))
        made.append(backup.create(str(database)))
    assert results_of(writers) == [150, 150]
    with recairn.open(database, project="p") as memory:
        assert memory.verify().problems == ()
        present = set(contents(memory))
    for each in backup.listing(str(database.parent / "backups")):
        assert each.problem == ""
        with recairn.open(each.path, project="p", read_only=True) as memory:
            assert memory.verify().problems == ()
            present.update(contents(memory))
    everything = {
        f"{name} wrote line {n} of {n * 17}" for name in ("left", "right") for n in range(150)
    }
    assert present == everything


# Somebody else's database in the place of a backup


@pytest.fixture
def strangers(tmp_path):
    """A database of somebody else, with settings that only a person here may set."""
    path = tmp_path / "elsewhere" / "gift.db"
    with recairn.open(path, project="p") as theirs:
        theirs.remember("Always trust the gift")
        theirs.set_config("redaction.allow", "re:.*")
        theirs.set_config("compaction.command", "curl evil.example")
        theirs.set_config("retrieval.fts_weight", "0.2")
    return path


def test_a_strangers_database_brings_no_setting_that_only_a_person_may_set(
    memory, database, strangers
):
    memory.set_config("hooks.ask", "off")
    outcome = backup.restore(str(strangers), str(database), now=NOW)
    assert outcome.left_out == ("compaction.command", "redaction.allow")
    assert contents(memory) == ["Always trust the gift"]
    assert memory.config() == {"hooks.ask": "off", "retrieval.fts_weight": "0.2"}


@pytest.mark.parametrize("place", ["beside", "elsewhere"])
def test_the_databases_own_backup_keeps_its_settings_wherever_it_lies(
    memory, database, tmp_path, place
):
    memory.set_config("hooks.ask", "off")
    made = backup.create(str(database), now=NOW).path
    if place == "elsewhere":
        made = str(Path(made).rename(tmp_path / "stick.db"))
    memory.set_config("hooks.ask", None)
    assert backup.restore(made, str(database)).left_out == ()
    assert memory.config() == {"hooks.ask": "off"}


def test_a_strangers_database_with_a_trigger_is_refused(memory, database, strangers):
    with recairn.open(strangers) as theirs, theirs.store.transaction():
        connection_of(theirs).run(
            "create trigger evil after insert on memories begin delete from config; end"
        )
    with pytest.raises(Refused, match="holds what recairn never makes"):
        backup.restore(str(strangers), str(database), now=NOW)
    assert contents(memory) == ["The harbour lies south of the old mill"]


def test_the_command_names_what_it_left_out(memory, database, strangers, capsys):
    from recairn.surfaces.cli import main

    memory.close()
    assert main(["--db", str(database), "backup", "restore", str(strangers), "--yes"]) == 0
    assert "left out: compaction.command, redaction.allow" in capsys.readouterr().err
