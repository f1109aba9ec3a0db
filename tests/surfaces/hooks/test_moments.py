"""What is handed out beside the prompts: at files, at tests that failed, to subagents, as news."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.hooks.conftest import SESSION

LAMP = "The lamp smokes unless trim_the_wick runs first, see src/lamp.py"


@pytest.fixture
def tool(hook, checkout):
    """A tool of Claude Code that was used on a file."""

    def use(name, file="src/lamp.py", response=None, **fields):
        arguments = {"file_path": f"{checkout}/{file}", **fields.pop("arguments", {})}
        answer = {"file": {"content": response}} if response else {}
        return hook(
            "PostToolUse", tool_name=name, tool_input=arguments, tool_response=answer, **fields
        )

    return use


@pytest.fixture
def lamp(store):
    with store() as memory:
        return memory.remember(LAMP).id


@pytest.mark.parametrize("name", ["Read", "Edit", "Write"])
def test_who_opens_or_edits_a_file_is_told_once_what_names_it(tool, lamp, name):
    handed_out = tool(name).context
    assert "About src/lamp.py:" in handed_out
    assert f"> {LAMP}" in handed_out
    assert tool(name) == (0, "", "")


def test_a_file_that_nothing_names_brings_nothing_and_opens_no_session(tool, store, lamp):
    assert tool("Read", "src/gull.py") == (0, "", "")
    assert tool("Read", "web/lamp.py").out == ""
    with store() as memory:
        assert memory.sessions() == []


def test_a_name_of_code_in_what_is_written_or_defined_counts_too(tool, lamp):
    assert tool("Read", "a.py", "x = trim_the_wick()") == (0, "", "")
    assert LAMP in tool("Read", "a.py", "def trim_the_wick():\n    pass\n").context
    said = tool("Edit", "b.py", session_id="b", arguments={"new_string": "if trim_the_wick(3):"})
    assert LAMP in said.context


def test_a_rule_whose_scope_fits_comes_with_the_file_and_a_suggested_one_does_not(tool, store):
    with store() as memory:
        memory.remember("Keep the lens dry", kind="rule", scope="src/**")
        memory.author = "agent:codex"
        memory.remember("Paint it blue", kind="rule", scope="src/**")
    assert "> Keep the lens dry" in tool("Read").context
    assert "Paint it blue" not in tool("Read", session_id="b").context
    assert tool("Read", "web/lamp.py") == (0, "", "")


def test_what_stands_in_a_file_that_the_agent_reads_itself_is_not_said_again(tool, store, checkout):
    (checkout / "CLAUDE.md").write_text(f"- {LAMP}\n")
    with store() as memory:
        memory.remember(LAMP, source_ref="CLAUDE.md:1")
        memory.remember("The wick of src/lamp.py is cut square", source_ref="notes.txt:1")
    handed_out = tool("Read").context
    assert "cut square" in handed_out
    assert LAMP not in handed_out


def test_handoffs_candidates_and_other_projects_name_no_file(tool, store):
    with store() as memory:
        memory.handoff("src/lamp.py is half done", git=False)
        memory.remember("Perhaps src/lamp.py is wrong", trust="unverified")
        memory.remember("src/lamp.py of another house", project="elsewhere")
    assert tool("Read") == (0, "", "")


def test_codex_opens_files_with_commands(hook, lamp, checkout):
    (checkout / "src").mkdir()
    (checkout / "src" / "lamp.py").touch()
    run = {"tool_name": "Bash", "tool_response": "x = 1", "turn_id": "1"}
    assert hook("PostToolUse", tool_input={"command": "cat README.md"}, **run).out == ""
    command = "sed -n '1,80p' src/lamp.py"
    assert LAMP in hook("PostToolUse", tool_input={"command": command}, **run).context


FAILED = (
    "tests/test_tide.py:9: in test_tide_rises\n"
    "E   sqlite3.OperationalError: database table is locked: 7\n"
    "FAILED tests/test_tide.py::test_tide_rises\n1 failed in 0.1s"
)


@pytest.mark.parametrize(
    "told",
    [
        "test_tide_rises fails where the clock is not UTC",
        "database table is locked: close the cursor first",
        "tests/test_tide.py needs the gauge to be switched on",
    ],
)
def test_a_failed_test_brings_what_is_remembered_of_its_kind(hook, store, told):
    with store() as memory:
        memory.remember(told, kind="failure")
        memory.remember("Tables of the canteen are locked at three")
        memory.remember("OperationalError and AssertionError are classes")
    run = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    said = hook("PostToolUse", **run, tool_response={"stdout": "3 passed"})
    assert said == (0, "", "")
    said = hook("PostToolUseFailure", **run, error=f"Exit code 1\n{FAILED}")
    assert "About pytest -q, which failed:" in said.context
    assert f"> {told}" in said.context
    assert "canteen" not in said.context
    assert json.loads(said.out)["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"
    assert hook("PostToolUseFailure", **run, error=f"Exit code 1\n{FAILED}").out == ""


def test_failures_come_first_where_something_fails(hook, store):
    with store() as memory:
        memory.remember("test_tide_rises fails without a gauge", kind="failure")
        memory.remember("test_tide_rises is the slowest of all")
    run = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_response": FAILED}
    handed_out = hook("PostToolUse", **run).context
    assert handed_out.index("without a gauge") < handed_out.index("slowest")


SUBAGENT = {"agent_id": "a1", "agent_type": "Explore"}


def test_a_subagent_starts_with_rules_and_what_is_remembered_of_the_work(hook, store, lamp):
    with store() as memory:
        memory.remember("Keep the lens dry", kind="rule")
        memory.handoff("Half of it is done", git=False)
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="why does the lamp smoke, is it trim_the_wick?")
    handed_out = hook("SubagentStart", **SUBAGENT).context
    assert "> Keep the lens dry" in handed_out
    assert LAMP in handed_out
    assert "Half of it" not in handed_out


@pytest.mark.parametrize(
    ("kind", "holds"),
    [("Explore", False), ("Plan", False), ("general-purpose", True), ("me", True)],
)
def test_a_subagent_is_not_told_what_its_program_gives_it(hook, tool, store, checkout, kind, holds):
    (checkout / "CLAUDE.md").write_text("- Never oil the lens\n- The lamp in src/lamp.py is hot\n")
    with store() as memory:
        memory.import_from(str(checkout / "CLAUDE.md"))
        memory.accept([one.id for one in memory.candidates()])
    begun = hook("SubagentStart", agent_id="a1", agent_type=kind)
    assert (begun.out == "") == holds
    read = tool("Read", agent_id="a2", agent_type=kind)
    assert (read.out == "") == holds


def test_a_subagent_gets_nothing_that_does_not_bear_on_the_work(hook, store, lamp):
    with store() as memory:
        memory.remember("Keep the lens dry", kind="rule")
        memory.remember("Invoices are numbered without gaps")
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="why does the lamp smoke and leave gaps in the light?")
    handed_out = hook("SubagentStart", **SUBAGENT).context
    assert "> Keep the lens dry" in handed_out
    assert LAMP in handed_out
    assert "Invoices" not in handed_out


def test_what_a_subagent_was_told_its_agent_does_not_know_and_the_other_way_round(tool, lamp):
    assert LAMP in tool("Read", **SUBAGENT).context
    assert tool("Read", **SUBAGENT).out == ""
    assert LAMP in tool("Read").context
    assert LAMP in tool("Read", **{**SUBAGENT, "agent_id": "a2"}).context


@pytest.mark.parametrize(
    ("setting", "moment"),
    [("file", "read"), ("test", "test"), ("subagent", "subagent")],
)
def test_each_moment_can_be_switched_off_and_is_booked_under_its_name(
    hook, tool, store, lamp, setting, moment
):
    with store() as memory:
        memory.remember("test_tide_rises needs a gauge")
        memory.remember("Keep the lens dry", kind="rule")

    def use(session):
        run = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_response": FAILED}
        tool("Read", session_id=session)
        hook("PostToolUse", session_id=session, **run)
        hook("SubagentStart", session_id=session, **SUBAGENT)

    def booked(session):
        with store(session=session) as memory:
            return {turn.event for turn in memory.turns() if turn.tokens}

    use("before")
    assert booked("before") == {"read", "test", "subagent"}
    with store() as memory:
        memory.set_config(f"hooks.{setting}_chars", "0")
    use("after")
    assert booked("after") == {"read", "test", "subagent"} - {moment}


def test_a_reminder_keeps_to_its_budget(tool, store):
    with store() as memory:
        for number in range(9):
            memory.remember(f"src/lamp.py says {number}. " + f"Word{number} it is. " * 40)
        memory.set_config("hooks.file_chars", "500")
    assert 200 < len(tool("Read").context) <= 500


def test_who_comes_back_is_told_what_is_new_since_they_were_last_here(hook, store, lamp):
    hook("SessionStart", source="startup", session_id="first")
    hook("SessionEnd", reason="other", session_id="first")
    assert hook("SessionStart", source="startup", session_id="second").out == ""
    hook("SessionEnd", reason="other", session_id="second")
    with store() as memory:
        memory.remember("The gauge moved to pier 4")
    handed_out = hook("SessionStart", source="startup", session_id="third").context
    assert "New since you were last here:" in handed_out
    assert "> The gauge moved to pier 4" in handed_out
    assert "lamp" not in handed_out
    # Whoever was never here is not told everything.
    other = hook("SessionStart", source="startup", session_id="x", turn_id="1")
    assert other == (0, "", "")


def test_a_locked_database_hands_out_nothing_that_could_not_be_booked(tool, store, lamp):
    with store() as other, other.store.transaction():
        other.store.set_config("busy", "yes", 1)
        assert tool("Read") == (0, "", "")
    assert LAMP in tool("Read").context
    with store(session=SESSION) as memory:
        assert [turn.event for turn in memory.turns()] == ["read"]
