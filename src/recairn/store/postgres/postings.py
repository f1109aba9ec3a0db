"""The text index as rows: which term of a memory stands how often in it, and where.

A memory's own text tells which rows it has, so nothing has to be looked up to take them away.
"""

from __future__ import annotations

from array import array
from sys import byteorder

from recairn.store.postgres.spelling import listed
from recairn.store.rows import TEXT_WEIGHTS
from recairn.store.sqlite.tokenizer import tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.store.postgres.connection import Connection

# In the order in which ranking numbers them.
INDEXED = ("title", "content", "details", "keywords", "category", "idents", "dates")
# A place is its column and its position in one number of four bytes.
_COLUMN_BITS = 24
_POSITION = (1 << _COLUMN_BITS) - 1
_SCOPE = (
    "insert into scopes(token, owner, memories, terms, words) values (?, ?, ?, ?, ?)"
    " on conflict (team, token, owner) do update set"
    " memories = scopes.memories + excluded.memories,"
    " terms = scopes.terms + excluded.terms, words = scopes.words + excluded.words"
)
_INSERT = (
    "insert into postings(reach, owner, term, memory, frequency, terms, places)"
    " select s.reach, s.owner, v.term, v.memory, v.frequency, v.terms, v.places from unnest("
    "?::text[], ?::integer[], ?::text[], ?::bigint[], ?::integer[], ?::integer[], ?::bytea[])"
    " v(token, owner, term, memory, frequency, terms, places)"
    " join scopes s on s.token = v.token and s.owner = v.owner on conflict do nothing"
)
# Of one memory: what its rows have in common is said once, since others wait for their turn.
_INSERT_ONE = (
    "insert into postings(reach, owner, term, memory, frequency, terms, places)"
    " select s.reach, s.owner, v.term, ?::bigint, v.frequency, ?::integer, v.places"
    " from unnest(?::text[], ?::integer[], ?::bytea[]) v(term, frequency, places)"
    " join scopes s on s.token = ? and s.owner = ?::integer on conflict do nothing"
)
# Rows of one statement.
_ROWS = 2000


class Entry:
    """The terms of one memory: how often each stands in it, weighed, and its places."""

    __slots__ = ("frequencies", "length", "places")

    def __init__(self, row: Mapping[str, Any]) -> None:
        split = tokenizer()
        self.frequencies: dict[str, int] = {}
        self.places: dict[str, array[int]] = {}
        # The token that says who sees it counts as a term, as it does in SQLite's index.
        self.length = 1
        for column, (name, weight) in enumerate(zip(INDEXED, TEXT_WEIGHTS, strict=True)):
            text = row[name]
            if not text or text == "[]":
                continue
            terms = split(text)
            self.length += len(terms)
            base = column << _COLUMN_BITS
            for position, (_, _, term) in enumerate(terms):
                self.frequencies[term] = self.frequencies.get(term, 0) + int(weight)
                place = base + min(position, _POSITION)
                if term in self.places:
                    self.places[term].append(place)
                else:
                    self.places[term] = array("I", [place])


def packed(places: array[int]) -> bytes:
    """Places as they are stored: four bytes each, the lowest first."""
    if byteorder == "big":
        places = array("I", places)
        places.byteswap()
    return places.tobytes()


def unpacked(stored: bytes) -> dict[int, list[int]]:
    """The positions by column."""
    places = array("I", stored)
    if byteorder == "big":
        places.byteswap()
    columns: dict[int, list[int]] = {}
    for place in places:
        columns.setdefault(place >> _COLUMN_BITS, []).append(place & _POSITION)
    return columns


def index(c: Connection, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    """Adds memories, each a number and its row as it is stored, to the index; in a transaction."""
    rows = list(rows)
    if len(rows) == 1:
        _index_one(c, *rows[0])
        return
    seen: dict[tuple[str, int], list[int]] = {}
    entries: list[tuple[Any, ...]] = []
    for memory, row in rows:
        entry, scope = Entry(row), (row["reach"], row["owner"])
        counts = seen.setdefault(scope, [0, 0, 0])
        for at, added in enumerate((1, entry.length, row["words"])):
            counts[at] += added
        for term, frequency in entry.frequencies.items():
            places = packed(entry.places[term])
            entries.append((*scope, term, memory, frequency, entry.length, places))
    for scope, counts in seen.items():
        c.post(_SCOPE, (*scope, *counts), kept=True)
    for start in range(0, len(entries), _ROWS):
        columns = zip(*entries[start : start + _ROWS], strict=True)
        c.post(_INSERT, [listed(column) for column in columns], kept=True)


def _index_one(c: Connection, memory: int, row: Mapping[str, Any]) -> None:
    entry, scope = Entry(row), (row["reach"], row["owner"])
    c.post(_SCOPE, (*scope, 1, entry.length, row["words"]), kept=True)
    if entry.frequencies:
        places = [packed(entry.places[term]) for term in entry.frequencies]
        terms = (listed(entry.frequencies), listed(entry.frequencies.values()), listed(places))
        c.post(_INSERT_ONE, (memory, entry.length, *terms, *scope), kept=True)


def unindex(c: Connection, memory: int, row: Mapping[str, Any]) -> None:
    """Takes a memory out of the index, given the row it was indexed with."""
    entry = Entry(row)
    c.post(
        "delete from postings p using scopes s where s.token = ? and s.owner = ?"
        " and p.reach = s.reach and p.memory = ? and p.term = any(?::text[])",
        (row["reach"], row["owner"], memory, listed(entry.frequencies)),
        kept=True,
    )
    c.post(_SCOPE, (row["reach"], row["owner"], -1, -entry.length, -row["words"]), kept=True)


def is_indexed(changes: Sequence[str] | Mapping[str, Any]) -> bool:
    """Whether one of the columns is part of the index."""
    return any(name in changes for name in (*INDEXED, "reach", "words"))
