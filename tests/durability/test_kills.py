"""Processes killed in the middle of writing lose nothing that was acknowledged."""

from __future__ import annotations

import json

import pytest

import recairn
from tests.durability.children import run
from tests.durability.ledger import Pen, broken_promises

KILLS = 300


def test_300_kills_of_two_writers_and_a_reader_lose_nothing(tmp_path, seed):
    """N = 300 kill -9s, a full check after every 60: nothing lost, changed or half-written."""
    outcome = run("kill_writers.py", tmp_path, KILLS, seed)
    assert outcome["wrong"] == []
    assert outcome["acknowledged"] >= 100


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_10000_kills_lose_nothing(tmp_path, seed, sizes):
    """N = 10,000 by default (RECAIRN_TEST_KILLS)."""
    assert run("kill_writers.py", tmp_path, sizes["kills"], seed)["wrong"] == []


def test_the_check_sees_a_lost_a_changed_and_a_resurrected_memory(database, tmp_path):
    (tmp_path / "ledger").touch()
    pen = Pen(tmp_path / "ledger", "hand")
    with recairn.open(database, project="p") as memory:
        lost, kept = 1, 2
        memory.remember("the first thing that was promised")
        memory.forget(lost, hard=True)
        memory.remember("a second and quite different matter")
        pen.acknowledges(pen.tries(add=["the first thing that was promised"]), ids=[lost])
        pen.acknowledges(pen.tries(add=["other words than are stored"]), ids=[kept])
        assert broken_promises(memory, tmp_path / "ledger") == [
            f"#{lost} is lost: {{'the first thing that was promised'}}",
            f"#{kept} says 'a second and quite different matter',"
            " promised was {'other words than are stored'}",
        ]
        pen.acknowledges(pen.tries(erase=kept))
        assert f"#{kept} was erased and is back" in broken_promises(memory, tmp_path / "ledger")


def test_the_check_sees_half_of_a_bulk_write(database, tmp_path):
    with recairn.open(database, project="p") as memory:
        memory.remember("alpha of the bulk")
        (tmp_path / "ledger").write_text(
            json.dumps({"try": "x/1", "add": ["alpha of the bulk", "omega of it"]}) + "\n"
        )
        assert broken_promises(memory, tmp_path / "ledger") == ["half of a bulk write: 1 of 2"]
