"""Walks over links: pure arithmetic, told in tables."""

from __future__ import annotations

import random

import pytest

from recairn.core.kinds import RELATIONS
from recairn.core.model import Edge
from recairn.recall.walks import (
    Link,
    best_way,
    clusters,
    hubs,
    orphans,
    reach,
    statistics,
    strength,
)


def links_of(edges):
    """The neighbours of memories in a list of edges, in both directions."""
    beside: dict[int, list[Link]] = {}
    for edge in edges:
        for here, there, forward in (
            (edge.source, edge.target, True),
            (edge.target, edge.source, False),
        ):
            link = Link(here, there, edge.relation, edge.weight, forward)
            beside.setdefault(here, []).append(link)
    return lambda ids: [link for memory in ids for link in beside.get(memory, ())]


def edge(source, target, relation="relates_to", weight=1.0):
    return Edge(source, target, relation, weight, 1.0, "user", 0, 0, None)


def reached(starts, edges, depth, frontier=100):
    found = reach(starts, links_of(edges), depth=depth, frontier=frontier)
    return {each.id: round(each.score, 6) for each in found}


def random_edges(draw, memories, count, relations=RELATIONS):
    pairs = [draw.sample(range(memories), 2) for _ in range(count)]
    return [edge(one, other, draw.choice(relations)) for one, other in pairs]


def found_way(start, goal, edges):
    way = best_way(start, goal, links_of(edges))
    assert way is not None
    return way


def ids_on(way):
    return [link.there for link in way.way]


@pytest.mark.parametrize(
    ("relation", "weight", "share"),
    [
        ("implements", 1.0, 0.7),
        ("derived_from", 1.0, 0.63),
        ("learned_from", 1.0, 0.63),
        ("contradicts", 1.0, 0.56),
        ("relates_to", 1.0, 0.49),
        ("affects", 1.0, 0.49),
        ("depends_on", 1.0, 0.42),
        ("produces", 1.0, 0.42),
        ("part_of", 1.0, 0.42),
        ("summarized_by", 1.0, 0.28),
        ("supersedes", 1.0, 0.35),
        ("builds_on", 1.0, 0.35),
        ("implements", 0.5, 0.35),
        ("relates_to", 0.0, 0.0),
    ],
)
def test_a_step_passes_on_relation_times_weight_times_seven_tenths(relation, weight, share):
    assert strength(Link(1, 2, relation, weight, True)) == pytest.approx(share)


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_passes_on_something_and_never_more_than_seven_tenths(relation):
    assert 0.0 < strength(Link(1, 2, relation, 1.0, True)) <= 0.7


@pytest.mark.parametrize(
    ("depth", "found"),
    [
        (0, {}),
        (1, {2: 0.7}),
        (2, {2: 0.7, 3: 0.49}),
        (3, {2: 0.7, 3: 0.49, 4: 0.343}),
    ],
)
def test_each_hop_takes_its_share_and_depth_is_the_end(depth, found):
    chain = [edge(one, one + 1, "implements") for one in range(1, 6)]
    assert reached({1: 1.0}, chain, depth) == found


def test_links_are_walked_against_their_direction_too():
    assert reached({2: 1.0}, [edge(1, 2, "contradicts")], 1) == {1: 0.56}


def test_the_score_of_the_start_counts():
    assert reached({1: 0.5}, [edge(1, 2, "implements")], 1) == {2: 0.35}


def test_of_two_ways_the_stronger_one_counts_even_if_it_is_longer():
    edges = [edge(1, 3, "summarized_by"), edge(1, 2, "implements"), edge(2, 3, "implements")]
    found = {each.id: each for each in reach({1: 1.0}, links_of(edges), depth=2, frontier=9)}
    assert found[3].score == pytest.approx(0.49)
    assert ids_on(found[3]) == [2, 3]


def test_a_way_is_never_longer_than_the_depth():
    draw = random.Random(3)
    edges = random_edges(draw, 40, 150)
    for depth in (1, 2, 3):
        for each in reach({0: 1.0, 1: 0.9}, links_of(edges), depth=depth, frontier=100):
            assert 1 <= len(each.way) <= depth


def test_starts_are_not_reached_and_each_memory_names_the_start_it_came_from():
    edges = [edge(1, 2), edge(1, 3), edge(2, 4)]
    found = reach({1: 1.0, 2: 0.9}, links_of(edges), depth=1, frontier=9)
    assert [(each.id, each.start) for each in found] == [(3, 1), (4, 2)]


def test_a_circle_ends():
    edges = [edge(1, 2), edge(2, 3), edge(3, 1)]
    assert set(reached({1: 1.0}, edges, 3)) == {2, 3}


def test_only_the_strongest_are_followed_further():
    edges = [edge(1, 2, "implements"), edge(1, 3, "summarized_by"), edge(2, 4), edge(3, 5)]
    assert set(reached({1: 1.0}, edges, 2, frontier=1)) == {2, 3, 4}


def test_what_cannot_rise_above_the_floor_is_not_followed():
    asked = []

    def neighbours(ids):
        asked.append(sorted(ids))
        return links_of([edge(1, 2, "implements"), edge(1, 3, "summarized_by")])(ids)

    reach({1: 1.0}, neighbours, depth=2, frontier=9, floor=lambda found: 0.3 if found else 0.0)
    assert asked == [[1], [2]]


def test_the_order_of_the_edges_changes_nothing():
    draw = random.Random(8)
    edges = random_edges(draw, 30, 120, RELATIONS[:4])
    expected = reach({0: 1.0, 1: 1.0}, links_of(edges), depth=3, frontier=20)
    for _ in range(5):
        draw.shuffle(edges)
        assert reach({0: 1.0, 1: 1.0}, links_of(edges), depth=3, frontier=20) == expected


def test_reach_agrees_with_trying_every_way():
    draw = random.Random(11)
    edges = random_edges(draw, 12, 30)
    beside = links_of(edges)
    best: dict[int, float] = {}

    def walk(memory, score, hops):
        for link in beside([memory]):
            arrived = score * strength(link)
            if link.there != 0:
                best[link.there] = max(best.get(link.there, 0.0), arrived)
            if hops > 1:
                walk(link.there, arrived, hops - 1)

    walk(0, 1.0, 3)
    assert reached({0: 1.0}, edges, 3) == {key: round(value, 6) for key, value in best.items()}


def test_the_best_way_is_the_one_that_keeps_most():
    edges = [edge(1, 9, "summarized_by"), edge(1, 2, "implements"), edge(9, 2, "implements")]
    way = found_way(1, 9, edges)
    assert ids_on(way) == [2, 9]
    assert [link.forward for link in way.way] == [True, False]
    assert way.score == pytest.approx(0.49)


def test_there_is_no_way_between_strangers():
    assert best_way(1, 4, links_of([edge(1, 2), edge(3, 4)])) is None


def test_the_way_to_oneself_has_no_steps():
    assert found_way(1, 1, [edge(1, 2)]).way == ()


def test_a_way_of_six_links_is_found_and_one_of_seven_is_not():
    chain = [edge(one, one + 1) for one in range(1, 9)]
    assert len(found_way(1, 7, chain).way) == 6
    assert best_way(1, 8, links_of(chain)) is None


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], []),
        ([(1, 2)], [(1, 1), (2, 1)]),
        ([(1, 2), (3, 1), (1, 4)], [(1, 3), (2, 1), (3, 1), (4, 1)]),
    ],
)
def test_hubs_come_by_number_of_links_then_by_id(edges, expected):
    assert hubs([edge(*ends) for ends in edges]) == expected


def test_orphans_keep_the_order_they_were_given_in():
    assert orphans([5, 4, 3, 2, 1], [edge(4, 2)]) == [5, 3, 1]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], []),
        ([(1, 2)], [[1, 2]]),
        ([(5, 6), (1, 2), (3, 2), (4, 1)], [[1, 2, 3, 4], [5, 6]]),
        ([(3, 4), (1, 2)], [[1, 2], [3, 4]]),
    ],
)
def test_clusters_are_what_hangs_together_largest_first(edges, expected):
    assert clusters([edge(*ends) for ends in edges]) == expected


def test_a_chain_of_thousands_is_one_cluster():
    (group,) = clusters([edge(one, one + 1) for one in range(5000)])
    assert len(group) == 5001


def test_statistics_count_memories_edges_parts_and_relations():
    edges = [edge(1, 2), edge(2, 3, "part_of"), edge(4, 5)]
    assert statistics([1, 2, 3, 4, 5, 6], edges) == {
        "memories": 6,
        "edges": 3,
        "orphans": 1,
        "clusters": 2,
        "largest_cluster": 3,
        "edges_per_memory": 0.5,
        "relations": {"relates_to": 2, "part_of": 1},
    }


def test_statistics_of_nothing_are_zeros():
    assert statistics([], [])["edges_per_memory"] == 0.0
