"""Links of another database taken in: of two states of one link, what was said last holds."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.memory import link_state, links
from recairn.memory.mentions import MENTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.model import Edge
    from recairn.sync.merge import Arrivals

    Told = tuple[str, Edge]
    Key = tuple[int, int, str]


def take_links(arrivals: Arrivals, told: Sequence[Told]) -> int:
    """Takes in links, each with the place it came from; how many are new here.

    What changes between memories that were here before is an event, which `undo` takes back.
    """
    store = arrivals.store
    latest: dict[Key, Told] = {}
    for place, edge in told:
        known = latest.get(_key(edge))
        if known is None or link_state.order(edge) > link_state.order(known[1]):
            latest[_key(edge)] = place, edge
    here = {_key(edge): edge for edge in store.edges_touching(sorted({key[0] for key in latest}))}
    changed = [
        (here.get(key), edge, place)
        for key, (place, edge) in latest.items()
        if _counts(arrivals, here.get(key), edge)
    ]
    store.put_edges([edge for _, edge, _ in changed], replace=True)
    for before, edge, place in changed:
        if arrivals.was_here(edge.source):
            links.note_arrival(store, before, edge, replace(arrivals.act, reason=f"from {place}"))
    replaced = [edge.target for edge in (each[1] for each in changed)]
    _follow_successors(arrivals, {*replaced, *arrivals.done.updated, *arrivals.done.joined})
    return sum(before is None for before, _, _ in changed)


def _key(edge: Edge) -> Key:
    return edge.source, edge.target, edge.relation


def _counts(arrivals: Arrivals, here: Edge | None, told: Edge) -> bool:
    if here is not None:
        return link_state.order(told) > link_state.order(here)
    # Mentions follow from the text; between memories that were here, it names nothing more now.
    known = arrivals.was_here(told.source) and arrivals.was_here(told.target)
    return not (told.created_by == MENTION and told.valid_until is None and known)


def _follow_successors(arrivals: Arrivals, memories: Iterable[int]) -> None:
    """Ends the links of successors that gave way to another one.

    Every database comes to the same states, so it asks no clock.
    """
    store = arrivals.store
    known = store.get_many(sorted(each for each in memories if arrivals.was_here(each)))
    ended = [
        replace(edge, valid_until=edge.said_at, changed_at=edge.said_at + 1)
        for edge in store.edges_touching(sorted(known))
        if edge.relation == links.REPLACING and edge.valid_until is None
        if edge.target in known and known[edge.target].superseded_by != edge.source
    ]
    store.put_edges(ended, replace=True)
