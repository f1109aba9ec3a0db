"""Keyword recall: the plan of a question against the full-text index, filters inside."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.record import replace
from recairn.core.visibility import visible_tokens
from recairn.ranking.lexical import Matches
from recairn.store.rows import Match, TermAt
from recairn.store.sqlite.figures import Figures
from recairn.store.sqlite.fts_query import match_expression, quote, together
from recairn.store.statements.filters import conditions, narrows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection

    T = TypeVar("T")

# All columns but one, which is a filter; to name the others instead costs a little more.
_TEXT_COLUMNS = "- reach"
# What a hit in title, content, details, keywords, category, idents and dates counts.
WEIGHTS = (2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0)
_WEIGHED = ", ".join(map(str, (*WEIGHTS, 0.0)))

# Where hardly anything is hidden, the best rows are found first and checked afterwards; so many
# times more of them than wanted. Sorting by the function itself and cutting costs two thirds of
# `order by rank`, which sorts all the rows.
_SPARE = 1.5
_BEST_FIRST = f"""
select found.id, -found.score, {{where}} from (
    select rowid as id, bm25(memories_fts, {_WEIGHED}) as score from memories_fts
    where memories_fts match ? order by score, rowid limit ?
) found cross join memories m on m.id = found.id
"""
_AS_RANKED = f"""
select f.rowid, -f.rank from memories_fts f join memories m on m.id = f.rowid
where f.memories_fts match ? and f.rank match 'bm25({_WEIGHED})' and {{where}}
order by f.rank limit ?
"""
# Up to this share of all memories, who may see a row is asked of the index: walking through the
# rows of a scope that holds most of them costs more than ranking what is matched outside it.
_NARROW = 0.5

# When the question's words occur in more rows than this, only the rarest stay in the query: an
# eight-word question at a million rows costs 24-50 ms with all its words.
_MANY_ROWS = 20_000
_RAREST = 12  # six would cost .024 nDCG@10, twelve .005

# So many newest memories tell how long a memory of a scope usually is.
_SAMPLED = 300

# Where no word of a short question is known, its letters may stand inside others: in scripts that
# have no spaces, in parts of names. So many of the newest memories are read for them.
_READ = 50_000
_FEW_PIECES = 4
# ASCII letters that are rarely in a word by chance; of other scripts one may say enough.
_PIECE = 4
_HOLDS = "(m.content like ? or m.title like ? or m.details like ?)"
_INSIDE = """
select m.id from memories m
where m.id > (select max(id) from memories) - ? and {where} order by m.id desc limit ?
"""

# A last word that so many memories of the scope hold is finished, also where others begin like
# it; to look for those costs a twentieth of a search.
_FINISHED = 100

# A term in fewer rows than this is counted in the asker's scope; of a commoner one the share is
# taken. Counting costs a walk through the rows.
_COUNTED = 2_000


class TextMatching:
    """The part of the store that answers questions by words."""

    _c: Connection
    _figures: Figures | None = None

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[Match]:
        """Memories by BM25 as a positive number, best first, of those the filter lets through."""
        plan = self._settled(plan, filter)
        chosen = self.telling_words(plan)
        if not chosen:
            return []
        asked = match_expression(plan, chosen, apart=self._apart(chosen, filter))
        asked = self._in_scope(asked, filter)
        where, values = conditions(filter)
        found = None if narrows(filter) else self._best_first(asked, (where, values), limit)
        if found is None:
            found = self._c.rows(_AS_RANKED.format(where=where), (asked, *values, limit))
        found = found or self._inside_words(chosen, filter, limit)
        return [Match._make(row) for row in sorted(found, key=lambda row: (-row[1], row[0]))]

    def _inside_words(
        self, pieces: Sequence[str], filter: Filter, limit: int
    ) -> list[tuple[int, float]]:
        """The newest memories that hold each piece, if only inside their words."""
        pieces = list(dict.fromkeys(pieces))
        short = any(piece.isascii() and len(piece) < _PIECE for piece in pieces)
        if short or len(pieces) > _FEW_PIECES:
            return []
        where, values = conditions(filter)
        where = " and ".join([where, *[_HOLDS] * len(pieces)])
        # Words are letters and digits, so none of their signs has a meaning for LIKE.
        likes = [f"%{piece}%" for piece in pieces for _ in range(3)]
        rows = self._c.rows(_INSIDE.format(where=where), (_READ, *values, *likes, limit))
        return [(row[0], 1.0) for row in rows]

    def _best_first(
        self, asked: str, passing: tuple[str, Sequence[Any]], limit: int
    ) -> list[tuple[int, float]] | None:
        """The best rows that pass; None when too few of the best did, though others might."""
        looked_at = int(_SPARE * limit)
        where, values = passing
        rows = self._c.rows(_BEST_FIRST.format(where=where), (*values, asked, looked_at))
        found = [(memory, score) for memory, score, passes in rows if passes]
        return found[:limit] if len(found) >= limit or len(rows) < looked_at else None

    def _apart(self, chosen: Sequence[str], filter: Filter) -> bool:
        """Whether no row has the words together: ranking by phrases that nobody wrote costs half
        as much again as ranking by the words, finding out costs little.
        """
        expressions = together(chosen)
        if not expressions:
            return True
        near = expressions[-1]  # where they stand as a phrase, they stand near one another too
        holds = "select 1 from memories_fts where memories_fts match ? limit 1"
        return self._c.row(holds, (self._in_scope(near, filter),)) is None

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

    def _settled(self, plan: Plan, filter: Filter) -> Plan:
        """The plan, without a prefix where that is a word that many memories of the scope hold."""
        whole = self._c.terms(plan.prefix.encode()) if plan.prefix else []
        if len(whole) != 1:
            return plan
        share = self._scope(filter)[1]
        held = self._scoped(whole[0][2], plan.prefix, filter, share)
        return plan if held < _FINISHED else replace(plan, prefix="")

    def _frequency(self, word: str) -> int:
        terms = self._c.terms(word.encode())
        return self._rows_with(terms[0][2]) if terms else 0

    def _rows_with(self, term: str) -> int:
        def counted() -> int:
            found = self._c.value("select doc from memories_terms where term = ?", (term,))
            return int(found or 0)

        return self._figure(("rows with", term), counted)

    def _figure(self, name: object, count: Callable[[], T]) -> T:
        if self._figures is None:
            self._figures = Figures(self._c)
        return self._figures.get(name, count)

    # The second look, at candidates only

    def places(self, plan: Plan, filter: Filter, ids: Sequence[int]) -> Matches:
        """Where the question's terms stand in those memories, and how common they are."""
        plan, spelled = self._settled(plan, filter), dict[str, str]()
        terms = self._terms(plan.words, spelled)
        extra = self._terms(plan.parts, spelled)
        total, share = self._scope(filter)
        # Nearly every word is one term; where one is not, words and terms go separate ways.
        aligned = len(terms) == len(plan.words)
        by_word = dict(zip(plan.words, terms, strict=True)) if aligned else {}
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
            spelled=by_word,
            names=frozenset(by_word[name] for name in plan.names if name in by_word),
        )

    def scope_size(self, filter: Filter) -> int:
        """About how many memories the asker's scope holds; costs no count."""
        return self._scope(filter)[0]

    def _in_scope(self, asked: str, filter: Filter) -> str:
        """The expression, limited as far as that makes it cheaper; the filter does the rest."""
        if filter.project is None or self._scope(filter)[1] > _NARROW:
            return f"{_TEXT_COLUMNS} : ({asked})"
        return _limited(asked, filter)

    def _terms(self, words: Sequence[str], spelled: dict[str, str]) -> tuple[str, ...]:
        """The index terms of the words; `spelled` learns by which word each is asked for."""
        found = []
        for word in words:
            for _, _, term in self._c.terms(word.encode()):
                spelled.setdefault(term, word)
                found.append(term)
        return tuple(found)

    def _scope(self, filter: Filter) -> tuple[int, float]:
        """How many memories the asker's scope holds, and which share of all that is."""

        def counted() -> tuple[int, float]:
            everything = self._everything()
            if filter.project is None:
                return everything, 1.0
            seen = visible_tokens(filter.project, filter.session)
            total = sum(self._rows_with(token) for token in seen)
            return total, total / everything if everything else 1.0

        return self._figure(("scope", filter.project, filter.session), counted)

    def _everything(self) -> int:
        """How many memories there are: the full-text index begins its statistics with that."""
        statistics = self._c.value("select block from memories_fts_data where id = 1")
        return first_varint(statistics or b"\0")

    def _usual_words(self, filter: Filter) -> float:
        """The mean length of a memory in the scope, by its newest ones."""
        newest, values = "order by id desc", []
        if filter.project is not None:
            newest, values = "where project = ? order by created_at desc", [filter.project]

        def mean() -> float:
            sample = f"select words from memories {newest} limit {_SAMPLED}"
            return float(self._c.value(f"select avg(words) from ({sample})", values) or 1.0)

        return self._figure(("usual words", filter.project), mean)

    def _scoped(self, term: str, word: str, filter: Filter, share: float) -> int:
        """In how many memories of the scope a term occurs: counted, or if common estimated."""
        rows = self._rows_with(term)
        if share > 0.95 or rows == 0:
            return rows
        if rows > _COUNTED:
            return round(rows * share)

        def counted() -> int:
            holding = "select count(*) from memories_fts where memories_fts match ?"
            return int(self._c.value(holding, (_limited(quote(word), filter),)))

        return self._figure(("rows with", term, filter.project, filter.session), counted)

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

    def terms(self, text: str) -> list[TermAt]:
        """The index terms of a text, in its order."""
        return list(map(TermAt._make, self._c.terms(text.encode())))


def _limited(asked: str, filter: Filter) -> str:
    """The expression, limited to the text columns and to what the filter's project may see."""
    limited = f"{_TEXT_COLUMNS} : ({asked})"
    if filter.project is None:
        return limited
    seen = " OR ".join(quote(token) for token in visible_tokens(filter.project, filter.session))
    return f"reach : ({seen}) AND {limited}"


def first_varint(data: bytes) -> int:
    """The first number of a blob in SQLite's own spelling: seven bits a byte, the highest first."""
    value = 0
    for byte in data[:8]:
        value = value << 7 | byte & 127
        if byte < 128:
            break
    return value
