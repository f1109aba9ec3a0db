"""Who types decides: a person's word counts, an agent's is marked as its own."""

from __future__ import annotations

import pytest

RULE = "Always wipe the lens with the blue cloth"


@pytest.fixture
def agent(recairn, monkeypatch):
    """Types a command line in the shell of Claude Code."""

    def run(*words):
        with monkeypatch.context() as patch:
            patch.setenv("CLAUDECODE", "1")
            return recairn(*words)

    return run


def test_what_a_person_types_holds_at_once(recairn):
    recairn("add", RULE, "--kind", "rule")
    shown = recairn("show", "1", "--json").json
    assert (shown["author"], shown["trust"]) == ("person", "verified")
    assert "[rule] #1" in recairn("context", "--prompt", "wipe the lens").out


def test_what_an_agent_types_in_its_shell_is_the_agents(recairn, agent):
    agent("add", "The lamp burns oil")
    assert "Author: agent:claude-code" in recairn("show", "1").out
    assert "by claude-code" in recairn("search", "lamp oil").out
    agent("reinforce", "1")
    assert "reinforced by agent:claude-code" in recairn("history", "1").out


def test_an_agents_rule_waits_and_is_shown_as_a_suggestion(recairn, agent):
    added = agent("add", RULE, "--kind", "rule", "--pin", "--trust", "verified")
    assert "until a person accepts it" in added.err
    assert "[suggested] #1" in recairn("context", "--prompt", "wipe the lens").out
    assert "from agent claude-code" in recairn("review", "list").out
    refused = agent("review", "accept", "1")
    assert refused.status == 1
    assert "only a person" in refused.err
    assert recairn("review", "accept", "1").status == 0
    assert "[rule] #1" in recairn("context", "--prompt", "wipe the lens").out


def test_an_agents_shell_sets_nothing_that_only_a_person_may_set(recairn, agent):
    for words in (("set", "agents.trusted", "on"), ("set", "redaction.allow", "re:.*")):
        refused = agent("config", *words)
        assert refused.status == 1
        assert "not an agent's to change" in refused.err
    assert recairn("config", "set", "agents.trusted", "on").status == 0
    assert agent("config", "unset", "agents.trusted").status == 1
    agent("add", RULE, "--kind", "rule")
    assert "[rule] #1" in recairn("context", "--prompt", "wipe the lens").out


def test_many_are_decided_at_once_by_author(recairn, agent):
    for number in range(3):
        agent("add", f"Paint buoy {number} red", "--kind", "rule", "--force")
    recairn("add", "Heard in passing", "--trust", "unverified")
    dropped = recairn("review", "drop", "--all", "--author", "agent:claude-code", "--yes")
    assert dropped.out == "Dropped 3 candidates\n"
    assert recairn("review", "accept", "--all", "--author", "person", "--yes").out == (
        "Accepted 1 candidate\n"
    )


def test_memories_are_searched_by_author(recairn, agent):
    agent("add", "The lamp burns oil")
    recairn("add", "The lamp burns gas in winter")
    found = recairn("search", "lamp burns", "--author", "agent", "--json").json["hits"]
    assert [hit["id"] for hit in found] == [1]
