"""Graph search: what hits lead to, how much of their score arrives, and what to beware of."""

from __future__ import annotations

import pytest

from recairn.core.errors import BadInput
from recairn.core.model import Filter, Hit
from recairn.recall.graph_search import expand, with_reached
from tests.corpus import NOW, PROJECT

HERE = Filter(project=PROJECT, now=NOW)


@pytest.fixture
def auth(memory):
    """Lore's example: authentication leads to the JWT concept, and that to auth.py."""
    memory.remember("Authentication uses signed tokens", kind="decision", title="Authentication")
    memory.remember("JSON web tokens, signed and short-lived", kind="note", title="JWT concept")
    memory.remember("auth.py holds the middleware", kind="fact", title="auth.py")
    memory.remember("Cookies carry the session of every visitor", kind="pattern", title="Cookies")
    memory.link(1, 2, "relates_to")
    memory.link(2, 3, "implements")
    memory.link(4, 1, "contradicts")
    return memory


def brought(memory, hits, depth, filter=HERE):
    return {each.id: each for each in expand(memory.store, hits, filter, depth)}


def test_lore_phase_3_authentication_to_depth_2_surfaces_jwt_and_auth_py(auth):
    hits = [(hit.id, hit.score) for hit in auth.search("authentication", limit=1).hits]
    assert [memory for memory, _ in hits] == [1]
    found = brought(auth, hits, 2)
    assert found[3].path == (
        "[decision] Authentication → relates_to → [note] JWT concept → implements → [fact] auth.py"
    )
    assert found[3].hit == 1
    assert found[3].factor == pytest.approx(0.7 * 0.7 * 1.0 * 0.7)


@pytest.mark.parametrize(("depth", "found"), [(0, []), (1, [2, 4]), (2, [2, 3, 4]), (3, [2, 3, 4])])
def test_depth_says_how_far_links_are_followed(auth, depth, found):
    assert sorted(brought(auth, [(1, 1.0)], depth)) == found


@pytest.mark.parametrize("depth", [-1, 4, 1.5, True, "2"])
def test_any_other_depth_is_refused(auth, depth):
    with pytest.raises(BadInput, match="the depth must be between 0 and 3"):
        expand(auth.store, [(1, 1.0)], HERE, depth)


def test_lore_shows_the_way_with_its_relation_and_flags_the_contradiction(auth):
    found = brought(auth, [(4, 1.0)], 1)[1]
    assert found.path == "[pattern] Cookies → contradicts → [decision] Authentication"
    assert found.flags == ("contradicted by #4",)
    back = brought(auth, [(1, 1.0)], 1)[4]
    assert back.path == "[decision] Authentication ← contradicts ← [pattern] Cookies"
    assert back.flags == ("contradicts #1",)


def test_the_best_come_first_and_score_times_factor_decides(auth):
    auth.remember("Visitors log in on the harbour page")
    auth.link(5, 3, "implements", weight=0.5)
    found = expand(auth.store, [(1, 0.9), (5, 0.4)], HERE, 2)
    scores = {1: 0.9, 5: 0.4}
    worth = [scores[each.hit] * each.factor for each in found]
    assert worth == sorted(worth, reverse=True)
    assert {each.id: each.hit for each in found}[3] == 1


def test_what_was_hit_already_is_not_brought_again(auth):
    assert sorted(brought(auth, [(1, 1.0), (2, 0.8)], 2)) == [3, 4]


def test_hits_beyond_the_tenth_are_no_starts_and_are_not_brought_either(memory):
    for number in range(14):
        memory.remember(f"Lamp number {number} of the pier shines {'x' * number}")
    memory.link(1, 12, "implements")
    memory.link(12, 13, "implements")
    memory.link(11, 14, "implements")
    hits = [(memory, 1.0 - memory / 100) for memory in range(1, 13)]
    assert sorted(brought(memory, hits, 1)) == []
    assert sorted(brought(memory, hits, 2)) == [13]


def test_one_hit_brings_at_most_five_and_all_hits_twenty(memory):
    memory.remember_many(
        [{"content": f"Buoy {number} {chr(97 + number % 26) * 9}"} for number in range(80)],
        on_similar="add",
    )
    for hit in range(1, 7):
        for other in range(8):
            memory.link(hit, 10 + hit * 10 + other, "implements", weight=1 - other / 10)
    found = expand(memory.store, [(hit, 1.0) for hit in range(1, 7)], HERE, 1)
    assert len(found) == 20
    assert len(brought(memory, [(1, 1.0)], 3)) == 5
    assert sorted(brought(memory, [(1, 1.0)], 1)) == [20, 21, 22, 23, 24]


def test_the_floor_drops_nothing_that_belongs_in(memory):
    """Twenty near ones fill the list; a strong second hop must still get in."""
    memory.remember_many(
        [{"content": f"Gauge {number} {chr(97 + number % 26) * 9}"} for number in range(60)],
        on_similar="add",
    )
    for hit in range(1, 6):
        for other in range(4):
            memory.link(hit, hit * 10 + other, "summarized_by")
    memory.link(1, 10, "implements")
    memory.link(10, 58, "implements")
    found = brought(memory, [(hit, 1.0) for hit in range(1, 6)], 2)
    assert found[58].factor == pytest.approx(0.49)


@pytest.mark.parametrize("narrowed", [{"project": "bakery"}, {"tier": "session", "session": "s9"}])
def test_what_may_not_be_seen_is_neither_brought_nor_walked_through(auth, narrowed):
    hidden = auth.remember("The vault opens at nine", **narrowed).id
    beyond = auth.remember("The baker has the key").id
    named = f"{narrowed.get('project', PROJECT)}/{hidden}"
    auth.link(1, named, "implements")
    auth.link(named, beyond, "implements")
    assert {hidden, beyond}.isdisjoint(brought(auth, [(1, 1.0)], 3))


def test_forgotten_expired_and_superseded_memories_are_not_brought(auth, clock):
    auth.forget(2)
    auth.edit(4, expires_at=NOW + 10)
    clock.advance(20)
    later = Filter(project=PROJECT, now=clock.now)
    assert brought(auth, [(1, 1.0)], 2, later) == {}


def test_superseded_neighbours_are_brought_on_request_and_flagged(auth):
    auth.supersede(2, "JSON web tokens live for an hour", force=True)
    assert 2 not in brought(auth, [(1, 1.0)], 1)
    old = Filter(project=PROJECT, now=NOW, include_superseded=True)
    assert brought(auth, [(1, 1.0)], 1, old)[2].flags == ("superseded by #5",)


def test_as_of_follows_the_links_of_that_time(auth, clock):
    then = clock.now
    clock.advance(1000)
    auth.unlink(1, 2)
    new = auth.remember("Passkeys replace passwords everywhere").id
    auth.link(1, new, "relates_to")
    past = Filter(project=PROJECT, now=clock.now, as_of=then)
    assert sorted(brought(auth, [(1, 1.0)], 1, past)) == [2, 4]
    assert sorted(brought(auth, [(1, 1.0)], 1, Filter(project=PROJECT, now=clock.now))) == [4, new]


def test_a_filter_by_kind_limits_what_is_brought_not_what_is_walked_through(auth):
    facts = Filter(project=PROJECT, now=NOW, kinds=("fact",))
    assert sorted(brought(auth, [(1, 1.0)], 2, facts)) == [3]


def test_a_hub_gives_its_newest_visible_neighbours(memory):
    memory.remember("The harbour")
    others = memory.remember_many(
        [{"content": f"Mooring {number} {chr(97 + number % 26) * 9}"} for number in range(200)],
        on_similar="add",
    )
    for each in others:
        memory.link(each.id, 1, "part_of")
    rows = memory.store.linked([1], HERE, 32)
    assert sorted(row[1] for row in rows) == [each.id for each in others[-32:]]


def test_ordinary_hits_say_who_contradicts_them_and_what_they_replaced(auth):
    auth.link(3, 2, "depends_on")
    auth.supersede(2, "JSON web tokens live for an hour", force=True)
    hits = [Hit(auth.get(number), {}, "keyword", related_count=1) for number in (1, 3, 4, 5)]
    assert {hit.id: hit.flags for hit in with_reached(auth.store, hits, HERE, 0)} == {
        1: ("contradicted by #4",),
        3: ("depends on #2, superseded by #5",),
        4: ("contradicts #1",),
        5: ("supersedes #2",),
    }


def test_nothing_leads_nowhere(auth):
    assert expand(auth.store, [], HERE, 3) == []
    assert with_reached(auth.store, [], HERE, 3) == ()


# Hits


def searched(memory, query, depth, filter=HERE, **options):
    hits = memory.search(query, limit=1, **options).hits
    return {hit.id: hit for hit in with_reached(memory.store, hits, filter, depth)}


def test_a_hit_found_by_itself_shows_how_a_better_one_leads_to_it(auth):
    words = {"query": "authentication signed tokens"}
    first, second = auth.search(**words, graph_depth=1, limit=2).hits[:2]
    assert [(hit.id, hit.match) for hit in (first, second)] == [(1, "keyword"), (2, "keyword")]
    assert first.path == ""
    assert second.path == "[decision] Authentication → relates_to → [note] JWT concept"
    assert "graph" not in second.terms
    assert [hit.path for hit in auth.search(**words).hits] == ["", ""]


def test_of_several_links_to_a_hit_the_strongest_is_shown(auth):
    auth.link(2, 1, "implements")
    second = auth.search("authentication signed tokens", graph_depth=1).hits[1]
    assert second.path == "[decision] Authentication ← implements ← [note] JWT concept"


def test_hits_with_a_depth_bring_memories_whose_score_follows_from_their_term(auth):
    found = searched(auth, "authentication", 2)
    assert sorted(found) == [1, 2, 3, 4]
    assert [found[each].match for each in (2, 3, 4)] == ["graph"] * 3
    assert found[3].score == pytest.approx(found[1].score * 0.343)
    assert list(found[3].terms) == ["graph"]
    assert found[3].path.endswith("→ implements → [fact] auth.py")
    assert (found[3].snippet, found[3].related_count) == ("auth.py holds the middleware", 1)


def test_hits_come_by_score_and_those_without_a_depth_only_get_their_warnings(auth):
    found = searched(auth, "authentication", 0)
    assert list(found) == [1]
    assert found[1].flags == ("contradicted by #4",)
    scores = [hit.score for hit in searched(auth, "authentication", 3).values()]
    assert scores == sorted(scores, reverse=True)


def test_hits_of_a_past_time_lead_along_the_links_of_that_time(auth, clock):
    then = clock.now
    clock.advance(1000)
    for target in ((1, 2), (2, 3), (4, 1)):
        auth.unlink(*target)
    assert sorted(searched(auth, "authentication", 1)) == [1]
    past = Filter(project=PROJECT, now=clock.now, as_of=then)
    assert sorted(searched(auth, "authentication", 1, past, as_of=then)) == [1, 2, 4]
