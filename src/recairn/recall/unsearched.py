"""What a context holds that nobody searched for: what was injected before, what is newest, and the
last handoff."""

from __future__ import annotations

from recairn.core.model import Hit, Term
from recairn.core.record import replace
from recairn.host.project import root_of
from recairn.work.handoff import latest, since_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.recall.context import ContextRequest
    from recairn.store.contract.base import Store


def injected_before(request: ContextRequest, store: Store) -> tuple[Hit, ...]:
    """What was injected before, as hits in the same order; what is gone by now is left out."""
    again = request.again
    visible = store.passing(again, request.search.filter)
    memories = store.get_many([memory for memory in again if memory in visible])
    return tuple(
        Hit(memories[memory], {"again": Term(1.0 - place / len(again), 1.0)}, "again")
        for place, memory in enumerate(again)
        if memory in memories
    )


def newest_beside(request: ContextRequest, store: Store, hits: set[int]) -> list[Memory]:
    """The newest memories beside the hits; handoffs have a section of their own.

    Older ones do not take the place of what the reader has already.
    """
    filter = request.search.filter
    kinds = tuple(kind for kind in filter.kinds if kind != "handoff")
    wanted = request.recent + len(hits)
    newest = store.listing(
        replace(filter, kinds=kinds, since=request.new_since), order="newest", limit=wanted
    )
    beside = [memory for memory in newest if memory.id not in hits][: request.recent]
    return [memory for memory in beside if memory.id not in request.exclude]


def last_handoff(
    handoffs: Sequence[Memory], request: ContextRequest, store: Store
) -> tuple[Memory | None, tuple[str, ...]]:
    """Where the last session here stopped, unless the reader knows, and what became of it since."""
    last = latest(handoffs, store, root_of(request.folder) if request.folder else None)
    if last is None or last.id in request.exclude:
        return None, ()
    return last, since_then(last, store)
