"""Keyword recall: the words of a question against the text index, ranked by BM25 within the scope.

The engine's own ranking counts each word in the whole table before it ranks the first row, and so
makes everybody pay for everybody. Here the index says where words stand within the asker's
stretches of it, and they are counted and ranked from that.
"""

from __future__ import annotations

from array import array

import apsw

from recairn.core.record import replace
from recairn.ranking.lexical import Matches, first_scores, first_weights
from recairn.store.rows import TEXT_WEIGHTS, Match, TermAt
from recairn.store.sqlite.places import MEMORY
from recairn.store.sqlite.text_scope import Figures, TextScope, quote
from recairn.store.statements.filters import conditions, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection

    Places = dict[str, dict[int, Sequence[int]]]

# In a scope no larger than this every row with a word is looked at; in a larger one it is first
# asked which rows hold which word, and the most promising are looked at.
_SMALL = 1_000
# So many of them for each one wanted, and at least so many; of a question of few words, whose rows
# hold the same ones and are told apart by a look alone, so many shared among its words. Among
# 100,000 memories 400 gave one question of three words in ten another first hit, and these none.
_FOR_EACH = 4
_LEAST = 600
_SHARED = 6_000
# And so many of those that hold all of its words.
_ALIKE = 4_000
# So many times more than wanted are checked at first where hardly anything is hidden.
_SPARE = 1.5
_ROWS_WITH = "select rowid from memories_fts where memories_fts match ? and rowid between ? and ?"
_LOOK = (
    "select recairn_collect(memories_fts) from memories_fts"
    " where memories_fts match ? and rowid between ? and ?"
)
_AMONG = f" and rowid & {MEMORY} in (select value from carray(?))"
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

# A last word that so many memories of the scope hold is finished, also where others begin like it.
_FINISHED = 100
# Terms that begin like an unfinished word; where there are more, the engine looks for them itself.
_LONGER = 20
_BEGIN_LIKE = "select term from memories_terms where term > ? and term < ? limit ?"
_LAST = chr(0x10FFFF)


class Asked:
    """A plan in the terms of the index."""

    __slots__ = ("begun", "extra", "longer", "plan", "spelled", "terms", "times", "whole")

    def __init__(self, plan: Plan, by_word: Mapping[str, Sequence[str]]) -> None:
        self.plan = plan
        self.terms = tuple([term for word in plan.words for term in by_word[word]])
        self.extra = tuple([term for word in plan.parts for term in by_word[word]])
        self.spelled: dict[str, str] = {}
        for word, own in by_word.items():
            for term in own:
                self.spelled.setdefault(term, word)
        # A word asked twice counts twice.
        self.times: dict[str, int] = {}
        for term in self.terms + self.extra:
            self.times[term] = self.times.get(term, 0) + 1
        whole = by_word.get(plan.prefix, ()) if plan.prefix else ()
        self.whole = whole[-1] if whole else ""
        self.begun = plan.prefix + "*" if self.whole else ""
        # What begins like the last word; None: the engine is to look for it.
        self.longer: Sequence[str] | None = ()

    def phrases(self) -> list[tuple[str, str]]:
        """What is looked for: a name each, and how the index is asked for it."""
        asked = [(term, quote(word)) for term, word in self.spelled.items()]
        if self.begun and self.longer is None:
            asked.append((self.begun, quote(self.plan.prefix) + "*"))
        elif self.begun:
            asked += [(self.begun, quote(term)) for term in self.longer or ()]
        return asked

    def asked_for(self) -> dict[str, int]:
        """How often each name counts in the first pass."""
        return {**self.times, self.begun: 1} if self.begun else self.times


class Held:
    """What was found of a question's words in a scope: who holds them, where, and how many do."""

    __slots__ = ("asked", "counted", "looked_at", "ranking", "rows", "scope")

    def __init__(self, asked: Asked, scope: TextScope) -> None:
        self.asked = asked
        self.scope = scope
        self.counted: dict[str, int] = {}
        # Where each name stands in the memories that were looked at, and how long those are.
        self.looked_at: dict[int, tuple[Places, int]] = {}
        # By name the rows that hold it, where they were asked for before any was looked at.
        self.rows: dict[str, list[int]] = {}
        self.ranking: list[tuple[int, float]] = []

    def count(self) -> None:
        """Counts who holds each name, where everybody was looked at."""
        for places, _ in self.looked_at.values():
            for name in places:
                self.counted[name] = self.counted.get(name, 0) + 1

    def settle(self) -> None:
        """Leaves out the prefix where that is a word that many memories hold."""
        asked, begun = self.asked, self.asked.begun
        if begun and self.counted.get(asked.whole, 0) >= _FINISHED:
            asked.plan, asked.begun = replace(asked.plan, prefix=""), ""
            self.counted.pop(begun, None)
            self.rows.pop(begun, None)
            for places, _ in self.looked_at.values():
                places.pop(begun, None)

    def rank(self, among: Collection[int] | None) -> None:
        """Ranks those that were looked at, or some of them."""
        looked_at = self.looked_at
        if among is not None:
            looked_at = {number: looked_at[number] for number in among if number in looked_at}
        weights = first_weights(self.asked.asked_for(), self.counted, self.scope.size)
        self.ranking = first_scores(weights, looked_at, self.scope.usual_terms, TEXT_WEIGHTS)

    def matches(self, ids: Sequence[int]) -> Matches:
        """Where the terms stand in those of the memories that were looked at."""
        asked, plan = self.asked, self.asked.plan
        # Nearly every word is one term; where one is not, words and terms go separate ways.
        aligned = len(asked.terms) == len(plan.words)
        term_of = dict(zip(plan.words, asked.terms, strict=True)) if aligned else {}
        places = {number: self.looked_at[number][0] for number in ids if number in self.looked_at}
        begun, whole = asked.begun, asked.whole
        if begun:  # who has the word itself, has it finished
            for own in places.values():
                if whole in own:
                    own.pop(begun, None)
        return Matches(
            terms=asked.terms,
            extra=asked.extra,
            prefix=begun,
            total=self.scope.size,
            usual_words=self.scope.usual_words(),
            frequencies={term: self.counted.get(term, 0) for term in asked.spelled},
            places=places,
            weights=TEXT_WEIGHTS,
            spelled=term_of,
            names=frozenset([term_of[name] for name in plan.names if name in term_of]),
        )

    def promising(self, limit: int, allowed: Collection[int] | None) -> set[int]:
        """The memories worth a look, by which of the words each holds."""
        # Of a long question only the telling names were asked for: the others have no rows here.
        listed = {name: n for name, n in self.asked.asked_for().items() if name in self.rows}
        weights = first_weights(listed, self.counted, self.scope.size)
        # Most rows hold one of the words: only the others are added up one by one.
        once, more = set[int](), set[int]()
        for name in weights:
            rows = set(self.rows[name])
            more |= once & rows
            once |= rows
        hopes = dict.fromkeys(more, 0.0)
        for name, weight in weights.items():
            for row in more.intersection(self.rows[name]):
                hopes[row] += weight
        alike: dict[float, list[Collection[int]]] = {}
        for row, hope in hopes.items():
            alike.setdefault(hope, []).append((row,))
        for name, weight in weights.items():
            alike.setdefault(weight, []).append(self.rows[name])
        wanted = max(_FOR_EACH * limit, _LEAST, _SHARED // max(len(weights), 1))
        chosen = set[int]()
        for hope in sorted(alike, reverse=True):
            found = {row & MEMORY for rows in alike[hope] for row in rows}
            found = (found if allowed is None else found.intersection(allowed)) - chosen
            # Of those that hold the same words the newest, where there are too many.
            room = (wanted if chosen else max(wanted, _ALIKE)) - len(chosen)
            chosen.update(found if len(found) <= room else sorted(found, reverse=True)[:room])
            if len(chosen) >= wanted:
                break
        return chosen


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
        scope, asked = held.scope, held.asked
        if scope.size <= _SMALL:
            self._look(held, asked.phrases(), None)
            held.count()
            held.settle()
            held.rank(few)
            return held.ranking[:limit] if few is not None else self._first(held, limit)
        self._list_rows(held)
        held.settle()
        promising = held.promising(limit, few)
        self._look(held, asked.phrases(), {*promising, *near})
        held.rank(promising)
        if few is not None:
            return held.ranking[:limit]
        passed = self._first(held, limit)
        if len(passed) >= limit:
            return passed
        everybody = {row & MEMORY for rows in held.rows.values() for row in rows}
        if len(everybody) > len(promising):
            promising = held.promising(limit, self.passing([*everybody], scope.filter))
            self._look(held, asked.phrases(), promising.difference(held.looked_at))
            held.rank(promising)
            passed = held.ranking[:limit]
        return passed

    def _first(self, held: Held, limit: int) -> list[tuple[int, float]]:
        """The first of a ranking that pass the filter."""
        passed: list[tuple[int, float]] = []
        start, end = 0, int(_SPARE * limit)
        while len(passed) < limit and start < len(held.ranking):
            part = held.ranking[start:end]
            passing = self.passing([memory for memory, _ in part], held.scope.filter)
            passed += [pair for pair in part if pair[0] in passing]
            start, end = end, len(held.ranking)
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

    def _look(
        self, held: Held, phrases: list[tuple[str, str]], among: Collection[int] | None
    ) -> None:
        """Reads off the index where each name stands in the rows of the scope, or in some."""
        if among is not None and not among:
            return
        asked = held.asked
        names = [name for name, _ in phrases]
        begun = asked.begun if asked.longer is not None else ""
        whole, looked_at = asked.whole, held.looked_at

        def collect(api: Any) -> None:
            places: Places = {}
            for index, name in enumerate(names):
                columns = api.phrase_columns(index)
                if columns:
                    at = {column: api.phrase_column_offsets(index, column) for column in columns}
                    places[name] = _joined(places[name], at) if name in places else at
            if begun and whole in places:  # a word begins like itself
                places[begun] = _joined(places.get(begun, {}), places[whole])
            looked_at[api.rowid & MEMORY] = places, api.column_size()

        sql = _LOOK if among is None else _LOOK + _AMONG
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
        rows.sort()
        return [(row[0], 1.0) for row in rows[-limit:]]

    def _asked(self, plan: Plan) -> Asked:
        """The plan in the terms of the index."""
        asked = Asked(plan, self._terms_by_word([*dict.fromkeys(plan.words + plan.parts)]))
        if asked.begun:
            values = (asked.whole, asked.whole + _LAST, _LONGER + 1)
            longer = [row[0] for row in self._c.rows(_BEGIN_LIKE, values)]
            # A term is asked for as a word, which may lose another ending.
            spelled = " ".join(longer)
            same = [term for _, _, term in self._c.terms(spelled.encode())] == longer
            asked.longer = longer if len(longer) <= _LONGER and same else None
        return asked

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


def _joined(
    one: Mapping[int, Sequence[int]], other: Mapping[int, Sequence[int]]
) -> dict[int, Sequence[int]]:
    """The places of two names that count as one."""
    columns = {**one, **other}
    return {column: (*one.get(column, ()), *other.get(column, ())) for column in columns}
