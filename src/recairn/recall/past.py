"""Hits of a search in the past: what was believed then, in the words of that time."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.memory.lifecycle import as_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Hit
    from recairn.store.contract.base import Store


def as_believed(hits: Sequence[Hit], at: int, store: Store) -> tuple[Hit, ...]:
    """The hits with the words of that time."""
    past = [(hit, as_of(hit.memory, store.history(hit.id), at)) for hit in hits]
    return tuple(
        replace(
            hit,
            memory=memory,
            # What took its place later had not done so then.
            superseded_by=None if memory.superseded_by is None else hit.superseded_by,
        )
        for hit, memory in past
        if memory is not None
    )
