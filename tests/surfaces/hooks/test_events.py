"""Events of all agents in one shape."""

from __future__ import annotations

import pytest

from recairn.surfaces.hooks.event import happening_from, typed_event


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
    happening = happening_from(typed, {}, {})
    assert happening is not None
    assert happening.name == known


def test_an_event_we_do_not_answer_is_none_of_ours():
    assert happening_from("PreToolUse", {}, {}) is None
    assert happening_from("", {}, {}) is None


def test_without_a_word_the_input_names_the_event():
    happening = happening_from("", {}, {"hook_event_name": "Stop"})
    assert happening is not None
    assert (happening.name, happening.spelled) == ("Stop", "Stop")


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
    happening = happening_from(name, {}, given)
    assert happening is not None
    assert (happening.agent, happening.session, happening.folder) == (agent, session, folder)


def test_the_agent_may_be_named_and_options_stand_anywhere():
    event, options = typed_event(["--db", "x.db", "Stop", "--agent=codex", "--bogus"])
    assert (event, options) == ("Stop", {"--db": "x.db", "--agent": "codex"})
    happening = happening_from(event, options, {})
    assert happening is not None
    assert happening.agent == "codex"


def test_fields_of_the_wrong_type_are_as_good_as_missing():
    given = {"session_id": 7, "cwd": ["/w"], "hook_event_name": {"a": 1}, "prompt": None}
    happening = happening_from("UserPromptSubmit", {}, given)
    assert happening is not None
    assert (happening.session, happening.folder, happening.text("prompt")) == (None, "", "")
