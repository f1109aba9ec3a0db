"""Keyword recall: the plan of a question against the full-text index, filters inside."""

from __future__ import annotations

from array import array

import apsw

from recairn.reach import visible_tokens
from recairn.store.sqlite.filters import conditions
from recairn.text import match_expression, quote, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.model import Filter
    from recairn.store.sqlite.connection import Connection
    from recairn.text import Plan

# BM25 column weights: title, content, details, keywords, category, idents; `reach` is a filter.
_WEIGHTS = "2.0, 1.0, 0.8, 1.5, 0.7, 0.6, 0.0"
_TEXT_COLUMNS = "{title content details keywords category idents}"

# When the question's words occur in more rows than this, only the rarest stay in the query: an
# eight-word question at a million rows costs 24-50 ms with all its words and 15 with the rarest.
_MANY_ROWS = 20_000
_RAREST = 12  # six would cost .024 nDCG@10, twelve .005


class TextMatching:
    """The part of the store that answers questions by words."""

    _c: Connection

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[tuple[int, float]]:
        """(id, BM25 as a positive number), best first; only memories the filter lets through."""
        expression = self._expression(plan, filter)
        if not expression:
            return []
        where, values = conditions(filter)
        rows = self._c.rows(
            f"select f.rowid, -f.rank from memories_fts f join memories m on m.id = f.rowid"
            f" where f.memories_fts match ? and f.rank match 'bm25({_WEIGHTS})' and {where}"
            " order by f.rank limit ?",
            (expression, *values, limit),
        )
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def text_scores(self, plan: Plan, ids: Sequence[int]) -> dict[int, float]:
        """BM25 of those of the memories that match at all: for what another arm has found."""
        chosen = self.telling_words(plan)
        if not chosen or not ids:
            return {}
        # `+` keeps the engine from running the whole match once for every id.
        rows = self._c.rows(
            f"select rowid, -bm25(memories_fts, {_WEIGHTS}) from memories_fts"
            " where memories_fts match ? and +rowid in (select value from carray(?))",
            (
                f"{_TEXT_COLUMNS} : ({match_expression(plan, chosen)})",
                apsw.carray(array("q", ids)),
            ),
        )
        return dict(rows)

    def _expression(self, plan: Plan, filter: Filter) -> str:
        chosen = self.telling_words(plan)
        if not chosen:
            return ""
        asked = f"{_TEXT_COLUMNS} : ({match_expression(plan, chosen)})"
        if filter.project is None:
            return asked
        seen = " OR ".join(quote(token) for token in visible_tokens(filter.project, filter.session))
        return f"reach : ({seen}) AND {asked}"

    def telling_words(self, plan: Plan) -> Sequence[str]:
        """The words of the plan, or its rarest ones where all of them would match too much."""
        if len(plan.words) <= _RAREST:
            return plan.words
        rows = {word: self._frequency(word) for word in plan.words}
        if sum(rows.values()) <= _MANY_ROWS:
            return plan.words
        kept = sorted((word for word in plan.words if rows[word]), key=lambda word: rows[word])
        rarest = set(kept[:_RAREST])
        return [word for word in plan.words if word in rarest]

    def _frequency(self, word: str) -> int:
        terms = self._c.terms(word.encode())
        if not terms:
            return 0
        return self._c.value("select doc from memories_terms where term = ?", (terms[0][2],)) or 0

    def snippets(self, plan: Plan, texts: Mapping[int, str]) -> dict[int, str]:
        """The piece of each text around the words asked for, those marked."""
        wanted = {term for _, _, term in self._c.terms(" ".join(plan.words).encode())}
        return {
            memory: snippet(text, self._c.terms(text.encode()), wanted, plan.prefix)
            for memory, text in texts.items()
        }
