"""Which commands of git take back what was done."""

from __future__ import annotations

import pytest

from recairn.work.reverts import taken_back


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("git checkout -- lamp.py src/", ("lamp.py", "src/")),
        ("git checkout HEAD~1 -- 'a lamp.py'", ("a lamp.py",)),
        ("git restore lamp.py && pytest", ("lamp.py",)),
        ("git restore --worktree .", ()),
        ("git reset --hard HEAD", ()),
        ("git revert --no-edit HEAD", ("HEAD",)),
        ("git reset lamp.py", None),
        ("git restore --staged lamp.py", None),
        ("git checkout main", None),
        ("git checkout -b lamp", None),
        ("git revert --abort", None),
        ("git status", None),
        ("git", None),
    ],
)
def test_what_is_taken_back_is_read_off_the_command(command, files):
    assert taken_back(command) == files
