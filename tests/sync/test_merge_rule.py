"""What two versions of a memory become: decided without a database, the same on both sides."""

from __future__ import annotations

from typing import Any

import pytest

from recairn.core.fields import SAID
from recairn.memory.versions import version_of
from recairn.sync.merge_rule import (
    FOLLOW,
    JOIN,
    KEEP,
    Clash,
    Ours,
    Stub,
    Theirs,
    clash_uid,
    is_forgotten,
    merge,
)

BASE: dict[str, Any] = {
    **dict.fromkeys(SAID),
    "title": "",
    "content": "Trim the wick",
    "fields": {},
    "project": "north",
    "category": "",
    "pinned": False,
}


def said(**changes):
    return {**BASE, **changes}


def ours(now, *past, at=20, elsewhere=(), restored_at=0):
    return Ours(now, at, {version_of(each): each for each in past}, elsewhere, restored_at)


def theirs(now, *past, at=30):
    return Theirs(now, at, frozenset(map(version_of, past)))


def stub(*past, at=30, deleted_at=30):
    return Stub("uid", deleted_at, at, frozenset(map(version_of, past)))


NEW, OTHER = said(content="Trim the wick daily"), said(content="Trim the wick at dusk")


def test_who_is_behind_follows():
    outcome = merge(ours(BASE), theirs(NEW, BASE))
    assert (outcome.way, outcome.said, outcome.changed_at) == (FOLLOW, NEW, 30)
    assert outcome.past == {version_of(BASE)}


@pytest.mark.parametrize("elsewhere", [(), (version_of(BASE),)])
def test_a_version_that_was_left_behind_changes_nothing(elsewhere):
    past = () if elsewhere else (BASE,)
    outcome = merge(ours(NEW, *past, elsewhere=elsewhere), theirs(BASE, at=10))
    assert (outcome.way, outcome.said) == (KEEP, NEW)


def test_a_version_that_came_back_later_is_followed():
    outcome = merge(ours(NEW, BASE), theirs(BASE, NEW, at=30))
    assert (outcome.way, outcome.said) == (FOLLOW, BASE)


def test_changes_of_different_fields_are_joined_without_a_clash():
    scoped, sorted_out = said(scope="*.py"), said(category="upkeep")
    outcome = merge(ours(scoped, BASE), theirs(sorted_out, BASE))
    assert (outcome.way, outcome.said) == (JOIN, said(scope="*.py", category="upkeep"))
    assert (outcome.changed_at, outcome.clash) == (30, None)
    assert version_of(sorted_out) in outcome.past


@pytest.mark.parametrize(("at", "stays", "gives_way"), [(30, OTHER, NEW), (10, NEW, OTHER)])
def test_of_two_rewritten_texts_the_later_stays_and_the_other_is_kept(at, stays, gives_way):
    outcome = merge(ours(NEW, BASE, at=20), theirs(OTHER, BASE, at=at))
    assert (outcome.way, outcome.said) == (JOIN, stays)
    assert outcome.clash == Clash(gives_way, version_of(gives_way), min(20, at))


def test_without_a_common_version_whatever_differs_is_the_later_ones():
    one, two = said(content="one", category="a"), said(content="two")
    outcome = merge(ours(one), theirs(two))
    assert (outcome.said, outcome.clash) == (two, Clash(one, version_of(one), 20))


@pytest.mark.parametrize("at", [10, 20, 30])
def test_both_sides_come_to_the_same(at):
    one, two = said(content="one", scope="*.py"), said(content="two", category="b")
    here = merge(ours(one, BASE), theirs(two, BASE, at=at))
    there = merge(ours(two, BASE, at=at), theirs(one, BASE, at=20))
    assert (here.said, here.changed_at, here.clash) == (there.said, there.changed_at, there.clash)


def test_a_project_is_called_as_it_is_here():
    outcome = merge(
        ours(said(scope="*.py"), BASE), theirs(said(project="south", category="b"), BASE)
    )
    assert outcome.said["project"] == "north"


@pytest.mark.parametrize(
    ("text", "deleted_at"), [("Trim the wick", 25), ("Trim the wick daily", None)]
)
def test_what_somebody_rewrote_is_not_forgotten(text, deleted_at):
    gone, here = said(deleted_at=25), said(content=text, category="upkeep")
    assert merge(ours(here, BASE), theirs(gone, BASE)).said["deleted_at"] == deleted_at


@pytest.mark.parametrize(
    ("memory", "forgotten", "follows"),
    [
        (ours(BASE), stub(BASE), True),
        (ours(said(scope="*.py"), BASE), stub(BASE), True),
        (ours(NEW, BASE), stub(BASE), False),
        (ours(NEW), stub(OTHER), False),
        (ours(BASE, restored_at=40), stub(BASE), False),
        (ours(BASE, restored_at=30), stub(BASE), True),
        (ours(BASE, at=30), stub(at=30), True),
        (ours(BASE, at=31), stub(at=30), False),
        (ours(said(deleted_at=5), at=20), stub(BASE, at=30), True),
        (ours(said(deleted_at=5), at=30), stub(BASE, at=30, deleted_at=5), False),
        (ours(said(deleted_at=5), at=30), stub(BASE, at=30, deleted_at=6), True),
    ],
    ids=[
        "untouched",
        "scope only",
        "rewritten",
        "never the same",
        "brought back since",
        "brought back before",
        "destroyed, older",
        "destroyed, newer",
        "both, theirs later",
        "both, the same",
        "both, later by its time",
    ],
)
def test_what_was_forgotten_elsewhere_is_forgotten_unless_somebody_went_on(
    memory, forgotten, follows
):
    assert is_forgotten(memory, forgotten) is follows


def test_the_copy_of_a_clash_has_the_same_uid_everywhere():
    uid = "01m7fhthe313kq4hjd6gxtktmh"
    assert clash_uid(uid, version_of(NEW)) == clash_uid(uid, version_of(NEW))
    assert clash_uid(uid, version_of(NEW)) != clash_uid(uid, version_of(OTHER))
    assert clash_uid(uid, version_of(NEW))[:10] == uid[:10]
