"""Versions of one memory in several databases: which came first, and how two of them join.

A version is what was said about the memory, hashed. A database knows the versions its memory went
through, so one that finds its own version among another's past ones is simply behind. Where both
went on from a common version, each field that only one side changed takes that side's value; a text
that both changed is kept twice.
"""

from __future__ import annotations

from recairn.core.fields import SAID
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Event, Memory

    Said = Mapping[str, Any]

SYNCED = "synced"
# What such an event calls a successor that is not here, and that others keep nothing of a memory.
ABSENT, DESTROYED = "successor", "destroyed"
SAID_NAMES = frozenset(SAID)
_TEXT = ("title", "content", "fields")
_JSON = ("fields", "keywords")
_FLAGS = ("pinned", "immutable")


@record
class Joined:
    """The version both sides come to, and the text that gave way, if both had changed it."""

    said: Said
    gave_way: Said | None


def version_of(said: Said) -> str:
    """Sixteen hex digits that are equal exactly when everything said is.

    But for the project: it is called after a folder, which is not the same everywhere.
    """
    from hashlib import blake2b
    from json import dumps

    plain = [said[name] for name in SAID if name != "project"]
    text = dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def past_versions(
    said: Said, events: Sequence[Event], uid_of: Callable[[int], str | None]
) -> dict[str, Said]:
    """What the history says was said before, newest first, by version."""
    from json import loads

    found: dict[str, Said] = {}
    *absent, now = _absent_successors(events)
    current = {**said, "superseded_by": None} if said["superseded_by"] == now else dict(said)
    for event, successor in zip(reversed(events), reversed(absent), strict=True):
        before = {name: value for name, value in event.before.items() if name in SAID}
        if not before:
            continue
        for name, value in before.items():
            if name in _JSON:
                value = loads(value) if isinstance(value, str) else value
                value = tuple(value) if isinstance(value, list) else value
            elif name in _FLAGS:
                value = bool(value)
            elif name == "superseded_by" and value is not None:
                value = uid_of(value)
            current[name] = value
        known = {**current, "superseded_by": current["superseded_by"] or successor}
        found.setdefault(version_of(known), known)
    found.pop(version_of(said), None)
    return found


def successor_of(
    memory: Memory, events: Sequence[Event], uid_of: Callable[[int], str | None]
) -> str | None:
    """The uid of what replaced a memory, also where that is not here."""
    if memory.superseded_by is not None:
        return uid_of(memory.superseded_by)
    return _absent_successors(events)[-1]


def _absent_successors(events: Sequence[Event]) -> list[str | None]:
    """Before each event, and now: the successor that others know, and that was never here.

    It was forgotten before it could arrive, or destroyed. Still others say that it replaced this.
    """
    states: list[str | None] = [None]
    for event in events:
        if ABSENT in event.after:
            states.append(event.after[ABSENT])
        else:
            ended = "valid_until" in event.before or "superseded_by" in event.before
            states.append(None if ended else states[-1])
    return states


def changed_at(memory: Memory, events: Sequence[Event]) -> int:
    """When what is said about a memory last changed, here or where it was taken over from."""
    return max((at for _, at in _changes(memory, events)), default=memory.updated_at)


def restored_at(memory: Memory, events: Sequence[Event]) -> int:
    """When a memory last came back after it was forgotten; 0 for one that never did."""
    return max(
        (
            at
            for event, at in _changes(memory, events)
            if event.before.get("deleted_at") is not None and event.after.get("deleted_at") is None
        ),
        default=0,
    )


def is_destroyed(events: Sequence[Event]) -> bool:
    """Whether a memory was last forgotten because others destroyed it for good."""
    forgotten = [event for event in events if event.after.get("deleted_at") is not None]
    return bool(forgotten) and bool(forgotten[-1].after.get(DESTROYED))


def _changes(memory: Memory, events: Sequence[Event]) -> Iterator[tuple[Event, int]]:
    """The events that changed what is said, and when that was.

    A change is later than what it follows, even where this clock is behind another one.
    """
    last = memory.created_at
    for event in events:
        if event.event == SYNCED:
            last = max(last, event.after.get("changed_at", 0))
        elif SAID_NAMES.isdisjoint(event.before):
            continue
        else:
            last = max(event.at, last + 1)
        yield event, last


def seen_elsewhere(events: Sequence[Event]) -> set[str]:
    """The versions that other databases are known to have gone through."""
    return {
        version
        for event in events
        if event.event == SYNCED
        for version in event.after.get("past", ())
    }


def join(base: Said | None, ours: Said, theirs: Said, *, ours_is_newer: bool) -> Joined:
    """Both sides' changes since the common version; of what both changed, the newer one's.

    Symmetric: the other database, asking the same question, comes to the same answer.
    """
    said: dict[str, Any] = {}
    newer, older = (ours, theirs) if ours_is_newer else (theirs, ours)
    clash = False
    for name in SAID:
        known = None if base is None else base[name]
        if (
            ours[name] == theirs[name]
            or (base is not None and theirs[name] == known)
            or name == "project"
        ):
            said[name] = ours[name]
        elif base is not None and ours[name] == known:
            said[name] = theirs[name]
        else:
            said[name] = newer[name]
            clash = clash or name in _TEXT
    if said["deleted_at"] is not None and _rewritten(base, ours, theirs):
        said["deleted_at"] = None  # somebody still works on what another one forgot
    return Joined(said, older if clash else None)


def _rewritten(base: Said | None, ours: Said, theirs: Said) -> bool:
    """Whether the side that did not forget the memory has changed its text."""
    if base is None or (ours["deleted_at"] is None) == (theirs["deleted_at"] is None):
        return False
    living = ours if ours["deleted_at"] is None else theirs
    return not same_text(living, base)


def common_version(past: Mapping[str, Said], their_past: Collection[str]) -> Said | None:
    """The newest of our past versions that the other side also went on from."""
    return next((said for version, said in past.items() if version in their_past), None)


def same_text(one: Said, other: Said) -> bool:
    return all(one[name] == other[name] for name in _TEXT)


def clash_uid(uid: str, version: str) -> str:
    """The uid of the text that gave way: the same wherever the clash is found."""
    from hashlib import blake2b

    from recairn.core.ids import letters_of

    digest = blake2b(f"{uid} {version}".encode(), digest_size=16).digest()
    return uid[:10] + letters_of(digest)
