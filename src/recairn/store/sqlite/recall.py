"""What one search asks of the store: candidates by both arms, and all that is known of them."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.salience import FOUND, left_sql, lifted_sql
from recairn.store.rows import Candidates, FactRow, Shown
from recairn.store.sqlite.match import TextMatching
from recairn.store.sqlite.vectors import VectorTable
from recairn.store.statements.memory_columns import COLUMNS, SELECT, memory_from_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import QueryVector
    from recairn.store.sqlite.vectors import Pieces

# What was checked against the repository before its last change says nothing any more.
_FACTS = """
select m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count,
    m.salience, m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score,
    m.valid_until, m.source_ref, m.words, coalesce(t.value, 0.0)
from carray(?) asked cross join memories m on m.id = asked.value
left join staleness t on t.memory = m.id and t.checked_at >= m.updated_at
"""
_SHOWN = f"""
select {SELECT}, s.id, s.started_at, s.summary, s.project, n.id, n.content, n.created_at,
    (select count(*) from edges e where e.source = m.id and e.valid_until is null)
        + (select count(*) from edges e where e.target = m.id and e.valid_until is null)
from memories m
left join sessions s on s.id = m.session_id
left join memories n on n.id = m.superseded_by
where m.id in ({{marks}})
"""
_SESSION = ("id", "started_at", "summary", "project")
_SUCCESSOR = ("id", "content", "created_at")
_ACCESS = "insert into access_log(memory, at, source, session_id) values (?, ?, ?, ?)"


class RecallRows(TextMatching, VectorTable):
    """The part of the store that answers searches."""

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        scope = self.text_scope(filter)
        by_words: dict[int, float] = {}
        if plan is not None:
            plan = self.settled(plan, filter, scope)
            by_words = dict(self.match_in(scope, plan, limit))
        by_meaning: dict[int, float] = {}
        pieces: Pieces = ()
        if vector is not None:
            near, pieces = self.match_pieces(vector.model, vector.codes, filter, limit)
            by_meaning = dict(near)
        facts = {row[0]: row for row in self.facts([*{*by_words, *by_meaning}])}
        ids = list(facts)
        codes = self.codes(vector.model, ids, pieces) if vector is not None else {}
        matches = self.places(plan, scope, ids) if plan is not None and ids else None
        return Candidates._make((by_words, by_meaning, facts, codes, matches, scope.size))

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
        rows = self._c.rows(_SHOWN.format(marks=", ".join("?" * len(ids))), list(ids))
        beside = len(COLUMNS)
        shown = {}
        for row in rows:
            session, successor, related = row[beside:-4], row[-4:-1], row[-1]
            shown[row[0]] = Shown._make(
                (
                    memory_from_row(row[:beside]),
                    None if session[0] is None else dict(zip(_SESSION, session, strict=True)),
                    None if successor[0] is None else dict(zip(_SUCCESSOR, successor, strict=True)),
                    related,
                )
            )
        return shown

    def record_use(self, ids: Sequence[int], *, at: int, source: str, session: str | None) -> None:
        """Counts a use of each memory, lifts its salience a little, and logs the access."""
        self._c.run_many(
            "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
            f" salience = {lifted_sql(left_sql(at), FOUND)}, decayed_at = ? where id = ?",
            [(at, at, memory) for memory in ids],
        )
        self._c.run_many(_ACCESS, [(memory, at, source, session) for memory in ids])
        if session is not None:
            self._link_sessions([(session, memory, "recalled", at) for memory in ids])

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything, for `stats`."""
        live = "deleted_at is null and (valid_until is null or valid_until > :now)"
        grouped = {
            by: dict(
                self._c.rows(
                    f"select {by}, count(*) from memories where {live} group by 1"
                    " order by 2 desc, 1",
                    {"now": now},
                )
            )
            for by in ("kind", "project", "sector", "tier", "source_type", "trust")
        }
        counted = {
            table: self._c.value(f"select count(*) from {table}")
            for table in ("memories", "edges", "sessions", "tasks", "documents", "history")
        }
        counted["edges"] = self._c.value("select count(*) from edges where valid_until is null")
        live_count = sum(grouped["kind"].values())
        deleted = self._c.value("select count(*) from memories where deleted_at is not null")
        pages = self._c.value(
            "select page_count * page_size from pragma_page_count, pragma_page_size"
        )
        return {
            "memories": live_count,
            "forgotten": deleted,
            "superseded": counted["memories"] - live_count - deleted,
            "by": grouped,
            "edges": counted["edges"],
            "sessions": counted["sessions"],
            "tasks": counted["tasks"],
            "documents": counted["documents"],
            "events": counted["history"],
            "queries": self._c.value("select count(*) from query_log"),
            "bytes": pages,
        }
