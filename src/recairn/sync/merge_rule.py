"""The rule: what two states of one memory become. Pure; mirror, import and server ask this module.

Of each group of fields the larger stamp holds; vectors are joined. So joining is commutative,
associative and idempotent, and whoever knows the same changes says the same, in whatever order
they came. What was erased stays erased, whatever else is known of it. A text that gave way to one
that did not know it is kept beside it (docs/decisions/0023-one-merge-rule-with-stamps.md).
"""

from __future__ import annotations

from recairn.core.record import record, replace
from recairn.core.stamps import (
    ALL,
    FORGOTTEN,
    GROUPS,
    KEPT,
    LEFT,
    LOCAL,
    SEEN,
    UNCHANGED,
    VECTOR,
    covers,
    is_stamp,
    stamp_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from recairn.core.stamps import Stamp

    Values = Mapping[str, Any]

_ENDS = ("life", "valid")


@record
class State:
    """What somebody knows of a memory: its values, their stamps, and fields nobody here knows.

    `values["deleted_at"]` says when it was forgotten, whether or not that holds (`is_gone`). What
    is left of a forgotten memory elsewhere has no values but those. `erased` is the stamp of its
    destruction: then there is nothing else.
    """

    values: Values
    stamps: Mapping[str, Any]
    created_at: int
    kept: Values
    erased: Stamp | None = None

    def stamp(self, group: str) -> Stamp:
        return stamp_of(self.stamps, group)

    @property
    def vector(self) -> Mapping[str, int]:
        counts: Mapping[str, int] = self.stamps.get(VECTOR, {})
        return counts

    @property
    def has_text(self) -> bool:
        return "content" in self.values


def gone(stamp: Stamp) -> State:
    """What is left of a memory that was destroyed."""
    return State({}, {}, 0, {}, stamp)


def join(one: State, other: State, groups: Collection[str]) -> State:
    """What both together know, of these groups; of the others the first one's."""
    if one.erased or other.erased:
        return gone(max(one.erased or (0, ""), other.erased or (0, "")))
    if not one.has_text:
        one, other = other, one
    values, stamps = dict(one.values), dict(one.stamps)
    for group in groups:
        winner = _later(one, other, group)
        values.update(
            {name: winner.values[name] for name in GROUPS[group] if name in winner.values}
        )
        _restamp(stamps, group, winner.stamp(group))
        if group == "life":
            stamps.pop(SEEN, None)
            if winner.stamps.get(SEEN):
                stamps[SEEN] = dict(winner.stamps[SEEN])
    vector = joined_vector(one.vector, other.vector if other.has_text else {})
    if vector:
        stamps[VECTOR] = vector
    newer = max(one, other, key=_raw_key)
    for name, stamp in other.stamps.items():
        # Groups that newer programs have.
        if name not in GROUPS and name != ALL and is_stamp(stamp):
            stamps[name] = max(list(stamp), list(stamps.get(name, [0, ""])))
    return replace(one, values=values, stamps=stamps, kept=newer.kept)


def joined_vector(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


def is_gone(state: State) -> bool:
    """Whether it is forgotten: unless somebody rewrote it without knowing of that.

    Who forgot it before there were vectors is taken to know what was written before.
    """
    if state.values.get("deleted_at") is None:
        return False
    seen = state.stamps.get(SEEN)
    if seen is None and state.stamp("life")[1] == "":
        return state.stamp("text") <= state.stamp("life")
    return covers(seen or {}, state.vector)


def loser(one: State, other: State) -> State | None:
    """The state whose text gives way to one that did not know it; None where one knew the other."""
    if not one.has_text or not other.has_text or _values(one, "text") == _values(other, "text"):
        return None
    is_known = covers(one.vector, other.vector) or covers(other.vector, one.vector)
    if is_known and one.vector != other.vector:
        return None
    winner = _later(one, other, "text")
    behind = other if winner is one else one
    # What nobody touched since it was created is behind whatever came of it.
    if not behind.vector and behind.stamp("text") == UNCHANGED:
        return None
    return behind


def without_end(ours: State, joined: State) -> State:
    """What comes of a memory that others cannot end; the joined state itself where they do not."""
    ended = (is_gone(joined) and not is_gone(ours)) or any(
        joined.values[name] not in (None, ours.values[name])
        for name in ("superseded_by", "valid_until", "expires_at")
    )
    if not ended and joined.values["valid_from"] <= ours.values["valid_from"]:
        return joined
    values, stamps = dict(joined.values), dict(joined.stamps)
    stamps.pop(SEEN, None)
    if ours.stamps.get(SEEN):
        stamps[SEEN] = ours.stamps[SEEN]
    for group in _ENDS:
        values.update({name: ours.values[name] for name in GROUPS[group]})
        _restamp(stamps, group, ours.stamp(group))
    return replace(joined, values=values, stamps=stamps)


def same(one: State, other: State, groups: Collection[str]) -> bool:
    """Whether both know the same of these groups."""
    return (
        one.erased == other.erased
        and one.vector == other.vector
        and one.kept == other.kept
        and all(_key(one, group) == _key(other, group) for group in groups)
    )


def clash_uid(uid: str, text: Values) -> str:
    """The uid of a text that gave way: the same wherever the clash is found."""
    from hashlib import blake2b

    from recairn.core.ids import letters_of

    said = _canonical([text[name] for name in GROUPS["text"]])
    digest = blake2b(f"{uid} {said}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return uid[:10] + letters_of(digest)


def travelling(stamps: Mapping[str, Any], groups: Collection[str]) -> dict[str, Any]:
    """The part of stamps that others are told."""
    return {
        name: value
        for name, value in stamps.items()
        if name not in LOCAL and (name not in GROUPS or name in groups)
    }


def kept_stamps(state: State) -> dict[str, Any]:
    """The stamps as this database keeps them: with what does not hold, and what it cannot read."""
    stamps = {name: value for name, value in state.stamps.items() if name not in (FORGOTTEN, KEPT)}
    deleted_at = state.values.get("deleted_at")
    if deleted_at is not None and (LEFT in stamps or not is_gone(state)):
        stamps[FORGOTTEN] = deleted_at
    if state.kept:
        stamps[KEPT] = dict(state.kept)
    return stamps


def _later(one: State, other: State, group: str) -> State:
    """The state whose word on a group holds; a state without a group says nothing of it."""
    if not all(name in other.values for name in GROUPS[group]):
        return one
    if not all(name in one.values for name in GROUPS[group]):
        return other
    return max(one, other, key=lambda state: _key(state, group))


def _key(state: State, group: str) -> tuple[Stamp, str]:
    said: list[Any] = _values(state, group)
    if group == "life":
        said = [*said, state.stamps.get(SEEN) or {}]
    return state.stamp(group), _canonical(said)


def _raw_key(state: State) -> tuple[Any, ...]:
    newest = max(
        (
            tuple(stamp)
            for name, stamp in state.stamps.items()
            if is_stamp(stamp) and name not in GROUPS and name != ALL
        ),
        default=(0, ""),
    )
    return bool(state.kept), newest, _canonical(dict(state.kept))


def _values(state: State, group: str) -> list[Any]:
    return [state.values.get(name) for name in GROUPS[group]]


def _canonical(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _restamp(stamps: dict[str, Any], group: str, stamp: Stamp) -> None:
    """Notes the stamp of a group, unless it goes without saying."""
    stamps.pop(group, None)
    if stamp_of(stamps, group) != stamp:
        stamps[group] = list(stamp)
