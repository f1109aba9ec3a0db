"""What a store promises to search: two round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import Candidates, QueryVector, Shown


class Recall(Protocol):
    """Candidates for ranking, and what is shown of the chosen."""

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """All that ranking needs to know of the memories that may answer: one round trip.

        At most `limit` by words, where there is a plan, and as many by meaning, where there is a
        vector; every filter is applied before the cut.
        """

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there: the second round trip."""
