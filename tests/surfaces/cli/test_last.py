"""`recairn last`: what an agent was handed at the last prompt, and whether it helped."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

import recairn as api
from recairn.recall.reminder import Subject


@pytest.fixture
def session(recairn, tmp_path):
    """An agent that was asked two things and opened a file."""
    recairn("add", "The lamp smokes unless the wick is trimmed")
    recairn("add", "Gulls peck at lens.py at dawn")
    with api.open(model="none", session="s-1") as memory:
        memory.author = "hook:codex"
        memory.start_session("s-1", agent="codex")
        for said in ("who eats here", "why does the lamp smoke"):
            memory.context(prompt=said, said=said, surface="hook", moment="prompt", relevant=True)
            memory.settle()
        found = memory.named_in_memory(Subject(files=("lens.py",), paths=("/x/lens.py",)))
        memory.remind(found, moment="read", about="lens.py", surface="hook", max_chars=800)
    return recairn


def test_the_last_prompt_is_shown_with_what_it_brought_why_and_what_came_after(session):
    lines = session("last").out.splitlines()
    assert lines[0].endswith(" tokens")
    assert " prompt, codex, " in lines[0]
    assert lines[1:3] == [
        "  why does the lamp smoke",
        "  1  #1 learning: The lamp smokes unless the wick is trimmed",
    ]
    assert lines[3].strip().startswith("0.")
    assert lines[5:] == [
        "  lens.py",
        "  2  #2 learning: Gulls peck at lens.py at dawn",
        "       names the file, or what it defines",
    ]
    document = session("last", "--json").json
    assert [turn["event"] for turn in document["turns"]] == ["prompt", "read"]


def test_what_did_not_help_is_noted_for_the_prompt(session):
    ran = session("last", "--unhelpful", "1")
    assert ran.out == "noted that #1 did not help (recairn undo 1)\n"
    shown = session("show", "1").out
    assert 'user: score 0, recairn last, for "why does the lamp smoke"' in shown
    assert session("last", "--unhelpful", "3").status == 2
    assert session("last", "--unhelpful", "0").status == 2


def typed(key):
    """Runs `recairn last` on a terminal of its own and answers its question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "recairn", "last"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as program:
        os.close(theirs)
        shown = b""
        while b"not helpful?" not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, key)
        assert program.wait(60) == 0
    os.close(ours)


@pytest.mark.parametrize(("key", "noted"), [(b"2", True), (b"n", False), (b"9", False)])
def test_on_a_terminal_it_is_one_key_away(session, key, noted):
    typed(key)
    assert ("score 0" in session("show", "2").out) is noted


@pytest.mark.parametrize(
    ("keys", "noted"), [(b"1\n", "rule 1"), (b"12", "rule 12"), (b"2", "rule 2"), (b"1x", "")]
)
def test_where_more_than_nine_were_handed_out_each_can_be_named(recairn, keys, noted):
    with api.open(model="none", session="s-1") as memory:
        memory.start_session("s-1", agent="codex")
        for number in range(12, 0, -1):
            memory.remember(f"rule {number}", kind="rule", force=True)
        memory.context(surface="hook", moment="start")
    typed(keys)
    with api.open(model="none") as memory:
        assert [each.content for each in memory.listing() if each.outcome_score == 0] == (
            [noted] if noted else []
        )


def test_what_not_to_do_is_not_told_as_a_pattern(recairn):
    recairn("add", "Trim the wick while it burns", "--anti-pattern")
    with api.open(model="none", session="s-1") as memory:
        memory.start_session("s-1", agent="codex")
        memory.context(prompt="trim the wick while it burns", surface="hook", moment="prompt")
    said = "#1 anti-pattern: Trim the wick while it burns"
    assert said in recairn("last").out
    assert said in recairn("session", "show", "s-1").out


def test_where_no_agent_was_at_work_it_says_how_one_is_registered(recairn):
    assert "recairn install" in recairn("last").out


def test_the_status_line_says_what_the_session_was_handed(session, recairn):
    ran = recairn("statusline", stdin='{"session_id": "s-1"}')
    assert ran.out.startswith("recairn: 2 memories, ")
    assert recairn("statusline", stdin='{"session_id": "s-2"}').out == ""
