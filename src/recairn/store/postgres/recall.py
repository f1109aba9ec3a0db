"""What one search asks of the server: both arms and all that is known of the pool, in one message.

The answer has a head (size and figures of the scope, how common the terms are, how many were
looked at), and for each memory of the pool rows of its facts, vectors and places.
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
from recairn.store.postgres.spelling import listed
from recairn.store.postgres.vectors import VectorTable, near_sql, shortlist
from recairn.store.rows import SAMPLED, Candidates, FactRow
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

_FACTS = """
m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count, m.salience,
m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score, m.valid_until,
m.source_ref, m.words"""
# Where the columns of an answer's rows begin that are not facts.
_FACT_COUNT = len(FactRow._fields)
# What was checked against the repository before its last change says nothing any more.
_CHECKED = "s.checked_at >= (select m.updated_at from memories m where m.id = s.memory)"
_NO_WORDS = (
    "whole as (select '' as term, 0 as memories limit 0), best as (select 0 as memory limit 0),"
    " found as (select 0 as memory, 0.0::float8 as score limit 0)"
)
_NO_MEANING = "near as (select 0 as memory limit 0)"
# The arms, then four sorts of rows one after the other: figures, facts, codes and places. Joined
# they would be fewer, but how is chosen by sizes that the server can only guess.
_POOL = """
with {scope}, {words}, {meaning}, pool as materialized (
    select memory, max(score) as score, bool_or(near) as near from (
        select memory, score, false as near from found
        union all select memory, null, true from near
    ) both_arms group by memory
), asked as materialized (select array_agg(memory) as memories from pool)
select null::bigint, null::text, null::text, null::text, null::text, null::bigint, null::bigint,
    null::bigint, null::float8, null::bigint, null::float8, null::float8, null::float8,
    null::float8, null::float8, null::bigint, null::text, null::bigint, null::float8,
    null::float8, null::boolean, null::bytea, concat_ws(' ', f.memories,
    coalesce((select avg(n.words)::float8 from (select m.words from memories m {newest}) n), 1.0),
    (select count(*) from best), (select count(*) from near),
    (select string_agg(term || ' ' || memories, ' ') from whole)) from figures f
union all select {facts}, 0.0, p.score, p.near, null, null from pool p
    cross join lateral (select * from memories m where m.id = p.memory and {where} offset 0) m
union all select s.memory, {nulls}, s.value, null, null, null, null from staleness s
    where s.memory = any((select memories from asked)::bigint[]) and {checked}
"""
# `+ 0` keeps a server that has not measured its tables yet from reading all vectors of a model.
_CODES = """
union all select c.memory, {nulls}, null, null, null, c.codes, null from (
    select v.memory, v.codes from vectors v
    where v.model + 0 = {model} and v.memory = any((select memories from asked)::bigint[])
    order by v.memory, v.piece
) c
"""
_PLACES = """
union all select h.memory, {nulls}, null, null, null, null,
    string_agg(p.term || ' ' || encode(p.places, 'hex'), ' ')
    from ({held}) h join pool q on q.memory = h.memory cross join lateral (
        select p.term, p.places from postings p
        where p.reach = h.reach and p.term = h.term and p.memory = h.memory offset 0
    ) p group by h.memory
"""
_NULLS = ", ".join(["null"] * (_FACT_COUNT - 2))
_SHOWN = shown_sql("= any(?::bigint[])")
_HELD = "select memory, term, reach from held"
_LONGER = " union select memory, term, reach from longer"


class _Head:
    """The figures of an answer: of the scope, of how much was looked at, of the terms."""

    __slots__ = ("best", "frequencies", "memories", "near", "words")

    def __init__(self, spelled: str) -> None:
        memories, words, best, near, *parts = spelled.split(" ")
        self.memories, self.best, self.near = int(float(memories)), int(best), int(near)
        self.words = float(words)
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
        head = _Head(next(row[-1] for row in rows if row[0] is None))
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
        words, meaning, sorts = _NO_WORDS, _NO_MEANING, _POOL
        if question is not None:
            words, bound = words_sql(question, filter, limit, before=before)
            values += bound
        if vector is not None:
            near, bound = near_sql(vector.model, vector.codes, filter, limit, before=before)
            meaning = f"near as materialized ({near})"
            values += bound
            sorts += _CODES
        if question is not None:
            sorts += _PLACES
        newest, project = "order by m.id desc", []
        if filter.project is not None:
            newest, project = "where m.project = ? order by m.created_at desc", [filter.project]
        sql = sorts.format(
            newest=f"{newest} limit {SAMPLED}",
            scope=scope,
            words=words,
            meaning=meaning,
            facts=_FACTS,
            where=where,
            nulls=_NULLS,
            checked=_CHECKED,
            model=0 if vector is None else int(vector.model),
            held=_HELD + (_LONGER if question is not None and question.begun else ""),
        )
        return self._c.rows(sql, (*values, *project, *passing), kept=True)

    def _look_inside(self, found: _Found, plan: Plan | None, filter: Filter, limit: int) -> None:
        """Adds memories that hold the words of a short question inside others."""
        assert plan is not None
        inside = dict(self.inside_words(plan.words + plan.parts, filter, limit))
        found.by_words = inside
        unknown = [memory for memory in inside if memory not in found.facts]
        if unknown:
            rows = self._c.rows(
                f"select {_FACTS}, coalesce((select s.value from staleness s where s.memory = m.id"
                f" and s.checked_at >= m.updated_at), 0.0) from memories m"
                f" where m.id in ({marks(unknown)})",
                unknown,
            )
            found.facts.update({row[0]: FactRow._make(row) for row in rows})
            if found.vector is not None:
                found.codes.update(self.codes(found.vector.model, unknown))

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there."""
        if not ids:
            return {}
        rows = self._c.rows(_SHOWN, (listed(ids),), kept=True)
        return shown_from_rows(rows, self.damaged)

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
    arms = [row[_FACT_COUNT : _FACT_COUNT + 2] for row in rows if row[1] is not None]
    by_words = sum(score is not None for score, _ in arms)
    near = sum(bool(is_near) for _, is_near in arms)
    cut = head.best >= looked_at(limit) and by_words < limit
    return cut or (head.near >= shortlist(limit, head.memories) and near < limit)


class _Sorts:
    """The rows of an answer by their sort, each by memory."""

    __slots__ = ("codes", "facts", "near", "places", "stale", "words")

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.facts: dict[int, tuple[Any, ...]] = {}
        self.codes: dict[int, list[bytes]] = {}
        self.places: dict[int, str] = {}
        self.stale: dict[int, float] = {}
        self.words: dict[int, float] = {}
        self.near: list[int] = []
        for row in rows:
            memory = row[0]
            if row[1] is not None:
                self.facts[memory] = row
                score, is_near = row[_FACT_COUNT : _FACT_COUNT + 2]
                if score is not None:
                    self.words[memory] = score
                if is_near:
                    self.near.append(memory)
            elif row[-2] is not None:
                self.codes.setdefault(memory, []).append(row[-2])
            elif row[-1] is not None:  # of the head, which is no memory's, too
                self.places[memory] = row[-1]
            else:
                self.stale[memory] = row[_FACT_COUNT - 1]


class _Found:
    """What of the pool is kept: what words found, and the nearest by meaning."""

    __slots__ = ("by_meaning", "by_words", "codes", "facts", "places", "vector")

    def __init__(
        self,
        rows: Sequence[tuple[Any, ...]],
        question: Question | None,
        vector: QueryVector | None,
        limit: int,
    ) -> None:
        self.vector = vector
        sorts = _Sorts(rows)
        by_score = sorted(sorts.words.items(), key=lambda pair: (-pair[1], pair[0]))
        self.by_words = dict(by_score)
        self.by_meaning: dict[int, float] = {}
        if vector is not None:
            near = {memory: sorts.codes.get(memory, []) for memory in sorts.near}
            scored = cosines(vector.codes, near)
            nearest = sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))
            self.by_meaning = dict(nearest[:limit])
        # Of the others nothing is needed any more.
        kept = sorted(self.by_words.keys() | self.by_meaning.keys())
        self.facts = {memory: FactRow._make(sorts.facts[memory][:_FACT_COUNT]) for memory in kept}
        for memory in sorts.stale.keys() & self.facts.keys():
            self.facts[memory] = self.facts[memory]._replace(stale=sorts.stale[memory])
        self.codes = {memory: sorts.codes[memory] for memory in kept if memory in sorts.codes}
        self.places: dict[int, Mapping[str, Mapping[int, Sequence[int]]]] = {}
        if question is not None:
            places = {memory: sorts.places[memory] for memory in kept if memory in sorts.places}
            self.places = {memory: places_of(question, text) for memory, text in places.items()}
