"""The course of a session: what is opened, handed out, asked, left behind and ended."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.hooks.conftest import SESSION


def write_transcript(checkout, *prompts):
    path = checkout.parent / "transcript.jsonl"
    entries = [{"type": "user", "message": {"role": "user", "content": each}} for each in prompts]
    path.write_text("".join(json.dumps(each) + "\n" for each in entries))


@pytest.fixture
def task(store):
    """A task that the session is at work on."""
    with store(session=SESSION) as memory:
        memory.add_task("Draw the tide chart", id="t-chart")
        memory.start_task("t-chart")


def test_stop_asks_once_for_a_learning_while_a_task_is_open(hook, task):
    said = hook("Stop", stop_hook_active=False, last_assistant_message="Done.")
    assert "t-chart" in said.context
    # Claude Code calls a decision to block an error.
    assert "decision" not in json.loads(said.out)
    assert hook("Stop", stop_hook_active=False) == (0, "", "")


def test_stop_says_nothing_while_it_already_keeps_the_agent_going(hook, task):
    assert hook("Stop", stop_hook_active=True) == (0, "", "")
    assert hook("Stop", stop_hook_active=False).out


def test_stop_says_nothing_without_an_open_task(hook, store):
    assert hook("Stop", stop_hook_active=False) == (0, "", "")


def test_stop_says_nothing_once_the_task_is_done(hook, store, task):
    with store() as memory:
        memory.finish_task("t-chart")
    assert hook("Stop", stop_hook_active=False) == (0, "", "")


def test_stop_says_nothing_to_a_session_that_kept_something(hook, store, task):
    with store(session=SESSION) as memory:
        memory.remember("The chart needs metres")
    assert hook("Stop", stop_hook_active=False) == (0, "", "")


def test_stop_can_be_switched_off(hook, store, task):
    with store() as memory:
        memory.set_config("hooks.ask", "off")
    assert hook("Stop", stop_hook_active=False) == (0, "", "")


def test_codex_is_asked_by_a_decision_it_knows(hook, task):
    said = json.loads(hook("Stop", stop_hook_active=False, turn_id="1").out)
    assert said["decision"] == "block"
    assert "t-chart" in said["reason"]


def test_what_an_answer_names_of_what_was_handed_out_counts_as_cited(hook, store):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor at dawn")
        memory.remember("Terns do not")
    hook("UserPromptSubmit", prompt="gulls at the tide sensor again")
    hook("Stop", last_assistant_message="I used #1 for it, and looked into PR #2 and #77.")
    with store() as memory:
        rows = {row["name"]: row["cited"] for row in memory.ledger(by="memory")["data"]}
    assert rows == {1: 1, "": 0}


def test_cursor_is_asked_in_its_own_words(hook, task):
    said = json.loads(hook("stop", conversation_id=SESSION, status="completed").out)
    assert list(said) == ["followup_message"]


def test_before_a_compaction_the_session_leaves_a_handoff(hook, store, task, checkout):
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    assert hook("PreCompact", trigger="auto", custom_instructions="") == (0, "", "")
    with store() as memory:
        (left,) = memory.listing(kind="handoff")
    assert (left.trust, left.fields) == ("attributed", {"branch": "tide", "files": ["chart.py"]})
    assert "t-chart Draw the tide chart (active)" in left.content
    assert "it goes on" in left.content


def test_the_end_leaves_where_the_session_stands_and_the_next_start_hands_it_out(
    hook, store, task, checkout
):
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="draw the tide chart in metres")
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    run = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    hook("PostToolUse", **run, tool_response={"stdout": "1 failed"})
    hook("Stop", last_assistant_message="The axis is drawn. Should the legend be in feet?")
    hook("SessionEnd", reason="prompt_input_exit")
    handed_out = hook("SessionStart", source="startup", session_id="next").context
    for line in (
        "> Left by a session of claude-code that has ended",
        "> Task: t-chart Draw the tide chart (active)",
        "> Last test runs: pytest -q: failed",
        "> - draw the tide chart in metres",
        "> branch: tide",
        "> questions: Should the legend be in feet?",
        "> files: chart.py",
    ):
        assert line in handed_out.splitlines()


def test_who_resumes_by_hand_sees_the_files(hook, store, checkout, capsys):
    from recairn.surfaces.cli import main

    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    hook("SessionEnd", reason="other")
    assert main(["resume"]) == 0
    assert "  Files:\n    - chart.py\n" in capsys.readouterr().out


def test_a_session_that_was_killed_is_handed_over_without_a_word_of_its_end(hook, store, checkout):
    hook("SessionStart", source="startup")
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    handed_out = hook("SessionStart", source="startup", session_id="next").context
    assert "claude-code stood when last heard of; it had not said that it ended" in handed_out
    assert "> files: chart.py" in handed_out


def test_so_is_one_whose_start_nobody_heard(hook, store, checkout):
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    handed_out = hook("SessionStart", source="startup", session_id="next").context
    assert "claude-code stood when last heard of" in handed_out
    assert "> branch: tide" in handed_out
    assert "> files: chart.py" in handed_out
    with store() as memory:
        session = memory.session_info(SESSION)
        assert (session.agent, session.directory) == ("claude", str(checkout))


def test_who_clears_the_conversation_is_not_told_what_it_was_about(hook, store, checkout):
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    hook("SessionEnd", reason="clear")
    assert hook("SessionStart", source="clear", session_id="next") == (0, "", "")
    assert "chart.py" in hook("SessionStart", source="startup", session_id="another").context


def test_after_a_clear_no_prompt_brings_the_handoff_either(hook, store, checkout):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor at dawn")
    asking = {"prompt": "gulls at the tide sensor again"}
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    hook("SessionEnd", reason="clear")
    hook("SessionStart", source="clear", session_id="next")
    handed_out = hook("UserPromptSubmit", **asking, session_id="next").context
    assert "Gulls peck" in handed_out
    assert "chart.py" not in handed_out
    # Whose start nobody has heard of is told with the first prompt.
    assert "chart.py" in hook("UserPromptSubmit", **asking, session_id="another").context


def test_the_handoff_of_a_session_beside_it_does_not_come_into_one_at_work(hook, store, checkout):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor at dawn")
    hook("SessionStart", source="startup")
    beside = {"session_id": "beside"}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{checkout}/chart.py"}}
    hook("PostToolUse", **edit, **beside)
    hook("SessionEnd", **beside)
    handed_out = hook("UserPromptSubmit", prompt="gulls at the tide sensor again").context
    assert "Gulls peck" in handed_out
    assert "chart.py" not in handed_out


def test_a_question_that_was_answered_is_open_no_longer(hook, store, checkout):
    hook("SessionStart", source="startup")
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{checkout}/chart.py"})
    hook("Stop", last_assistant_message="The axis is drawn. Should the legend be in feet?")
    hook("UserPromptSubmit", prompt="yes")
    handed_out = hook("SessionStart", source="startup", session_id="next").context
    assert "> Last answer: The axis is drawn. Should the legend be in feet?" in handed_out
    assert "questions:" not in handed_out


def test_geminis_word_before_each_answer_is_no_compaction(hook, store, task):
    hook("BeforeAgent", prompt="draw the tide chart in metres")
    assert hook("PreCompress", trigger="auto") == (0, "", "")
    with store() as memory:
        assert memory.listing(kind="handoff") == []


@pytest.mark.parametrize(
    ("prompted", "compacting"),
    [("BeforeAgent", "PreCompress"), ("userPromptSubmitted", "preCompact")],
)
def test_who_says_nothing_after_a_compaction_gets_what_was_handed_out_with_the_prompt_again(
    hook, store, prompted, compacting
):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor at dawn")
    asking = {"prompt": "gulls at the tide sensor again"}
    assert "Gulls peck" in hook(prompted, **asking).out
    assert hook(prompted, **asking) == (0, "", "")
    hook(compacting, trigger="manual")
    assert "Gulls peck" in hook(prompted, **asking).out


def test_a_session_in_which_nothing_happened_leaves_no_handoff(hook, store):
    assert hook("PreCompact", trigger="manual") == (0, "", "")
    with store() as memory:
        assert memory.count() == 0


def test_the_end_captures_what_was_said_and_closes_the_session(hook, store, checkout):
    with store(session=SESSION) as memory:
        memory.remember("Charts in metres", tier="session", pinned=True)
    write_transcript(checkout, "draw a chart", "no, use metres not feet", "thanks")
    assert hook("SessionEnd", reason="prompt_input_exit") == (0, "", "")
    with store() as memory:
        assert [each.content for each in memory.candidates()] == ["Use metres not feet"]
        assert memory.session_info(SESSION).state == "ended"
        assert memory.get(1).tier == "project"


def test_the_same_prompts_are_not_captured_twice(hook, store, checkout):
    write_transcript(checkout, "Never draw in feet")
    hook("PreCompact", trigger="auto")
    hook("SessionEnd", reason="other")
    with store() as memory:
        assert [each.event for each in memory.history(1)] == ["created"]


def test_capture_can_be_switched_off_and_then_prompts_are_not_kept_either(hook, store, checkout):
    with store() as memory:
        memory.set_config("puffin/hooks.capture", "off")
    write_transcript(checkout, "Never draw in feet")
    hook("UserPromptSubmit", prompt="Never draw in feet, and repair the tide chart")
    hook("SessionEnd", reason="other")
    with store(session=SESSION) as memory:
        assert memory.count() == 0
        assert memory.notes() == {"prompts": []}


def test_the_start_opens_the_session_and_hands_out_rules_and_the_last_handoff(hook, store):
    with store() as memory:
        memory.remember("Never paint the sensor yellow", kind="rule")
        memory.remember("Gulls peck the sensor")
        memory.handoff("Charts draw, the legend does not", git=False)
    said = hook("SessionStart", source="startup", model="claude-opus")
    assert json.loads(said.out)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "> Never paint the sensor yellow" in said.context
    assert "> Charts draw, the legend does not" in said.context
    assert "Gulls" not in said.context
    with store() as memory:
        session = memory.session_info(SESSION)
        assert (session.state, session.agent, session.branch) == ("open", "claude", "tide")
        assert memory.join_session() is None  # what a person says is not the agent's
        memory.author = "agent:claude-code"
        assert memory.join_session() == SESSION


def test_an_empty_memory_has_nothing_to_say_at_the_start(hook, store):
    assert hook("SessionStart", source="startup") == (0, "", "")
    with store() as memory:
        assert memory.session_info(SESSION).state == "open"


def test_who_resumes_a_session_has_its_rules_already(hook, store):
    with store() as memory:
        memory.remember("Never paint the sensor yellow", kind="rule")
    assert hook("SessionStart", source="startup").out
    assert hook("SessionStart", source="resume") == (0, "", "")
    assert hook("SessionStart", source="clear").out


def test_after_a_compaction_what_was_handed_out_before_comes_again(hook, store):
    with store() as memory:
        memory.remember("Never paint the sensor yellow", kind="rule")
        memory.remember("Gulls peck the tide sensor at dawn")
        memory.remember("The uplink sleeps at night")
    hook("SessionStart", source="startup")
    asking = {"prompt": "gulls at the tide sensor again"}
    assert "Gulls peck" in hook("UserPromptSubmit", **asking).context
    hook("PreCompact", trigger="auto")
    again = hook("SessionStart", source="compact").context
    assert "> Never paint the sensor yellow" in again
    assert "> Gulls peck the tide sensor at dawn" in again
    assert "> - gulls at the tide sensor again" in again
    assert "uplink" not in again
    assert hook("UserPromptSubmit", **asking) == (0, "", "")


def test_what_was_forgotten_meanwhile_does_not_come_again(hook, store):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor at dawn")
    hook("UserPromptSubmit", prompt="gulls at the tide sensor again")
    with store() as memory:
        memory.forget(1)
    assert "Gulls peck" not in hook("SessionStart", source="compact").context


def test_the_start_keeps_to_its_budget(hook, store):
    with store() as memory:
        for number in range(100):
            memory.remember(f"Never do thing {number}: " + f"word{number} " * 20, kind="rule")
    assert 3000 < len(hook("SessionStart", source="startup").context) <= 4000


def test_cursors_session_gets_its_context_in_cursors_shape(hook, store):
    with store() as memory:
        memory.remember("Never paint the sensor yellow", kind="rule")
    said = json.loads(hook("sessionStart", conversation_id="k1").out)
    assert "Never paint" in said["additional_context"]


def test_a_persons_word_is_not_booked_on_the_session_of_the_agent_beside_them(hook, store):
    with store() as memory:
        memory.remember("Gulls peck the tide sensor")
    hook("SessionStart", source="startup")
    from recairn.surfaces.cli import main

    assert main(["helpful", "1"]) == 0
    with store() as memory:
        rated = memory.history(1)[-1]
        assert (rated.event, rated.session_id, rated.author) == ("rated", None, "person")
        assert memory.session_info().id == SESSION  # and it can be looked at all the same
