"""Pipes, devices, sockets, loops and huge files where git keeps its own: nothing waits for them."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time

import pytest

from recairn.host.git import changed_files, git
from tests.checkouts import needs_git
from tests.surfaces.hostile import Doors, prepared

pytestmark = [needs_git, pytest.mark.thorough]

# Seconds for all doors together; git alone is given up after five.
QUICK_S = 4.5
# Bytes for this process and what it starts.
MEMORY = 3 << 30


def pipe(path):
    os.mkfifo(path)


def endless_device(path):
    path.symlink_to("/dev/zero")


def terminal(path):
    path.symlink_to("/dev/tty")


def loop(path):
    path.symlink_to(path.name)


def folder(path):
    path.mkdir()


def listener(path):
    """The name of a socket may have a hundred characters at most, so it is made from beside."""
    there = os.getcwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(there)


def huge_file(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)


PLACES = (
    *(".git", ".git/HEAD", ".git/index", ".git/packed-refs", ".git/refs/heads/main"),
    *(".git/config", ".git/commondir", ".git/info/exclude", ".git/info/attributes"),
    *(".git/shallow", ".gitignore", ".gitattributes", ".gitmodules", ".mailmap"),
)
ODDITIES = [(name, kind) for name in PLACES for kind in (pipe, huge_file)]
ODDITIES += [
    (name, kind)
    for name in (".git", ".git/HEAD", ".git/index", ".gitignore")
    for kind in (endless_device, terminal, loop, folder, listener)
]


@pytest.fixture(autouse=True)
def _little_memory():
    """Who reads such a file whole fails here, and not everybody else on this machine."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    made = prepared(tmp_path / "shop")
    monkeypatch.chdir(made.root)
    return made


def replace(path, kind):
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        path.rename(path.with_name("was"))
    kind(path)


@pytest.mark.parametrize(
    ("name", "kind"), ODDITIES, ids=[f"{name} {kind.__name__}" for name, kind in ODDITIES]
)
def test_no_odd_file_keeps_a_door_waiting(name, kind, checkout, monkeypatch):
    doors = Doors(monkeypatch)
    replace(checkout.root / name, kind)
    begun = time.monotonic()
    doors.open_all()
    assert time.monotonic() - begun < QUICK_S


def test_a_pipe_deep_in_the_tree_is_waited_for_only_so_long(checkout):
    """Git alone finds it, and is ended."""
    (checkout.root / "docs").mkdir()
    pipe(checkout.root / "docs" / ".gitignore")
    checkout.write("docs/chart.md", "x")
    begun = time.monotonic()
    assert changed_files(str(checkout.root), timeout_s=0.5) == ()
    assert time.monotonic() - begun < QUICK_S
    assert git(str(checkout.root), "log", "-1", "--format=%h") is not None


def test_a_huge_ignore_file_deep_in_the_tree_fills_no_memory(checkout):
    (checkout.root / "docs").mkdir()
    with (checkout.root / "docs" / ".gitignore").open("wb") as file:
        file.truncate(5 << 29)
    checkout.write("docs/chart.md", "x")
    code = """if True:
        import os, resource
        from recairn.host.git import git
        git(os.getcwd(), "status", timeout_s=60.0)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """
    command = [sys.executable, "-c", code]
    asked = subprocess.run(command, cwd=checkout.root, capture_output=True, check=True)
    # In KiB, of git.
    assert int(asked.stdout) < 1 << 20
