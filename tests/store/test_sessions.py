"""What every store promises about sessions, readers and staleness."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Draft, Filter
from tests.corpus import NOW, PROJECT


def keep(store, *contents, session=None, project=PROJECT, **fields):
    ready = [
        prepare(
            Draft(content=content, **fields), project=project, session=session, allow=(), now=NOW
        )
        for content in contents
    ]
    with store.transaction():
        return store.put([(each.row, each.keys) for each in ready])


def begin(store, session, at=NOW, **told):
    with store.transaction():
        store.open_session(session, {"project": PROJECT, **told}, at)


@pytest.fixture
def gull(store):
    return keep(store, "one gull", session="s1")[0]


def test_the_first_memory_begins_an_unknown_session(store, gull):
    (session,) = store.sessions()
    assert (session.id, session.project) == ("s1", PROJECT)
    assert (session.started_at, session.ended_at) == (NOW, None)
    assert (session.uses, session.memories) == ({"created": 1}, 1)


def test_told_again_only_what_is_said_changes(store):
    begin(store, "s1", agent="claude", branch="main")
    begin(store, "s1", at=NOW + 5, branch="side")
    (session,) = store.sessions(ids=["s1"])
    assert (session.agent, session.branch) == ("claude", "side")
    assert (session.started_at, session.last_seen_at) == (NOW, NOW + 5)


def test_sessions_come_newest_first_by_project_and_limit(store):
    begin(store, "a")
    begin(store, "b", at=NOW + 1)
    begin(store, "k", at=NOW + 2, project="kestrel")
    assert [each.id for each in store.sessions()] == ["k", "b", "a"]
    assert [each.id for each in store.sessions(project=PROJECT)] == ["b", "a"]
    assert [each.id for each in store.sessions(limit=1)] == ["k"]
    assert [each.id for each in store.sessions(ids=["a", "nobody"])] == ["a"]
    assert store.sessions(ids=[]) == []


def test_a_whole_id_is_found_before_its_continuations(store):
    for name in ("s1", "s10", "s11", "S1%"):
        begin(store, name)
    assert store.find_sessions("s1") == ["s1"]
    assert store.find_sessions("s1%") == []
    assert store.find_sessions("s") == ["s1", "s10", "s11"]


def test_an_ended_session_is_open_again_after_later_use(store, gull):
    with store.transaction():
        store.end_session("s1", "done", NOW + 10)
    assert store.sessions()[0].ended_at == NOW + 10
    assert store.sessions()[0].summary == "done"
    with store.transaction():
        store.link_session("s1", gull, "recalled", NOW + 10)
    assert store.sessions()[0].ended_at == NOW + 10
    with store.transaction():
        store.link_session("s1", gull, "recalled", NOW + 11)
    assert store.sessions()[0].ended_at is None


def test_sessions_left_open_are_told_with_their_last_use(store):
    begin(store, "old")
    begin(store, "young", at=NOW + 100)
    assert store.open_since(NOW + 99) == [("old", NOW)]
    with store.transaction():
        store.end_session("old", "", NOW)
    assert store.open_since(NOW + 1000) == [("young", NOW + 100)]


def test_a_place_is_in_one_session_at_a_time(store):
    begin(store, "a")
    begin(store, "b")
    with store.transaction():
        store.set_current_session("pier", "a")
        store.set_current_session("pier", "b")
    assert store.current_session("pier") == ("b", NOW)
    assert store.current_session("mole") is None
    with store.transaction():
        store.end_session("b", "", NOW)
    assert store.current_session("pier") is None


def test_uses_are_told_by_session_and_by_memory(store, gull):
    tern = keep(store, "two terns")[0]
    with store.transaction():
        store.link_session("s2", gull, "recalled", NOW + 5)
        store.link_session("s2", tern, "updated", NOW + 6)
        store.link_session("s2", gull, "recalled", NOW + 7)
    assert store.used_in("s2") == [(tern, "updated", NOW + 6), (gull, "recalled", NOW + 7)]
    assert store.session_uses([gull]) == [
        (gull, "s2", "recalled", NOW + 7),
        (gull, "s1", "created", NOW),
    ]


def test_only_live_memories_of_the_tier_count_as_a_sessions_own(store):
    own, gone, over = keep(store, "a gull", "b tern", "c auk", session="s1", tier="session")
    keep(store, "d skua", session="s1")
    with store.transaction():
        store.change(gone, {"deleted_at": NOW}, _event(gone))
        store.change(over, {"expires_at": NOW}, _event(over))
    assert store.of_session_tier("s1", NOW) == [own]


def _event(memory):
    from recairn.core.model import Event

    return Event(0, memory, NOW, "updated", "", {}, {}, None, None)


def test_neighbours_come_nearest_first(store):
    ids = keep(store, *(f"bird {number} of the row" for number in range(5)))
    keep(store, "elsewhere", project="kestrel")
    seen = Filter(now=NOW)
    assert store.neighbours(ids[2], seen, count=-5) == [ids[1], ids[0]]
    assert store.neighbours(ids[2], seen, count=1) == [ids[3]]
    keep(store, "bird of the rumour", trust="unverified")
    assert len(store.neighbours(ids[2], seen, count=5)) == 3
    assert store.neighbours(ids[2], Filter(now=NOW, candidates=False), count=5) == ids[3:]


def test_a_reader_never_reads_backwards(store):
    assert store.read_position("ines", "handoffs") == 0
    with store.transaction():
        store.move_reader("ines", "handoffs", 7, NOW)
        store.move_reader("ines", "handoffs", 3, NOW)
    assert store.read_position("ines", "handoffs") == 7
    assert store.read_position("olaf", "handoffs") == 0


def test_the_newest_word_on_staleness_counts(store, gull):
    with store.transaction():
        store.put_staleness([(gull, NOW, "deleted", 1.0, "a.py")])
        store.put_staleness([(gull, NOW + 1, "fresh", 0.0, "")])
    assert store.staleness() == {gull: (gull, NOW + 1, "fresh", 0.0, "")}
    assert store.staleness([gull + 1]) == {}
    assert store.staleness([]) == {}


def test_what_was_taken_back_is_known(store, gull):
    from recairn.core.record import replace

    with store.transaction():
        store.change(gull, {"category": "birds"}, _event(gull))
    changed = store.history(gull)[-1]
    assert store.undone() == set()
    with store.transaction():
        store.change(gull, {"category": ""}, replace(_event(gull), undo_of=changed.id))
    assert store.undone() == {changed.id}


def test_notes_of_a_session_come_back_and_are_replaced(store):
    begin(store, "s1")
    assert store.session_notes("s1") == store.session_notes("nobody") == {}
    for notes in ({"files": ["a.py"], "asked": True}, {"prompts": ["café"]}):
        with store.transaction():
            store.set_session_notes("s1", notes)
        assert store.session_notes("s1") == notes
