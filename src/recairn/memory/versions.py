"""Versions of a memory: what was said about it, hashed, and what its history knows of them.

A database knows the versions its memory went through, here and, as far as others told, elsewhere.
What two versions become when they meet is `sync.merge_rule`.
"""

from __future__ import annotations

from recairn.core.fields import SAID, STANDING
from recairn.core.record import as_dict, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Event, Memory

    Said = Mapping[str, Any]

SYNCED = "synced"
# What such an event calls a successor that is not here.
ABSENT = "successor"
SAID_NAMES = frozenset(SAID)
_OF_ONE_DATABASE = ("project", *STANDING)
# What a change for everybody changes.
_SHARED_NAMES = SAID_NAMES - {*STANDING}


def version_of(said: Said) -> str:
    """Sixteen hex digits that are equal exactly when everything said is.

    But for the project, which is called after a folder, and for what each decides for themselves:
    that is not the same everywhere.
    """
    from hashlib import blake2b
    from json import dumps

    plain = [said[name] for name in SAID if name not in _OF_ONE_DATABASE]
    text = dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def version_here(memory: Memory) -> str:
    """The version of a memory among those of this database."""
    return version_of(_said_here(memory))


def memory_at(memory: Memory, events: Sequence[Event], version: str) -> Memory | None:
    """A memory as it was in a version that its history knows, or None."""
    past = past_versions(_said_here(memory), events, str).get(version)
    if past is None:
        return None
    successor = past["superseded_by"]
    return replace(
        memory, **{**past, "superseded_by": None if successor is None else int(successor)}
    )


def _said_here(memory: Memory) -> dict[str, Any]:
    """What was said of a memory; its successor is named by its number here."""
    said = {name: value for name, value in as_dict(memory).items() if name in SAID_NAMES}
    successor = said["superseded_by"]
    return {**said, "superseded_by": None if successor is None else str(successor)}


def past_versions(
    said: Said, events: Sequence[Event], uid_of: Callable[[int], str | None]
) -> dict[str, Said]:
    """What the history says was said before, newest first, by version."""
    versions: dict[str, Said] = {}
    *absent, now = _absent_successors(events)
    state = {**said, "superseded_by": None} if said["superseded_by"] == now else dict(said)
    for event, successor in zip(reversed(events), reversed(absent), strict=True):
        before = {name: value for name, value in event.before.items() if name in SAID}
        if not before:
            continue
        if before.get("superseded_by") is not None:
            before["superseded_by"] = uid_of(before["superseded_by"])
        state.update(before)
        version = {**state, "superseded_by": state["superseded_by"] or successor}
        versions.setdefault(version_of(version), version)
    versions.pop(version_of(said), None)
    return versions


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
            moved_on = "valid_until" in event.before or "superseded_by" in event.before
            states.append(None if moved_on else states[-1])
    return states


def changed_at(memory: Memory, events: Sequence[Event]) -> int:
    """When what is said about a memory last changed, here or where it was taken over from."""
    return max((at for _, at in _changes(memory, events)), default=memory.created_at)


def _changes(memory: Memory, events: Sequence[Event]) -> Iterator[tuple[Event, int]]:
    """The events that changed what is said, and when that was.

    A change is later than what it follows, even where this clock is behind another one.
    """
    last = memory.created_at
    for event in events:
        if event.event == SYNCED:
            last = max(last, event.after.get("changed_at", 0))
        elif _SHARED_NAMES.isdisjoint(event.before):
            continue
        else:
            last = max(event.at, last + 1)
        yield event, last
