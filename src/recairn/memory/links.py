"""Linking memories and taking links back. Every link is an event, so `undo` knows it."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.model import Edge, Event
from recairn.core.record import replace
from recairn.memory import lifecycle, link_state
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Act
    from recairn.store.contract.base import Store

LINKED, UNLINKED = "linked", "unlinked"
# Between the two, validity depends on the edge: whoever links so also replaces.
REPLACING = "supersedes"


def link(store: Store, edge: Edge, act: Act) -> Edge:
    """Stores an edge; one that is there already gets the new weight and confidence.

    `supersedes` also ends the validity of its target, and may not lead in a circle.
    """
    if edge.source == edge.target:
        raise BadInput(f"#{edge.source} cannot be linked to itself")
    with store.transaction():
        for memory in (edge.source, edge.target):
            if known_memory(store, memory).deleted_at is not None:
                raise Refused(f"#{memory} was forgotten", f"recairn restore {memory}")
        if edge.relation == REPLACING:
            return _replace(store, edge, act)
        before = link_state.state_of(store, edge.source, edge.target, edge.relation)
        if before is not None and _details(before) == _details(_since(edge, before)):
            return before
        edge = link_state.begin(store, edge, act.at)
        store.note(_event(LINKED, edge.source, act, _details(before), _details(edge)))
        return edge


def unlink(
    store: Store, source: int, target: int, relation: str | None, act: Act
) -> tuple[Edge, ...]:
    """Ends the edge of that relation, or all edges, from one memory to the other."""
    with store.transaction():
        edges = [
            edge
            for edge in store.edges_between(source, target)
            if relation is None or edge.relation == relation
        ]
        if not edges:
            raise _no_such_edge(store, source, target, relation)
        for edge in edges:
            _end(store, edge, act)
        return tuple(edges)


def take_back(store: Store, event: Event, act: Act) -> None:
    """Undoes a `linked` or `unlinked` event."""
    before, after = _edge(event.memory, event.before), _edge(event.memory, event.after)
    edge = after or before
    assert edge is not None
    if store.get(edge.target) is None:
        raise Refused(f"#{edge.target} is gone for good", "its links went with it")
    if before is None:
        link_state.withdraw(store, edge.source, edge.target, edge.relation, act.at)
    else:
        link_state.put_state(store, before, act.at)
    name = UNLINKED if event.event == LINKED else LINKED
    reverse = _event(name, edge.source, act, event.after, event.before)
    store.note(replace(reverse, reason=f"undo of {event.event}", undo_of=event.id))


def note_arrival(store: Store, before: Edge | None, after: Edge, act: Act) -> bool:
    """Notes a link that another database changed; one that replaces is told by its target.

    Whether there was anything to note.
    """
    if after.relation == REPLACING:
        return False
    if after.valid_until is None:
        store.note(_event(LINKED, after.source, act, _details(before), _details(after)))
    elif before is not None and before.valid_until is None:
        store.note(_event(UNLINKED, after.source, act, _details(before), {}))
    else:
        return False
    return True


def _replace(store: Store, edge: Edge, act: Act) -> Edge:
    """`supersede` in the words of the graph."""
    if known_memory(store, edge.target).superseded_by != edge.source:
        lifecycle.supersede(store, edge.target, edge.source, act)
        return link_state.begin(store, edge, act.at)
    before = link_state.state_of(store, edge.source, edge.target, REPLACING)
    edge = link_state.begin(store, edge, act.at)
    if before is not None and _details(before) != _details(edge):
        store.note(_event(LINKED, edge.source, act, _details(before), _details(edge)))
    return edge


def _since(edge: Edge, before: Edge) -> Edge:
    """The edge with the times of the one that is there."""
    return replace(edge, created_at=before.created_at, valid_from=before.valid_from)


def _end(store: Store, edge: Edge, act: Act) -> None:
    link_state.end(store, edge, act.at)
    old = known_memory(store, edge.target)
    if edge.relation == REPLACING and old.superseded_by == edge.source:
        reason = f"no longer superseded by #{edge.source}"
        changes = {"superseded_by": None, "valid_until": None, "updated_at": act.at}
        store.change(old.id, changes, lifecycle.event_of("restored", old.id, act, reason))
    else:
        store.note(_event(UNLINKED, edge.source, act, _details(edge), {}))


def _details(edge: Edge | None) -> dict[str, Any]:
    """An edge as the history of its source keeps it."""
    if edge is None:
        return {}
    shown = ("relation", "target", "weight", "confidence", "created_by")
    times = ("created_at", "valid_from", "valid_until")
    return {"edge": {name: getattr(edge, name) for name in (*shown, *times)}}


def _edge(source: int, details: Mapping[str, Any]) -> Edge | None:
    return Edge(source=source, **details["edge"]) if details else None


def _event(
    name: str, memory: int, act: Act, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Event:
    return Event(0, memory, act.at, name, act.reason, before, after, act.session, None)


def _no_such_edge(store: Store, source: int, target: int, relation: str | None) -> NotFound:
    kind = f" by {relation}" if relation else ""
    there = ", ".join(edge.relation for edge in store.edges_between(source, target))
    back = ", ".join(edge.relation for edge in store.edges_between(target, source))
    hint = f"recairn graph related {source} shows its links"
    if there:
        hint = f"it is linked by {there}"
    elif back:
        hint = f"#{target} is linked to #{source} by {back}: recairn unlink {target} {source}"
    return NotFound(f"#{source} is not linked to #{target}{kind}", hint)
