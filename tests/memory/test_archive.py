"""Ageing: archive, promote, expire, pin; and what is hidden can be listed and restored."""

from __future__ import annotations

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.core.model import DECAY_PER_DAY, decayed
from recairn.core.times import DAY
from tests.corpus import NOW


def ids(memories):
    return [each.id for each in memories]


@pytest.fixture
def old(memory, clock):
    """A memory that has faded below 0.1 within the year since."""
    one = memory.remember("the ferry broke down in a storm", kind="failure").id
    clock.advance(365 * DAY)
    return one


# Decay, computed when read


def test_being_found_lifts_what_has_faded(memory, old, clock):
    before = decayed(memory.get(old), clock())
    assert before < 0.01
    memory.search("ferry storm")
    after = memory.get(old)
    assert after.salience == pytest.approx(before + 0.02 * (1.0 - before))
    assert after.decayed_at == clock()


def test_a_filter_by_salience_looks_at_what_is_left(memory, old, clock):
    young = memory.remember("a gull on the mole", kind="failure").id
    assert memory.get(old).salience == 1.0
    assert ids(memory.listing(min_salience=0.5)) == [young]
    clock.advance(90 * DAY)
    assert ids(memory.listing(min_salience=0.5)) == []
    assert ids(memory.listing(min_salience=0.1)) == [young]


def test_the_most_salient_are_those_of_which_most_is_left(memory, old):
    young = memory.remember("a gull on the mole").id
    memory.deemphasize(young, 0.5)
    assert ids(memory.listing(order="salient")) == [young, old]


@pytest.mark.parametrize("sector", DECAY_PER_DAY)
@pytest.mark.parametrize("days", [-5, 0, 30, 1000])
def test_store_and_ranking_agree_on_what_is_left(memory, clock, sector, days):
    one = memory.remember("one gull", sector=sector, importance=0.7).id
    memory.search("gull")
    memory.settle()
    clock.advance(days * DAY)
    left = decayed(memory.get(one), clock())
    assert ids(memory.listing(min_salience=left - 1e-9)) == [one]
    assert ids(memory.listing(min_salience=left + 1e-9)) == []


# Archive


def test_a_dry_run_names_what_has_faded_and_leaves_it(memory, old):
    assert ids(memory.archive()) == [old]
    assert memory.get(old).deleted_at is None


def test_what_was_put_away_is_hidden_and_can_be_restored(memory, old, clock):
    assert ids(memory.archive(dry_run=False)) == [old]
    assert memory.listing() == []
    assert memory.history(old)[-1].event == "archived"
    memory.restore(old)
    assert ids(memory.listing()) == [old]
    assert memory.verify().problems == ()


def test_undo_brings_back_what_was_put_away(memory, old):
    memory.archive(dry_run=False)
    memory.undo(old)
    assert ids(memory.listing()) == [old]


@pytest.mark.parametrize("kept", [{"pinned": True}, {"immutable": True}, {"kind": "rule"}])
def test_pinned_and_immutable_memories_and_rules_stay(memory, clock, kept):
    memory.remember("never feed the gulls", **kept)
    clock.advance(3650 * DAY)
    assert memory.archive(before="1d") == []


def test_use_keeps_a_memory(memory, old, clock):
    memory.search("ferry storm")
    memory.settle()
    assert memory.archive(before="90d") == []


def test_either_condition_alone_or_both(memory, old):
    young = memory.remember("a gull on the mole").id
    memory.deemphasize(young, 0.95)
    assert ids(memory.archive(before="90d")) == [old]
    assert ids(memory.archive(below=0.1)) == [old, young]
    assert ids(memory.archive(before="90d", below=0.1)) == [old]


def test_only_the_own_project_unless_asked(memory, old, clock):
    other = memory.remember("elsewhere", project="kestrel", created_at=NOW, tier="global").id
    assert ids(memory.archive(before="90d")) == [old]
    assert ids(memory.archive(before="90d", all_projects=True)) == [old, other]


@pytest.mark.parametrize("options", [{"below": 2.0}, {"before": "soon"}])
def test_conditions_are_checked(memory, options):
    with pytest.raises(BadInput):
        memory.archive(**options)


# Promote


def test_a_memory_is_promoted_step_by_step(memory):
    memory.session = "s1"
    one = memory.remember("one gull", tier="session").id
    memory.session = None
    assert memory.listing() == []
    assert memory.promote(one).tier == "project"
    assert ids(memory.listing()) == [one]
    assert memory.promote(one).tier == "global"
    assert ids(memory.listing(project="kestrel")) == [one]
    with pytest.raises(Refused, match="visible everywhere"):
        memory.promote(one)
    assert [event.event for event in memory.history(one)] == ["created", "promoted", "promoted"]
    assert memory.verify().problems == ()


def test_a_promotion_is_undone_in_every_index(memory):
    one = memory.remember("one gull").id
    memory.promote(one)
    memory.undo(one)
    assert memory.search("gull", project="kestrel").hits == ()
    assert [hit.id for hit in memory.search("gull").hits] == [one]
    assert memory.remember("one gull").id == one


# Expire


def test_an_expired_memory_is_hidden_listed_and_restored(memory, clock):
    one = memory.remember("one gull").id
    memory.expire(one)
    assert memory.listing() == []
    found, total = memory.hidden("expired")
    assert (ids(found), total) == ([one], 1)
    memory.restore(one)
    assert ids(memory.listing()) == [one]
    assert memory.get(one).expires_at is None


def test_an_expiry_may_lie_ahead(memory, clock):
    one = memory.remember("one gull").id
    memory.expire(one, NOW + DAY)
    assert ids(memory.listing()) == [one]
    clock.advance(DAY)
    assert memory.listing() == []
    memory.undo(one)
    assert ids(memory.listing()) == [one]


def test_what_is_hidden_is_told_apart(memory):
    forgotten, expired = memory.remember("one gull").id, memory.remember("two terns").id
    memory.forget(forgotten)
    memory.expire(expired)
    assert ids(memory.hidden("deleted")[0]) == [forgotten]
    assert ids(memory.hidden("expired")[0]) == [expired]
    with pytest.raises(BadInput, match="unknown hidden"):
        memory.hidden("lost")


# Pin


def test_a_memory_is_pinned_and_unpinned(memory):
    one = memory.remember("one gull", immutable=True).id
    assert memory.pin(one).pinned
    assert not memory.pin(one, pinned=False).pinned
    memory.pin(one, pinned=False)
    assert [event.event for event in memory.history(one)] == ["created", "updated", "updated"]


@pytest.mark.parametrize("act", ["promote", "expire", "correct"])
def test_an_immutable_memory_ages_only_by_force(memory, act):
    one = memory.remember("cast in stone", immutable=True).id
    extra = ("carved in wood",) if act == "correct" else ()
    with pytest.raises(Refused, match="immutable"):
        getattr(memory, act)(one, *extra)
    getattr(memory, act)(one, *extra, force=True)
