"""Seeds and sizes of the durability tests: fixed, and overridable from the environment.

RECAIRN_TEST_SEED=7 repeats a run with another seed; RECAIRN_TEST_KILLS, RECAIRN_TEST_CUTS and
RECAIRN_TEST_FLIPS set how long the slow versions go on.
"""

from __future__ import annotations

import os

import pytest

# Read at import: the `own_home` fixture takes RECAIRN_ variables away from the tests themselves.
SEED = int(os.environ.get("RECAIRN_TEST_SEED", "20261115"))
SIZES = {
    name: int(os.environ.get(f"RECAIRN_TEST_{name.upper()}", usual))
    for name, usual in (("kills", 10_000), ("cuts", 10_000), ("flips", 5_000))
}


@pytest.fixture
def seed() -> int:
    """Printed with every failure, so that the same run can be had again."""
    print(f"RECAIRN_TEST_SEED={SEED}")  # noqa: T201 - pytest shows it only when the test fails
    return SEED


@pytest.fixture
def sizes() -> dict[str, int]:
    return SIZES


@pytest.fixture
def database(tmp_path):
    """A path in a folder of its own, which does not exist yet."""
    return tmp_path / "recairn" / "memory.db"
