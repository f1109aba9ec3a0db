"""The doctor names what is wrong and what to type, on anything that may stand at the path."""

from __future__ import annotations

import os
import shutil

import apsw
import pytest

import recairn
from recairn.core.errors import NotFound, Refused, StoreBusy, StoreDamaged
from recairn.core.times import DAY
from recairn.store.sqlite import backup, doctor, schema
from tests.durability.children import start

NOW = 1_790_000_000_000


@pytest.fixture
def filled(database):
    """A closed database with twenty memories, and a backup of today."""
    with recairn.open(database, project="p") as memory:
        for number in range(20):
            memory.remember(f"fact {number} is about basalt, opal and {number * 31} pumice")
    backup.create(str(database), now=NOW)
    return database


def said(path, level="problem"):
    found = doctor.diagnose(str(path), now=NOW)
    return [(each.what, each.remedy) for each in found if each.level == level]


def snapshot(folder):
    return {
        path.relative_to(folder): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_healthy_database_gets_a_clean_bill(filled):
    found = doctor.diagnose(str(filled), now=NOW)
    assert {each.level for each in found} == {"ok"}
    assert "20 memories, 10 checks passed" in [each.what for each in found]


def test_the_diagnosis_changes_nothing_on_disk(filled):
    before = snapshot(filled.parent)
    doctor.diagnose(str(filled))
    assert snapshot(filled.parent) == before


def test_a_database_in_use_is_healthy_too(filled):
    with recairn.open(filled, project="p") as memory:
        memory.remember("something new in the log")
        assert said(filled) == []
        assert ("21 memories, 10 checks passed", "") in said(filled, "ok")
        memory.remember("the doctor has not locked it")


def test_no_database_yet_is_no_problem(database):
    assert said(database) == []
    assert said(database, "warning") == [
        (f"there is no database yet at {database}", 'recairn add "…" makes one')
    ]
    assert not database.parent.exists()


def test_an_empty_file_is_no_problem(database):
    database.parent.mkdir(mode=0o700)
    database.touch(mode=0o600)
    assert said(database, "warning") == [
        (f"{database} is empty: nothing was ever stored", 'recairn add "…"')
    ]


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 400, b"SQLite", os.urandom(5000)])
def test_a_file_that_is_no_database_is_said_to_be_none(database, content):
    database.parent.mkdir(mode=0o700)
    database.write_bytes(content)
    assert (
        f"{database} is not a SQLite database (its header is gone)",
        "recairn doctor --repair",
    ) in said(database)
    with pytest.raises(StoreDamaged, match="can be read any more"):
        doctor.repair(str(database))
    assert database.read_bytes() == content


def test_a_folder_at_the_path_is_said_to_be_one(tmp_path):
    assert said(tmp_path) == [
        (f"{tmp_path} is a folder, not a database", "name another file with --db or RECAIRN_DB")
    ]
    with pytest.raises(NotFound):
        doctor.repair(str(tmp_path))


def test_a_link_into_nowhere_is_said_to_be_one(tmp_path):
    (tmp_path / "memory.db").symlink_to(tmp_path / "gone.db")
    ((what, _),) = said(tmp_path / "memory.db")
    assert what.endswith("nothing there")


def test_another_programs_database_is_not_touched(database):
    database.parent.mkdir(mode=0o700)
    db = apsw.Connection(str(database))
    db.execute("create table memories(x); insert into memories values (1)")
    db.close()
    before = database.read_bytes()
    assert (
        f"{database} is a database, but not one of recairn's",
        "name another file with --db or RECAIRN_DB",
    ) in said(database)
    with pytest.raises(Refused, match="not one of recairn's"):
        doctor.repair(str(database))
    assert database.read_bytes() == before


def test_a_newer_schema_asks_for_a_newer_recairn(filled):
    db = apsw.Connection(str(filled))
    db.execute("pragma user_version=99")
    db.close()
    assert (
        f"{filled} has schema 99; this recairn knows up to {schema.LATEST}",
        "pip install -U recairn",
    ) in said(filled)


def test_files_open_to_others_are_named_with_the_command_and_closed_by_repair(filled):
    filled.chmod(0o644)
    filled.parent.chmod(0o755)
    assert said(filled, "warning") == [
        (f"{filled.parent} is open to others (mode 0755)", f"chmod 700 {filled.parent}"),
        (f"{filled} is open to others (mode 0644)", f"chmod 600 {filled}"),
    ]
    repaired = doctor.repair(str(filled))
    assert len(repaired.actions) == 2
    assert said(filled, "warning") == []


def test_a_folder_that_is_not_recairns_may_stay_readable(tmp_path):
    tmp_path.chmod(0o755)
    recairn.open(tmp_path / "notes.db").close()
    assert said(tmp_path / "notes.db", "warning") == [
        ("there is no backup", "recairn backup create")
    ]


def test_an_old_backup_is_a_warning(filled):
    found = doctor.diagnose(str(filled), now=NOW + 45 * DAY)
    assert [(each.what, each.remedy) for each in found if each.level == "warning"] == [
        ("the newest backup was made 1 month ago", "recairn backup create")
    ]


def test_an_index_out_of_step_is_seen_and_rebuilt(filled):
    db = apsw.Connection(str(filled))
    db.execute("drop trigger memories_rewritten; update memories set title = 'x' where id = 3")
    db.close()
    whats = [what for what, _ in said(filled)]
    assert any(what.startswith("full text: the index does not match") for what in whats)


def test_a_lost_index_is_rebuilt_in_place(filled):
    db = apsw.Connection(str(filled))
    db.execute("insert into memories_fts(memories_fts) values ('delete-all')")
    db.close()
    assert [remedy for _, remedy in said(filled)] == ["recairn doctor --repair"]
    repaired = doctor.repair(str(filled))
    assert repaired.actions == ("rebuilt the indexes",)
    assert (repaired.memories, repaired.aside) == (20, None)
    assert said(filled) == []
    with recairn.open(filled, project="p") as memory:
        assert memory.search("pumice").hits


def test_a_cut_off_file_is_salvaged_and_the_damaged_one_kept(filled):
    whole = filled.read_bytes()
    filled.write_bytes(whole[: len(whole) - 40960])
    what, remedy = said(filled)[0]
    assert what == f"{filled} is cut off: 40,960 of {len(whole):,} bytes are missing"
    assert remedy.startswith("recairn backup restore ")
    assert remedy.endswith(", or recairn doctor --repair")
    repaired = doctor.repair(str(filled), now=NOW)
    assert repaired.aside == f"{filled}.damaged-20260921T141320Z"
    with open(repaired.aside, "rb") as kept:
        assert kept.read() == whole[: len(whole) - 40960]
    assert repaired.memories + len(repaired.lost) == 20
    assert said(filled) == []


def test_a_destroyed_header_costs_no_memory(filled):
    filled.write_bytes(bytes(100) + filled.read_bytes()[100:])
    repaired = doctor.repair(str(filled))
    assert (repaired.memories, repaired.lost, repaired.changed) == (20, (), ())
    with recairn.open(filled, project="p") as memory:
        assert memory.verify().problems == ()
        assert len(memory.history(1)) == 1
        again = memory.remember("fact 3 is about basalt, opal and 93 pumice")
        assert (again.id, again.status) == (4, "reinforced")


def test_a_destroyed_first_page_costs_no_memory(filled):
    filled.write_bytes(bytes(4096) + filled.read_bytes()[4096:])
    assert doctor.repair(str(filled)).memories == 20


def test_text_that_is_no_longer_text_is_kept_and_named(filled):
    broken = filled.read_bytes().replace(
        b"fact 7 is about basalt", b"fact 7 is \xff\xfe\xffut basalt"
    )
    filled.write_bytes(broken)
    assert said(filled)
    repaired = doctor.repair(str(filled))
    assert (repaired.memories, repaired.changed, repaired.lost) == (20, (8,), ())
    with recairn.open(filled, project="p") as memory:
        saved = memory.get(8)
        assert saved is not None
        assert saved.content.startswith("fact 7 is \ufffd\ufffd\ufffdut basalt")
        assert saved.trust == "unverified"
        assert memory.verify().problems == ()


def test_what_was_erased_does_not_come_back(filled):
    with recairn.open(filled, project="p") as memory:
        memory.forget(4, hard=True)
    filled.write_bytes(bytes(100) + filled.read_bytes()[100:])
    repaired = doctor.repair(str(filled))
    assert (repaired.memories, repaired.lost) == (19, ())


def test_a_log_of_another_database_is_named(filled, tmp_path):
    filled.with_name("memory.db-wal").write_bytes(b"not a log at all" * 20)
    filled.with_name("memory.db-wal").chmod(0o600)
    ((what, remedy),) = said(filled, "warning")
    assert what == f"{filled}-wal does not belong to this database; it is ignored"
    assert remedy == f"mv {filled}-wal {filled}-wal.aside"


HOLDER = """
import sys, recairn
with recairn.open(sys.argv[1], project="p") as memory, memory.store.transaction():
    memory.remember("the writer who would not let go")
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_lock_held_by_another_process_is_named_with_the_process(filled):
    holder = start(HOLDER, filled)
    try:
        assert holder.stdout.readline() == "held\n"
        ((what, remedy),) = said(filled, "warning")
        assert what.startswith("another process holds the write lock")
        if os.path.exists("/proc/locks"):
            assert f"(process {holder.pid})" in what
        assert remedy == "wait, or end that process"
    finally:
        holder.communicate("done\n")


def test_a_damaged_file_in_use_is_not_exchanged_under_its_user(filled):
    with recairn.open(filled, project="p") as memory:
        memory.remember("still at work")
        db = apsw.Connection(str(filled))
        db.execute("update memories set row_hash = 'wrong' where id = 2")
        with pytest.raises(StoreBusy, match="open in another program"):
            doctor.repair(str(filled))
        db.close()
    assert doctor.repair(str(filled)).changed == (2,)


def test_the_doctor_survives_a_folder_that_vanished(filled):
    shutil.rmtree(filled.parent)
    assert said(filled, "warning") == [
        (f"there is no database yet at {filled}", 'recairn add "…" makes one')
    ]
