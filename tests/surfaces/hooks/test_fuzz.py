"""Whatever an event looks like, the answer is status 0, nothing on stderr, and JSON or nothing."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "PreCompact",
    "SessionEnd",
    "beforeSubmitPrompt",
    "afterFileEdit",
    "BeforeAgent",
)
NAMES = (
    *("session_id", "conversation_id", "sessionId", "transcript_path", "hook_event_name", "source"),
    *("prompt", "tool_name", "tool_input", "tool_response", "toolArgs", "error", "command"),
    *("file_path", "output", "stop_hook_active", "reason", "trigger", "workspace_roots", "a"),
)
TELLING = st.sampled_from(
    ["Bash", "Edit", "apply_patch", "pytest -q", "compact", "never push to main", "s-1", "/etc/x"]
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | TELLING,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(NAMES), anything, max_size=8))
def test_no_event_is_too_strange(hook, store, name, fields):
    said = hook(name, raw=json.dumps(fields).encode())
    assert (said.status, said.err) == (0, "")
    if said.out:
        assert isinstance(json.loads(said.out), dict)


def test_eighty_hooks_leave_a_healthy_database(hook, store):
    with store() as memory:
        for number in range(30):
            memory.remember(f"Buoy {number} reports the tide at pier {number}")
    for number in range(40):
        hook("UserPromptSubmit", prompt=f"where is buoy {number % 30}? Never move pier {number}.")
        hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"/w/{number}.py"})
    hook("PreCompact", trigger="auto")
    hook("SessionEnd", reason="other")
    with store() as memory:
        assert memory.verify().problems == ()
        assert len(memory.candidates()) > 10
