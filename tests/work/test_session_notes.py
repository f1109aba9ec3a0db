"""What a session leaves behind by itself, and the handoff that is made of it."""

from __future__ import annotations

import os

import pytest

import recairn
from recairn.core.times import DAY, HOUR
from recairn.engine import open_existing
from recairn.work.session_notes import merged_notes, questions_in


def test_a_note_begins_its_session_and_what_comes_again_moves_to_the_end(memory):
    memory.session = "s-1"
    memory.note(files=["a.py", "b.py"])
    assert memory.note(files=["a.py"], asked=True) == {"files": ["b.py", "a.py"], "asked": True}
    assert memory.notes() == {"files": ["b.py", "a.py"], "asked": True}
    assert memory.session_info().project == "puffin"


def test_outside_a_session_nothing_is_noted(memory):
    assert memory.note(files=["a.py"]) == {}
    assert memory.notes() == {}
    assert memory.leave_handoff() is None


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


def test_a_handoff_is_made_of_the_notes(memory):
    memory.session, memory.author = "s-1", "hook:codex"
    memory.add_task("Tide chart", id="t-1")
    memory.start_task("t-1")
    memory.note(prompts=["add a tide chart"], files=["chart.py"], answer="Drawn.")
    memory.note(tests=["pytest -q: failed", "ruff check: passed", "pytest -q: passed"])
    memory.note(questions=["Metres or feet?"])
    left = memory.leave_handoff()
    assert (left.kind, left.trust) == ("handoff", "attributed")
    assert left.fields == {"files": ["chart.py"], "questions": ["Metres or feet?"]}
    assert left.content.splitlines() == [
        "Left by a session of codex that has ended",
        "Task: t-1 Tide chart (active)",
        "Last test runs: ruff check: passed; pytest -q: passed",
        "Last asked:",
        "- add a tide chart",
        "Last answer: Drawn.",
    ]


def test_a_run_of_tests_says_nothing_of_what_was_edited_after_it(memory):
    memory.session = "s-1"
    memory.note(files=["chart.py"])
    memory.note(tests=["pytest -q: passed"])
    assert "Last test runs: pytest -q: passed" in memory.leave_handoff().content
    memory.note(files=["chart.py"])
    left = memory.leave_handoff().content
    assert "Last test runs (before the last edits): pytest -q: passed" in left
    memory.note(tests=["pytest -q: failed"])
    assert "Last test runs: pytest -q: failed" in memory.leave_handoff().content


def test_a_later_handoff_of_the_session_takes_the_place_of_the_first(memory):
    memory.session = "s-1"
    memory.note(prompts=["add a tide chart"], files=["chart.py"])
    first = memory.leave_handoff("compacted")
    assert "it goes on" in first.content
    memory.note(prompts=["now the legend"])
    second = memory.leave_handoff()
    assert (first.id, memory.count()) == (second.id, 1)
    assert "now the legend" in second.content
    assert "has ended" in second.content


def session_of(memory, session, agent="codex", **notes):
    """A session of an agent that changed a file, and did not end yet."""
    memory.author = f"hook:{agent}"
    memory.start_session(session, agent=agent)
    memory.note(**{"files": [f"{session}.py"], **notes})


def live_handoffs(memory):
    return [each.source_ref for each in memory.listing(kind="handoff")]


def test_the_handoff_of_the_next_session_replaces_that_of_the_last_of_the_same_agent(memory):
    for session, agent in (("s-1", "codex"), ("s-2", "gemini"), ("s-3", "codex")):
        session_of(memory, session, agent)
        memory.leave_handoff()
        memory.end_session()
    assert live_handoffs(memory) == ["snapshot of s-3", "snapshot of s-2"]
    replaced = memory.get(1)
    assert (replaced.source_ref, replaced.superseded_by) == ("snapshot of s-1", 3)


def test_of_two_handoffs_the_one_written_last_is_handed_out_whoever_began_first(memory, clock):
    session_of(memory, "s-1", "codex")
    memory.leave_handoff("compacted")
    clock.advance(HOUR)
    session_of(memory, "s-2", "gemini")
    memory.leave_handoff()
    clock.advance(HOUR)
    memory.session, memory.author = "s-1", "hook:codex"
    memory.leave_handoff()
    memory.end_session()
    clock.advance(HOUR)
    memory.session = None
    context = memory.context(record=False)
    assert context.handoff.source_ref == "snapshot of s-1"
    assert "handoff, 1 hour ago, hook\n> Left by a session of codex" in context.text
    assert [each.source_ref for each in memory.resume().handoffs] == ["snapshot of s-1"]


@pytest.fixture
def worktrees(tmp_path, monkeypatch):
    """Goes from one worktree of a repository to the other."""
    for name, branch in (("main", "main"), ("feat", "feat")):
        folder = tmp_path / name / ".git"
        folder.mkdir(parents=True)
        (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n")

    def go(name):
        monkeypatch.chdir(tmp_path / name)
        return tmp_path / name

    return go


def test_each_worktree_has_a_handoff_of_its_own(memory, worktrees, clock):
    def work(session, folder):
        memory.folder = str(worktrees(folder))
        session_of(memory, session, prompts=[f"work on {folder}"])

    work("s-feat", "feat")
    memory.leave_handoff()
    clock.advance(HOUR)
    # At work in the other one, and not done when the next begins here.
    work("s-main", "main")
    clock.advance(HOUR)
    memory.folder = str(worktrees("feat"))
    memory.start_session("s-next", agent="codex")
    assert memory.take_over() == []
    assert memory.context(record=False).handoff.fields["branch"] == "feat"
    memory.folder = str(worktrees("main"))
    memory.session, memory.author = "s-main", "hook:codex"
    memory.leave_handoff()
    assert sorted(live_handoffs(memory)) == ["snapshot of s-feat", "snapshot of s-main"]
    memory.session = None
    assert memory.context(record=False).handoff.source_ref == "snapshot of s-main"


def test_the_handoff_of_a_worktree_that_is_gone_is_replaced_and_its_session_handed_over(
    memory, worktrees, clock
):
    import shutil

    gone = worktrees("feat")
    session_of(memory, "s-1")
    memory.leave_handoff()
    clock.advance(HOUR)
    session_of(memory, "s-2", files=["late.py"])
    worktrees("main")
    shutil.rmtree(gone)
    session_of(memory, "s-3", files=[])
    (left,) = memory.take_over()
    assert left.fields["files"] == ["late.py"]
    assert live_handoffs(memory) == ["snapshot of s-2"]


def test_what_became_of_session_and_task_since_stands_beside_the_handoff(memory):
    memory.add_task("Tide chart", id="t-1")
    session_of(memory, "s-1")
    memory.start_task("t-1")
    memory.leave_handoff()
    memory.end_session()
    memory.session = None
    assert "since" not in memory.context(record=False).text
    memory.finish_task("t-1")
    assert "handoff, just now, hook, task t-1 is done since" in memory.context(record=False).text
    memory.start_session("s-1", agent="codex")
    memory.session = None
    assert "hook, that session goes on since" in memory.context(record=False).text


def test_a_session_that_did_nothing_leaves_no_handoff_and_a_long_talk_does(memory):
    memory.session = "s-1"
    memory.note(prompts=["what is a tide", "why twice a day"])
    assert memory.leave_handoff() is None
    memory.note(prompts=["and the moon"])
    assert memory.leave_handoff() is not None


def test_a_session_that_wrote_its_handoff_itself_leaves_no_other(memory):
    session_of(memory, "s-1")
    memory.handoff("The legend is missing", git=False)
    assert memory.leave_handoff() is None
    assert memory.count() == 1


def test_a_session_that_nobody_ended_is_handed_over_when_the_next_begins(memory, clock):
    session_of(memory, "s-1", prompts=["draw the chart"])
    clock.advance(HOUR)
    session_of(memory, "s-2", files=[])
    (left,) = memory.take_over()
    assert left.content.startswith("Where a session of codex stood when last heard of")
    assert left.fields["files"] == ["s-1.py"]
    assert left.id not in memory.injected()
    assert memory.take_over() == []
    assert memory.session_info("s-1").ended_at is None
    clock.advance(2 * DAY)
    session_of(memory, "s-3", files=[])
    assert memory.take_over() == []


def test_what_a_session_did_after_its_handoff_was_made_for_it_is_handed_over_too(memory, clock):
    session_of(memory, "s-1")
    session_of(memory, "s-2", files=[])
    memory.take_over()
    session_of(memory, "s-1", files=["later.py"])
    clock.advance(2 * DAY)
    session_of(memory, "s-3", files=[])
    (left,) = memory.take_over()
    assert left.content.endswith("it had not said that it ended")
    assert left.fields["files"] == ["s-1.py", "later.py"]
    assert memory.session_info("s-1").state == "ended"


def test_a_handoff_expires_and_how_soon_is_a_setting(memory, clock):
    memory.set_config("handoff.days", "3")
    session_of(memory, "s-1")
    memory.leave_handoff()
    memory.end_session()
    memory.handoff("The legend is missing", git=False)
    assert memory.context(record=False).handoff is not None
    clock.advance(4 * DAY)
    assert memory.context(record=False).handoff is None
    # What a person wrote stays; only agents do not hear of it any more.
    assert live_handoffs(memory) == [""]
    assert memory.resume().handoffs[0].content == "The legend is missing"


def test_the_questions_of_an_answer_are_those_of_its_last_words():
    answer = "Is it done? Yes.\n\nI drew the chart. Should it be metres? Or feet?\n\n- chart.py"
    assert questions_in(answer) == ["Should it be metres?", "Or feet?"]
    assert questions_in("See https://puffin.example/?a=1 for all.") == []
    assert questions_in("Done.") == []


def test_a_sign_inside_a_name_ends_no_question():
    answer = "Mended in src/a.py. Shall I drop Python 3.11, e.g. in tox.ini? **Or in CI?** Yours."
    assert questions_in(answer) == ["Shall I drop Python 3.11, e.g. in tox.ini?", "**Or in CI?**"]


def test_a_question_of_the_last_answer_is_told_once(memory):
    memory.session = "s-1"
    asked = ["Metres or feet?"]
    memory.note(files=["a.py"], answer="It is drawn. Metres or feet?", questions=asked)
    left = memory.leave_handoff()
    assert left.content.splitlines()[-1] == "Last answer: It is drawn."
    assert left.fields["questions"] == ["Metres or feet?"]
    memory.note(answer="Metres or feet?")
    assert "Last answer" not in memory.leave_handoff().content


@pytest.mark.files("a team on a server is made by its owner, never by looking")
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
