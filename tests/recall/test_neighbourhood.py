"""What lies around a memory, bounded, with every edge between what is shown."""

from __future__ import annotations

import pytest

import recairn


@pytest.fixture
def web(memory):
    """#1 in the middle; #2 and #3 beside it and linked to each other; #4 behind #2."""
    for text in ("Tide chart", "Broker queue", "Fog horn", "Retry loop"):
        memory.remember(text)
    memory.link(1, 2, "depends_on")
    memory.link(1, 3, "relates_to")
    memory.link(3, 2, "relates_to")
    memory.link(2, 4, "implements")
    return memory


def pairs(found):
    return [(edge.source, edge.target) for edge in found.edges]


def test_one_hop_shows_the_neighbours_and_the_links_between_them(web):
    found = web.neighbourhood(1)
    assert {node.id: node.hops for node in found.nodes} == {1: 0, 2: 1, 3: 1}
    assert pairs(found) == [(1, 2), (1, 3), (3, 2)]
    assert (found.center, found.left_out) == (1, 0)
    assert (found.nodes[0].kind, found.nodes[0].label) == ("learning", "Tide chart")


def test_two_hops_reach_further_and_relations_narrow_the_walk(web):
    assert {node.id for node in web.neighbourhood(1, 2).nodes} == {1, 2, 3, 4}
    narrow = web.neighbourhood(1, 2, relations=["relates_to"])
    assert {node.id for node in narrow.nodes} == {1, 2, 3}
    assert pairs(narrow) == [(1, 3), (3, 2)]


def test_what_there_is_no_room_for_is_counted(web):
    found = web.neighbourhood(1, 3, limit=2)
    assert (len(found.nodes), found.left_out) == (2, 2)
    with pytest.raises(recairn.BadOption, match="at most 150"):
        web.neighbourhood(1, limit=151)


def test_a_replaced_memory_is_marked_and_an_ended_link_is_gone(web):
    web.supersede(3, "Loud fog horn")
    web.unlink(1, 2)
    found = web.neighbourhood(1)
    assert [(node.id, node.superseded) for node in found.nodes] == [(1, False), (3, True)]
