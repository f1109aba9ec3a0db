"""Keyword recall: the plan of a question against the full-text index, filters inside."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.record import replace
from recairn.ranking.lexical import Matches
from recairn.store.rows import TEXT_WEIGHTS, Match, TermAt
from recairn.store.sqlite.text_scope import (
    TEXT_COLUMNS,
    Figures,
    TextScope,
    match_expression,
    quote,
    together,
)
from recairn.store.statements.filters import conditions, narrows, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection

_WEIGHED = ", ".join(map(str, (*TEXT_WEIGHTS, 0.0)))

# Where hardly anything is hidden, the best rows are found first and checked afterwards; so many
# times more of them than wanted. Sorting by the function itself and cutting costs two thirds of
# `order by rank`, which sorts all the rows.
_SPARE = 1.5
_BEST = f"""
select rowid as id, bm25(memories_fts, {_WEIGHED}) as score from memories_fts
where memories_fts match ? order by score, rowid limit ?
"""
_BEST_FIRST = f"""
select found.id, -found.score, {{where}} from ({_BEST}) found
cross join memories m on m.id = found.id
"""
_AS_RANKED = f"""
select f.rowid, -f.rank from memories_fts f join memories m on m.id = f.rowid
where f.memories_fts match ? and f.rank match 'bm25({_WEIGHED})' and {{where}}
order by f.rank limit ?
"""
# So many times more than wanted are looked at where it is known which rows may pass; a filter that
# lets fewer through comes first. `+` keeps the engine from running the whole match for every id.
_FURTHER = 30
_OF_FEW = f"""
select rowid, -bm25(memories_fts, {_WEIGHED}) as score from memories_fts
where memories_fts match ? and +rowid in (select value from carray(?))
order by score desc, rowid limit ?
"""
# Up to this share of all memories, who may see a row is asked of the index: walking through the
# rows of a scope that holds most of them costs more than ranking what is matched outside it.
_NARROW = 0.5

# When the question's words occur in more rows than this, only the rarest stay in the query: an
# eight-word question at a million rows costs 24-50 ms with all its words.
_MANY_ROWS = 20_000
_RAREST = 12  # six would cost .024 nDCG@10, twelve .005

# Where no word of a short question is known, its letters may stand inside others: in scripts that
# have no spaces, in parts of names. So many of the newest memories are read for them.
_READ = 50_000
_FEW_PIECES = 4
# ASCII letters that are rarely in a word by chance; of other scripts one may say enough.
_PIECE = 4
_HOLDS = "(m.content like ? or m.title like ? or m.details like ?)"
# Read by the index of who may see them, not one by one from the newest of all.
_INSIDE = "select m.id from memories m where {where} order by +m.id desc limit ?"
_AMONG_NEWEST = "m.id > (select max(id) from memories) - ?"

# A last word that so many memories of the scope hold is finished, also where others begin like
# it; to look for those costs a twentieth of a search.
_FINISHED = 100


class TextMatching:
    """The part of the store that answers questions by words."""

    _c: Connection
    _figures: Figures | None

    def text_scope(self, filter: Filter) -> TextScope:
        """What the asker sees of the index."""
        if self._figures is None:
            self._figures = Figures(self._c)
        return TextScope(self._c, filter, self._figures.current())

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[Match]:
        """Memories by BM25 as a positive number, best first, of those the filter lets through."""
        return self.match_in(self.text_scope(filter), self.settled(plan, filter), limit)

    def match_in(
        self, scope: TextScope, plan: Plan, limit: int, few: set[int] | None = None
    ) -> list[Match]:
        """The same for a settled plan; `few` is all that the filter lets through, if known."""
        chosen = self.telling_words(plan, scope)
        if not chosen or (few is not None and not few):
            return []
        asked = match_expression(plan, chosen, apart=self._apart(chosen, scope))
        asked = _in_scope(asked, scope)
        where, values = conditions(scope.filter)
        rows: list[tuple[int, float]] | None = None
        if few is not None:
            rows = self._best_of(asked, few, limit, scope)
        elif not narrows(scope.filter):
            rows = self._best_first(asked, (where, values), limit)
        if rows is None:
            rows = self._c.rows(_AS_RANKED.format(where=where), (asked, *values, limit))
        rows = rows or self._inside_words(chosen, scope, limit)
        return list(map(Match._make, sorted(rows, key=lambda row: (-row[1], row[0]))))

    def _inside_words(
        self, pieces: Sequence[str], scope: TextScope, limit: int
    ) -> list[tuple[int, float]]:
        """The newest memories that hold each piece, if only inside their words."""
        pieces = list(dict.fromkeys(pieces))
        short = any(piece.isascii() and len(piece) < _PIECE for piece in pieces)
        if short or len(pieces) > _FEW_PIECES:
            return []
        # Words are letters and digits, so none of their signs has a meaning for LIKE.
        likes = [f"%{piece}%" for piece in pieces for _ in range(3)]
        holds = " and ".join([_HOLDS] * len(pieces))
        if scope.size > _READ:
            where, values = conditions(scope.filter)
            parts = [(f"{_AMONG_NEWEST} and {where}", [_READ, *values])]
        else:
            parts = readers(scope.filter)
        rows = []
        for where, values in parts:
            sql = _INSIDE.format(where=f"{where} and {holds}")
            rows += self._c.rows(sql, (*values, *likes, limit))
        rows.sort(reverse=True)
        del rows[limit:]
        return [(row[0], 1.0) for row in rows]

    def _best_first(
        self, asked: str, passing: tuple[str, Sequence[Any]], limit: int
    ) -> list[tuple[int, float]] | None:
        """The best rows that pass; None when too few of the best did, though others might."""
        looked_at = int(_SPARE * limit)
        where, values = passing
        rows = self._c.rows(_BEST_FIRST.format(where=where), (*values, asked, looked_at))
        passed = [(memory, score) for memory, score, passes in rows if passes]
        return passed[:limit] if len(passed) >= limit or len(rows) < looked_at else None

    def _best_of(
        self, asked: str, allowed: set[int], limit: int, scope: TextScope
    ) -> list[tuple[int, float]]:
        """The best rows of those that are allowed."""
        there_are = scope.size if scope.share <= _NARROW else scope.size / scope.share
        looked_at = int(_SPARE * limit * there_are / len(allowed))
        if looked_at <= _FURTHER * limit:
            rows = self._c.rows(_BEST, (asked, looked_at))
            passed = [(memory, -score) for memory, score in rows if memory in allowed]
            if len(passed) >= limit or len(rows) < looked_at:
                return passed[:limit]
        return self._c.rows(_OF_FEW, (asked, apsw.carray(array("q", allowed)), limit))

    def _apart(self, chosen: Sequence[str], scope: TextScope) -> bool:
        """Whether no row has the words together: ranking by phrases that nobody wrote costs half
        as much again as ranking by the words, finding out costs little.
        """
        expressions = together(chosen)
        if not expressions:
            return True
        near = expressions[-1]  # where they stand as a phrase, they stand near one another too
        holds = "select 1 from memories_fts where memories_fts match ? limit 1"
        return self._c.row(holds, (_in_scope(near, scope),)) is None

    def telling_words(self, plan: Plan, scope: TextScope) -> Sequence[str]:
        """The words of the plan, or its rarest ones where all of them would match too much."""
        asked = plan.words + plan.parts
        if len(asked) <= _RAREST:
            return asked
        first = {word: terms[0] for word, terms in self._terms_by_word(asked).items() if terms}
        counted = scope.rows_with(list(first.values()))
        rows = {word: counted[first[word]] if word in first else 0 for word in asked}
        if sum(rows.values()) <= _MANY_ROWS:
            return asked
        held = sorted((word for word in rows if rows[word]), key=lambda word: (rows[word], word))
        rarest = set(held[:_RAREST])
        return [word for word in asked if word in rarest]

    def settled(self, plan: Plan, filter: Filter, scope: TextScope | None = None) -> Plan:
        """The plan, without a prefix where that is a word that many memories of the scope hold."""
        if not plan.prefix:
            return plan
        whole = self._c.terms(plan.prefix.encode())
        if len(whole) != 1:
            return plan
        scope = scope or self.text_scope(filter)
        term = whole[0][2]
        held = scope.frequencies({term: plan.prefix})[term]
        return plan if held < _FINISHED else replace(plan, prefix="")

    def _terms_by_word(self, words: Sequence[str]) -> dict[str, list[str]]:
        """The index terms of each word, by one call of the tokenizer."""
        text, ends = " ".join(words), []
        end = -1
        for word in words:
            end += len(word.encode()) + 1
            ends.append(end)
        terms: dict[str, list[str]] = {word: [] for word in words}
        at = 0
        for start, _, term in self._c.terms(text.encode()):
            while start >= ends[at]:
                at += 1
            # Of a word that comes twice the terms are noted once.
            if words.index(words[at]) == at:
                terms[words[at]].append(term)
        return terms

    # The second look, at candidates only

    def places(self, plan: Plan, scope: TextScope, ids: Sequence[int]) -> Matches:
        """Where the terms of a settled plan stand in those memories, and how common they are."""
        by_word = self._terms_by_word([*dict.fromkeys(plan.words + plan.parts)])
        terms = tuple([term for word in plan.words for term in by_word[word]])
        extra = tuple([term for word in plan.parts for term in by_word[word]])
        spelled: dict[str, str] = {}
        for word, own in by_word.items():
            for term in own:
                spelled.setdefault(term, word)
        # Nearly every word is one term; where one is not, words and terms go separate ways.
        aligned = len(terms) == len(plan.words)
        term_of = dict(zip(plan.words, terms, strict=True)) if aligned else {}
        return Matches(
            terms=terms,
            extra=extra,
            prefix=plan.prefix + "*" if plan.prefix else "",
            total=scope.size,
            usual_words=scope.usual_words(),
            frequencies=scope.frequencies(spelled),
            places=self._places(spelled, plan.prefix, ids) if spelled and ids else {},
            weights=TEXT_WEIGHTS,
            spelled=term_of,
            names=frozenset([term_of[name] for name in plan.names if name in term_of]),
        )

    def _places(
        self, spelled: Mapping[str, str], prefix: str, ids: Sequence[int]
    ) -> dict[int, dict[str, dict[int, Sequence[int]]]]:
        """memory → term → column → positions, read off the index by an auxiliary function."""
        names = list(spelled)
        phrases = [quote(word) for word in spelled.values()]
        if prefix:
            names.append(prefix + "*")
            phrases.append(quote(prefix) + "*")
        whole = {term for _, _, term in self._c.terms(prefix.encode())}
        found: dict[int, dict[str, dict[int, Sequence[int]]]] = {}

        def collect(api: Any) -> None:
            places = {}
            for index, name in enumerate(names):
                columns = api.phrase_columns(index)
                if columns:
                    places[name] = {
                        column: api.phrase_column_offsets(index, column) for column in columns
                    }
            if not whole.isdisjoint(places):
                places.pop(prefix + "*", None)
            found[api.rowid] = places

        self._c.collect_matches(
            collect,
            # `+` keeps the engine from running the whole match once for every id.
            "select recairn_collect(memories_fts) from memories_fts"
            " where memories_fts match ? and +rowid in (select value from carray(?))",
            (f"{TEXT_COLUMNS} : ({' OR '.join(phrases)})", apsw.carray(array("q", ids))),
        )
        return found

    def terms(self, text: str) -> list[TermAt]:
        """The index terms of a text, in its order."""
        return list(map(TermAt._make, self._c.terms(text.encode())))


def _in_scope(expression: str, scope: TextScope) -> str:
    """The expression, limited as far as that makes it cheaper; the filter does the rest."""
    if scope.filter.project is None or scope.share > _NARROW:
        return f"{TEXT_COLUMNS} : ({expression})"
    return scope.limited(expression)
