"""Clones of a repository that hold a mirror."""

from __future__ import annotations

import pytest

from tests.sync.clones import Clone, git


@pytest.fixture
def two(tmp_path, clock):
    """Two clones of one repository, both mirrored; what they are called differs."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "origin.git")
    clones: list[Clone] = []
    for name in ("north", "south"):
        git(tmp_path, "clone", "-q", "origin.git", name)
        clone = Clone(tmp_path / name, clock)
        if not clones:
            git(clone.folder, "commit", "-qm", "begin", "--allow-empty")
            git(clone.folder, "push", "-q", "origin", "HEAD:main")
        else:
            git(clone.folder, "pull", "-q", "origin", "main")
        clone.memory.start_mirror(clone.mirror)
        clones.append(clone)
    yield clones
    for clone in clones:
        clone.memory.close()


@pytest.fixture
def tower(tmp_path, clock):
    clone = Clone(tmp_path / "tower", clock)
    clone.folder.mkdir()
    clone.memory.start_mirror(clone.mirror)
    yield clone
    clone.memory.close()
