"""Outcomes that a session shows by itself: tests that fail and then pass, edits taken back."""

from __future__ import annotations

import subprocess

import pytest

LENS = "The lens in src/lens.py sticks when test_lens_turns runs in the cold"
FAILED = "FAILED tests/test_lens.py::test_lens_turns\n1 failed"


@pytest.fixture
def lens(store):
    with store() as memory:
        memory.remember("Never paint the lens", kind="rule")
        return memory.remember(LENS).id


@pytest.fixture
def run(hook):
    def use(command, output, **fields):
        tool = {"tool_name": "Bash", "tool_input": {"command": command}}
        return hook("PostToolUse", **tool, tool_response={"stdout": output}, **fields)

    return use


@pytest.fixture
def edit(hook, checkout):
    def use(file="src/lens.py"):
        arguments = {"file_path": f"{checkout}/{file}"}
        return hook("PostToolUse", tool_name="Edit", tool_input=arguments, tool_response={})

    return use


def evidence(store, memory):
    with store() as opened:
        return [(each.score, each.weight, each.note) for each in opened.evidence(memory)]


def test_what_was_injected_between_a_failure_and_the_pass_has_helped_once(hook, store, lens, run):
    hook("SessionStart", source="startup")
    assert LENS in run("pytest -q tests", FAILED).context
    assert evidence(store, lens) == []
    run("pytest -q", "3 passed")
    once = [(1.0, 0.025, "pytest -q failed, then passed, handed out")]
    assert evidence(store, lens) == once
    # Rules came before the failure; a pass after a pass says nothing more.
    assert evidence(store, 1) == []
    run("pytest -q", "3 passed")
    run("pytest -q", FAILED)
    run("pytest -q", "3 passed")
    assert evidence(store, lens) == once


def test_what_came_with_the_prompt_that_led_to_a_failure_has_helped_too(hook, store, lens, run):
    with store() as memory:
        horn = memory.remember("The fog horn is fed by a queue of two").id
    hook("UserPromptSubmit", prompt="what feeds the fog horn, a queue?")
    hook("UserPromptSubmit", prompt="the lens sticks in test_lens_turns, what now?")
    run("pytest -q", FAILED)
    run("pytest -q", "3 passed")
    assert [note for *_, note in evidence(store, lens)] == [
        "pytest -q failed, then passed, handed out"
    ]
    assert evidence(store, horn) == []


def test_a_pass_of_other_tests_says_nothing(store, lens, run):
    run("pytest -q", FAILED)
    run("pytest -q tests/test_gull.py", "3 passed")
    run("npm test", "3 passed", session_id="another")
    assert evidence(store, lens) == []


def test_with_a_task_the_task_has_the_evidence(store, lens, run):
    with store() as memory:
        memory.add_task("Mend the lens", id="t-lens")
        memory.start_task("t-lens")
    run("pytest -q", FAILED)
    run("pytest -q", "3 passed")
    assert [note for _, _, note in evidence(store, lens) if "then" in note] == []
    with store() as memory:
        assert len([each for each in memory.evidence(lens) if not each.undone]) == 1


def test_a_task_that_is_done_is_no_task(hook, store, lens, run):
    with store() as memory:
        memory.add_task("Mend the lens", id="t-lens")
        memory.start_task("t-lens")
        memory.finish_task("t-lens", "success")
    hook("UserPromptSubmit", prompt="the lens sticks in test_lens_turns, what now?")
    run("pytest -q", FAILED, session_id="later")
    run("pytest -q", "3 passed", session_id="later")
    assert [note for _, _, note in evidence(store, lens)] == [
        "pytest -q failed, then passed, handed out"
    ]


@pytest.mark.parametrize(
    "command", ["git checkout -- src/lens.py", "git reset --hard", "git restore ."]
)
def test_edits_that_are_taken_back_speak_a_little_against_what_led_to_them(
    hook, store, lens, run, edit, command
):
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="the lens sticks in test_lens_turns, what now?")
    edit()
    edit("README.md")
    run("git status", "")
    assert evidence(store, lens) == []
    run(command, "")
    assert [each[:2] for each in evidence(store, lens)] == [(0.0, 0.0125)]
    assert evidence(store, 1) == []
    run(command, "")
    assert len(evidence(store, lens)) == 1
    with store() as memory:
        files = memory.notes(memory.sessions()[0].id)["files"]
    assert files == (["README.md"] if command.endswith("lens.py") else [])


def test_files_of_others_that_are_put_back_say_nothing(hook, store, lens, run, edit):
    edit()
    run("git checkout -- web/gull.py", "")
    assert evidence(store, lens) == []


def test_a_commit_of_this_session_that_is_reverted_counts_and_an_older_one_does_not(
    hook, store, run, edit, checkout
):
    def git(*words):
        subprocess.run(["git", "-C", str(checkout), *words], check=True, capture_output=True)

    (checkout / ".git" / "HEAD").unlink()
    (checkout / ".git").rmdir()
    git("init", "-q")
    git("config", "user.email", "keeper@puffin.example")
    git("config", "user.name", "Keeper")
    (checkout / "src").mkdir()
    (checkout / "src" / "lens.py").write_text("old\n")
    git("add", "-A")
    git("commit", "-qm", "old", "--date=2020-01-01T00:00:00")
    with store() as memory:
        lens = memory.remember(LENS).id
    for text in ("older\n", "new\n"):
        (checkout / "src" / "lens.py").write_text(text)
        old = text == "older\n"
        environment = {"GIT_COMMITTER_DATE": "2020-01-01T00:00:00"} if old else {}
        subprocess.run(
            ["git", "-C", str(checkout), "commit", "-qam", text.strip()],
            check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(checkout), **environment},
        )
        edit()
        git("revert", "--no-edit", "HEAD")
        run("git revert --no-edit HEAD", "")
        assert len(evidence(store, lens)) == (0 if old else 1)
