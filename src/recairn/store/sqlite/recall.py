"""What one search asks of the store: candidates by both arms, and all that is known of them."""

from __future__ import annotations

from recairn.store.rows import Candidates
from recairn.store.sqlite.facts import FactRows
from recairn.store.sqlite.match import TextMatching
from recairn.store.sqlite.vectors import VectorTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import QueryVector


class RecallRows(TextMatching, VectorTable, FactRows):
    """The part of the store that answers searches."""

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        by_words = {} if plan is None else dict(self.match_text(plan, filter, limit))
        by_meaning: dict[int, float] = {}
        if vector is not None:
            by_meaning = dict(self.match_vector(vector.model, vector.codes, filter, limit))
        facts = {row[0]: row for row in self.facts([*{*by_words, *by_meaning}])}
        ids = list(facts)
        return Candidates(
            by_words,
            by_meaning,
            facts,
            self.codes(vector.model, ids) if vector is not None else {},
            self.places(plan, filter, ids) if plan is not None and ids else None,
            self.scope_size(filter) if vector is not None else 0,
        )
