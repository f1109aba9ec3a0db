"""What one search asks of the store: candidates by both arms, and all that is known of them."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.model import FOUND, left_sql, lifted_sql
from recairn.store.rows import Candidates, FactRow
from recairn.store.sqlite.match import TextMatching
from recairn.store.sqlite.vectors import VectorTable
from recairn.store.statements.base import insertion
from recairn.store.statements.memory_table import narrows, readers, shown_from_rows, shown_sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import QueryVector, Shown
    from recairn.store.sqlite.text_index import Held
    from recairn.store.sqlite.vectors import Pieces

# What was checked against the repository before its last change says nothing any more.
_FACTS = """
select m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count,
    m.salience, m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score,
    m.valid_until, m.source_ref, m.words, coalesce(
        (select value from staleness where memory = m.id and checked_at >= m.updated_at), 0.0
    )
from carray(?) asked cross join memories m on m.id = asked.value
"""
_ACCESS = "insert into access_log(memory, at, source, session_id) values (?, ?, ?, ?)"

# A filter that lets no more through comes first, and both arms look at those alone. Listing them
# reads an index that holds what filters ask for; asking the rows of a hundredth costs as much.
_FEW = 20_000


class RecallRows(TextMatching, VectorTable):
    """The part of the store that answers searches."""

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called
        damaged: set[int]

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        scope = self.text_scope(filter)
        few = self.few_passing(filter) if narrows(filter) else None
        by_meaning: dict[int, float] = {}
        pieces: Pieces = ()
        if vector is not None:
            near, pieces = self.match_pieces(vector.model, vector.codes, filter, limit, few)
            by_meaning = dict(near)
        by_words: dict[int, float] = {}
        held: Held | None = None
        if plan is not None:
            matched, held = self.match_in(scope, plan, limit, few, by_meaning)
            by_words = dict(matched)
        facts = {row[0]: row for row in self.facts([*{*by_words, *by_meaning}])}
        ids = list(facts)
        codes = self.codes(vector.model, ids, pieces) if vector is not None else {}
        matches = held.matches(ids) if held is not None and ids else None
        passing = None if few is None else len(few)
        return Candidates._make((by_words, by_meaning, facts, codes, matches, scope.size, passing))

    def few_passing(self, filter: Filter) -> set[int] | None:
        """All that the filter lets through; None where they are not few."""
        passing = set[int]()
        for where, values in readers(filter):
            rows = self._c.rows(
                f"select m.id from memories m where {where} limit ?",
                (*values, _FEW + 1 - len(passing)),
            )
            passing.update([row[0] for row in rows])
            if len(passing) > _FEW:
                return None
        return passing

    def facts(self, ids: Sequence[int]) -> list[FactRow]:
        """What ranking computes with, of each memory, ordered by id."""
        if not ids:
            return []
        rows = self._c.rows(_FACTS, (apsw.carray(array("q", sorted(ids))),))
        return list(map(FactRow._make, rows))

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there."""
        if not ids:
            return {}
        among = f"in ({', '.join('?' * len(ids))})"
        return shown_from_rows(self._c.rows(shown_sql(among), list(ids)), self.damaged)

    def log_search(self, entry: Mapping[str, Any], used: Sequence[int]) -> None:
        """Logs a search and each access; a use counts, and lifts the memory's salience a little."""
        self._c.run(*insertion("query_log", entry))
        if not used:
            return
        at, session = entry["at"], entry.get("session_id")
        self._c.run_many(
            "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
            f" salience = {lifted_sql(left_sql(at), FOUND)}, decayed_at = ? where id = ?",
            [(at, at, memory) for memory in used],
        )
        self._c.run_many(_ACCESS, [(memory, at, entry["tool"], session) for memory in used])
        if session is not None:
            self._link_sessions([(session, memory, "recalled", at) for memory in used])
