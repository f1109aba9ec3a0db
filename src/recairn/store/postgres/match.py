"""Keyword recall: the terms of a question against the postings, ranked by BM25 in one statement.

The parts of that statement are here; `recall` puts them together with those of meaning.
"""

from __future__ import annotations

from recairn.core.kinds import visible_tokens
from recairn.core.record import replace
from recairn.ranking.lexical import Matches
from recairn.store.memory_rows import Text
from recairn.store.postgres.postings import unpacked
from recairn.store.postgres.spelling import listed
from recairn.store.rows import TEXT_WEIGHTS, Match, Named, TermAt
from recairn.store.sqlite.tokenizer import tokenizer
from recairn.store.statements.base import Statements, marks
from recairn.store.statements.edges import LIVE
from recairn.store.statements.memory_table import conditions, narrows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.postgres.connection import Connection

# The figures of SQLite's store, for the same reasons.
_SPARE = 1.5
_MANY_ROWS = 20_000
_RAREST = 12
_READ = 50_000
_FEW_PIECES = 4
_PIECE = 4
_FINISHED = 100
# BM25 as FTS5 has it: how soon repetition stops to count, and how much length does.
_K1, _B = 1.2, 0.75
_HOLDS = "(m.content ilike ? or m.title ilike ? or m.details ilike ?)"
# Greater than every term that begins like another.
_LAST = chr(0x10FFFF)

_SCOPE = "scope as materialized (select reach, memories, terms, words from scopes where {seen})"
_FIGURES = """
figures as materialized (
    select coalesce(sum(memories), 0)::float8 as memories, coalesce(sum(terms), 0)::float8 as terms,
        coalesce(sum(words), 0)::float8 as words from scope
)"""
# Postings are read once to count them and again to score them: the index alone answers both, in
# less than it takes to keep them in between.
_WHOLE = """
whole as materialized (
    select w.term, w.times, (select count(*) from postings p where {seen} and p.term = w.term)
        as memories from unnest(?::text[], ?::integer[]) w(term, times)
)"""
SEEN = "p.reach = any(array(select reach from scope))"
_BEGUN = """
, longer as materialized (
    select p.term, p.memory, p.frequency, p.terms, p.reach
    from postings p where {seen} and p.term >= ? and p.term < ?
    and coalesce((select memories from whole where term = ?), 0) < {finished}
), begun as materialized (
    select memory, sum(frequency) as frequency, max(terms) as terms from longer group by memory
), counted as materialized (
    select * from whole union all select '', 1, count(*) from begun having count(*) > 0
)"""
# What begins as the last word does stands beside the terms, under the empty one.
_AND_BEGUN = "union all select memory, frequency, terms from begun where r.term = ''"
# Where the words occur in too many rows, only the rarest stay. `offset 0` keeps the order in which
# tables are looked at, whatever the server thinks of sizes it has not measured yet: the few found
# first, then each of them by its number.
# Scores are rounded: the last digits of a sum depend on the order in which a plan adds them, and
# equals must stay equal.
_TELLING = """
, telling as (
    select term, times, memories from {counted} where memories > 0 order by memories, term
    limit (select case when sum(memories) > {many} then {rarest} else 1000000 end from {counted} c)
), rarity as materialized (
    select t.term, {most} * t.times * greatest(
        ln(greatest(f.memories - t.memories + 0.5, 1e-9) / (t.memories + 0.5)), 1e-6) as weight,
        {long} * f.memories / greatest(f.terms, 1) as length
    from telling t cross join figures f
), best as materialized (
    select h.memory, round((1e9 * sum(
        r.weight * h.frequency / (h.frequency + {least} + h.terms * r.length)))::float8) / 1e9
        as score
    from rarity r cross join lateral (
        select p.memory, p.frequency, p.terms from postings p where {seen} and p.term = r.term
        {begun} offset 0
    ) h {join}
    group by h.memory order by score desc, h.memory limit {best}
), found as (
    select b.memory, b.score from best b cross join lateral (
        select 1 from memories m where m.id = b.memory and {where} offset 0
    ) passing order by b.score desc, b.memory limit {limit}
)"""


class Question:
    """A plan in the terms of the index."""

    __slots__ = ("begun", "extra", "plan", "spelled", "terms", "times", "words_of")

    def __init__(self, plan: Plan) -> None:
        split = tokenizer()
        self.plan = plan
        asked = plan.words + plan.parts
        self.words_of = {word: [term for _, _, term in split(word)] for word in asked}
        self.terms = tuple([term for word in plan.words for term in self.words_of[word]])
        self.extra = tuple([term for word in plan.parts for term in self.words_of[word]])
        # A word asked twice counts twice.
        self.times: dict[str, int] = {}
        for term in self.terms + self.extra:
            self.times[term] = self.times.get(term, 0) + 1
        whole = [term for _, _, term in split(plan.prefix)] if plan.prefix in asked else []
        self.begun = whole[-1] if plan.prefix and whole else ""

    def settled(self, frequencies: Mapping[str, int]) -> Question:
        """Without a prefix that is a word which many memories hold."""
        if self.begun and frequencies.get(self.begun, 0) >= _FINISHED:
            return Question(replace(self.plan, prefix=""))
        return self


def scope_sql(filter: Filter) -> tuple[str, list[Any]]:
    """What the asker sees of the index, and its figures."""
    seen, values = "memories > 0", []
    if filter.project is not None:
        seen = "token = any(?::text[])"
        values = [listed(visible_tokens(filter.project, filter.session, filter.parent))]
    return _SCOPE.format(seen=seen) + "," + _FIGURES, values


def words_sql(question: Question, filter: Filter, limit: int, *, before: bool) -> Any:
    """The parts `whole` to `found` of the statement and their values."""
    values = [listed(question.times), listed(question.times.values())]
    sql = _WHOLE.format(seen=SEEN)
    if question.begun:
        sql += _BEGUN.format(finished=_FINISHED, seen=SEEN)
        values += [question.begun, question.begun + _LAST, question.begun]
    where, passing = conditions(filter)
    join = f"join memories m on m.id = h.memory and {where}" if before else ""
    sql += _TELLING.format(
        counted="counted" if question.begun else "whole",
        begun=_AND_BEGUN if question.begun else "",
        seen=SEEN,
        many=_MANY_ROWS if len(question.times) > _RAREST else 2**62,
        rarest=_RAREST,
        most=f"{_K1 + 1}::float8",
        least=f"{_K1 * (1 - _B)}::float8",
        long=f"{_K1 * _B}::float8",
        join=join,
        best=limit if before else int(_SPARE * limit),
        where=where,
        limit=limit,
    )
    return sql, [*values, *(passing if before else ()), *passing]


def looked_at(limit: int) -> int:
    """How many of the best are looked at before the filter."""
    return int(_SPARE * limit)


def matches_of(
    question: Question,
    places: Mapping[int, Mapping[str, Mapping[int, Sequence[int]]]],
    frequencies: Mapping[str, int],
    total: int,
    usual_words: float,
) -> Matches:
    """Where the terms of a question stand in the candidates, as ranking wants it."""
    plan = question.plan
    aligned = len(question.terms) == len(plan.words)
    term_of = dict(zip(plan.words, question.terms, strict=True)) if aligned else {}
    return Matches(
        terms=question.terms,
        extra=question.extra,
        prefix=plan.prefix + "*" if plan.prefix else "",
        total=total,
        usual_words=usual_words,
        frequencies={term: frequencies.get(term, 0) for term in question.times},
        places=places,
        weights=TEXT_WEIGHTS,
        spelled=term_of,
        names=frozenset([term_of[name] for name in plan.names if name in term_of]),
    )


def places_of(question: Question, spelled: Mapping[str, str]) -> dict[str, dict[int, list[int]]]:
    """Term → column → positions, from the packed places of each term as hexadecimal digits."""
    by_term: dict[str, dict[int, list[int]]] = {}
    begun: dict[int, list[int]] = {}
    for term, stored in spelled.items():
        places = unpacked(bytes.fromhex(stored))
        if term in question.times:
            by_term[term] = places
        if question.begun and term.startswith(question.begun):
            for column, positions in places.items():
                begun.setdefault(column, []).extend(positions)
    if begun and question.begun not in by_term:
        by_term[question.plan.prefix + "*"] = {
            column: sorted(positions) for column, positions in begun.items()
        }
    return by_term


class TextMatching(Statements):
    """The part of the store that answers questions by words."""

    _c: Connection

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[Match]:
        """Memories by BM25 as a positive number, best first, of those the filter lets through."""
        question = Question(plan)
        rows: list[tuple[Any, ...]] = []
        if question.times:
            rows, looked = self._by_words(question, filter, limit, before=narrows(filter))
            if len(rows) < limit and looked >= looked_at(limit):
                rows, _ = self._by_words(question, filter, limit, before=True)
        if not rows:
            rows = self.inside_words(plan.words + plan.parts, filter, limit)
        return list(map(Match._make, sorted(rows, key=lambda row: (-row[1], row[0]))))

    def _by_words(
        self, question: Question, filter: Filter, limit: int, *, before: bool
    ) -> tuple[list[tuple[Any, ...]], int]:
        scope, seen = scope_sql(filter)
        words, values = words_sql(question, filter, limit, before=before)
        rows = self._c.rows(
            f"with {scope}, {words} select memory, score, (select count(*) from best) from found",
            (*seen, *values),
            kept=True,
        )
        looked = rows[0][2] if rows else looked_at(limit)
        return [row[:2] for row in rows], 0 if before else looked

    def inside_words(
        self, pieces: Sequence[str], filter: Filter, limit: int
    ) -> list[tuple[Any, ...]]:
        """The newest memories that hold each piece, if only inside their words."""
        pieces = list(dict.fromkeys(pieces))
        short = any(piece.isascii() and len(piece) < _PIECE for piece in pieces)
        if not pieces or short or len(pieces) > _FEW_PIECES:
            return []
        where, values = conditions(filter)
        where = " and ".join([where, *[_HOLDS] * len(pieces)])
        # Letters, digits and signs beyond ASCII: nothing that has a meaning for LIKE.
        likes = [f"%{piece}%" for piece in pieces for _ in range(3)]
        return self._c.rows(
            f"select m.id, 1.0::float8 from memories m where m.id > (select max(id) from memories)"
            f" - ? and {where} order by m.id desc limit ?",
            (_READ, *values, *likes, limit),
        )

    def terms(self, text: str) -> list[TermAt]:
        """The index terms of a text, in its order."""
        return list(map(TermAt._make, tokenizer()(text)))

    def texts_with(self, phrase: str, reach: str | None, limit: int) -> list[Text]:
        """The newest live memories that hold the words of the phrase in a row; stems are equal."""
        terms = [term for _, _, term in tokenizer()(phrase)]
        if not terms:
            return []
        distinct = list(dict.fromkeys(terms))
        seen, values = ("true", []) if reach is None else ("token = ?", [reach])
        texts: list[Text] = []
        below, step = 2**62, limit if len(distinct) == 1 else 4 * limit
        while len(texts) < limit:
            rows = self._c.rows(
                "select m.id, m.title || chr(10) || m.content || chr(10) || m.details,"
                " string_agg(p.term || ' ' || encode(p.places, 'hex'), ' ') from postings p"
                " join memories m on m.id = p.memory where p.reach = any(array("
                f"select reach from scopes where {seen})) and p.term in ({marks(distinct)})"
                f" and m.id < ? and m.kind <> 'chunk' and {LIVE} group by m.id, m.title, m.content,"
                " m.details having count(*) = ? order by m.id desc limit ?",
                (*values, *distinct, below, len(distinct), step),
            )
            texts += [Text(row[0], row[1]) for row in rows if _in_a_row(terms, row[2])]
            if len(rows) < step:
                break
            below = rows[-1][0]
        return texts[:limit]

    def naming(self, phrases: Sequence[str], filter: Filter, limit: int) -> list[Named]:
        """The newest memories that may hold one of the phrases, then rules that have a scope."""
        if not phrases:
            return []
        tokens: list[str | None] = [None]
        if filter.project is not None:
            tokens = [*visible_tokens(filter.project, filter.session, filter.parent)]
        texts = {
            found.memory: found.text
            for phrase in phrases
            for token in tokens
            for found in self.texts_with(phrase, token, limit)
        }
        where, values = conditions(filter)
        held = f"m.id in ({marks([*texts])})" if texts else "false"
        rows = self._c.rows(
            f"select m.id, m.kind, m.scope from memories m where {where} and"
            f" ({held} or (m.kind = 'rule' and m.scope <> '')) order by m.id desc",
            (*values, *texts),
        )
        named = [Named._make((*row, texts[row[0]])) for row in rows if row[0] in texts]
        return [*named[:limit], *[Named._make((*row, "")) for row in rows if row[2]][:limit]]


def _in_a_row(terms: Sequence[str], spelled: str) -> bool:
    """Whether the terms follow one another in title, content or details."""
    parts = spelled.split(" ")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    places = {term: unpacked(bytes.fromhex(stored)) for term, stored in pairs}
    for column in range(3):
        starts = set(places[terms[0]].get(column, ()))
        for step, term in enumerate(terms):
            starts &= {position - step for position in places[term].get(column, ())}
        if starts:
            return True
    return False
