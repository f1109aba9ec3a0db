"""Clones of a repository that hold a mirror."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

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


@pytest.fixture
def folder(tmp_path):
    """Where databases live: in memory where there is such a place, a disk is not what is tested."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    name = tempfile.mkdtemp(dir="/dev/shm")
    yield Path(name)
    shutil.rmtree(name)
