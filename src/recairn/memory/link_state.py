"""What is said of one link over time: it begins, ends, changes weight, and may begin again.

Its row holds what was said last and stays when the link ends, so that other databases learn of the
end, too. Of two databases' states the one said later holds, in both of them. Whoever speaks of a
link knows what was said before, and is later than it, whatever the clocks say.
"""

from __future__ import annotations

from recairn.core.record import as_tuple, replace
from recairn.memory.mentions import MENTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Edge
    from recairn.store.contract.base import Store


def state_of(store: Store, source: int, target: int, relation: str) -> Edge | None:
    """The last state of a link, ended or not; None for one that never was."""
    edges = store.edges_between(source, target, ended=True)
    return next((edge for edge in edges if edge.relation == relation), None)


def put_state(store: Store, edge: Edge, at: int) -> Edge:
    """Writes what is said of a link now; as it was written."""
    before = state_of(store, edge.source, edge.target, edge.relation)
    said_at = at if before is None else max(at, before.said_at + 1)
    edge = replace(edge, changed_at=None)
    if edge.said_at != said_at:
        edge = replace(edge, changed_at=said_at)
    store.put_edges([edge], replace=True)
    # A link travels with the memory it begins at, to which nothing else may have happened.
    store.queue_memories([edge.source])
    return edge


def begin(store: Store, edge: Edge, at: int) -> Edge:
    """Writes a link that holds from now on, or has held since it began."""
    before = state_of(store, edge.source, edge.target, edge.relation)
    if before is not None:
        valid_from = edge.valid_from if before.valid_until is not None else before.valid_from
        edge = replace(edge, created_at=before.created_at, valid_from=valid_from)
    return put_state(store, edge, at)


def end(store: Store, edge: Edge, at: int) -> None:
    """Ends a link that held until now."""
    put_state(store, replace(edge, valid_until=max(at, edge.valid_from)), at)


def withdraw(store: Store, source: int, target: int, relation: str, at: int) -> None:
    """Takes a link back as if it had never held: no time in the past sees it either."""
    current = state_of(store, source, target, relation)
    if current is not None:
        put_state(store, replace(current, valid_until=current.valid_from), at)


def follows_from_text(edge: Edge) -> bool:
    """Whether a link made itself, and nobody ever said anything about it."""
    return edge.created_by == MENTION and edge.said_at == edge.created_at


def order(edge: Edge) -> tuple[Any, ...]:
    """Sorts the states of one link: by when they were said, then by anything that decides.

    What nobody said comes first, whenever it made itself.
    """
    said = not follows_from_text(edge)
    return said, edge.said_at, edge.valid_until is not None, str(as_tuple(edge))
