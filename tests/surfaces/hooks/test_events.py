"""Events of all agents in one shape."""

from __future__ import annotations

import pytest

from recairn.surfaces.hooks.event import hook_event, typed_event


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("SessionStart", "SessionStart"),
        ("sessionStart", "SessionStart"),
        ("session-start", "SessionStart"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("beforeSubmitPrompt", "UserPromptSubmit"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("PostToolUse", "PostToolUse"),
        ("AfterTool", "PostToolUse"),
        ("afterFileEdit", "PostToolUse"),
        ("PostToolUseFailure", "PostToolUseFailure"),
        ("Stop", "Stop"),
        ("AfterAgent", "Stop"),
        ("PreCompact", "PreCompact"),
        ("PreCompress", "PreCompact"),
        ("sessionEnd", "SessionEnd"),
    ],
)
def test_every_agents_spelling_of_an_event_is_known(typed, known):
    event = hook_event(typed, {}, {})
    assert event is not None
    assert event.name == known


def test_an_event_we_do_not_answer_is_none_of_ours():
    assert hook_event("PreToolUse", {}, {}) is None
    assert hook_event("", {}, {}) is None


def test_without_a_word_the_input_names_the_event():
    event = hook_event("", {}, {"hook_event_name": "Stop"})
    assert event is not None
    assert (event.name, event.sender_name) == ("Stop", "Stop")


@pytest.mark.parametrize(
    ("name", "given", "agent", "session", "folder"),
    [
        (
            "UserPromptSubmit",
            {"session_id": "c1", "transcript_path": "/u/.claude/projects/x/c1.jsonl", "cwd": "/w"},
            "claude",
            "c1",
            "/w",
        ),
        (
            "UserPromptSubmit",
            {"session_id": "x1", "transcript_path": "/u/.codex/sessions/r.jsonl", "turn_id": "7"},
            "codex",
            "x1",
            "",
        ),
        (
            "beforeSubmitPrompt",
            {"conversation_id": "k1", "workspace_roots": ["/w"], "cursor_version": "2.4"},
            "cursor",
            "k1",
            "/w",
        ),
        ("BeforeAgent", {"session_id": "g1", "cwd": "/w"}, "gemini", "g1", "/w"),
        ("userPromptSubmitted", {"sessionId": "p1", "cwd": "/w"}, "copilot", "p1", "/w"),
    ],
)
def test_who_sent_it_is_seen_by_what_only_they_send(name, given, agent, session, folder):
    event = hook_event(name, {}, given)
    assert event is not None
    assert (event.agent, event.session, event.folder) == (agent, session, folder)


def test_the_agent_may_be_named_and_options_stand_anywhere():
    name, options = typed_event(["--db", "x.db", "Stop", "--agent=codex", "--bogus"])
    assert (name, options) == ("Stop", {"--db": "x.db", "--agent": "codex"})
    event = hook_event(name, options, {})
    assert event is not None
    assert event.agent == "codex"


def test_fields_of_the_wrong_type_are_as_good_as_missing():
    given = {"session_id": 7, "cwd": ["/w"], "hook_event_name": {"a": 1}, "prompt": None}
    event = hook_event("UserPromptSubmit", {}, given)
    assert event is not None
    assert (event.session, event.folder, event.text("prompt")) == (None, "", "")
