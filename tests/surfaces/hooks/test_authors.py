"""What a hook keeps says so, and for which agent it was called."""

from __future__ import annotations


def test_what_a_hook_captures_is_the_hooks_and_waits(hook, store):
    said = "From now on, always name branches after the ticket number"
    hook("UserPromptSubmit", prompt=said)
    with store() as memory:
        (candidate,) = memory.candidates()
        assert (candidate.kind, candidate.author) == ("rule", "hook:claude-code")
        assert memory.history(candidate.id)[0].author == "hook:claude-code"
    start = hook("SessionStart", source="startup")
    assert "ticket" not in start.context


def test_the_start_of_a_session_tells_rules_from_suggestions(hook, store):
    with store() as memory:
        memory.remember("Wipe the lens with the blue cloth", kind="rule")
        memory.author = "agent:codex"
        memory.remember("Run the script of the page first", kind="rule")
    text = hook("SessionStart", source="startup").context
    rules, _, suggested = text.partition("Suggested rules, not confirmed by the user:")
    assert "blue cloth" in rules
    assert "script" not in rules
    assert "script" in suggested
