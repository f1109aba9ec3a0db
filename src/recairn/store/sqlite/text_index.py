"""The text index: where memories lie in it, what an asker sees of it, and questions in its syntax.

Its rows lie together by who may see them, so a scope is a few stretches of it. Figures are kept by
a process for as long as nobody writes.
"""

from __future__ import annotations

from recairn.core.kinds import visible_tokens
from recairn.core.record import replace
from recairn.ranking.lexical import Matches, first_scores, first_weights
from recairn.store.rows import SAMPLED, TEXT_WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection

    Places = dict[str, dict[int, Sequence[int]]]

# A memory's id takes so many bits of its place, as in the number of a vector; its readers the rest.
_ID_BITS = 35
_READER_BITS = 27
_READERS = (1 << _READER_BITS) - 1
# What of a place is the memory's id.
MEMORY = (1 << _ID_BITS) - 1
LAST = (1 << (_ID_BITS + _READER_BITS)) - 1

# In the order in which ranking numbers them.
INDEXED = ("title", "content", "details", "keywords", "category", "idents", "dates")

# Figures kept at most; each takes some 100 bytes.
_MOST = 10_000
# Whatever their state is: the index holds what is forgotten, too.
# All, and those that a question sees which asks for nothing else.
_COUNTED = (
    "select coalesce(sum(memories), 0), coalesce(sum(memories) filter ("
    "where state in ('open', 'expiring') and kind <> 'chunk'), 0) from tallies where day = -1"
)
_OF_PROJECT = (
    f"{_COUNTED} and state in ('open', 'expiring', 'replaced', 'forgotten')"
    " and project = ? and tier = 'project'"
)
_OF_ALL = f"{_COUNTED} and tier = 'global'"
_OF_SESSION = "select count(*), count(*) from memories where session_id = ? and tier = 'session'"
# The index begins its statistics with the number of its rows and the terms of each column.
_STATISTICS = "select block from memories_fts_data where id = 1"


# So many of them for each one wanted, and at least so many; of a question of few words, whose rows
# hold the same ones and are told apart by a look alone, so many shared among its words. Among
# 100,000 memories 400 gave one question of three words in ten another first hit, and these none.
_FOR_EACH = 4
_LEAST = 600
_SHARED = 6_000
# And so many of those that hold all of its words.
_ALIKE = 4_000
# A last word that so many memories of the scope hold is finished, also where others begin like it.
_FINISHED = 100


def place_sql(row: str) -> str:
    """The place of a memory as an expression of SQL; `row` is what its columns are taken from."""
    return f"(cast(substr({row}.reach, 2) as integer) & {_READERS}) << {_ID_BITS} | {row}.id"


def stretch(reach: str) -> tuple[int, int]:
    """The first and the last place of what readers with this token see."""
    digits = reach[1:]
    first = (int(digits) & _READERS if digits.isdigit() else 0) << _ID_BITS
    return first, first | MEMORY


def in_order(ids: Iterable[int], reaches: Iterable[str]) -> list[int]:
    """Memories in the order of their places.

    The engine writes out what it holds whenever a number falls.
    """
    pairs = list(zip(reaches, ids, strict=True))
    first = {reach: stretch(reach)[0] for reach in {reach for reach, _ in pairs}}
    return [
        number & MEMORY for number in sorted([first[reach] | memory for reach, memory in pairs])
    ]


_COLUMNS = ", ".join(INDEXED)
_ADD = (
    f"insert into memories_fts(rowid, {_COLUMNS}) select {place_sql('m')}, "
    + ", ".join(f"m.{name}" for name in INDEXED)
    + " from {listed} cross join memories m on m.id = listed.{id}"
)
# Those of a list that is in order, and all; there numbers are sorted, since the texts of a million
# memories would not fit into memory.
ADD_SOME = _ADD.format(listed="carray(?) listed", id="value")
_SORTED = f"(select s.id, {place_sql('s')} as place from memories s order by place)"
ADD_ALL = _ADD.format(listed=f"{_SORTED} listed", id="id")
REMOVE_ALL = "insert into memories_fts(memories_fts) values ('delete-all')"
# So many bytes of a text index the engine holds before it writes them out as a piece: of many rows
# at once more, or their pieces would be joined right after. The index itself keeps the number.
_HOLD = "insert into memories_fts(memories_fts, rank) values ('hashsize', {})"
HOLD_MANY, HOLD_FEW = _HOLD.format(64 << 20), _HOLD.format(1 << 20)
# One piece instead of many: a search looks for each of its words in every piece.
JOIN = "insert into memories_fts(memories_fts) values ('optimize')"
PIECES = "select block from memories_fts_data where id = 10"
# The version of the list of pieces that says five numbers more of each.
_SECOND = b"\xff\x00\x00\x01"


def varints(data: bytes) -> list[int]:
    """The numbers of a blob in SQLite's own spelling: seven bits a byte, the highest first."""
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 127
        if byte < 128:
            numbers.append(value)
            value = 0
    return numbers


def piece_sizes(listed: bytes) -> list[int]:
    """The pages of each piece of the index, from the engine's own list of them."""
    second = listed[4:8] == _SECOND
    levels, _, _, *numbers = varints(listed[8 if second else 4 :])
    sizes, at = [], 0
    for _ in range(levels):
        for _ in range(numbers[at + 1]):
            sizes.append(numbers[at + 4] - numbers[at + 3] + 1)
            at += 8 if second else 3
        at += 2
    return sizes


class Figures:
    """What was counted, for as long as it is true."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._state: tuple[int, int] | None = None
        self._counted: dict[object, Any] = {}

    def current(self) -> dict[object, Any]:
        """What was counted since the last write of anybody.

        Within a transaction nothing is kept: that it was rolled back would not show afterwards.
        """
        state = self._connection.state()
        if state is None:
            return {}
        if state != self._state or len(self._counted) > _MOST:
            self._counted, self._state = {}, state
        return self._counted


class TextScope:
    """The part of the index that a filter's project and session see."""

    def __init__(self, connection: Connection, filter: Filter, figures: dict[object, Any]) -> None:
        self._c = connection
        self.filter = filter
        self._figures = figures
        key = ("scope", filter.project, filter.session, filter.parent)
        if key not in figures:
            figures[key] = self._counted()
        # How many memories it holds, how many of them a plain question sees, where they lie;
        # how many there are, and the usual length of one.
        self.size: int
        self.seen: int
        self.stretches: Sequence[tuple[int, int]]
        self.everything: int
        self.usual_terms: float
        self.size, self.seen, self.stretches, self.everything, self.usual_terms = figures[key]

    def _counted(self) -> tuple[int, int, list[tuple[int, int]], int, float]:
        rows, *terms = varints(self._c.value(_STATISTICS) or b"\0")
        usual = sum(terms) / max(rows, 1)
        filter = self.filter
        if filter.project is None:
            ((_, seen),) = self._c.rows(_COUNTED)
            return rows, int(seen), [(0, LAST)], rows, usual
        asked: list[tuple[str, tuple[str, ...]]] = [(_OF_PROJECT, (filter.project,)), (_OF_ALL, ())]
        if filter.parent is not None:
            asked.append((_OF_PROJECT, (filter.parent,)))
        if filter.session:
            asked.append((_OF_SESSION, (filter.session,)))
        counts = [self._c.rows(sql, values)[0] for sql, values in asked]
        tokens = visible_tokens(filter.project, filter.session, filter.parent)
        held = [token for token, (count, _) in zip(tokens, counts, strict=True) if count]
        size, seen = (sum(column) for column in zip(*counts, strict=True))
        return size, seen, sorted(map(stretch, dict.fromkeys(held))), rows, usual

    def rows_with(self, terms: Sequence[str]) -> dict[str, int]:
        """How many memories of all hold each term."""
        figures = self._figures
        unknown = [term for term in dict.fromkeys(terms) if ("rows", term) not in figures]
        if unknown:
            marks = ", ".join("?" * len(unknown))
            rows = self._c.rows(
                f"select term, doc from memories_terms where term in ({marks})", unknown
            )
            figures.update({("rows", term): 0 for term in unknown})
            figures.update({("rows", term): count for term, count in rows})
        return {term: figures["rows", term] for term in terms}

    def usual_words(self) -> float:
        """The mean length of a memory in the scope, by its newest ones."""
        project = self.filter.project
        key = ("usual words", project)
        if key not in self._figures:
            newest, values = "order by id desc", []
            if project is not None:
                newest, values = "where project = ? order by created_at desc", [project]
            sample = f"select words from memories {newest} limit {SAMPLED}"
            mean = self._c.value(f"select avg(words) from ({sample})", values)
            self._figures[key] = float(mean or 1.0)
        return float(self._figures[key])


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

    def weights(self) -> dict[str, float]:
        """What each name counts in the first pass."""
        return first_weights(self.asked.asked_for(), self.counted, self.scope.size)

    @property
    def everywhere(self) -> bool:
        """Whether the engine's own ranking, which counts in the whole table, is the scope's."""
        asked = self.asked
        spelled_out = asked.begun and asked.longer is not None
        return self.scope.size == self.scope.everything and not spelled_out

    def rank(self, among: Collection[int] | None) -> None:
        """Ranks those that were looked at, or some of them."""
        looked_at = self.looked_at
        if among is not None:
            looked_at = {number: looked_at[number] for number in among if number in looked_at}
        self.ranking = first_scores(self.weights(), looked_at, self.scope.usual_terms, TEXT_WEIGHTS)

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
        wanted = max(_FOR_EACH * limit, worth_a_look(len(weights)))
        chosen = set[int]()
        for hope in sorted(alike, reverse=True):
            rows_alike = {row & MEMORY for rows in alike[hope] for row in rows}
            rows_alike = (
                rows_alike if allowed is None else rows_alike.intersection(allowed)
            ) - chosen
            # Of those that hold the same words the newest, where there are too many.
            room = (wanted if chosen else max(wanted, _ALIKE)) - len(chosen)
            chosen.update(
                rows_alike if len(rows_alike) <= room else sorted(rows_alike, reverse=True)[:room]
            )
            if len(chosen) >= wanted:
                break
        return chosen


def worth_a_look(names: int) -> int:
    """How many rows are looked at at least for a question of so many names."""
    return max(_LEAST, _SHARED // max(names, 1))


def seen_stretches(filter: Filter) -> list[tuple[int, int]]:
    """Where in the index lies what the filter's project and session see; nothing is counted."""
    if filter.project is None:
        return [(0, LAST)]
    tokens = visible_tokens(filter.project, filter.session, filter.parent)
    return [stretch(token) for token in tokens]


def quote(word: str) -> str:
    """A string the full-text engine takes as text, never as syntax."""
    return '"' + word.replace('"', '""') + '"'
