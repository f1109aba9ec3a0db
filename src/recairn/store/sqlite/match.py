"""Keyword recall: the words of a question against the text index, ranked by BM25 within the scope.

The engine's own ranking counts each word in the whole table before it ranks the first row, and so
makes everybody pay for everybody. Where the scope is a small part of the table, the index says
where words stand within the asker's stretches of it, and they are counted and ranked from that;
where it is a large one, the engine ranks, and its best are put right.
"""

from __future__ import annotations

from array import array

import apsw

from recairn.ranking.lexical import first_weights
from recairn.store.rows import TEXT_WEIGHTS, Match, TermAt
from recairn.store.sqlite.text_index import (
    MEMORY,
    Asked,
    Figures,
    Held,
    TextScope,
    quote,
    worth_a_look,
)
from recairn.store.statements.memory_table import conditions, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection
    from recairn.store.sqlite.text_index import Places

# In a scope no larger than this every row with a word is looked at; up to the second so many of
# them, and if there are no more, that was all.
_SMALL = 1_000
_MIDDLE = 6_000
_FEW_ROWS = 1_000
# In a larger one the engine ranks, if the scope is at least this share of the table, where a word
# is counted at a hundredth of the cost of a look at its rows; and if the rows with a word are at
# most so many for each one that would be looked at. Otherwise it is first asked which rows hold
# which word, and the most promising are looked at.
_LARGE_SHARE = 0.05
_FOR_EACH_LOOK = 20
# So many times more than wanted are checked at first, and where it is known how many are hidden, so
# many more than these would leave; four times as many whenever they are too few. Of those that
# pass, so many are looked at without being sure that they are the best. Each costs a row of a wide
# table: who has a ranking begins with fewer.
_SPARE = 1.5
_FEW_HIDDEN = 1.1
_FURTHER = 4
_FURTHEST = 2_400
_WITH = "from memories_fts where memories_fts match ? and rowid between ? and ?"
_ROWS_WITH = f"select rowid {_WITH}"
_COUNT_WITH = f"select count(*) {_WITH}"
_LOOK = f"select recairn_collect(memories_fts) {_WITH}"
_AMONG = f" and rowid & {MEMORY} in (select value from carray(?))"
# The engine's score is the lower, the better; equal ones are in order of id.
_BEST = f"""
select rowid as place, bm25(memories_fts, {", ".join(map(str, TEXT_WEIGHTS))}) as score
{_WITH}{{among}} order by score, {{tie}} limit ?
"""
_BEST_CHECKED = f"""
select m.id, -found.score, {{where}} from ({_BEST}) found
cross join memories m on m.id = found.place & {MEMORY}
"""
_BEST_OF_FEW = f"select place & {MEMORY}, -score, 1 from ({_BEST})"
# So many words of a question are looked up in a large scope without asking first how common they
# are in the whole index, which costs a walk along their rows.
_RAREST = 12

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

# Terms that begin like an unfinished word; where there are more, the engine looks for them itself.
_LONGER = 20
_BEGIN_LIKE = "select term from memories_terms where term > ? and term < ? limit ?"
_LAST = chr(0x10FFFF)


class TextMatching:
    """The part of the store that answers questions by words."""

    _c: Connection
    _figures: Figures | None

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def passing(self, ids: Sequence[int], filter: Filter) -> set[int]: ...

    def text_scope(self, filter: Filter) -> TextScope:
        """What the asker sees of the index."""
        if self._figures is None:
            self._figures = Figures(self._c)
        return TextScope(self._c, filter, self._figures.current())

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[Match]:
        """Memories by BM25 as a positive number, best first, of those the filter lets through."""
        return self.match_in(self.text_scope(filter), plan, limit)[0]

    def match_in(
        self,
        scope: TextScope,
        plan: Plan,
        limit: int,
        few: set[int] | None = None,
        near: Collection[int] = (),
    ) -> tuple[list[Match], Held]:
        """The same, and where the words stand in these and in the memories `near`.

        `few` is all that the filter lets through, if known.
        """
        held = Held(self._asked(plan), scope)
        passed: list[tuple[int, float]] = []
        if held.asked.spelled and scope.stretches and (few is None or few):
            passed = self._found(held, limit, few, near)
        if not passed:
            passed = self._inside_words(plan.words + plan.parts, scope, limit)
        return list(map(Match._make, passed)), held

    def _found(
        self, held: Held, limit: int, few: set[int] | None, near: Collection[int]
    ) -> list[tuple[int, float]]:
        """The best that pass the filter."""
        scope = held.scope
        large = scope.size > _SMALL and scope.size >= _LARGE_SHARE * scope.everything
        if large and self._rankable(held):
            best = self._best(held, limit, few)
            seen = {*near, *[memory for memory, _ in best]}
            self._look(held, seen.difference(held.looked_at), measured=False)
            return best
        self._begin_like(held.asked)
        if scope.size <= _MIDDLE:
            self._look(held, None)
            if scope.size <= _SMALL or len(held.looked_at) < _FEW_ROWS:
                held.count()
                held.settle()
                held.rank(few)
                return held.ranking[:limit] if few is not None else self._first(held, limit)
        self._list_rows(held)
        held.settle()
        promising = held.promising(limit, few)
        self._look(held, {*promising, *near})
        held.rank(promising)
        if few is not None:
            return held.ranking[:limit]
        passed = self._first(held, limit)
        if len(passed) >= limit:
            return passed
        everybody = {row & MEMORY for rows in held.rows.values() for row in rows}
        if len(everybody) > len(promising):
            promising = held.promising(limit, self.passing([*everybody], scope.filter))
            self._look(held, promising.difference(held.looked_at))
            held.rank(promising)
            passed = held.ranking[:limit]
        return passed

    def _rankable(self, held: Held) -> bool:
        """Whether so few rows hold a word that ranking them costs less than choosing some."""
        scope = held.scope
        rows = scope.rows_with([*held.asked.spelled])
        weights = first_weights(held.asked.times, rows, scope.everything)
        inside = sum([rows[name] for name in weights]) * scope.size / scope.everything
        return inside <= _FOR_EACH_LOOK * worth_a_look(len(weights))

    def _best(self, held: Held, limit: int, few: set[int] | None) -> list[tuple[int, float]]:
        """The best that pass the filter, by the engine's own ranking.

        That counts words in the whole table. Where this is more than the scope, the best are looked
        at and ranked by what the scope counts, until nobody else can be among them.
        """
        self._count(held)
        weights = held.weights()
        excess = None if held.everywhere else self._excess(held, weights)
        wanted = int(_SPARE * limit) if excess is not None else _at_first(held.scope, limit, few)
        while weights:
            rows = self._best_rows(held, weights, few, wanted)
            best = [(memory, round(score, 9)) for memory, score, passes in rows if passes]
            best.sort(key=lambda pair: (-pair[1], pair[0]))
            least = rows[-1][1] if rows else 0.0
            if excess is not None:
                chosen = {memory for memory, _ in best}
                self._look(held, chosen.difference(held.looked_at))
                held.rank(chosen)
                best, least = held.ranking, excess * least
            enough = len(best) >= limit
            if len(rows) < wanted or (
                enough and (best[limit - 1][1] >= least or wanted >= _FURTHEST)
            ):
                return best[:limit]
            wanted *= _FURTHER
        return []

    def _count(self, held: Held) -> None:
        """Counts the rows of the scope that hold each name; of a long question the rarest ones."""
        asked, scope = held.asked, held.scope
        names = every = asked.phrases()
        if len(asked.times) > _RAREST:
            names = self._telling(held, names)
        if scope.size == scope.everything:
            held.counted.update(scope.rows_with([name for name, _ in names]))
        else:
            held.counted.update({name: self._counted(scope, phrase) for name, phrase in names})
        held.settle()
        if asked.begun:  # seldom: the last word of most questions is finished
            self._begin_like(asked)
            begun = [phrase for name, phrase in asked.phrases() if name == asked.begun]
            begun.append(quote(asked.spelled[asked.whole]))
            if names is every:
                held.counted[asked.begun] = self._counted(scope, " OR ".join(begun))

    def _counted(self, scope: TextScope, expression: str) -> int:
        """How many rows of the scope an expression finds."""
        values = [(expression, *stretch) for stretch in scope.stretches]
        return sum([int(self._c.value(_COUNT_WITH, bound)) for bound in values])

    def _excess(self, held: Held, weights: Mapping[str, float]) -> float:
        """By how much a score may be higher with the scope's counts than with the table's."""
        asked, scope = held.asked, held.scope
        counted = scope.rows_with([*asked.spelled, *(asked.longer or ())])
        if asked.begun:
            counted[asked.begun] = sum(
                [counted[term] for term in (asked.whole, *(asked.longer or ()))]
            )
        there = first_weights(dict.fromkeys(weights, 1), counted, scope.everything)
        return max(
            [
                weight / asked.times.get(name, 1) / there.get(name, weight)
                for name, weight in weights.items()
            ],
            default=1.0,
        )

    def _best_rows(
        self, held: Held, weights: Mapping[str, float], few: set[int] | None, wanted: int
    ) -> list[tuple[int, float, int]]:
        """(memory, score by the table's counts, whether it passes), best first."""
        asked, scope = held.asked, held.scope
        phrases: list[str] = []
        for name, phrase in asked.phrases():
            if name in weights:
                phrases += [phrase] * asked.times.get(name, 1)
        if asked.begun and asked.longer is not None:  # a word begins like itself
            phrases.append(quote(asked.spelled[asked.whole]))
        values: list[Any] = [" OR ".join(phrases)]
        # Within one stretch places are in the order of ids.
        tie = f"place & {MEMORY}" if scope.filter.project is None else "place"
        if few is None:
            where, before = conditions(scope.filter)
            sql, after = _BEST_CHECKED.format(where=where, among="", tie=tie), []
        else:
            before, after = [], [apsw.carray(array("q", sorted(few)))]
            sql = _BEST_OF_FEW.format(among=_AMONG, tie=tie)
        rows: list[tuple[int, float, int]] = []
        for low, high in scope.stretches:
            rows += self._c.rows(sql, (*before, *values, low, high, *after, wanted))
        if len(scope.stretches) > 1:
            rows.sort(key=lambda row: (-row[1], row[0]))
        return rows[:wanted]

    def _first(self, held: Held, limit: int) -> list[tuple[int, float]]:
        """The first of a ranking that pass the filter."""
        passed: list[tuple[int, float]] = []
        start = 0
        for end in (int(_FEW_HIDDEN * limit), int(_SPARE * limit), len(held.ranking)):
            part = held.ranking[start:end]
            if len(passed) < limit and part:
                passing = self.passing([memory for memory, _ in part], held.scope.filter)
                passed += [pair for pair in part if pair[0] in passing]
            start = end
        return passed[:limit]

    def _list_rows(self, held: Held) -> None:
        """Asks which rows of the scope hold which name; of a long question the rarest ones."""
        asked, scope = held.asked, held.scope
        names = asked.phrases()
        if len(asked.times) > _RAREST:
            names = self._telling(held, names)
        for name, phrase in names:
            rows = held.rows.setdefault(name, [])
            for low, high in scope.stretches:
                rows += [row[0] for row in self._c.rows(_ROWS_WITH, (phrase, low, high))]
        if asked.begun and asked.longer is not None:
            both = {*held.rows.get(asked.begun, ()), *held.rows.get(asked.whole, ())}
            held.rows[asked.begun] = [*both]
        held.counted.update({name: len(rows) for name, rows in held.rows.items()})

    def _telling(self, held: Held, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The names that are looked up where a long question has many rows: its rarest.

        How many rows of the scope hold the others is guessed from how many of all do.
        """
        everywhere = held.scope.rows_with([name for name, _ in names])
        weights = first_weights(dict.fromkeys(everywhere, 1), everywhere, held.scope.everything)
        share = held.scope.size / max(held.scope.everything, 1)
        if len(weights) == len(everywhere):
            return names
        held.counted.update({name: round(rows * share) for name, rows in everywhere.items()})
        return [(name, phrase) for name, phrase in names if name in weights]

    def _look(self, held: Held, among: Collection[int] | None, *, measured: bool = True) -> None:
        """Reads off the index where each name stands in the rows of the scope, or in some; of a
        scope that is not small in the first ones.

        How long a row is, which only ranking needs to know, is `measured` by a look of its own.
        """
        if among is not None and not among:
            return
        asked = held.asked
        phrases = asked.phrases()
        names = [name for name, _ in phrases]
        begun = asked.begun if asked.longer is not None else ""
        whole, looked_at = asked.whole, held.looked_at

        def collect(api: Any) -> None:
            places: Places = {}
            for index, name in enumerate(names):
                columns = api.phrase_columns(index)
                if columns:
                    at = {}
                    for column in columns:
                        at[column] = api.phrase_column_offsets(index, column)
                    places[name] = _joined(places[name], at) if name in places else at
            if begun and whole in places:  # a word begins like itself
                places[begun] = _joined(places.get(begun, {}), places[whole])
            looked_at[api.rowid & MEMORY] = places, api.column_size() if measured else 0

        sql = _LOOK + (_AMONG if among is not None else "")
        if among is None and held.scope.size > _SMALL:
            sql += f" limit {_FEW_ROWS}"
        expression = " OR ".join([phrase for _, phrase in phrases])
        for low, high in held.scope.stretches:
            values: list[Any] = [expression, low, high]
            if among is not None:
                values.append(apsw.carray(array("q", among)))
            self._c.collect_matches(collect, sql, values)

    def _inside_words(
        self, pieces: Sequence[str], scope: TextScope, limit: int
    ) -> list[tuple[int, float]]:
        """The newest memories that hold each piece, if only inside their words."""
        pieces = list(dict.fromkeys(pieces))
        short = any(piece.isascii() and len(piece) < _PIECE for piece in pieces)
        if not pieces or short or len(pieces) > _FEW_PIECES:
            return []
        # Letters, digits and signs beyond ASCII: nothing that has a meaning for LIKE.
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
        rows.sort()
        return [(row[0], 1.0) for row in rows[-limit:]]

    def _asked(self, plan: Plan) -> Asked:
        """The plan in the terms of the index."""
        return Asked(plan, self._terms_by_word([*dict.fromkeys(plan.words + plan.parts)]))

    def _begin_like(self, asked: Asked) -> None:
        """Looks for what begins like the last word."""
        if asked.begun:
            values = (asked.whole, asked.whole + _LAST, _LONGER + 1)
            longer = [row[0] for row in self._c.rows(_BEGIN_LIKE, values)]
            # A term is asked for as a word, which may lose another ending.
            spelled = " ".join(longer)
            same = [term for _, _, term in self._c.terms(spelled.encode())] == longer
            asked.longer = longer if len(longer) <= _LONGER and same else None

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
            terms[words[at]].append(term)
        return terms

    def terms(self, text: str) -> list[TermAt]:
        """The index terms of a text, in its order."""
        return list(map(TermAt._make, self._c.terms(text.encode())))


def _at_first(scope: TextScope, limit: int, few: set[int] | None) -> int:
    """Of how many of the best as many as wanted pass, as a rule."""
    if few is not None:
        return limit
    filter = scope.filter
    more = filter.include_superseded or filter.include_deleted or filter.include_documents
    if more or filter.kinds or filter.hidden or filter.as_of is not None or not scope.seen:
        return int(_SPARE * limit)
    return min(_FURTHEST, int(_FEW_HIDDEN * limit * scope.size / scope.seen) + 1)


def _joined(
    one: Mapping[int, Sequence[int]], other: Mapping[int, Sequence[int]]
) -> dict[int, Sequence[int]]:
    """The places of two names that count as one."""
    columns = {**one, **other}
    return {column: (*one.get(column, ()), *other.get(column, ())) for column in columns}
