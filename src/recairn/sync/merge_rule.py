"""The rule: what two versions of one memory become. Pure; this module alone decides it.

A version is what was said about a memory, hashed. A side that finds its own version among the
other's past ones is simply behind. Where both went on from a common version, each field that only
one side changed takes that side's value; a text that both changed is kept twice. Both databases,
asking the same question, come to the same answer (docs/decisions/0010-the-mirrors-merge-rule.md).
"""

from __future__ import annotations

from recairn.core.fields import SAID, STANDING
from recairn.core.record import record, replace
from recairn.memory.versions import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    Said = Mapping[str, Any]

KEEP, FOLLOW, JOIN = "keep", "follow", "join"
_TEXT = ("title", "content", "fields")
# What ends a memory, or lets it begin later.
_ENDS = ("deleted_at", "superseded_by", "valid_until", "expires_at")


@record
class Ours:
    """A memory here: what is said of it, since when, and what was said before, newest first.

    `elsewhere` are the versions that other databases are known to have gone through; `restored_at`
    is when it last came back after it was forgotten, or 0.
    """

    said: Said
    changed_at: int
    past: Mapping[str, Said]
    elsewhere: Collection[str]
    restored_at: int


@record
class Theirs:
    """The same memory elsewhere, with the versions it went through."""

    said: Said
    changed_at: int
    past: frozenset[str]


@record
class Stub:
    """What is left of a memory that was forgotten elsewhere.

    Who destroyed it for good knows no past versions any more.
    """

    uid: str
    deleted_at: int
    changed_at: int
    past: frozenset[str]


@record
class Clash:
    """The text that gave way where both sides had changed it, and when it was said."""

    said: Said
    version: str
    changed_at: int


@record
class Outcome:
    """What a memory becomes here: ours is kept, theirs followed, or both are joined.

    `past` are versions it went through elsewhere on the way.
    """

    way: str
    said: Said
    changed_at: int
    past: frozenset[str] = frozenset()
    clash: Clash | None = None


def merge(ours: Ours, theirs: Theirs) -> Outcome:
    """What comes of two versions that differ."""
    our_version, their_version = version_of(ours.said), version_of(theirs.said)
    # A version that comes back (by undo) is known to both; then the times tell who went on.
    if theirs.changed_at <= ours.changed_at and (
        their_version in ours.past or their_version in ours.elsewhere
    ):
        return Outcome(KEEP, ours.said, ours.changed_at)
    if our_version in theirs.past and theirs.changed_at >= ours.changed_at:
        return Outcome(FOLLOW, theirs.said, theirs.changed_at, theirs.past)
    first = Clash(ours.said, our_version, ours.changed_at)
    second = Clash(theirs.said, their_version, theirs.changed_at)
    if (ours.changed_at, our_version) > (theirs.changed_at, their_version):
        older, newer = second, first
    else:
        older, newer = first, second
    base = _common_version(ours.past, theirs.past)
    return Outcome(
        JOIN,
        _joined(base, ours.said, theirs.said, newer.said),
        newer.changed_at,
        theirs.past | {their_version},
        older if _both_rewrote(base, ours.said, theirs.said) else None,
    )


def is_forgotten(ours: Ours, stub: Stub) -> bool:
    """Whether a memory is forgotten here, too, unless somebody here went on with it.

    One that was forgotten on both sides keeps the later time.
    """
    if ours.said["deleted_at"] is not None:
        return (ours.changed_at, ours.said["deleted_at"]) < (stub.changed_at, stub.deleted_at)
    if not stub.past:
        return ours.changed_at <= stub.changed_at
    base = _common_version({version_of(ours.said): ours.said, **ours.past}, stub.past)
    untouched = base is not None and _same_text(base, ours.said)
    return untouched and ours.restored_at <= stub.changed_at


def without_end(ours: Said, outcome: Outcome) -> Outcome:
    """What comes of a memory that others cannot end; the outcome itself where they do not."""
    if all(outcome.said[name] in (None, ours[name]) for name in _ENDS) and (
        outcome.said["valid_from"] <= ours["valid_from"]
    ):
        return outcome
    said = {**outcome.said, **{name: ours[name] for name in (*_ENDS, "valid_from")}}
    return replace(outcome, said=said, way=KEEP if said == ours else outcome.way)


def clash_uid(uid: str, version: str) -> str:
    """The uid of the text that gave way: the same wherever the clash is found."""
    from hashlib import blake2b

    from recairn.core.ids import letters_of

    digest = blake2b(f"{uid} {version}".encode(), digest_size=16).digest()
    return uid[:10] + letters_of(digest)


def _joined(base: Said | None, ours: Said, theirs: Said, newer: Said) -> dict[str, Any]:
    """Both sides' changes since the common version; of what both changed, the newer one's."""
    said: dict[str, Any] = {}
    for name in SAID:
        same = ours[name] == theirs[name]
        # A project is called after a folder, which is not the same everywhere; and how much a
        # memory counts everybody decides for themselves.
        if same or name == "project" or name in STANDING or not _changed(name, base, theirs):
            said[name] = ours[name]
        elif not _changed(name, base, ours):
            said[name] = theirs[name]
        else:
            said[name] = newer[name]
    if said["deleted_at"] is not None and _is_worked_on(base, ours, theirs):
        said["deleted_at"] = None
    return said


def _changed(name: str, base: Said | None, side: Said) -> bool:
    """Whether a side changed a field since the common version; without one it may have."""
    return base is None or bool(side[name] != base[name])


def _both_rewrote(base: Said | None, ours: Said, theirs: Said) -> bool:
    """Whether both sides changed a part of the text, and not to the same."""
    return any(
        ours[name] != theirs[name] and _changed(name, base, ours) and _changed(name, base, theirs)
        for name in _TEXT
    )


def _is_worked_on(base: Said | None, ours: Said, theirs: Said) -> bool:
    """Whether the side that did not forget the memory has changed its text."""
    if base is None or (ours["deleted_at"] is None) == (theirs["deleted_at"] is None):
        return False
    living = ours if ours["deleted_at"] is None else theirs
    return not _same_text(living, base)


def _common_version(past: Mapping[str, Said], their_past: Collection[str]) -> Said | None:
    """The newest of our past versions that the other side also went on from."""
    return next((said for version, said in past.items() if version in their_past), None)


def _same_text(one: Said, other: Said) -> bool:
    return all(one[name] == other[name] for name in _TEXT)
