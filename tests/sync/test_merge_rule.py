"""What two states of a memory become: decided without a database, the same in whatever order."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recairn.core.fields import SAID
from recairn.core.stamps import OWN, SEEN, SHARED, VECTOR, after_change, parsed, spelled
from recairn.sync.merge_rule import (
    State,
    clash_uid,
    gone,
    is_gone,
    join,
    kept_stamps,
    loser,
    same,
    without_end,
)

BASE: dict[str, Any] = {
    **dict.fromkeys(SAID),
    "title": "",
    "content": "Trim the wick",
    "fields": {},
    "project": "north",
    "category": "",
    "pinned": False,
    "created_at": 10,
    "valid_from": 10,
}
BEGUN = State(BASE, {}, 10, {})


def changed(state: State, replica: str, at: int, **changes: Any) -> State:
    """The state after a change that a replica makes to what it knows."""
    row = {**state.values, "deleted_at": state.values["deleted_at"] if is_gone(state) else None}
    text = after_change(spelled(kept_stamps(state)), row, changes, at, (replica, replica))
    stamps = parsed(text)
    values = {**row, **changes}
    values["deleted_at"] = stamps.pop("forgotten", values["deleted_at"])
    return State(values, stamps, 10, stamps.pop("kept", {}))


def said(state: State) -> dict[str, Any]:
    return {**state.values, "deleted_at": state.values["deleted_at"] if is_gone(state) else None}


CHANGES = st.sampled_from(
    [
        {"content": "one"},
        {"content": "two"},
        {"content": "Trim the wick"},
        {"category": "upkeep"},
        {"category": ""},
        {"deleted_at": 30},
        {"deleted_at": None},
        {"pinned": True},
        {"valid_until": 40, "superseded_by": "another"},
        {"valid_until": None, "superseded_by": None},
    ]
)
STEP = st.tuples(st.integers(0, 2), st.integers(0, 60), CHANGES | st.integers(0, 2))


def lives(steps) -> tuple[list[State], list[State]]:
    """Three replicas that change what they know, or hear from another; and all that ever was."""
    replicas, states = [BEGUN] * 3, [BEGUN]
    for who, at, step in steps:
        if isinstance(step, int):
            replicas[who] = join(replicas[who], replicas[step], OWN)
        else:
            replicas[who] = changed(replicas[who], "abc"[who], at, **step)
        states.append(replicas[who])
    return replicas, states


@given(st.lists(STEP, max_size=12))
def test_in_whatever_order_and_however_often_states_meet_they_become_the_same(steps):
    (one, two, three), states = lives(steps)
    assert same(join(one, two, OWN), join(two, one, OWN), OWN)
    together = join(join(one, two, OWN), three, OWN)
    assert same(together, join(one, join(two, three, OWN), OWN), OWN)
    assert said(together) == said(join(join(three, two, OWN), one, OWN))
    for state in states:  # late, twice, out of order: nothing is said anew
        again = join(together, state, OWN)
        assert same(again, together, OWN)
        assert said(again) == said(together)


@given(st.lists(STEP, max_size=12))
def test_whoever_changes_what_they_know_is_followed(steps):
    (one, two, three), _ = lives(steps)
    together = join(join(one, two, OWN), three, OWN)
    after = changed(together, "a", 0, content="the last word")  # even with the slowest clock
    for state in (one, two, three, together):
        assert join(state, after, OWN).values["content"] == "the last word"
        assert loser(state, after) is None


@given(st.lists(STEP, max_size=8), st.integers(1, 99))
def test_what_was_erased_absorbs_everything(steps, at):
    replicas, _ = lives(steps)
    for state in replicas:
        assert join(state, gone((at, "a")), OWN).erased == (at, "a")
        assert join(gone((at, "a")), state, OWN).erased == (at, "a")
    assert join(gone((at, "a")), gone((50, "b")), OWN) == join(
        gone((50, "b")), gone((at, "a")), OWN
    )


@given(st.lists(STEP, max_size=12))
def test_no_text_is_lost_without_somebody_who_knew_it(steps):
    """A text that a replica holds is in the joined state, known to who replaced it, or kept."""
    replicas, _ = lives(steps)
    kept, together = set(), replicas[0]
    for state in replicas[1:]:
        beaten = loser(together, state)
        if beaten is not None:
            kept.add(beaten.values["content"])
        together = join(together, state, OWN)
    for state in replicas:
        content = state.values["content"]
        replaced = any(
            other.stamps.get(VECTOR, {}) != state.stamps.get(VECTOR, {})
            and all(other.vector.get(name, 0) >= count for name, count in state.vector.items())
            for other in replicas
        )
        assert content == together.values["content"] or content in kept or replaced


def test_a_value_that_comes_back_is_a_change_like_any_other():
    two = changed(BEGUN, "a", 20, content="two")
    back = changed(two, "a", 30, content="Trim the wick")
    pinned = changed(changed(two, "b", 40, pinned=True), "b", 50, pinned=False)
    for joined in (join(back, pinned, OWN), join(pinned, back, OWN)):
        assert joined.values["content"] == "Trim the wick"
    assert loser(back, pinned) is None


def test_of_two_texts_written_at_once_the_later_holds_and_the_other_is_kept():
    one, two = changed(BEGUN, "a", 20, content="one"), changed(BEGUN, "b", 30, content="two")
    assert join(one, two, SHARED).values["content"] == "two"
    assert loser(one, two) is one
    assert loser(two, one) is one
    assert loser(one, changed(BEGUN, "b", 30, content="one")) is None
    assert loser(BEGUN, two) is None


def test_changes_of_different_parts_are_joined_without_a_clash():
    scoped, sorted_out = changed(BEGUN, "a", 20, scope="*.py"), changed(BEGUN, "b", 30, content="b")
    joined = join(scoped, sorted_out, SHARED)
    assert (joined.values["scope"], joined.values["content"]) == ("*.py", "b")
    assert loser(scoped, sorted_out) is None


def test_what_each_decides_alone_is_taken_from_ones_own_databases_only():
    pinned = changed(BEGUN, "b", 30, pinned=True)
    assert join(BEGUN, pinned, SHARED).values["pinned"] is False
    assert join(BEGUN, pinned, OWN).values["pinned"] is True


def test_what_somebody_rewrote_is_not_forgotten_by_who_did_not_know():
    forgotten = changed(BEGUN, "a", 40, deleted_at=40)
    rewritten = changed(BEGUN, "b", 30, content="daily")
    both = join(forgotten, rewritten, SHARED)
    assert said(both)["deleted_at"] is None
    assert said(join(forgotten, changed(BEGUN, "b", 30, category="upkeep"), SHARED))["deleted_at"]
    # Who knows of both, and forgets it still, is followed; so is who brings it back.
    again = changed(both, "c", 50, deleted_at=50)
    assert said(join(rewritten, again, SHARED))["deleted_at"] == 50
    assert said(join(again, changed(again, "a", 60, deleted_at=None), SHARED))["deleted_at"] is None
    # What is left of it elsewhere has no text, and says the same.
    stub = State({"deleted_at": 40, "expires_at": None}, forgotten.stamps, 0, {})
    assert said(join(BEGUN, stub, ("life",)))["deleted_at"] == 40
    assert said(join(rewritten, stub, ("life",)))["deleted_at"] is None


def test_what_was_said_before_there_were_stamps_goes_by_its_time():
    old = State({**BASE, "content": "old"}, {"all": [20, ""]}, 10, {})
    new = State({**BASE, "content": "new"}, {"all": [30, ""]}, 10, {})
    assert join(old, new, SHARED).values["content"] == "new"
    assert loser(old, new) is old
    assert loser(BEGUN, new) is None  # nobody had touched it
    stub = State({"deleted_at": 25, "expires_at": None}, {"all": [25, ""]}, 0, {})
    assert said(join(old, stub, ("life",)))["deleted_at"] == 25
    assert said(join(new, stub, ("life",)))["deleted_at"] is None


def test_two_copies_of_one_database_that_count_alike_are_told_apart():
    one, two = changed(BEGUN, "a", 20, content="one"), changed(BEGUN, "a", 20, content="two")
    assert loser(one, two) is loser(two, one) is not None
    assert same(join(one, two, SHARED), join(two, one, SHARED), SHARED)


def test_a_rule_that_others_end_holds_until_the_person_says_so():
    mine = changed(BEGUN, "a", 20, category="watch")
    ended = changed(BEGUN, "b", 30, deleted_at=30)
    lasting = without_end(mine, join(mine, ended, SHARED))
    assert said(lasting)["deleted_at"] is None
    assert lasting.stamp("life") == mine.stamp("life")
    unended = join(mine, changed(BEGUN, "b", 30, scope="*.py"), SHARED)
    assert without_end(mine, unended) is unended


def test_fields_and_groups_of_a_newer_program_stay_with_the_memory():
    newer = State(BASE, {"tint": [40, "n"]}, 10, {"colour": "red"})
    edited = changed(newer, "a", 50, content="edited by an older one")
    assert edited.kept == {"colour": "red"}
    newest = State(BASE, {"tint": [60, "n"]}, 10, {"colour": "blue"})
    for joined in (join(edited, newest, SHARED), join(newest, edited, SHARED)):
        assert (joined.kept, joined.stamps["tint"]) == ({"colour": "blue"}, [60, "n"])
        assert joined.values["content"] == "edited by an older one"


def test_the_copy_of_a_clash_has_the_same_uid_everywhere_and_so_has_a_copy_of_a_copy():
    uid = "01m7fhthe313kq4hjd6gxtktmh"
    one, two = {**BASE, "content": "one"}, {**BASE, "content": "two"}
    copy = clash_uid(uid, one)
    assert copy == clash_uid(uid, {**one, "category": "elsewhere"})
    assert len({uid, copy, clash_uid(uid, two), clash_uid(copy, one), clash_uid(copy, two)}) == 5
    assert copy[:10] == uid[:10]


def test_who_forgets_a_memory_knows_what_it_says():
    text = changed(BEGUN, "a", 20, content="one")
    assert changed(text, "b", 30, deleted_at=30).stamps[SEEN] == {"a": 1}
    assert (
        SEEN not in changed(changed(text, "b", 30, deleted_at=30), "b", 40, deleted_at=None).stamps
    )
