"""Keyword recall: the plan of a question against the full-text index, filters inside."""

from __future__ import annotations

from array import array

import apsw

from recairn.ranking.lexical import Matches
from recairn.reach import visible_tokens
from recairn.store.sqlite.filters import conditions
from recairn.text import match_expression, quote, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.model import Filter
    from recairn.store.sqlite.connection import Connection
    from recairn.text import Plan

_COLUMNS = ("title", "content", "details", "keywords", "category", "idents", "dates")
_TEXT_COLUMNS = "{" + " ".join(_COLUMNS) + "}"
# What a hit in each column counts; `reach` is only a filter.
WEIGHTS = (2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0)
_BM25 = f"bm25({', '.join(map(str, (*WEIGHTS, 0.0)))})"

# When the question's words occur in more rows than this, only the rarest stay in the query: an
# eight-word question at a million rows costs 24-50 ms with all its words.
_MANY_ROWS = 20_000
_RAREST = 12  # six would cost .024 nDCG@10, twelve .005

# So many newest memories tell how long a memory of a scope usually is.
_SAMPLED = 300

# A term in fewer rows than this is counted in the asker's scope; of a commoner one the share is
# taken. Counting costs a walk through the rows.
_COUNTED = 2_000


class TextMatching:
    """The part of the store that answers questions by words."""

    _c: Connection

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[tuple[int, float]]:
        """(id, BM25 as a positive number), best first; only memories the filter lets through."""
        chosen = self.telling_words(plan)
        if not chosen:
            return []
        where, values = conditions(filter)
        rows = self._c.rows(
            f"select f.rowid, -f.rank from memories_fts f join memories m on m.id = f.rowid"
            f" where f.memories_fts match ? and f.rank match '{_BM25}' and {where}"
            " order by f.rank limit ?",
            (_in_scope(match_expression(plan, chosen), filter), *values, limit),
        )
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def telling_words(self, plan: Plan) -> Sequence[str]:
        """The words of the plan, or its rarest ones where all of them would match too much."""
        asked = plan.words + plan.parts
        if len(asked) <= _RAREST:
            return asked
        rows = {word: self._frequency(word) for word in asked}
        if sum(rows.values()) <= _MANY_ROWS:
            return asked
        kept = sorted((word for word in rows if rows[word]), key=lambda word: (rows[word], word))
        rarest = set(kept[:_RAREST])
        return [word for word in asked if word in rarest]

    def _frequency(self, word: str) -> int:
        terms = self._c.terms(word.encode())
        return self._rows_with(terms[0][2]) if terms else 0

    def _rows_with(self, term: str) -> int:
        return self._c.value("select doc from memories_terms where term = ?", (term,)) or 0

    # The second look, at candidates only

    def places(self, plan: Plan, filter: Filter, ids: Sequence[int]) -> Matches:
        """Where the question's terms stand in those memories, and how common they are."""
        spelled: dict[str, str] = {}
        terms = self._terms(plan.words, spelled)
        extra = self._terms(plan.parts, spelled)
        total, share = self._scope(filter)
        return Matches(
            terms=terms,
            extra=extra,
            prefix=plan.prefix + "*" if plan.prefix else "",
            total=total,
            usual_words=self._usual_words(filter),
            frequencies={
                term: self._scoped(term, word, filter, share) for term, word in spelled.items()
            },
            places=self._places(spelled, plan.prefix, ids) if spelled and ids else {},
            weights=WEIGHTS,
            # Nearly every word is one term; where one is not, words and terms go separate ways.
            spelled=dict(zip(plan.words, terms, strict=True))
            if len(terms) == len(plan.words)
            else {},
        )

    def scope_size(self, filter: Filter) -> int:
        """About how many memories the asker's scope holds; costs no count."""
        return self._scope(filter)[0]

    def _terms(self, words: Sequence[str], spelled: dict[str, str]) -> tuple[str, ...]:
        """The index terms of the words; `spelled` learns by which word each is asked for."""
        found = []
        for word in words:
            for _, _, term in self._c.terms(word.encode()):
                spelled.setdefault(term, word)
                found.append(term)
        return tuple(found)

    def _scope(self, filter: Filter) -> tuple[int, float]:
        """About how many memories the asker's scope holds, and which share of all that is."""
        everything = self._c.value("select max(id) from memories") or 0
        if filter.project is None:
            return everything, 1.0
        seen = visible_tokens(filter.project, filter.session)
        total = sum(self._rows_with(token) for token in seen)
        return total, total / everything if everything else 1.0

    def _usual_words(self, filter: Filter) -> float:
        """The mean length of a memory in the scope, by its newest ones."""
        newest, values = "order by id desc", []
        if filter.project is not None:
            newest, values = "where project = ? order by created_at desc", [filter.project]
        found = self._c.value(
            f"select avg(words) from (select words from memories {newest} limit {_SAMPLED})", values
        )
        return float(found or 1.0)

    def _scoped(self, term: str, word: str, filter: Filter, share: float) -> int:
        """In how many memories of the scope a term occurs: counted, or if common estimated."""
        rows = self._rows_with(term)
        if share > 0.95 or rows == 0:
            return rows
        if rows > _COUNTED:
            return round(rows * share)
        counted = "select count(*) from memories_fts where memories_fts match ?"
        return int(self._c.value(counted, (_in_scope(quote(word), filter),)))

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
            (f"{_TEXT_COLUMNS} : ({' OR '.join(phrases)})", apsw.carray(array("q", ids))),
        )
        return found

    def snippets(self, plan: Plan, texts: Mapping[int, str]) -> dict[int, str]:
        """The piece of each text around the words asked for, those marked."""
        wanted = {term for _, _, term in self._c.terms(" ".join(plan.words + plan.parts).encode())}
        return {
            memory: snippet(text, self._c.terms(text.encode()), wanted, plan.prefix)
            for memory, text in texts.items()
        }


def _in_scope(asked: str, filter: Filter) -> str:
    """The expression, limited to the text columns and to what the filter's project may see."""
    limited = f"{_TEXT_COLUMNS} : ({asked})"
    if filter.project is None:
        return limited
    seen = " OR ".join(quote(token) for token in visible_tokens(filter.project, filter.session))
    return f"reach : ({seen}) AND {limited}"
