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
