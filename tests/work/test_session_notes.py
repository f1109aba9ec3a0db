"""What a session leaves behind by itself, and the handoff that is made of it."""

from __future__ import annotations

import os

import recairn
from recairn.engine import open_existing
from recairn.work.session_notes import merged_notes


def test_a_note_begins_its_session_and_what_comes_again_moves_to_the_end(memory):
    memory.session = "s-1"
    memory.note(files=["a.py", "b.py"])
    assert memory.note(files=["a.py"], asked=True) == {"files": ["b.py", "a.py"], "asked": True}
    assert memory.notes() == {"files": ["b.py", "a.py"], "asked": True}
    assert memory.session_info().project == "puffin"


def test_outside_a_session_nothing_is_noted(memory):
    assert memory.note(files=["a.py"]) == {}
    assert memory.notes() == {}
    assert memory.snapshot() is None


def test_notes_are_kept_short_and_without_secrets(memory):
    memory.session = "s-1"
    memory.note(prompts=["deploy with ghp_0123456789abcdefghijABCDEFGHIJ456789 " + "x" * 500])
    (kept,) = memory.notes()["prompts"]
    assert len(kept) == 300
    assert "0123456789abcdef" not in kept
    assert merged_notes({"files": [str(n) for n in range(50)]}, {"files": ["50"]})["files"][
        ::49
    ] == [
        "1",
        "50",
    ]


def test_a_snapshot_is_a_handoff_made_of_the_notes(memory):
    memory.session = "s-1"
    memory.note(prompts=["add a tide chart"], files=["chart.py"], tests=["pytest -q: failed"])
    left = memory.snapshot(task="t-1 Tide chart")
    assert (left.kind, left.trust, left.fields) == ("handoff", "verified", {"files": ["chart.py"]})
    assert left.content.splitlines()[1:] == [
        "Task: t-1 Tide chart",
        "Last asked:",
        "- add a tide chart",
        "Last test run: pytest -q: failed",
    ]


def test_a_later_snapshot_takes_the_place_of_the_first(memory):
    memory.session = "s-1"
    memory.note(prompts=["add a tide chart"])
    first = memory.snapshot()
    memory.note(prompts=["now the legend"])
    second = memory.snapshot()
    assert (first.id, memory.count()) == (second.id, 1)
    assert "now the legend" in second.content


def test_an_existing_memory_is_opened_and_a_missing_one_is_not_made(own_home):
    assert open_existing() is None
    assert not os.path.exists(own_home / "memories.db")
    (own_home / "memories.db").touch()
    assert open_existing() is None
    (own_home / "memories.db").unlink()
    recairn.open(model="none").close()
    found = open_existing(session="s-1")
    assert found is not None
    with found:
        assert found.session == "s-1"
