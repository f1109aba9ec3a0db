"""A server and laptops that live at random end with the same, and nothing is lost or comes back."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.sync.lives import Lives, view


def _differing(one: Any, other: Any) -> Any:
    if isinstance(one, set):
        return one ^ other
    return {
        uid: {
            name: (one.get(uid, {}).get(name), other.get(uid, {}).get(name))
            for name in {*one.get(uid, {}), *other.get(uid, {})}
            if one.get(uid, {}).get(name) != other.get(uid, {}).get(name)
        }
        for uid in {*one, *other}
        if one.get(uid) != other.get(uid)
    }


def end_equal(folder: Path, seed: int, steps: Iterable[int]) -> None:
    """Lets a life go through these of its steps; the same one goes the same way again."""
    with pytest.MonkeyPatch.context() as patch:  # uids and names of databases are by chance, too
        patch.setattr(os, "urandom", random.Random(f"{seed} names").randbytes)
        _end_equal(folder, seed, steps)


def _end_equal(folder: Path, seed: int, steps: Iterable[int]) -> None:
    lives = Lives(folder, seed, laptops=3 + seed % 2, common=3)
    for number in steps:
        lives.step(number)
    lives.settle()
    said = view(lives.hub)
    for laptop in lives.laptops:
        here = view(laptop.memory)
        for part, expected in said.items():
            assert here[part] == expected, (
                seed,
                laptop.name,
                part,
                _differing(here[part], expected),
            )
    # Nothing that was destroyed is anywhere, hidden or not, if it ever travelled; and no text is
    # gone that nobody replaced knowingly.
    assert lives.destroyed & lives.travelled() <= said["erased"], seed
    everywhere = (lives.hub, *(laptop.memory for laptop in lives.laptops))
    held = [each for memory in everywhere for each in memory.every_memory()]
    assert not {each.uid for each in held} & said["erased"], seed
    texts = {each.content for each in held}
    written = {text for text, uid in lives.written.items() if uid not in said["erased"]}
    assert written - lives.replaced - texts == set(), seed
    lives.close()


@pytest.mark.parametrize("seed", range(2))
def test_laptops_and_a_server_end_equal(folder, seed):
    for life in range(10):
        end_equal(folder, 10 * seed + life, range(30))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_thousand_lives_end_equal(folder, part):
    for life in range(50):
        end_equal(folder, 1000 + 50 * part + life, range(60))
