"""What one search asks of the server: both arms and all that is known of the pool, in one message.

The answer has a head (size and figures of the scope, how common the terms are, how many were
looked at), and for each memory of the pool rows of its facts, vectors and places.
"""

from __future__ import annotations

from recairn.core.model import FOUND, left_sql, lifted_sql
from recairn.ranking.codes import cosines
from recairn.store.postgres.match import (
    SEEN,
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
from recairn.store.statements.base import insertion, marks
from recairn.store.statements.memory_table import conditions, narrows, shown_from_rows, shown_sql

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
# The arms, then a row of facts for each memory of the pool that passes. All else is a list, in one
# row and column: what each row costs on its way is more than what stands in it. Nothing is joined,
# since how is chosen by sizes that the server can only guess.
_POOL = """
with {scope}, {words}, {meaning}, pool as materialized (
    select memory from found union select memory from near
), asked as materialized (select array_agg(memory) as memories from pool)
select {facts}, 0.0::float8, null::text from memories m
    where m.id = any((select memories from asked)::bigint[]) and {where}
union all select s.memory, {nulls}, s.value, null from staleness s
    where s.memory = any((select memories from asked)::bigint[]) and {checked}
union all select null, {nulls}, null, concat_ws(' ', 'figures', f.memories,
    coalesce((select avg(n.words)::float8 from (select m.words from memories m {newest}) n), 1.0),
    (select count(*) from best), (select count(*) from near),
    (select string_agg(term || ' ' || memories, ' ') from whole)) from figures f
union all select null, {nulls}, null,
    concat_ws(' ', 'found', string_agg(memory || ' ' || score, ' ')) from found
union all select null, {nulls}, null,
    concat_ws(' ', 'near', string_agg(memory::text, ' ')) from near
"""
# `+ 0` keeps a server that has not measured its tables yet from reading all vectors of a model.
_CODES = """
union all select null, {nulls}, null, concat_ws(' ', 'codes',
    encode(string_agg(c.codes, ''::bytea), 'hex'), string_agg(c.memory::text, ' ')) from (
        select v.memory, v.codes from vectors v where v.model + 0 = {model}
        and octet_length(v.codes) = {dim} and v.memory = any((select memories from asked)::bigint[])
        order by v.memory, v.piece
    ) c
"""
_PLACES = """
union all select null, {nulls}, null, concat_ws(' ', 'places',
    string_agg(t.memory || ' ' || t.term || ' ' || encode(t.places, 'hex'), ' ')) from ({placed}) t
"""
_PLACED = """
select p.memory, w.term, p.places from (select term from whole {longer}) w cross join lateral (
    select p.memory, p.places from postings p where {seen} and p.term = w.term
    and p.memory = any((select memories from asked)::bigint[]) offset 0
) p"""
_LONGER = "union select term from longer"
# Servers before 17 look each number of a list up, from the root of the index on, where newer ones
# read on: there the index says first who holds a term.
_READS_ON = 170_000
_PLACED_BEFORE = """
select h.memory, h.term, p.places from (
    select p.memory, w.term, p.reach from (select term from whole {longer}) w cross join lateral (
        select p.memory, p.reach from postings p where {seen} and p.term = w.term offset 0
    ) p join pool q on q.memory = p.memory
) h cross join lateral (
    select p.places from postings p
    where p.reach = h.reach and p.term = h.term and p.memory = h.memory offset 0
) p"""
_NULLS = ", ".join(["null"] * (_FACT_COUNT - 2))
_SHOWN = shown_sql("= any(?::bigint[])")


class _Answer:
    """The rows of an answer: facts by memory, and the lists by what they are of."""

    __slots__ = ("best", "facts", "found", "frequencies", "lists", "memories", "near", "words")

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.facts: dict[int, tuple[Any, ...]] = {}
        self.lists: dict[str, list[str]] = {}
        stale: dict[int, float] = {}
        for row in rows:
            if row[1] is not None:
                self.facts[row[0]] = row[:_FACT_COUNT]
            elif row[0] is not None:
                stale[row[0]] = row[_FACT_COUNT - 1]
            else:
                name, *listed = row[-1].split(" ")
                self.lists[name] = listed
        for memory in stale.keys() & self.facts.keys():
            self.facts[memory] = (*self.facts[memory][:-1], stale[memory])
        memories, words, best, near, *terms = self.lists["figures"]
        self.memories, self.best, self.near = int(float(memories)), int(best), int(near)
        self.words = float(words)
        pairs = zip(terms[::2], terms[1::2], strict=True)
        self.frequencies = {term: int(count) for term, count in pairs}
        found = self.lists["found"]
        scores = zip(map(int, found[::2]), map(float, found[1::2]), strict=True)
        self.found = {memory: score for memory, score in scores if memory in self.facts}

    def nearest(self, codes: Mapping[int, list[bytes]]) -> dict[int, list[bytes]]:
        """The codes of those that their sketches say are near, and pass."""
        near = map(int, self.lists["near"])
        return {memory: codes.get(memory, []) for memory in near if memory in self.facts}

    def codes(self) -> dict[int, list[bytes]]:
        """The codes of each memory's pieces."""
        spelled, *memories = self.lists.get("codes") or [""]
        joined = bytes.fromhex(spelled)
        dim = len(joined) // max(len(memories), 1)
        codes: dict[int, list[bytes]] = {}
        for at, memory in enumerate(map(int, memories)):
            codes.setdefault(memory, []).append(joined[at * dim : at * dim + dim])
        return codes

    def placed(self, kept: Mapping[int, object]) -> dict[int, dict[str, str]]:
        """Where the terms stand in those kept, packed."""
        listed = self.lists["places"]
        placed: dict[int, dict[str, str]] = {memory: {} for memory in sorted(kept)}
        for spelled, term, stored in zip(listed[::3], listed[1::3], listed[2::3], strict=True):
            memory = int(spelled)
            if memory in placed:
                placed[memory][term] = stored
        return {memory: terms for memory, terms in placed.items() if terms}

    def too_few(self, limit: int) -> bool:
        """Whether the filter took so many of the best that others would fill the pool."""
        near = sum(memory in self.facts for memory in {*map(int, self.lists["near"])})
        cut = self.best >= looked_at(limit) and len(self.found) < limit
        return cut or (self.near >= shortlist(limit, self.memories) and near < limit)


class RecallRows(TextMatching, VectorTable):
    """The part of the store that answers searches."""

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        question = None if plan is None else Question(plan)
        # A sign alone is in no index, and may stand in a text all the same.
        if question is not None and not (question.times or question.words_of):
            question = None
        if vector is not None and not any(vector.codes):
            vector = None
        before = narrows(filter)
        answer = self._pool(question, vector, filter, limit, before=before)
        head = answer
        if not before and answer.too_few(limit):
            answer = self._pool(question, vector, filter, limit, before=True)
        if question is not None:
            question = question.settled(head.frequencies)
        pool = _Found(answer, question, vector, limit)
        if question is not None and not pool.by_words:
            self._look_inside(pool, plan, filter, limit)
        matches = None
        if question is not None and pool.facts:
            usual = head.words or 1.0
            matches = matches_of(question, pool.places, head.frequencies, head.memories, usual)
        arms = (pool.by_words, pool.by_meaning, pool.facts, pool.codes)
        return Candidates(*arms, matches, head.memories)

    def _pool(
        self,
        question: Question | None,
        vector: QueryVector | None,
        filter: Filter,
        limit: int,
        *,
        before: bool,
    ) -> _Answer:
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
            dim=0 if vector is None else len(vector.codes),
            placed=self._placed(question),
        )
        return _Answer(self._c.rows(sql, (*values, *passing, *project), kept=True))

    def _placed(self, question: Question | None) -> str:
        """The statement for where the terms stand in the memories of the pool."""
        placed = _PLACED if self._c.server_version() >= _READS_ON else _PLACED_BEFORE
        begun = question is not None and question.begun
        return placed.format(seen=SEEN, longer=_LONGER if begun else "")

    def _look_inside(self, pool: _Found, plan: Plan | None, filter: Filter, limit: int) -> None:
        """Adds memories that hold the words of a short question inside others."""
        assert plan is not None
        inside = dict(self.inside_words(plan.words + plan.parts, filter, limit))
        pool.by_words = inside
        unknown = [memory for memory in inside if memory not in pool.facts]
        if unknown:
            rows = self._c.rows(
                f"select {_FACTS}, coalesce((select s.value from staleness s where s.memory = m.id"
                f" and s.checked_at >= m.updated_at), 0.0) from memories m"
                f" where m.id in ({marks(unknown)})",
                unknown,
            )
            pool.facts.update({row[0]: FactRow._make(row) for row in rows})
            if pool.vector is not None:
                pool.codes.update(self.codes(pool.vector.model, unknown))

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there."""
        if not ids:
            return {}
        rows = self._c.rows(_SHOWN, (listed(ids),), kept=True)
        return shown_from_rows(rows, self.damaged)

    def log_search(self, entry: Mapping[str, Any], used: Sequence[int]) -> None:
        """Logs a search and each access; a use counts, and lifts the memory's salience a little."""
        at, session = entry["at"], entry.get("session_id")
        with self._c.transaction():
            self._c.run(*insertion("query_log", entry))
            if not used:
                return
            self._c.run_many(
                "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
                f" salience = {lifted_sql(left_sql(at), FOUND)}, decayed_at = ? where id = ?",
                [(at, at, memory) for memory in used],
            )
            self._c.insert_rows(
                "insert into access_log(memory, at, source, session_id) values ?",
                [(memory, at, entry["tool"], session) for memory in used],
            )
            if session is not None:
                self._link_sessions([(session, memory, "recalled", at) for memory in used])


class _Found:
    """What of the pool is kept: what words found, and the nearest by meaning."""

    __slots__ = ("by_meaning", "by_words", "codes", "facts", "places", "vector")

    def __init__(
        self,
        answer: _Answer,
        question: Question | None,
        vector: QueryVector | None,
        limit: int,
    ) -> None:
        self.vector = vector
        by_score = sorted(answer.found.items(), key=lambda pair: (-pair[1], pair[0]))
        self.by_words = dict(by_score)
        self.by_meaning: dict[int, float] = {}
        codes: dict[int, list[bytes]] = {}
        if vector is not None:
            codes = answer.codes()
            scored = cosines(vector.codes, answer.nearest(codes))
            nearest = sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))
            self.by_meaning = dict(nearest[:limit])
        # Of the others nothing is needed any more.
        kept = sorted(self.by_words.keys() | self.by_meaning.keys())
        self.facts = {memory: FactRow._make(answer.facts[memory]) for memory in kept}
        self.codes = {memory: codes[memory] for memory in kept if memory in codes}
        self.places: dict[int, Mapping[str, Mapping[int, Sequence[int]]]] = {}
        if question is not None:
            placed = answer.placed(self.facts)
            self.places = {memory: places_of(question, terms) for memory, terms in placed.items()}
