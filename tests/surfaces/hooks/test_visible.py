"""What the person sees of it: a line beside an injection, and one for the status line."""

from __future__ import annotations

import json

import pytest

LAMP = "The lamp smokes unless trim_the_wick runs first, see src/lamp.py"
PROMPT = {"prompt": "why does the lamp smoke, is it trim_the_wick?"}


@pytest.fixture
def lamp(store):
    with store() as memory:
        memory.remember(LAMP)


def line(said):
    return json.loads(said.out).get("systemMessage", "")


def test_an_injection_is_told_to_the_person_in_a_line(hook, lamp):
    told = line(hook("UserPromptSubmit", **PROMPT))
    assert told.startswith("recairn: 1 memory, ")
    assert told.endswith(" tokens (recairn last)")
    read = {"tool_name": "Read", "tool_input": {"file_path": "src/lamp.py"}, "tool_response": {}}
    told = line(hook("PostToolUse", session_id="b", **read))
    assert told.startswith("recairn: 1 memory about src/lamp.py, ")


def test_the_line_can_be_switched_off_and_who_has_no_place_for_it_gets_none(hook, store, lamp):
    said = json.loads(hook("userPromptSubmitted", **PROMPT).out)
    assert list(said) == ["additionalContext"]
    with store() as memory:
        memory.set_config("hooks.tell", "off")
    assert line(hook("UserPromptSubmit", session_id="b", **PROMPT)) == ""


def test_the_status_line_adds_up_what_the_session_was_handed(hook, store, process, lamp):
    assert process("", "statusline") == (0, "", "")
    hook("UserPromptSubmit", **PROMPT)
    said = process("", "statusline")
    assert said.out.startswith("recairn: 1 memory, ")
    assert process("", "statusline", session_id="another") == (0, "", "")
    assert process("", "statusline", raw=b"nonsense") == (0, "", "")
