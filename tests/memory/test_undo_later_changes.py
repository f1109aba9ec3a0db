"""Taking back an early change leaves what was changed again later as it is."""

from __future__ import annotations

import pytest

from recairn.core.derived import content_hash
from tests.corpus import PROJECT, keys_of


@pytest.fixture
def gull(memory):
    return memory.remember("one gull on the mast", kind="decision", category="birds").id


def in_session(memory, name, act):
    memory.session = name
    act()
    memory.session = None


def test_a_text_edited_again_stays(memory, gull, clock):
    in_session(memory, "s1", lambda: memory.edit(gull, content="two terns", category="sea"))
    clock.advance(10)
    memory.edit(gull, content="three auks")
    memory.undo(session="s1")
    after = memory.get(gull)
    assert (after.content, after.category) == ("three auks", "birds")
    assert memory.verify().problems == ()


def test_every_index_follows_from_what_is_left(memory, gull, clock):
    in_session(memory, "s1", lambda: memory.edit(gull, content="two terns on the rope"))
    clock.advance(10)
    memory.edit(gull, title="Seen at dusk", fields={"rationale": "hungry"})
    memory.undo(session="s1")
    after = memory.get(gull)
    assert (after.content, after.title) == ("one gull on the mast", "Seen at dusk")
    assert after.content_hash == content_hash("Seen at dusk\none gull on the mast\nhungry")
    assert set(memory.store.key_holders(keys_of(after))) == set(keys_of(after))
    assert memory.search("terns").hits == ()
    assert [hit.id for hit in memory.search("gull dusk hungry").hits] == [gull]


def test_ratings_of_others_still_count(memory, gull, clock):
    in_session(memory, "s1", lambda: memory.feedback(gull, 0.25))
    clock.advance(10)
    memory.feedback(gull, 1.0)
    memory.undo(session="s1")
    after = memory.get(gull)
    assert (after.helpful, after.harmful, after.outcome_score) == (1.0, 0.0, 1.0)


def test_salience_loses_only_what_the_change_added(memory, gull, clock):
    memory.deemphasize(gull, 0.5)
    in_session(memory, "s1", lambda: memory.reinforce(gull, 0.2))
    clock.advance(10)
    memory.deemphasize(gull, 0.1)
    memory.search("gull")
    memory.undo(session="s1")
    assert memory.get(gull).salience == pytest.approx(0.5 - 0.1 + 0.02 * 0.5)


def test_a_later_successor_stays(memory, gull, clock):
    tern, auk = memory.remember("two terns").id, memory.remember("three auks").id
    in_session(memory, "s1", lambda: memory.supersede(gull, tern))
    clock.advance(10)
    memory.supersede(gull, auk)
    memory.undo(session="s1")
    assert memory.get(gull).superseded_by == auk
    assert [edge.relation for edge in memory.store.edges_between(auk, gull)] == ["supersedes"]


def test_what_was_moved_on_stays_where_it_is(memory, gull, clock):
    in_session(memory, "s1", lambda: memory.edit(gull, project="kestrel"))
    clock.advance(10)
    memory.edit(f"kestrel/{gull}", project="heron")
    memory.undo(session="s1")
    assert memory.get(gull).project == "heron"
    assert [hit.id for hit in memory.search("gull", project="heron").hits] == [gull]
    assert memory.search("gull", project=PROJECT).hits == ()


def test_the_same_session_is_not_undone_twice(memory, gull):
    in_session(memory, "s1", lambda: memory.edit(gull, category="sea"))
    assert len(memory.undo(session="s1")) == 1
    assert memory.undo(session="s1") == []
