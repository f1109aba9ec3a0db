"""What a person said is read out of the transcripts that agents keep."""

from __future__ import annotations

import json

from recairn.surfaces.hooks.transcript import prompts_in

CLAUDE = [
    {"type": "queue-operation", "operation": "enqueue", "content": "user"},
    {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "isSidechain": False,
        "message": {"role": "user", "content": "Always sign commits"},
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text"}]}},
    {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": "Never use tabs"}]},
    },
    {
        "type": "user",
        "toolUseResult": {"stdout": "never"},
        "message": {"role": "user", "content": [{"type": "tool_result", "content": "always"}]},
    },
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "sub-agent"}},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "caveat"}},
    {"type": "api-request", "body": {"role": "user"}},
    ["user"],
]
CODEX = [
    {"timestamp": "t", "type": "session_meta", "payload": {"id": "x", "user": 1}},
    {
        "timestamp": "t",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context/>"}],
        },
    },
    {
        "timestamp": "t",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "Use pnpm, not npm", "images": []},
    },
    {
        "timestamp": "t",
        "type": "event_msg",
        "payload": {"type": "agent_message", "message": "user"},
    },
]


def item(kind, *content):
    """What Codex 0.166 writes where something was said, in the shape of that version."""
    payload = {"type": "item_completed", "item": {"type": kind, "content": [*content]}}
    return {"timestamp": "t", "ordinal": 9, "type": "event_msg", "payload": payload}


NEWER_CODEX = [
    *CODEX[:2],
    item("UserMessage", {"type": "text", "text": "Never use tabs", "text_elements": []}),
    item("HookPrompt", {"type": "text", "text": "user, did you learn something?"}),
    item("AgentMessage", {"type": "Text", "text": "user"}),
    item("UserMessage"),
    {"type": "event_msg", "payload": {"type": "item_completed", "item": ["UserMessage"]}},
]


def written(tmp_path, entries, extra=""):
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in entries) + extra)
    return str(path)


def test_prompts_of_claude_code_are_read_and_nothing_else(tmp_path):
    path = written(tmp_path, CLAUDE, '{"type": "user", "message": {"role": "user", "con')
    assert prompts_in(path) == ["Always sign commits", "Never use tabs"]


def test_prompts_of_codex_are_read_and_nothing_else(tmp_path):
    assert prompts_in(written(tmp_path, CODEX)) == ["Use pnpm, not npm"]
    assert prompts_in(written(tmp_path, NEWER_CODEX)) == ["Never use tabs"]


def test_of_a_huge_transcript_the_end_is_read(tmp_path):
    filler = {"type": "assistant", "message": "user " + "x" * 1_000_000}
    path = written(tmp_path, [CLAUDE[1], filler, filler, filler, CLAUDE[3]])
    assert prompts_in(path) == ["Never use tabs"]


def test_what_cannot_be_read_holds_no_prompts(tmp_path):
    assert prompts_in("") == prompts_in(str(tmp_path)) == prompts_in("/nowhere/x.jsonl") == []


def test_a_session_that_ends_leaves_what_was_said_where_that_is_switched_on(
    hook, store, checkout, tmp_path
):
    said = [
        ("user", "Which oil do the hinges need?"),
        ("assistant", "Colza oil, as the manual says."),
    ]
    written(
        tmp_path,
        [{"type": role, "message": {"role": role, "content": words}} for role, words in said],
    )

    def conversations() -> list[str]:
        hook("SessionStart", source="startup")
        assert hook("SessionEnd", reason="other") == (0, "", "")
        with store() as memory:
            found = memory.search("oil hinges", transcripts=True).hits
            return [hit.memory.content for hit in found]

    assert conversations() == []
    with store() as memory:
        memory.set_config("hooks.transcripts", "on")
    assert conversations() == [words for _, words in said]
    # A second end of the same session keeps nothing twice.
    assert len(conversations()) == 2
