"""Corrections, chains of replacements, and how things were at a time."""

from __future__ import annotations

import pytest

from recairn.core.errors import Refused
from recairn.core.times import DAY
from tests.corpus import NOW, PROJECT


@pytest.fixture
def port(memory):
    return memory.remember(
        "The buoy radio listens on port 7331",
        kind="fact",
        category="radio",
        keywords=["port"],
        scope="server/radio.py",
        importance=0.6,
    ).id


def chain(memory, reference):
    return [[each.id for each in generation] for generation in memory.chain(reference)]


# Correct


def test_a_correction_replaces_in_one_step_and_keeps_the_rest(memory, port, clock):
    clock.advance(DAY)
    outcome = memory.correct(port, "The buoy radio listens on port 7332")
    new, old = memory.get(outcome.id), memory.get(port)
    assert outcome.status == "superseded"
    assert new.content == "The buoy radio listens on port 7332"
    assert (new.kind, new.category, new.keywords) == ("fact", "radio", ("port",))
    assert (new.scope, new.project, new.tier) == ("server/radio.py", PROJECT, "project")
    assert new.importance == pytest.approx(0.8)
    assert (old.superseded_by, old.valid_until) == (new.id, NOW + DAY)
    assert [hit.id for hit in memory.search("radio port").hits] == [new.id]
    assert memory.verify().problems == ()


def test_a_correction_is_an_edge(memory, port):
    memory.correct(port, "The buoy radio listens on port 7332")
    assert memory.stats()["edges"] == 2


def test_undoing_the_correction_brings_the_old_one_back(memory, port):
    new = memory.correct(port, "The buoy radio listens on port 7332").id
    memory.undo(new)
    assert [each.id for each in memory.listing()] == [port]
    assert memory.stats()["edges"] == 0
    assert memory.verify().problems == ()


def test_only_what_holds_can_be_corrected(memory, port):
    new = memory.correct(port, "The buoy radio listens on port 7332").id
    with pytest.raises(Refused, match=f"superseded by #{new}"):
        memory.correct(port, "It is port 7333")
    memory.forget(new)
    with pytest.raises(Refused, match="was forgotten"):
        memory.correct(new, "It is port 7333")


def test_a_correction_must_say_something_else(memory, port):
    with pytest.raises(Refused, match="says that already"):
        memory.correct(port, "the buoy radio  listens on port 7331")


# Chains


def test_a_chain_leads_from_the_first_to_the_one_that_holds(memory, port):
    two = memory.correct(port, "The buoy radio listens on port 7332").id
    three = memory.correct(two, "The buoy radio listens on port 9000 now").id
    for each in (port, two, three):
        assert chain(memory, each) == [[port], [two], [three]]


def test_what_was_replaced_together_stands_side_by_side(memory):
    one, two, three = (memory.remember(text).id for text in ("one gull", "two terns", "three auks"))
    memory.supersede(one, three)
    memory.supersede(two, three)
    assert chain(memory, one) == [[one, two], [three]]


def test_a_memory_alone_is_its_own_chain(memory, port):
    assert chain(memory, port) == [[port]]


def test_a_forgotten_memory_cannot_replace_another(memory, port):
    gone = memory.remember("two terns").id
    memory.forget(gone)
    with pytest.raises(Refused, match="was forgotten"):
        memory.supersede(port, gone)


def test_replacing_anew_moves_the_edge(memory):
    one, two, three = (memory.remember(text).id for text in ("one gull", "two terns", "three auks"))
    memory.supersede(one, two)
    memory.supersede(one, three)
    assert memory.stats()["edges"] == 1
    memory.undo(one)
    assert memory.get(one).superseded_by == two
    assert memory.stats()["edges"] == 1


# As of


def test_what_was_believed_at_a_time_is_found_and_listed(memory, port, clock):
    clock.advance(DAY)
    new = memory.correct(port, "The buoy radio listens on port 7332").id
    clock.advance(DAY)
    assert [each.id for each in memory.listing(as_of=NOW + DAY - 1)] == [port]
    assert [hit.id for hit in memory.search("radio port", as_of=NOW + DAY - 1).hits] == [port]
    assert [each.id for each in memory.listing(as_of=NOW + DAY)] == [new]
    assert memory.listing(as_of=NOW - 1) == []


def test_a_listing_of_a_time_shows_the_words_of_that_time(memory, port, clock):
    clock.advance(DAY)
    memory.edit(port, content="The buoy radio is switched off", category="off")
    (then,) = memory.listing(as_of=NOW)
    assert (then.content, then.category) == ("The buoy radio listens on port 7331", "radio")
    assert then.updated_at == NOW
    (now,) = memory.listing()
    assert now.content == "The buoy radio is switched off"


def test_one_memory_is_shown_as_it_was(memory, port, clock):
    clock.advance(DAY)
    memory.edit(port, keywords=["a", "b"], pinned=True)
    clock.advance(DAY)
    memory.correct(port, "There is no radio any more")
    before = memory.as_of(port, NOW)
    assert (before.keywords, before.pinned, before.superseded_by) == (("port",), False, None)
    between = memory.as_of(port, NOW + DAY)
    assert (between.keywords, between.pinned, between.superseded_by) == (("a", "b"), True, None)
    assert memory.as_of(port, NOW + 2 * DAY) == memory.get(port)
    assert memory.as_of(port, NOW - 1) is None


def test_validity_may_differ_from_when_it_was_written_down(memory, clock):
    summer = memory.remember(
        "the summer toll is three coins", valid_from=NOW + DAY, valid_until=NOW + 9 * DAY
    ).id
    assert [each.id for each in memory.listing(as_of=NOW)] == []
    assert [each.id for each in memory.listing(as_of=NOW + 2 * DAY)] == [summer]
    assert [each.id for each in memory.listing(as_of=NOW + 9 * DAY)] == []
