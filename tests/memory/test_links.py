"""Linking memories: one transaction, an event each, and the way back."""

from __future__ import annotations

import pytest

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.kinds import RELATIONS, relation_named
from tests.corpus import NOW, opened

TEXTS = (
    "Never parse HTML with regular expressions",
    "Supplier pages are parsed with regular expressions",
    "The ferry leaves at seven",
    "Seagulls steal sandwiches near the pier",
)


@pytest.fixture
def linked(memory):
    """Four memories, #1 to #4, without links."""
    for text in TEXTS:
        memory.remember(text)
    return memory


def neighbours(memory, reference):
    return sorted(each.memory.id for each in memory.related(reference))


def events(memory, reference):
    return [each.event for each in memory.history(reference)]


def test_a_link_says_what_it_is(linked):
    edge = linked.link(1, "#2", "contradicts", weight=0.5, confidence=0.9)
    assert (edge.source, edge.target, edge.relation) == (1, 2, "contradicts")
    assert (edge.weight, edge.confidence, edge.created_by) == (0.5, 0.9, "user")
    assert (edge.created_at, edge.valid_from, edge.valid_until) == (NOW, NOW, None)


def test_both_ends_see_a_link(linked):
    linked.link(1, 2, "contradicts")
    assert neighbours(linked, 1) == [2]
    assert neighbours(linked, 2) == [1]


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_known_relation_links(linked, relation):
    assert linked.link(1, 2, relation).relation == relation


@pytest.mark.parametrize(
    ("spelled", "relation"),
    [
        ("SUPERSEDES", "supersedes"),
        ("CONTRADICTS", "contradicts"),
        ("RELATED_TO", "relates_to"),
        ("related-to", "relates_to"),
        ("Builds On", "builds_on"),
        ("CONFIRMS", "confirms"),
        ("APPLIES_TO", "applies_to"),
        ("DEPENDS_ON", "depends_on"),
        ("ALTERNATIVE_TO", "alternative_to"),
        ("DERIVED_FROM", "derived_from"),
        ("SIMILAR_TO", "relates_to"),
        ("references", "relates_to"),
        ("consumes", "depends_on"),
        ("informs", "affects"),
        ("yields", "produces"),
    ],
)
def test_the_seeds_spellings_of_relations_are_understood(spelled, relation):
    assert relation_named(spelled) == relation


def test_an_unknown_relation_is_refused_with_the_known_ones(linked):
    with pytest.raises(BadInput, match="unknown relation 'contradict_s'") as caught:
        linked.link(1, 2, "contradict_s")
    assert caught.value.hint == f"did you mean 'contradicts'? known: {', '.join(RELATIONS)}"


@pytest.mark.parametrize("options", [{"weight": 1.5}, {"weight": -0.1}, {"confidence": 2}])
def test_strengths_lie_between_0_and_1(linked, options):
    with pytest.raises(BadInput, match="between 0 and 1"):
        linked.link(1, 2, "affects", **options)


def test_a_memory_is_not_linked_to_itself(linked):
    with pytest.raises(BadInput, match="#1 cannot be linked to itself"):
        linked.link(1, 1, "relates_to")


def test_what_is_unknown_or_forgotten_is_not_linked(linked):
    with pytest.raises(NotFound):
        linked.link(1, 99, "relates_to")
    linked.forget(2)
    with pytest.raises(Refused, match="#2 was forgotten") as caught:
        linked.link(1, 2, "relates_to")
    assert caught.value.hint == "recairn restore 2"


def test_linking_again_changes_the_weight_and_keeps_the_age(linked, clock):
    linked.link(1, 2, "affects")
    clock.advance(1000)
    edge = linked.link(1, 2, "affects", weight=0.2)
    assert (edge.weight, edge.created_at, edge.valid_from) == (0.2, NOW, NOW)
    assert linked.stats()["edges"] == 1
    assert events(linked, 1) == ["created", "linked", "linked"]


def test_linking_again_the_same_way_is_no_event(linked):
    linked.link(1, 2, "affects")
    linked.link(1, 2, "affects")
    assert events(linked, 1) == ["created", "linked"]


def test_a_link_is_undone_and_an_undone_one_leaves_nothing(linked):
    linked.link(1, 2, "contradicts")
    linked.undo(1)
    assert neighbours(linked, 1) == []
    assert linked.stats()["edges"] == 0
    assert linked.history(1)[-1].reason == "undo of linked"
    assert linked.verify().problems == ()


def test_undoing_a_changed_weight_brings_the_old_one_back(linked):
    linked.link(1, 2, "affects", weight=0.8)
    linked.link(1, 2, "affects", weight=0.1)
    linked.undo(1)
    (found,) = linked.related(1)
    assert found.score == pytest.approx(0.7 * 0.8 * 0.7)


def test_unlinking_ends_all_relations_in_that_direction(linked):
    for relation in ("affects", "relates_to"):
        linked.link(1, 2, relation)
    linked.link(2, 1, "confirms")
    assert [edge.relation for edge in linked.unlink(1, 2)] == ["affects", "relates_to"]
    assert neighbours(linked, 1) == [2]
    linked.unlink(2, 1)
    assert neighbours(linked, 1) == []


def test_unlinking_one_relation_leaves_the_others(linked):
    for relation in ("affects", "contradicts"):
        linked.link(1, 2, relation)
    linked.unlink(1, 2, "CONTRADICTS")
    (found,) = linked.related(1)
    assert "→ affects →" in found.path


def test_unlinking_is_undone(linked):
    linked.link(1, 2, "affects", weight=0.4)
    linked.unlink(1, 2)
    linked.undo(1)
    assert neighbours(linked, 1) == [2]
    assert [edge.weight for edge in linked.graph()[1]] == [0.4]


def test_undo_since_takes_back_every_link_of_that_time(linked, clock):
    clock.advance(10_000)
    linked.link(1, 2, "affects")
    linked.link(3, 4, "affects")
    linked.unlink(1, 2)
    linked.undo(since=clock.now - 1)
    assert linked.graph()[1] == []
    assert linked.stats()["memories"] == 4


@pytest.mark.parametrize(
    ("source", "target", "relation", "hint"),
    [
        (1, 2, "affects", "it is linked by contradicts"),
        (2, 1, None, "#1 is linked to #2 by contradicts: recairn unlink 1 2"),
        (3, 4, None, "recairn graph related 3 shows its links"),
    ],
)
def test_unlinking_what_is_not_linked_says_what_is(linked, source, target, relation, hint):
    linked.link(1, 2, "contradicts")
    with pytest.raises(NotFound) as caught:
        linked.unlink(source, target, relation)
    assert caught.value.hint == hint


def test_as_of_sees_links_that_have_ended_since(linked, clock):
    linked.link(1, 2, "affects")
    then = clock.now
    clock.advance(1000)
    linked.unlink(1, 2)
    assert linked.related(1) == []
    assert [each.memory.id for each in linked.related(1, as_of=then)] == [2]
    assert linked.related(1, as_of=clock.now) == []


def test_lore_appendix_supersedes_marks_the_older_one_and_keeps_it(linked):
    linked.link(2, 1, "supersedes")
    old = linked.get(1)
    assert (old.superseded_by, old.valid_until) == (2, NOW)
    assert 1 not in [hit.id for hit in linked.search("regular expressions").hits]
    again = linked.search("regular expressions", include_superseded=True).hits
    assert [hit.id for hit in again] == [2, 1]


def test_supersedes_in_a_circle_is_refused(linked):
    linked.link(2, 1, "supersedes")
    linked.link(3, 2, "supersedes")
    with pytest.raises(Refused, match="#1 is itself superseded by #3"):
        linked.link(1, 3, "supersedes")
    assert linked.verify().problems == ()


def test_an_immutable_memory_is_not_superseded_by_a_link(linked):
    linked.edit(1, immutable=True)
    with pytest.raises(Refused, match="immutable"):
        linked.link(2, 1, "supersedes")
    linked.link(2, 1, "contradicts")


def test_unlinking_supersedes_lets_the_old_one_hold_again_and_undo_replaces_it_again(linked):
    linked.link(2, 1, "supersedes")
    linked.unlink(2, 1, "supersedes")
    assert (linked.get(1).superseded_by, linked.get(1).valid_until) == (None, None)
    assert neighbours(linked, 1) == []
    linked.undo(1)
    assert linked.get(1).superseded_by == 2
    assert neighbours(linked, 1) == [2]


def test_undoing_a_superseding_link_removes_it(linked):
    linked.link(2, 1, "supersedes")
    linked.undo(1)
    assert linked.get(1).superseded_by is None
    assert linked.graph()[1] == []


def test_links_of_what_was_forgotten_are_hidden_and_come_back_with_it(linked):
    linked.link(1, 2, "affects")
    linked.forget(2)
    assert neighbours(linked, 1) == []
    linked.restore(2)
    assert neighbours(linked, 1) == [2]


def test_links_of_what_was_erased_are_gone_and_cannot_be_brought_back(linked):
    linked.link(1, 2, "affects")
    linked.unlink(1, 2)
    linked.forget(2, hard=True)
    with pytest.raises(Refused, match="#2 is gone for good"):
        linked.undo(1)
    assert linked.verify().problems == ()


def test_links_end_where_sight_ends(linked):
    secret = linked.remember("The vault opens at nine", project="bakery").id
    linked.link(1, f"bakery/{secret}", "affects")
    assert neighbours(linked, 1) == []
    assert [each.memory.id for each in linked.related(1, all_projects=True)] == [secret]
    assert linked.path(1, secret) is None


def test_depth_reaches_further_and_is_limited(linked):
    linked.link(1, 2, "affects")
    linked.link(3, 2, "affects")
    linked.link(3, 4, "affects")
    assert [sorted(each.memory.id for each in linked.related(1, depth)) for depth in (1, 2, 3)] == [
        [2],
        [2, 3],
        [2, 3, 4],
    ]
    for depth in (0, 4, -1):
        with pytest.raises(BadInput, match="the depth must be between"):
            linked.related(1, depth)


def test_a_path_is_spelled_with_the_direction_of_each_link(linked):
    linked.edit(1, kind="pattern")
    linked.edit(2, kind="decision")
    linked.link(1, 2, "contradicts")
    linked.link(3, 2, "affects")
    assert linked.path(1, 3).path == (
        "[pattern] Never parse HTML with regular expressions → contradicts → "
        "[decision] Supplier pages are parsed with regular expressions ← affects ← "
        "[learning] The ferry leaves at seven"
    )
    assert linked.path(1, 4) is None


def test_related_says_who_contradicts_and_what_was_superseded(linked):
    linked.link(1, 2, "contradicts")
    linked.link(3, 2, "supersedes")
    (found,) = [each for each in linked.related(1) if each.memory.id == 2]
    assert found.flags == ("contradicted by #1", "superseded by #3")


def test_links_survive_reopening(linked, tmp_path, clock):
    linked.link(1, 2, "affects")
    linked.close()
    with opened(tmp_path / "puffin.db", clock=clock) as again:
        assert neighbours(again, 1) == [2]
