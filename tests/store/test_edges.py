"""What every store promises about edges, said through the methods of the contract alone."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Draft, Edge, Event, Filter
from recairn.core.record import replace
from tests.corpus import NOW, PROJECT

HERE = Filter(project=PROJECT, now=NOW)
EVERYWHERE = Filter(now=NOW)


def keep(store, content, **fields):
    ready = prepare(
        Draft(content=content, **fields), project=PROJECT, session=None, allow=(), now=NOW
    )
    with store.transaction():
        return store.put([(ready.row, ready.keys)])[0]


def edge(source, target, relation="relates_to", **changes):
    return replace(Edge(source, target, relation, 1.0, 1.0, "user", NOW, NOW, None), **changes)


def write(store, *edges, replacing=True):
    with store.transaction():
        store.put_edges(edges, replace=replacing)


@pytest.fixture
def three(store):
    return [keep(store, text) for text in ("gulls on the pier", "tar on a rope", "fog at dawn")]


def beside(store, ids, filter=HERE, per_memory=9):
    return sorted((row[0], row[1], bool(row[4])) for row in store.linked(ids, filter, per_memory))


def test_edges_come_back_as_they_were_written(store, three):
    one, two, _ = three
    written = edge(one, two, "affects", weight=0.25, created_by="mention", changed_at=NOW + 5)
    write(store, written, edge(one, two, "confirms"))
    assert store.edges_between(one, two) == [written, edge(one, two, "confirms")]
    assert store.edges_between(two, one) == []


def test_a_known_edge_is_replaced_or_left_alone(store, three):
    one, two, _ = three
    write(store, edge(one, two, weight=0.25))
    write(store, edge(one, two, weight=0.75), replacing=False)
    assert [each.weight for each in store.edges_between(one, two)] == [0.25]
    write(store, edge(one, two, weight=0.75))
    assert [each.weight for each in store.edges_between(one, two)] == [0.75]


def test_an_ended_edge_is_not_walked_and_not_made_anew_by_itself(store, three):
    one, two, _ = three
    write(store, edge(one, two, valid_until=NOW))
    write(store, edge(one, two), replacing=False)
    assert store.edges_between(one, two) == []
    assert len(store.edges_between(one, two, ended=True)) == 1
    assert beside(store, [one]) == []
    assert store.visible_edges(HERE) == []
    assert store.stats(NOW)["edges"] == 0
    assert store.shown([one])[one].related == 0


def test_neighbours_of_many_come_in_both_directions(store, three):
    one, two, three_ = three
    write(store, edge(one, two), edge(three_, two))
    assert beside(store, [one, two]) == [
        (one, two, True),
        (two, one, False),
        (two, three_, False),
    ]
    assert beside(store, []) == []


def test_neighbours_pass_the_filter_before_the_cut(store, three):
    one, two, _ = three
    write(store, edge(one, two))
    for number in range(5):
        hidden = keep(store, f"bread number {number}", project="bakery")
        write(store, edge(one, hidden))
    assert beside(store, [one], per_memory=1) == [(one, two, True)]
    assert len(beside(store, [one], EVERYWHERE)) == 6


@pytest.mark.parametrize(("at", "seen"), [(NOW - 1, 0), (NOW, 1), (NOW + 9, 1), (NOW + 10, 0)])
def test_as_of_sees_the_edges_of_that_time(store, at, seen):
    past = NOW - 1000
    one, two = (keep(store, text, created_at=past) for text in ("a lamp", "a horn"))
    write(store, edge(one, two, valid_until=NOW + 10))
    then = Filter(project=PROJECT, now=NOW + 99, as_of=at)
    assert len(beside(store, [one], then)) == seen
    assert len(store.visible_edges(then)) == seen


def test_visible_edges_have_two_visible_ends(store, three):
    one, two, _ = three
    hidden = keep(store, "rye bread", project="bakery")
    write(store, edge(one, two), edge(one, hidden), edge(hidden, two))
    assert store.visible_edges(HERE) == [edge(one, two)]
    assert len(store.visible_edges(EVERYWHERE)) == 3
    assert store.visible_ids(HERE) == three


def test_passing_says_which_the_filter_lets_through(store, three):
    hidden = keep(store, "rye bread", project="bakery")
    assert store.passing([*three, hidden, 999], HERE) == set(three)
    assert store.passing([], HERE) == set()


def test_labels_are_titles_or_the_beginning_of_the_content(store, three):
    titled = keep(store, "x" * 1000, title="Gulls", kind="fact")
    long = keep(store, "y" * 1000)
    labels = store.labels([titled, long, three[0], 999])
    assert labels[titled] == ("fact", "Gulls", None)
    assert labels[three[0]] == ("learning", "gulls on the pier", None)
    assert 0 < len(labels[long][1]) < 1000
    assert len(labels) == 3


def test_entities_are_the_live_ones_with_their_aliases(store, three):
    fields = {"aliases": ["pegel", "tide gauge"]}
    gauge = keep(store, "It measures the tide", kind="entity", title="TideGauge", fields=fields)
    gone = keep(store, "It rusted away", kind="entity", title="Crane")
    with store.transaction():
        event = Event(0, gone, NOW, "forgotten", "", {}, {}, None, None)
        store.change(gone, {"deleted_at": NOW}, event)
    assert store.entities() == [
        (gauge, PROJECT, "project", "TideGauge", "It measures the tide", ["pegel", "tide gauge"])
    ]


@pytest.mark.parametrize("phrase", ["tar on", 'NEAR("', "rope AND fog", "a* OR b", "title : x"])
def test_any_phrase_is_text(store, three, phrase):
    found = store.texts_with(phrase, None, 10)
    assert [memory for memory, _ in found] == ([three[1]] if phrase == "tar on" else [])


def test_mentions_are_the_edges_made_by_one_with_the_text_that_names_it(store, three):
    pier, rope, fog = three
    write(store, edge(pier, rope, created_by="mention"), edge(fog, rope, created_by="user"))
    write(store, edge(rope, fog, created_by="mention", valid_until=NOW))
    (only,) = store.mentions(rope)
    assert (only.source, only.target) == (pier, rope)
    assert "gulls on the pier" in only.text
    assert store.mentions(pier) == [only]


def test_an_event_without_a_change_is_kept_as_told(store, three):
    event = Event(
        0, three[0], NOW, "linked", "why", {}, {"edge": {"target": 2}}, "s1", None, "agent:codex"
    )
    with store.transaction():
        store.note(event)
    assert replace(store.history(three[0])[-1], id=0) == event


def test_look_alike_groups_are_of_visible_memories(store):
    text = "Retry the queue three times with full jitter before giving up"
    one, two = keep(store, text), keep(store, f"{text} entirely")
    keep(store, f"{text} forever", project="bakery")
    keep(store, "fog at dawn")
    assert {tuple(group) for group in store.alike_groups(HERE)} == {(one, two)}


def test_the_edges_among_some_memories_lead_nowhere_else(store, three):
    one, two, last = three
    write(store, edge(one, two), edge(two, last), edge(last, one, valid_until=NOW))
    ends = [(each.source, each.target) for each in store.edges_among([one, two], EVERYWHERE)]
    assert ends == [(one, two)]
    everything = store.edges_among(three, EVERYWHERE)
    assert [(each.source, each.target) for each in everything] == [(one, two), (two, last)]
    assert store.edges_among([], EVERYWHERE) == []
