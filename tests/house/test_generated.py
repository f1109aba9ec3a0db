"""Files that are made from others are up to date."""

from __future__ import annotations

import pytest

from tests.repository import ROOT
from tools.generate import generated

TEXTS = {path.relative_to(ROOT).as_posix(): text for path, text in generated()}


@pytest.mark.parametrize("name", TEXTS)
def test_a_generated_file_is_up_to_date(name):
    assert (ROOT / name).read_text() == TEXTS[name], "run: python3 run.py fix"
