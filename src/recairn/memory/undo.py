"""Taking changes back, by memory, source, session or time; itself a change that can be undone."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.model import Edge, Event, decayed
from recairn.core.record import as_dict, record, replace
from recairn.memory import link_state, links
from recairn.memory.lifecycle import MOVED, successors
from recairn.memory.lookup import known_memory, other_project
from recairn.memory.mentions import relink
from recairn.memory.sharing import SHARED, WITHHELD
from recairn.memory.sharing import take_back as take_back_sharing
from recairn.memory.versions import SAID_NAMES, SYNCED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Act, Memory
    from recairn.store.contract.base import Store

# What destroyed the text cannot be taken back.
_FINAL = ("erased",)
_COUNTS = ("helpful", "harmful")
_STRENGTH = ("salience", "decayed_at")
# Columns that follow from text and tier: writing an old value back could contradict a later edit.
_FOLLOWING = ("content_hash", "concepts", "updated_at", "reach", "details", "idents")


@record
class Undone:
    """One event that was, or with dry_run would be, taken back; a change of projects is of no one
    memory."""

    event: int
    memory: int | None
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
                supersessions = [
                    change
                    for change in undoable(store, store.history(predecessor))
                    if change.event == "superseded"
                    and change.after.get("superseded_by") == event.memory
                ]
                chosen.update({change.id: change for change in supersessions[-1:]})
    return [
        event
        for _, event in sorted(chosen.items(), reverse=True)
        if event.event not in _FINAL and store.get(event.memory) is not None
    ]


def undoable(store: Store, events: Sequence[Event]) -> list[Event]:
    """The events not yet undone, by whomever, and not themselves an undoing."""
    undone = store.undone()
    return [
        event
        for event in events
        if event.id not in undone and event.undo_of is None and not _is_remark(event)
    ]


def _is_remark(event: Event) -> bool:
    """Whether an event only notes which versions others have seen, or what its project did."""
    seen = event.event == SYNCED and SAID_NAMES.isdisjoint(event.before)
    return seen or event.event == MOVED


def events_of(
    store: Store,
    *,
    memory: int | None,
    source: str | None,
    session: str | None,
    since: int | None,
    project: str | None,
) -> list[Event]:
    """The events someone wants undone: of one memory, one source, one session, or since a time.

    Of a source, a session or a time only those of memories that the project sees; None sees all.
    """
    criteria = [value for value in (memory, source, session, since) if value is not None]
    if len(criteria) != 1:
        raise BadInput(
            "say what to undo: a memory, a source, a session, or a time",
            "recairn undo 42, undo --source REF, undo --session ID, undo --since 1h",
        )
    if memory is not None:
        return last_change(store, memory)
    if source is not None:
        events = [
            _beginning(undoable(store, store.history(origin)))
            for origin in _from_source(store, source, project)
        ]
        return [event for event in events if event is not None]
    return _seen_in(project, undoable(store, store.events(since=since, session=session)), store)


def numbered_events(store: Store, numbers: Sequence[int], project: str | None) -> list[Event]:
    """The events of those numbers; NotFound or Refused unless all of them can be taken back."""
    events = store.events_numbered(numbers)
    missing = sorted({*numbers} - {event.id for event in events})
    if missing:
        raise NotFound(f"there is no event {missing[0]}", "recairn history ID lists them")
    left = {event.id for event in undoable(store, events) if event.event not in _FINAL}
    for event in events:
        if event.id not in left:
            raise Refused(
                f"nothing is left to take back of event {event.id} ({event.event})",
                f"recairn history {event.memory}",
            )
    return _seen_in(project, events, store)


def _beginning(events: Sequence[Event]) -> Event | None:
    """What made a memory: that it was created; where that was taken back, that it was restored."""
    created = [event for event in events if event.event == "created"]
    restored = [
        event for event in events if event.event == "restored" and "deleted_at" in event.before
    ]
    return next(iter((*created, *reversed(restored))), None)


def _seen_in(project: str | None, events: list[Event], store: Store) -> list[Event]:
    """The events of memories that are not another project's; Refused if all are."""
    if not project:
        return events
    memories = store.get_many(list({event.memory for event in events}))
    others = {
        number: elsewhere
        for number, memory in memories.items()
        if (elsewhere := other_project(memory, project))
    }
    here = [event for event in events if event.memory not in others or took_from(project, event)]
    if others and not here:
        elsewhere = min(others.values())
        raise Refused(
            f"nothing of it was changed in {project}, but in {elsewhere}",
            f"recairn --project {elsewhere} undo ..., or add --all-projects",
        )
    return here


def took_from(project: str, event: Event) -> bool:
    """Whether an event moved a memory out of a project, which may then have it back."""
    return bool(event.before.get("project") == project)


def _from_source(store: Store, source: str, project: str | None) -> list[int]:
    """What came from there into the project: a file of that name in another one is another file."""
    memories = store.get_many(store.from_source(source))
    if project is None:
        return sorted({*memories, *store.brought_by(source, None)})
    here = {memory.id for memory in memories.values() if memory.project in ("", project)}
    here.update(store.brought_by(source, project))
    elsewhere = sorted({memory.project for memory in memories.values()})
    if not here and elsewhere:
        raise Refused(
            f"nothing in {project or 'this project'} came from {source}",
            f"in {elsewhere[0]} something did: recairn undo --source {source}"
            f" --project {elsewhere[0]}",
        )
    return sorted(here)


def last_change(store: Store, memory: int) -> list[Event]:
    """The newest event of a memory that can be taken back."""
    left = [event for event in undoable(store, store.history(memory)) if event.event not in _FINAL]
    if not left:
        raise Refused(f"nothing left to undo for #{memory}", f"recairn history {memory}")
    return left[-1:]


def _take_back(store: Store, event: Event, act: Act) -> None:
    if event.event in (links.LINKED, links.UNLINKED):
        links.take_back(store, event, act)
        return
    name = "forgotten" if event.event == "created" else "restored"
    reason = f"undo of {event.event}"
    reverse = Event(0, event.memory, act.at, name, reason, {}, {}, act.session, event.id)
    current = known_memory(store, event.memory)
    if event.event in (SHARED, WITHHELD):
        take_back_sharing(store, event, reverse)
        return
    if event.event == "created":
        store.change(event.memory, {"deleted_at": current.deleted_at or act.at}, reverse)
        return
    changes = _reversal(event, current)
    if changes.get("project"):
        # The project it came from may be called otherwise by now.
        row = store.project_named(changes["project"])
        changes["project"] = changes["project"] if row is None else row.name
    _check_successor(store, event.memory, changes)
    # A rating moves counts, not what the memory says: neither does taking it back.
    stamp = {"updated_at": act.at} if "updated_at" in event.before else {}
    store.change(event.memory, {**changes, **stamp}, reverse)
    after = known_memory(store, event.memory)
    if "superseded_by" in changes:
        _relink(store, event, after.superseded_by, act)
    relink(store, after, act.at)


def _reversal(event: Event, memory: Memory) -> dict[str, Any]:
    """What to write so that the event never happened; what was changed again later stays.

    Counts and salience lose what the event added.
    """
    current = as_dict(memory)
    changes: dict[str, Any] = {}
    for name, before in event.before.items():
        after = event.after.get(name)
        if name not in current or name in _FOLLOWING or name in _STRENGTH:
            continue
        if current[name] == after:
            changes[name] = before
        elif name in _COUNTS:
            changes[name] = max(0.0, current[name] + before - after)
    return {**changes, **_strength_without(event, memory)}


def _strength_without(event: Event, memory: Memory) -> dict[str, float]:
    """Salience without what the event added, even when use and others have moved it since."""
    before = {name: event.before[name] for name in _STRENGTH if name in event.before}
    if all(getattr(memory, name) == event.after[name] for name in before):
        return before
    if "salience" not in before:
        return {}
    added = event.after["salience"] - decayed(replace(memory, **before), event.at)
    return {"salience": min(1.0, max(0.0, memory.salience - added))}


def _check_successor(store: Store, memory: int, changes: dict[str, Any]) -> None:
    successor = changes.get("superseded_by")
    if successor is None:
        return
    if store.get(successor) is None:
        changes.update(superseded_by=None, valid_until=None)
    elif memory in successors(store, successor):
        raise Refused(
            f"#{memory} would be superseded by #{successor}, which it replaced itself",
            f"undo the later change of #{successor} first",
        )


def _relink(store: Store, event: Event, successor: int | None, act: Act) -> None:
    """Edges follow the successor that holds again."""
    ended_by = event.after.get("superseded_by")
    if ended_by is not None:
        for relation in ("supersedes", "corrects"):
            link_state.withdraw(store, ended_by, event.memory, relation, act.at)
    if successor is not None:
        ends = successor, event.memory, "supersedes"
        new = Edge(*ends, 1.0, 1.0, "system", act.at, act.at, None)
        edge = link_state.state_of(store, *ends) or new
        link_state.put_state(store, replace(edge, valid_until=None), act.at)
