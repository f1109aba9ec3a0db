"""Taking changes back, by memory, source, session or time; itself a change that can be undone."""

from __future__ import annotations

from recairn.errors import BadInput, Refused
from recairn.model import Event
from recairn.record import record
from recairn.remember import keys_of, known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.base import Store

# Events that are not changes of the record itself, or cannot be taken back.
_FINAL = ("erased",)


@record
class Undone:
    """One event that was, or with dry_run would be, taken back."""

    event: int
    memory: int
    what: str


def undo(store: Store, events: Sequence[Event], *, now: int, dry_run: bool = False) -> list[Undone]:
    """Takes the events back, newest first, in one transaction; those undone already are passed over."""
    with store.transaction():
        taken_back: list[Undone] = []
        for event in sorted(events, key=lambda each: -each.id):
            if event.event in _FINAL or store.get(event.memory) is None:
                continue
            taken_back.append(Undone(event.id, event.memory, event.event))
            if not dry_run:
                _take_back(store, event, now)
        return taken_back


def undoable(events: Sequence[Event]) -> list[Event]:
    """The events not yet undone and not themselves an undoing."""
    undone = {event.undo_of for event in events if event.undo_of is not None}
    return [event for event in events if event.id not in undone and event.undo_of is None]


def events_of(
    store: Store,
    *,
    memory: int | None,
    source: str | None,
    session: str | None,
    since: int | None,
) -> list[Event]:
    """The events someone wants undone: of one memory, one source, one session, or since a time."""
    named = [each for each in (memory, source, session, since) if each is not None]
    if len(named) != 1:
        raise BadInput(
            "say what to undo: a memory, a source, a session, or a time",
            "recairn undo 42, undo --source REF, undo --session ID, undo --since 1h",
        )
    if memory is not None:
        return last_change(store, memory)
    if source is not None:
        found = [event for each in store.from_source(source) for event in store.history(each)]
        return [event for event in undoable(found) if event.event == "created"]
    return undoable(store.events(since=since, session=session))


def last_change(store: Store, memory: int) -> list[Event]:
    """The newest event of a memory that can be taken back."""
    left = [event for event in undoable(store.history(memory)) if event.event not in _FINAL]
    if not left:
        raise Refused(f"nothing left to undo for #{memory}", f"recairn history {memory}")
    return left[-1:]


def _take_back(store: Store, event: Event, now: int) -> None:
    name = "restored" if event.event != "created" else "forgotten"
    reverse = Event(
        0, event.memory, now, name, f"undo of {event.event}", {}, {}, None, event.id
    )
    if event.event == "created":
        store.change(event.memory, {"deleted_at": now}, reverse)
        return
    before = known_memory(store, event.memory)
    store.change(event.memory, {**event.before, "updated_at": now}, reverse)
    if event.event == "superseded":
        successor = event.after.get("superseded_by")
        if successor is not None:
            store.remove_edge(successor, event.memory, "supersedes")
    if not event.before.keys().isdisjoint(("content", "title", "fields", "project")):
        store.rekey(event.memory, keys_of(before), keys_of(known_memory(store, event.memory)))
