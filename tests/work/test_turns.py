"""What an agent knew and when: by hooks, by its own questions, in the words of that time."""

from __future__ import annotations

import pytest


@pytest.fixture
def session(memory):
    memory.author = "agent:codex"
    memory.remember("The tide sensor is read every minute")
    memory.start_session("s-1", agent="codex")
    return memory


def test_a_context_is_a_turn_in_the_words_of_that_time(session, clock):
    session.context(prompt="how often is the tide sensor read?", moment="prompt", said="how often?")
    clock.now += 1000
    session.edit(1, content="The tide sensor is read every hour")
    (turn,) = session.turns("s-1")
    assert (turn.event, turn.prompt, turn.agent) == ("prompt", "how often?", "codex")
    assert [given.memory.content for given in turn.handed_out] == [
        "The tide sensor is read every minute"
    ]
    assert turn.budget == 2000


def test_what_is_used_later_shows_in_the_turn_that_handed_it_out(session, clock):
    session.context(prompt="how often is the tide sensor read?", moment="prompt")
    clock.now += 1000
    session.expanded(1)
    session.settle()
    (given,) = session.turns("s-1")[0].handed_out
    assert (given.used, given.used_at) == ("expanded", clock.now)


def test_a_search_of_the_agent_is_a_turn_and_a_context_is_not_told_twice(session, clock):
    session.context(prompt="how often is the tide sensor read?")
    clock.now += 1000
    session.search("tide sensor", tool="mcp")
    clock.now += 1000
    session.search("zeppelin", tool="mcp")
    told = [
        (turn.event, turn.prompt, len(turn.handed_out), turn.silence) for turn in session.turns()
    ]
    assert told == [
        ("context", "how often is the tide sensor read?", 1, ""),
        ("search", "tide sensor", 1, ""),
        ("search", "zeppelin", 0, "nothing relevant"),
    ]


def test_what_the_ledger_alone_knows_is_a_turn_too(session):
    entry = {"at": 5, "surface": "mcp", "session_id": "s-1", "query": "tides"}
    with session.store.transaction():
        session.store.put_injection({**entry, "tokens": 9, "characters": 30}, [(1, 9, 0.4)])
    (turn,) = session.turns("s-1")
    assert (turn.id, turn.event, turn.prompt, turn.tokens) == (0, "context", "tides", 9)
    assert [(given.memory.id, given.score, given.terms) for given in turn.handed_out] == [
        (1, 0.4, {})
    ]


def test_a_part_of_a_long_session_can_be_asked_for(session, clock):
    for number in range(5):
        clock.now += 1000
        session.note_turn("prompt", f"step {number}", silence="small talk")
    assert [turn.prompt for turn in session.turns("s-1", offset=1, limit=2)] == ["step 1", "step 2"]


def test_outside_a_session_no_turn_is_kept(memory):
    memory.remember("The tide sensor is read every minute")
    memory.context(prompt="how often is the tide sensor read?")
    memory.note_turn("prompt", "how often?")
    memory.settle()
    assert memory.store.last_hooks() == []


def test_looking_at_what_would_be_handed_out_leaves_no_turn(session):
    session.context(prompt="how often is the tide sensor read?", record=False)
    assert session.turns("s-1") == []


def test_what_is_destroyed_is_not_quoted_by_a_turn(session):
    session.author = "person"
    said = "the tide sensor is read every minute, is it?"
    session.context(prompt=said, moment="prompt", said=said)
    session.settle()
    session.forget(1, hard=True)
    (turn,) = session.turns("s-1")
    assert (turn.prompt, turn.handed_out) == ("", ())


def test_the_changes_of_a_session_are_listed_in_order(session):
    session.remember("Gulls peck at dawn")
    session.edit(2, content="Gulls peck at dusk")
    events = [(event.memory, event.event) for event in session.session_events("s-1")]
    assert events == [(2, "created"), (2, "updated")]
