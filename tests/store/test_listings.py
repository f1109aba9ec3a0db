"""What every store promises about memories in the order of their creation."""

import pytest

from recairn.core.model import Filter
from recairn.core.times import DAY
from recairn.store.memory_rows import Cursor
from tests.corpus import NOW, PROJECT
from tests.store.test_contract import change, event, keep

HERE = Filter(project=PROJECT, session="s-1", now=NOW)


def pages(store, filter, limit, *, newest=True):
    """Ids of all pages, one after the other."""
    found, after = [], None
    while True:
        page = store.page(filter, newest=newest, after=after, limit=limit)
        found += [memory.id for memory in page]
        if len(page) < limit:
            return found
        after = Cursor(page[-1].created_at, page[-1].id)


@pytest.fixture
def shelf(store):
    """Of every tier and of other projects; three were made in the same millisecond."""
    for number in range(4):
        at = NOW - number * DAY
        keep(store, f"tide {number}", f"fog {number}", f"gull {number}", created_at=at)
        keep(store, f"rule for all {number}", tier="global", project="other", created_at=at)
        keep(store, f"bread {number}", project="bakery", created_at=at)
        keep(store, f"own {number}", tier="session", session="s-1", created_at=at)
        keep(store, f"another's {number}", tier="session", session="s-2", created_at=at)
    return store


FILTERS = [
    HERE,
    Filter(project=PROJECT, parent="bakery", now=NOW),
    Filter(now=NOW),
    Filter(project=PROJECT, now=NOW, since=NOW - 2 * DAY),
    Filter(project=PROJECT, now=NOW, kinds=("rule",)),
    Filter(project="nowhere", now=NOW),
]


def test_pages_hold_what_one_listing_holds_in_its_order(shelf):
    for filter in FILTERS:
        for order in ("newest", "oldest"):
            whole = [memory.id for memory in shelf.listing(filter, order=order, limit=-1)]
            for limit in (1, 7, 100):
                assert pages(shelf, filter, limit, newest=order == "newest") == whole


def test_a_page_goes_on_when_what_it_ended_with_is_gone(shelf):
    first = shelf.page(HERE, newest=True, after=None, limit=3)
    last = first[-1]
    rest = shelf.page(HERE, newest=True, after=Cursor(last.created_at, last.id), limit=100)
    with shelf.transaction():
        shelf.erase(last.id, event(last.id, "erased"))
    again = shelf.page(HERE, newest=True, after=Cursor(last.created_at, last.id), limit=100)
    assert [memory.id for memory in again] == [memory.id for memory in rest]


def test_what_is_hidden_is_listed_apart(shelf):
    shown = pages(shelf, HERE, 100)
    change(shelf, shown[0], {"deleted_at": NOW}, "forgotten")
    assert pages(shelf, HERE, 2) == shown[1:]
    deleted = Filter(project=PROJECT, hidden="deleted", now=NOW)
    assert pages(shelf, deleted, 2) == shown[:1]


def test_memories_are_counted_by_the_day_they_were_made_on(shelf):
    today = NOW // DAY
    assert shelf.made_by_day(HERE) == {today - day: 5 for day in range(4)}
    assert shelf.made_by_day(Filter(project="nowhere", now=NOW, tier="project")) == {}


COUNTED = [
    *FILTERS,
    Filter(project=PROJECT, now=NOW, candidates=False),
    Filter(project=PROJECT, now=NOW, trust="unverified"),
    Filter(project=PROJECT, now=NOW, tier="global"),
    Filter(project=PROJECT, now=NOW, sector="procedural", source_types=("hook",)),
    Filter(project=PROJECT, now=NOW, include_documents=True),
    Filter(project=PROJECT, now=NOW, include_superseded=True),
    Filter(project=PROJECT, now=NOW, category="sea"),
    Filter(project=PROJECT, now=NOW, hidden="deleted"),
    Filter(project=PROJECT, now=NOW + 2 * DAY),
    Filter(project=PROJECT, now=NOW, as_of=NOW - 2 * DAY),
]


def miscounted(store):
    """The filters whose counts are not those of the memories they let through one by one."""
    wrong = []
    for filter in COUNTED:
        ids = store.visible_ids(filter)
        if store.count(filter) != len(ids):
            wrong.append(("count", filter))
        days = [memory.created_at // DAY for memory in store.get_many(ids).values()]
        if store.made_by_day(filter) != {day: days.count(day) for day in sorted(set(days))}:
            wrong.append(("days", filter))
    return wrong


def test_counts_follow_whatever_happens_to_memories(shelf):
    ids = keep(shelf, *(f"one of many {number}" for number in range(40)), kind="rule")
    assert miscounted(shelf) == []
    suggested = keep(shelf, "suggested", kind="rule", trust="unverified")[0]
    change(shelf, suggested, {"author": "agent:codex"})
    keep(shelf, "heard", trust="unverified", source_type="hook", sector="procedural")
    keep(shelf, "of a page", kind="chunk", source_type="document")
    for memory, fields in zip(
        ids,
        (
            {"deleted_at": NOW},
            {"valid_until": NOW - 1},
            {"valid_until": NOW + DAY},
            {"expires_at": NOW - 1},
            {"expires_at": NOW + DAY},
            {"expires_at": NOW + DAY, "valid_until": NOW + 3 * DAY},
            {"project": "bakery"},
            {"tier": "global", "kind": "note"},
            {"trust": "unverified"},
            {"category": "sea", "sector": "procedural"},
        ),
        strict=False,
    ):
        change(shelf, memory, fields)
    assert miscounted(shelf) == []
    change(shelf, ids[0], {"deleted_at": None}, "restored")
    change(shelf, ids[1], {"valid_until": None}, "restored")
    with shelf.transaction():
        for memory in ids[8:12]:
            shelf.erase(memory, event(memory, "erased"))
    assert miscounted(shelf) == []
    assert [each for each in shelf.verify().problems if each.check == "tallies"] == []
    counts = shelf.project_counts()
    assert {name: counts[name]["memories"] for name in ("bakery", "other")} == {
        "bakery": 5,
        "other": 4,
    }


def test_every_write_makes_another_revision_and_reading_makes_none(store, open_store):
    other = open_store()
    seen = [store.revision()]
    keep(store, "tide")
    seen.append(store.revision())
    keep(other, "fog")
    seen.append(store.revision())
    with other.transaction():
        other.put_turn({"at": NOW, "session_id": "s-1", "event": "prompt"})
    seen.append(store.revision())
    store.listing(HERE, order="newest", limit=5)
    assert len(set(seen)) == len(seen)
    assert store.revision() == seen[-1]


def test_a_project_was_last_used_when_something_was_made_or_a_session_was_there(store):
    keep(store, "tide", created_at=NOW - 5)
    keep(store, "bread", project="bakery", created_at=NOW - 9)
    with store.transaction():
        store.open_session("s-1", {"project": "bakery"}, NOW)
    assert store.last_uses() == {PROJECT: NOW - 5, "bakery": NOW}
