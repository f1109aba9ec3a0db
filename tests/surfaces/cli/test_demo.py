"""The demo runs, shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys


def test_the_demo_tours_and_leaves_nothing(tmp_path, own_home, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "recairn.surfaces.demo"], text=True, capture_output=True, check=True
    )
    assert done.stderr == ""
    for shown in (
        "$ recairn add ",
        "similar to #13 (",
        "redacted 1 secret",
        "#7 is superseded by #15",
        "3 hits:",
        "contribution",
        "score 0.",
        "Decision #1",
        'recairn add "what you just learned"',
    ):
        assert shown in done.stdout
    assert list((tmp_path / "scratch").iterdir()) == []
    assert not (own_home / "memories.db").exists()
