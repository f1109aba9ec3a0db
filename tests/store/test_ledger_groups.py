"""What every store promises about what was handed out, added up and one by one."""

import pytest

from recairn.core.times import DAY
from tests.corpus import NOW, PROJECT
from tests.store.test_contract import keep


@pytest.fixture
def ledger(store):
    """Two memories, handed out on two days in the sessions of two agents, and in none."""
    keep(store, "tide", "fog")
    with store.transaction():
        store.open_session("s-1", {"project": PROJECT, "agent": "claude"}, NOW)
        store.open_session("s-2", {"project": PROJECT, "agent": "codex"}, NOW)
        for number, (session, day) in enumerate([("s-1", 0), ("s-1", 1), ("s-2", 1), (None, 1)]):
            entry = {"at": NOW + day * DAY + number, "surface": "hook", "session_id": session}
            entry.update(project=PROJECT, query=f"which {number}?", tokens=30, characters=100)
            store.put_injection(entry, [(1, 10, 0.5), (2, 20, None)])
        store.note_used([2], "cited", session="s-1", since=NOW, at=NOW + 2 * DAY)
    return store


def test_injections_are_added_up_by_day_agent_and_session(ledger):
    days = ledger.ledger("day", 0, PROJECT)
    assert [(row.name, row.times, row.tokens) for row in days] == [
        ("2026-11-16", 3, 90),
        ("2026-11-15", 1, 30),
    ]
    agents = {row.name: row.times for row in ledger.ledger("agent", 0, PROJECT)}
    assert agents == {"claude": 2, "codex": 1, "": 1}
    sessions = {row.name: (row.times, row.cited) for row in ledger.ledger("session", 0, None)}
    assert sessions == {"s-1": (2, 1), "s-2": (1, 0), "": (1, 0)}


def test_every_hand_out_of_a_memory_is_known_newest_first(ledger):
    found = ledger.injections_of(2, 10)
    assert [(each.query, each.agent, each.session, each.used) for each in found] == [
        ("which 3?", "", None, None),
        ("which 2?", "codex", "s-2", None),
        ("which 1?", "claude", "s-1", "cited"),
        ("which 0?", "claude", "s-1", None),
    ]
    assert (found[0].position, found[0].tokens, found[0].score) == (2, 20, None)
    assert len(ledger.injections_of(2, 1)) == 1


def test_how_often_memories_were_handed_out_is_counted_for_one_agent_or_all(ledger):
    everyone = {row.name: (row.times, row.cited) for row in ledger.times_handed_out([1, 2], "")}
    assert everyone == {1: (4, 0), 2: (4, 1)}
    (codex,) = ledger.times_handed_out([1], "codex")
    assert (codex.times, codex.last_at) == (1, NOW + DAY + 2)
    assert ledger.times_handed_out([], "") == []
