"""Files that are made from others are up to date."""

from __future__ import annotations

import pytest

from tests.repository import ROOT
from tools.generate import generated


@pytest.mark.thorough
def test_every_generated_file_is_up_to_date():
    texts = {path.relative_to(ROOT).as_posix(): text for path, text in generated()}
    assert len(texts) > 3
    stale = [name for name, text in texts.items() if (ROOT / name).read_text() != text]
    assert stale == [], "run: python3 run.py fix"
