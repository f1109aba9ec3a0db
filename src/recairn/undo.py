"""Taking changes back, by memory, source, session or time; itself a change that can be undone."""

from __future__ import annotations

from recairn.drafts import keys_of
from recairn.errors import BadInput, Refused
from recairn.known import known_memory
from recairn.lifecycle import successors
from recairn.model import Event
from recairn.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.model import Act
    from recairn.store.base import Store

# What destroyed the text cannot be taken back.
_FINAL = ("erased",)


@record
class Undone:
    """One event that was, or with dry_run would be, taken back."""

    event: int
    memory: int
    what: str


def undo(store: Store, events: Sequence[Event], act: Act) -> list[Undone]:
    """Takes the events back, newest first, in one transaction."""
    with store.transaction():
        chosen = with_consequences(store, events)
        for event in chosen:
            _take_back(store, event, act)
        return [Undone(event.id, event.memory, event.event) for event in chosen]


def with_consequences(store: Store, events: Sequence[Event]) -> list[Event]:
    """The events that can be taken back, newest first, and what followed from them.

    Whoever takes back a memory also takes back that it replaced another one.
    """
    chosen = {event.id: event for event in events}
    for event in events:
        if event.event == "created":
            for predecessor in store.predecessors(event.memory):
                ended = [
                    each
                    for each in undoable(store.history(predecessor))
                    if each.event == "superseded"
                    and each.after.get("superseded_by") == event.memory
                ]
                chosen.update({each.id: each for each in ended[-1:]})
    return [
        event
        for _, event in sorted(chosen.items(), reverse=True)
        if event.event not in _FINAL and store.get(event.memory) is not None
    ]


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


def _take_back(store: Store, event: Event, act: Act) -> None:
    name = "forgotten" if event.event == "created" else "restored"
    reason = f"undo of {event.event}"
    reverse = Event(0, event.memory, act.at, name, reason, {}, {}, act.session, event.id)
    if event.event == "created":
        store.change(event.memory, {"deleted_at": act.at}, reverse)
        return
    known = known_memory(store, event.memory)
    changes = {**event.before, "updated_at": act.at}
    successor = changes.get("superseded_by")
    if successor is not None and store.get(successor) is None:
        changes.update(superseded_by=None, valid_until=None)
    elif successor is not None and event.memory in successors(store, successor):
        raise Refused(
            f"#{event.memory} would be superseded by #{successor}, which it replaced itself",
            f"undo the later change of #{successor} first",
        )
    store.change(event.memory, changes, reverse)
    if event.event == "superseded":
        ended_by = event.after.get("superseded_by")
        if ended_by is not None:
            store.remove_edge(ended_by, event.memory, "supersedes")
    store.rekey(event.memory, keys_of(known), keys_of(known_memory(store, event.memory)))
