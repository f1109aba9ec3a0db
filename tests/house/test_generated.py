"""Files that are made from others are up to date."""

from __future__ import annotations

import pytest

from tests.repository import ROOT
from tools.lazy_parts import tables

GENERATED = {path.relative_to(ROOT).as_posix(): text for path, text in tables().items()}


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_file_is_up_to_date(name):
    assert (ROOT / name).read_text() == GENERATED[name], "run: python3 run.py fix"
