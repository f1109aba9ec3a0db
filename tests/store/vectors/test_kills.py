"""Processes killed while they make vectors: nothing lost, nothing mixed, nothing left half-made."""

from __future__ import annotations

import pytest

from tests.durability.children import run

PROGRAM = "import sys; from tests.store.vectors.kill_embedders import main; main(*sys.argv[1:])"
KILLS = 30
SEED = 20261115


def outcome_of(play, folder, kills=KILLS):
    return run(PROGRAM, play, folder, kills, SEED)


def test_30_kills_during_embed_lose_and_mix_nothing(tmp_path):
    outcome = outcome_of("embed", tmp_path)
    assert outcome["wrong"] == []
    assert outcome["half_done"] >= 3


def test_30_kills_during_a_model_switch_lose_and_mix_nothing(tmp_path):
    outcome = outcome_of("switch", tmp_path)
    assert outcome["wrong"] == []
    assert outcome["half_done"] >= 10
    assert outcome["answered"] == ["external", "static"]


def test_30_kills_of_two_bulk_writers_leave_whole_writes_with_vectors(tmp_path):
    outcome = outcome_of("bulk", tmp_path)
    assert outcome["wrong"] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("play", ["embed", "switch", "bulk"])
def test_300_kills_lose_and_mix_nothing(tmp_path, play):
    assert outcome_of(play, tmp_path, 300)["wrong"] == []
