"""What one search asks of the server: both arms and all that is known of the pool, in one message.

The statement has a head (size and figures of the scope, how common the terms are, how many were
looked at), and for each memory of the pool its facts, vectors and places.
"""

from __future__ import annotations

from recairn.core.salience import FOUND, left_sql, lifted_sql
from recairn.ranking.cosine import cosines
from recairn.store.postgres.match import (
    Question,
    TextMatching,
    looked_at,
    matches_of,
    places_of,
    scope_sql,
    words_sql,
)
from recairn.store.postgres.vectors import FEW, VectorTable, near_sql, shortlist
from recairn.store.rows import Candidates, FactRow
from recairn.store.statements.base import marks
from recairn.store.statements.filters import conditions, narrows
from recairn.store.statements.memory_columns import shown_from_rows, shown_sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import QueryVector, Shown

# What was checked against the repository before its last change says nothing any more.
_FACTS = """
m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count, m.salience,
m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score, m.valid_until,
m.source_ref, m.words, coalesce(t.value, 0.0)"""
_FACT_COUNT = len(FactRow._fields)
_NO_WORDS = (
    "best as (select 0 as memory limit 0), found as (select 0 as memory, 0.0 as score limit 0)"
)
_NO_MEANING = "near as (select 0 as memory limit 0), close as (select 0 as memory limit 0)"
_COUNTED = "(select string_agg(term || ' ' || memories, ' ') from whole)"
# Each of them reads one index once for all of the pool.
_CODED = """
, coded as (
    select v.memory, string_agg(v.codes, ''::bytea order by v.piece) as codes from vectors v
    where v.model = ? and v.memory = any(array(select memory from pool)) group by v.memory
)"""
_PLACED = """
, placed as (
    select h.memory, string_agg(p.term || ' ' || encode(p.places, 'hex'), ' ') as places
    from ({held}) h join pool q on q.memory = h.memory cross join lateral (
        select p.term, p.places from postings p
        where p.reach = h.reach and p.term = h.term and p.memory = h.memory offset 0
    ) p group by h.memory
)"""
_HELD = "select memory, term, reach from held"
_LONGER = " union select memory, term, reach from longer"


class _Head:
    """The first columns of every row of the answer."""

    __slots__ = ("best", "frequencies", "memories", "near", "words")

    def __init__(self, columns: Sequence[Any]) -> None:
        memories, words, counted, self.best, self.near = columns
        self.memories = int(memories)
        self.words = words / memories if memories else 1.0
        parts = counted.split(" ") if counted else []
        pairs = zip(parts[::2], parts[1::2], strict=True)
        self.frequencies = {term: int(count) for term, count in pairs}


class RecallRows(TextMatching, VectorTable):
    """The part of the store that answers searches."""

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        question = None if plan is None else Question(plan)
        if question is not None and not question.times:
            question = None
        if vector is not None and not any(vector.codes):
            vector = None
        before = narrows(filter)
        rows = self._pool(question, vector, filter, limit, before=before)
        head = _Head(rows[0][:5])
        if not before and _too_few(rows, head, limit):
            rows = self._pool(question, vector, filter, limit, before=True)
        if question is not None:
            question = question.settled(head.frequencies)
        found = _Found(rows, question, vector, limit)
        if question is not None and not found.by_words:
            self._look_inside(found, plan, filter, limit)
        matches = None
        if question is not None and found.facts:
            usual = head.words or 1.0
            matches = matches_of(question, found.places, head.frequencies, head.memories, usual)
        return Candidates._make(
            (found.by_words, found.by_meaning, found.facts, found.codes, matches, head.memories)
        )

    def _pool(
        self,
        question: Question | None,
        vector: QueryVector | None,
        filter: Filter,
        limit: int,
        *,
        before: bool,
    ) -> list[tuple[Any, ...]]:
        scope, values = scope_sql(filter)
        where, passing = conditions(filter)
        words, meaning = _NO_WORDS, _NO_MEANING
        counted, codes, places = "null", "null", "null"
        besides, joins = "", ""
        if question is not None:
            words, bound = words_sql(question, filter, limit, before=before)
            values += bound
            counted, places = _COUNTED, "w.places"
        if vector is not None:
            near, bound, _ = near_sql(vector.model, vector.codes, filter, limit, before=before)
            meaning = f"near as materialized ({near}), close as (select distinct memory from near)"
            values += [*bound, vector.model]
            codes, besides = "v.codes", _CODED
            joins = " left join coded v on v.memory = p.memory"
        if question is not None:
            besides += _PLACED.format(held=_HELD + (_LONGER if question.begun else ""))
            joins += " left join placed w on w.memory = p.memory"
        return self._c.rows(
            f"with {scope}, {words}, {meaning}, pool as materialized (select memory,"
            " max(score) as score, bool_or(near) as near from (select memory, score, false as near"
            " from found union all select memory, null, true from close) both_arms group by memory)"
            f"{besides} select f.memories, f.words, {counted}, (select count(*) from best),"
            f" (select count(*) from near), {_FACTS}, p.score, p.near, {codes}, {places}"
            " from figures f left join pool p on true left join lateral"
            f" (select * from memories m where m.id = p.memory and {where} offset 0) m on true"
            f"{joins} left join lateral (select * from staleness s where s.memory = m.id"
            " and s.checked_at >= m.updated_at offset 0) t on true",
            (*values, *passing),
        )

    def _look_inside(self, found: _Found, plan: Plan | None, filter: Filter, limit: int) -> None:
        """Adds memories that hold the words of a short question inside others."""
        assert plan is not None
        inside = dict(self.inside_words(plan.words + plan.parts, filter, limit))
        found.by_words = inside
        unknown = [memory for memory in inside if memory not in found.facts]
        if unknown:
            rows = self._c.rows(
                f"select {_FACTS} from memories m left join staleness t on t.memory = m.id"
                f" and t.checked_at >= m.updated_at where m.id in ({marks(unknown)})",
                unknown,
            )
            found.facts.update({row[0]: FactRow._make(row) for row in rows})
            if found.vector is not None:
                found.codes.update(self.codes(found.vector.model, unknown))

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there."""
        if not ids:
            return {}
        return shown_from_rows(self._c.rows(shown_sql(len(ids)), list(ids)), self.damaged)

    def record_use(self, ids: Sequence[int], *, at: int, source: str, session: str | None) -> None:
        """Counts a use of each memory, lifts its salience a little, and logs the access."""
        if not ids:
            return
        with self._c.transaction():
            self._c.run_many(
                "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
                f" salience = {lifted_sql(left_sql(at), FOUND)}, decayed_at = ? where id = ?",
                [(at, at, memory) for memory in ids],
            )
            self._c.insert_rows(
                "insert into access_log(memory, at, source, session_id) values ?",
                [(memory, at, source, session) for memory in ids],
            )
            if session is not None:
                self._link_sessions([(session, memory, "recalled", at) for memory in ids])


def _too_few(rows: Sequence[tuple[Any, ...]], head: _Head, limit: int) -> bool:
    """Whether the filter took so many of the best that others would fill the pool."""
    arms = [row[5 + _FACT_COUNT : 7 + _FACT_COUNT] for row in rows if row[5] is not None]
    by_words = sum(score is not None for score, _ in arms)
    near = sum(bool(is_near) for _, is_near in arms)
    cut = head.best >= looked_at(limit) and by_words < limit
    # So few pieces were all looked at.
    return cut or (head.near >= shortlist(limit) and near < limit and head.near != FEW)


class _Found:
    """The rows of the pool, sorted out."""

    __slots__ = ("by_meaning", "by_words", "codes", "facts", "places", "vector")

    def __init__(
        self,
        rows: Sequence[tuple[Any, ...]],
        question: Question | None,
        vector: QueryVector | None,
        limit: int,
    ) -> None:
        self.vector = vector
        dim = 0 if vector is None else len(vector.codes)
        found = {row[5]: row for row in rows if row[5] is not None}
        words: dict[int, float] = {}
        codes: dict[int, list[bytes]] = {}
        near = []
        for memory, row in found.items():
            score, is_near, stacked, _ = row[5 + _FACT_COUNT :]
            if score is not None:
                words[memory] = score
            if is_near:
                near.append(memory)
            if stacked and dim:
                codes[memory] = [stacked[at : at + dim] for at in range(0, len(stacked), dim)]
        self.by_words = dict(sorted(words.items(), key=lambda pair: (-pair[1], pair[0])))
        self.by_meaning: dict[int, float] = {}
        if vector is not None:
            scored = cosines(vector.codes, {memory: codes.get(memory, []) for memory in near})
            nearest = sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))
            self.by_meaning = dict(nearest[:limit])
        # Of the others nothing is needed any more.
        kept = sorted(self.by_words.keys() | self.by_meaning.keys())
        self.facts = {memory: FactRow._make(found[memory][5 : 5 + _FACT_COUNT]) for memory in kept}
        self.codes = {memory: codes[memory] for memory in kept if memory in codes}
        self.places: dict[int, Mapping[str, Mapping[int, Sequence[int]]]] = {}
        if question is not None:
            listed = {memory: found[memory][-1] for memory in kept if found[memory][-1]}
            self.places = {memory: places_of(question, text) for memory, text in listed.items()}
