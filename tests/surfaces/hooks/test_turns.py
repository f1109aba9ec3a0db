"""Every moment of an agent's session is noted: what it was told, and why it was told nothing."""

from __future__ import annotations

import pytest

from tests.surfaces.hooks.conftest import SESSION

GULLS = "Gulls peck the tide sensor: readings under 4 cm are beaks"
ASKING = "The tide sensor sees gulls at dawn, can you filter them?"


@pytest.fixture
def gulls(store):
    with store() as memory:
        memory.remember(GULLS)
        memory.remember("Never push to main", kind="rule")
        memory.remember("Database migrations run inside one transaction")
    return store


def turns_of(store):
    with store() as memory:
        return memory.turns(SESSION)


def test_a_prompt_keeps_what_was_handed_out_with_its_score_and_what_that_is_made_of(hook, gulls):
    hook("UserPromptSubmit", prompt=ASKING)
    (turn,) = turns_of(gulls)
    assert (turn.event, turn.prompt, turn.agent) == ("prompt", ASKING, "claude-code")
    assert turn.silence == ""
    found = {given.memory.id: given for given in turn.handed_out}
    assert set(found) == {1, 2}
    assert found[1].score == pytest.approx(total(found[1].terms), abs=1e-3)
    assert found[1].terms["keyword"].value > 0
    assert (found[2].score, found[2].terms) == (None, {})
    assert turn.tokens >= found[1].tokens > 0


def total(terms):
    from recairn.core.model import total as sum_of

    return sum_of(terms)


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("yes, go ahead", "nothing relevant"),
        ("/clear", "a command"),
        ("zeppelin marmalade and custard", "nothing relevant"),
    ],
)
def test_a_prompt_that_gets_nothing_says_why(hook, gulls, prompt, why):
    assert hook("UserPromptSubmit", prompt=prompt) == (0, "", "")
    (turn,) = turns_of(gulls)
    assert (turn.prompt, turn.silence, turn.handed_out) == (prompt, why, ())


def test_what_the_agent_has_already_is_named_as_the_reason(hook, gulls):
    hook("UserPromptSubmit", prompt=ASKING)
    hook("UserPromptSubmit", prompt=ASKING)
    turn = turns_of(gulls)[-1]
    assert turn.silence == "the agent has all of it already"
    (left,) = turn.left_out
    assert (left.memory, left.kind, left.why) == (1, "learning", "the agent has it already")
    assert left.label.startswith("Gulls peck")


def test_a_switched_off_hook_notes_that_it_is(hook, gulls):
    with gulls() as memory:
        memory.set_config("hooks.inject", "off")
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt=ASKING)
    assert [turn.silence for turn in turns_of(gulls)] == ["hooks.inject is off"] * 2


def test_the_start_of_a_session_keeps_rules_and_handoff(hook, gulls):
    with gulls() as memory:
        memory.handoff("Stopped at the chart", git=False)
    hook("SessionStart", source="startup")
    (turn,) = turns_of(gulls)
    assert (turn.event, turn.prompt) == ("start", "")
    assert [given.memory.kind for given in turn.handed_out] == ["rule", "handoff"]


def test_edits_test_runs_and_the_end_are_turns_too(hook, gulls, checkout):
    edit = {"file_path": str(checkout / "tide.py")}
    hook("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
    run = {"command": "pytest -q"}
    hook("PostToolUse", tool_name="Bash", tool_input=run, tool_response={"stdout": "3 passed"})
    hook("Stop")
    hook("SessionEnd", reason="exit")
    told = [(turn.event, turn.prompt, turn.silence) for turn in turns_of(gulls)]
    assert told == [
        ("edit", "tide.py", ""),
        ("test", "pytest -q: passed", ""),
        ("stop", "", "no task is open"),
        ("end", "", ""),
    ]
    with gulls() as memory:
        assert memory.session_info(SESSION).state == "ended"


def test_a_secret_in_a_prompt_is_not_kept(hook, gulls):
    hook("UserPromptSubmit", prompt="ok: ghp_0123456789abcdefghijABCDEFGHIJ456789")
    hook("UserPromptSubmit", prompt=f"{ASKING} ghp_0123456789abcdefghijABCDEFGHIJ456789")
    prompts = [turn.prompt for turn in turns_of(gulls)]
    assert len(prompts) == 2
    assert not any("0123456789abcdef" in prompt for prompt in prompts)


def test_where_prompts_are_not_kept_a_turn_is_without_words(hook, gulls):
    with gulls() as memory:
        memory.set_config("hooks.capture", "off")
    hook("UserPromptSubmit", prompt=ASKING)
    hook("UserPromptSubmit", prompt="yes")
    assert [turn.prompt for turn in turns_of(gulls)] == ["", ""]


def test_whoever_wants_no_turns_kept_gets_none(hook, gulls):
    with gulls() as memory:
        memory.set_config("turns.keep_days", "0")
    assert GULLS in hook("UserPromptSubmit", prompt=ASKING).context
    with gulls() as memory:
        assert memory.store.turns(SESSION) == []


def test_turns_beyond_their_days_go_when_the_next_session_starts(hook, gulls):
    from recairn.core.times import DAY, now_ms

    with gulls(session=SESSION, clock=lambda: now_ms() - 91 * DAY) as memory:
        memory.note_turn("prompt", "long ago")
    with gulls(session=SESSION, clock=lambda: now_ms() - 89 * DAY) as memory:
        memory.note_turn("prompt", "lately")
    hook("SessionStart", source="startup", session_id="another")
    assert [turn.prompt for turn in turns_of(gulls)] == ["lately"]


def test_the_moment_stands_apart_from_what_was_said_at_it(hook, store, capsys):
    with store() as memory:
        memory.remember("Never push to main", kind="rule")
    hook("SessionStart", source="startup")
    hook("SubagentStart", agent_id="a1", agent_type="Explore")
    from recairn.surfaces.cli import main

    assert main(["session", "show", SESSION]) == 0
    assert "  subagent Explore\n" in capsys.readouterr().out


@pytest.mark.parametrize("remembered", ["Never push to main", ""])
def test_a_subagent_in_a_session_nobody_has_begun_begins_it(hook, store, capsys, remembered):
    with store() as memory:
        if remembered:
            memory.remember(remembered, kind="rule")
    hook("SubagentStart", agent_id="a1", agent_type="Explore")
    with store() as memory:
        row = memory.session_info(SESSION)
    assert (row.agent, row.state) == ("claude", "open")
    assert [turn.event for turn in turns_of(store)] == ["subagent"]
    from recairn.surfaces.cli import main

    assert main(["session", "show", SESSION]) == 0
    assert "  subagent Explore" in capsys.readouterr().out
