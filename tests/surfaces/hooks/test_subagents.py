"""A subagent works in the session of the agent that has started it, under its own name."""

from __future__ import annotations

import pytest

from tests.surfaces.hooks.conftest import SESSION

OWN = {"agent_id": "a1b2c3", "agent_type": "Explore"}


def test_what_a_subagent_touches_is_noted_in_its_agents_session(hook, store):
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "lamp.py"}, "tool_response": {}}
    hook("PostToolUse", **edit)
    other = {"tool_name": "Edit", "tool_input": {"file_path": "horn.py"}, "tool_response": {}}
    hook("PostToolUse", **other, **OWN)
    with store(session=SESSION) as memory:
        assert memory.notes()["files"] == ["lamp.py", "horn.py"]
        assert [session.id for session in memory.sessions()] == [SESSION]


@pytest.mark.parametrize(
    "own", [OWN, {**OWN, "session_id": "s-of-its-own", "parent_session_id": SESSION}]
)
def test_a_test_run_of_a_subagent_is_evidence_under_its_name(hook, store, own):
    with store(session=SESSION) as memory:
        memory.remember("The horn needs air")
        memory.add_task("Mend the horn", id="t-1")
        memory.start_task("t-1")
        memory.context("t-1")
    run = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    hook("PostToolUse", **run, tool_response={"stdout": "1 passed", "exit_code": 0}, **own)
    with store(session=SESSION) as memory:
        assert memory.notes()["tests"] == ["pytest -q: passed"]
        assert {event.author for event in memory.history(1)} >= {"hook:claude-code/Explore"}


def test_the_end_of_a_subagent_does_not_end_the_session_or_ask(hook, store):
    with store(session=SESSION) as memory:
        memory.start_session(SESSION, agent="claude")
        memory.add_task("Mend the horn", id="t-1")
        memory.start_task("t-1")
    assert hook("Stop", **OWN).out == ""
    hook("SessionEnd", reason="other", **OWN)
    with store() as memory:
        assert memory.session_info(SESSION).state == "open"
    assert "t-1" in hook("Stop").context


def test_what_a_subagent_is_asked_is_not_a_persons_word(hook, store):
    hook("UserPromptSubmit", prompt="Remember: always wipe the lens after a storm", **OWN)
    with store(session=SESSION) as memory:
        assert memory.candidates() == []
        assert memory.notes().get("prompts", []) == []
    hook("UserPromptSubmit", prompt="Remember: always wipe the lens after a storm")
    with store(session=SESSION) as memory:
        assert len(memory.candidates()) == 1


def test_the_notice_that_a_subagent_is_done_is_nobodys_word(hook, store):
    notice = "<task-notification>\n<result>Remember: always wipe the lens</result>"
    assert hook("UserPromptSubmit", prompt=notice) == (0, "", "")
    with store() as memory:
        assert memory.candidates() == []
        assert memory.sessions() == []
