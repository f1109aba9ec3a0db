"""The gate's tests write to memory where there is plenty, and else where they always would."""

from __future__ import annotations

import os

import pytest

import run


@pytest.fixture(autouse=True)
def memory(tmp_path, monkeypatch):
    """A folder with room in the place of Linux's own; nobody named another."""
    monkeypatch.setattr(run, "MEMORY_DISK", str(tmp_path))
    monkeypatch.setattr(run, "MEMORY_ROOM", 1)
    monkeypatch.setenv("TMPDIR", "to be restored")
    monkeypatch.delenv("TMPDIR")
    return str(tmp_path)


def test_a_folder_in_memory_is_written_to(memory):
    run.use_memory_disk()
    assert os.environ["TMPDIR"] == memory


def test_a_folder_that_a_person_named_stays(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    run.use_memory_disk()
    assert os.environ["TMPDIR"] == "/elsewhere"


@pytest.mark.parametrize(
    ("what", "value"), [("MEMORY_ROOM", 1 << 62), ("MEMORY_DISK", "/there/is/none")]
)
def test_without_room_or_such_a_folder_nothing_changes(monkeypatch, what, value):
    monkeypatch.setattr(run, what, value)
    run.use_memory_disk()
    assert "TMPDIR" not in os.environ
