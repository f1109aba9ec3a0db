"""A whole database moves to a server and back in parcels; one that broke off is begun again."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import recairn
from tests.corpus import MEMORIES, PROJECT, Clock

# Moves, and dies without a word when so many memories are there.
KILLED = """
import os, signal, sys, recairn
def report(done, total):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
with recairn.open(sys.argv[1], project="puffin", model="none") as memory:
    memory.move_to(sys.argv[2], size=5, report=report)
"""


@pytest.fixture
def home(tmp_path):
    """A database with something of everything, and chains that lead to older memories too."""
    path = str(tmp_path / "home.db")
    with recairn.open(path, project=PROJECT, session="s1", model="none", clock=Clock()) as memory:
        memory.remember_many(MEMORIES, on_similar="add")
        numbers = [each.id for each in memory.every_memory()]
        memory.supersede(numbers[0], numbers[-1])
        memory.supersede(numbers[-2], numbers[1])
        memory.link(numbers[2], numbers[-3], "relates_to")
        memory.forget(numbers[3])
        memory.forget(numbers[4], hard=True)
        memory.withhold(numbers[5])
        memory.feedback(numbers[6], 1.0)
        memory.undo(numbers[6])
        memory.search("buoy")
        memory.context(prompt="the buoy and its uplink")
        memory.record_miss("what is nowhere", wanted=numbers[7])
        memory.add_task("Mend the lamp")
    return path


def exported(address):
    with recairn.open(address, project=PROJECT, model="none") as memory:
        return [json.dumps(record, sort_keys=True) for record in memory.export_records()]


def member(address):
    with recairn.open(address, project=PROJECT, model="none") as memory:
        memory.add_member("ann", role="admin")
        memory.set_config("audience", "team")
    return f"{address}&member=ann"


def test_a_move_that_was_killed_is_begun_again_and_everything_arrives_once(
    home, postgres, tmp_path
):
    there, back = member(postgres.new_team()), str(tmp_path / "back.db")
    for stop in (5, 15):
        ran = subprocess.run([sys.executable, "-c", KILLED, home, there, str(stop)], check=False)
        assert ran.returncode == -9
        with recairn.open(there, project=PROJECT, model="none") as memory:
            assert memory.verify().problems == ()
            part = [each.id for each in memory.every_memory()]
            assert stop <= len(part) < len(MEMORIES)
            assert all(memory.history(number) for number in part)
    with recairn.open(home, project=PROJECT, model="none") as memory:
        told: list[tuple[int, int]] = []
        done = memory.move_to(there, size=5, report=lambda *figures: told.append(figures))
        assert told[-1] == (done.memories, done.memories)
        assert (done.missing, dict(done.short), done.taken.problems) == ((), {}, ())
        assert done.taken.unchanged >= 15
        again = memory.move_to(there, size=5)
        assert (again.taken.added, again.taken.unchanged) == ((), done.memories)
    with recairn.open(there, project=PROJECT, model="none") as memory:
        assert memory.move_to(back, size=7).missing == ()
        assert memory.verify().problems == ()
    kept = [line for line in exported(back) if '"key": "audience"' not in line]
    assert kept == exported(home)


def test_what_is_fewer_there_is_told(home, postgres, tmp_path):
    there = str(tmp_path / "there.db")
    with recairn.open(home, project=PROJECT, model="none") as memory:
        memory.move_to(there)
        with recairn.open(there, project=PROJECT, model="none") as other:
            number = next(other.every_memory()).id
            other.forget(number, hard=True)
        assert memory.move_to(there).short != {}


def in_folder(monkeypatch, folder, path):
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    return recairn.open(path, model="none")


def moved_beside(tmp_path, monkeypatch):
    """Two databases, each with notes of its own folder `notes`, brought together in the second."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    for path, name in ((new, "theirs"), (old, "ours")):
        with in_folder(monkeypatch, tmp_path / name / "notes", path) as memory:
            memory.remember(f"What is {name}")
            memory.add_task(f"Work of {name}")
    with recairn.open(old, model="none") as memory:
        memory.move_to(str(new))
    return old, new


def seen(monkeypatch, folder, path):
    with in_folder(monkeypatch, folder, path) as memory:
        return [each.content for each in memory.listing()], [each.title for each in memory.tasks()]


def test_each_folder_sees_its_own_after_a_move_to_a_store_in_use(tmp_path, monkeypatch):
    old, new = moved_beside(tmp_path, monkeypatch)
    for _ in range(2):
        for name in ("ours", "theirs"):
            expected = [f"What is {name}"], [f"Work of {name}"]
            assert seen(monkeypatch, tmp_path / name / "notes", new) == expected
        with recairn.open(old, model="none") as memory:
            assert memory.move_to(str(new)).taken.added == ()


def test_somebody_elses_export_opens_no_folder_to_another(tmp_path, monkeypatch):
    old, _ = moved_beside(tmp_path, monkeypatch)
    with recairn.open(old, model="none") as memory:
        records = [(f"line {n}", each) for n, each in enumerate(memory.export_records())]
    other = tmp_path / "other.db"
    with in_folder(monkeypatch, tmp_path / "elsewhere", other) as memory:
        memory.remember("Something else")
        memory.take_records(records, author="import:theirs")
    assert seen(monkeypatch, tmp_path / "ours" / "notes", other) == ([], [])
