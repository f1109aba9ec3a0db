"""Whose call it is: several agents in one folder, each with its own session."""

from __future__ import annotations

import pytest

from tests.corpus import opened
from tests.surfaces.mcp.conftest import Agent

BIRDS = ("A gull nests on crane", "Two terns dive off buoy", "Skuas steal bread at kiosk")


def fact(agent, content, session=None):
    meta = {} if session is None else {"_meta": {"sessionId": session}}
    answer = agent.ask("tools/call", name="recairn_add", arguments={"content": content}, **meta)
    assert not answer["isError"], answer
    return answer["structuredContent"]["id"]


def contents(path, session):
    with opened(path) as memory:
        return sorted(each.content for each in memory.listing(in_session=session))


def test_four_agents_at_once_each_store_into_their_own_session(path):
    agents = {f"s-{number}": Agent(path) for number in range(4)}
    with opened(path) as memory:
        memory.start_session("s-3", agent="the last one to start")
    learned = {session: [f"{bird} {session}" for bird in BIRDS] for session in agents}
    for turn in range(len(BIRDS)):
        for session, agent in agents.items():
            fact(agent, learned[session][turn], session)
    for session in agents:
        assert contents(path, session) == sorted(learned[session])


def test_undo_by_session_takes_back_exactly_what_that_agent_stored(path):
    one, other = Agent(path), Agent(path)
    fact(one, "The horn sounds twice in fog", "s-one")
    stays = fact(other, "The lamp turns once a minute", "s-other")
    with opened(path) as memory:
        memory.undo(session="s-one")
        assert memory.get(stays).deleted_at is None
        assert memory.listing(in_session="s-one") == []


def test_the_environment_says_whose_server_this_is(path, monkeypatch):
    with opened(path) as memory:
        memory.start_session("s-of-another", agent="codex")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-mine")
    fact(Agent(path), "The tide gauge is read at noon")
    assert contents(path, "s-mine") == ["The tide gauge is read at noon"]
    assert contents(path, "s-of-another") == []


def test_what_a_call_names_counts_more_than_the_environment(path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-of-the-server")
    fact(Agent(path), "The tide gauge is read at noon", "s-of-the-call")
    assert contents(path, "s-of-the-call") == ["The tide gauge is read at noon"]


def test_after_a_clear_the_session_of_the_environment_is_over_and_the_new_one_counts(
    path, monkeypatch
):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-before")
    agent = Agent(path)
    fact(agent, "Said before the clear")
    with opened(path) as memory:
        memory.start_session("s-before", agent="claude")
        memory.end_session("s-before")
        memory.start_session("s-after", agent="claude")
    fact(agent, "Said after the clear, of something else")
    assert contents(path, "s-after") == ["Said after the clear, of something else"]
    assert contents(path, "s-before") == ["Said before the clear"]


@pytest.mark.parametrize("session", ["", "  ", "a\nb", "x" * 201, 7, None, ["s"], {"s": 1}])
def test_a_session_that_is_no_name_is_none(path, session):
    agent = Agent(path)
    answer = agent.ask(
        "tools/call",
        name="recairn_add",
        arguments={"content": "The mole is closed in winter"},
        _meta={"sessionId": session},
    )
    with opened(path) as memory:
        assert memory.get(answer["structuredContent"]["id"]).session_id is None


def called(name, path):
    """An agent that says what program it is."""
    agent = Agent(path)
    client = {"name": name, "version": "1"}
    agent.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
    return agent


def test_who_names_no_session_joins_the_last_one_of_its_own_kind(path):
    agent = called("opencode", path)
    with opened(path) as memory:
        memory.start_session("s-opencode", agent="opencode")
    with opened(path) as memory:
        memory.start_session("s-codex", agent="codex")
    fact(agent, "The tide gauge is read at noon")
    assert contents(path, "s-opencode") == ["The tide gauge is read at noon"]
    other = called("gemini-cli", path)
    fact(other, "The lamp turns once a minute")
    assert contents(path, "s-codex") == []


def test_copilot_names_its_session_in_the_environment(path, monkeypatch):
    with opened(path) as memory:
        memory.start_session("s-of-another", agent="copilot")
    monkeypatch.setenv("COPILOT_AGENT_SESSION_ID", "s-mine")
    fact(Agent(path), "The tide gauge is read at noon")
    assert contents(path, "s-mine") == ["The tide gauge is read at noon"]
