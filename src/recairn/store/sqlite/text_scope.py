"""What an asker sees of the text index, how large that is, and questions in the index's syntax.

Its rows lie together by who may see them, so a scope is a few stretches of it. Figures are kept by
a process for as long as nobody writes.
"""

from __future__ import annotations

from recairn.core.kinds import visible_tokens
from recairn.store.rows import SAMPLED
from recairn.store.sqlite.places import LAST, stretch, varints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

# Figures kept at most; each takes some 100 bytes.
_MOST = 10_000
# Whatever their state is: the index holds what is forgotten, too.
_OF_PROJECT = (
    "select coalesce(sum(memories), 0) from tallies where day = -1 and state in"
    " ('open', 'expiring', 'replaced', 'forgotten') and project = ? and tier = 'project'"
)
_OF_ALL = "select coalesce(sum(memories), 0) from tallies where day = -1 and tier = 'global'"
_OF_SESSION = "select count(*) from memories where session_id = ? and tier = 'session'"
# The index begins its statistics with the number of its rows and the terms of each column.
_STATISTICS = "select block from memories_fts_data where id = 1"


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
        # How many memories it holds and where; how many there are, and the usual length of one.
        self.size: int
        self.stretches: Sequence[tuple[int, int]]
        self.everything: int
        self.usual_terms: float
        self.size, self.stretches, self.everything, self.usual_terms = figures[key]

    def _counted(self) -> tuple[int, list[tuple[int, int]], int, float]:
        rows, *terms = varints(self._c.value(_STATISTICS) or b"\0")
        usual = sum(terms) / max(rows, 1)
        filter = self.filter
        if filter.project is None:
            return rows, [(0, LAST)], rows, usual
        asked: list[tuple[str, tuple[str, ...]]] = [(_OF_PROJECT, (filter.project,)), (_OF_ALL, ())]
        if filter.parent is not None:
            asked.append((_OF_PROJECT, (filter.parent,)))
        if filter.session:
            asked.append((_OF_SESSION, (filter.session,)))
        counts = [int(self._c.value(sql, values)) for sql, values in asked]
        tokens = visible_tokens(filter.project, filter.session, filter.parent)
        held = [token for token, count in zip(tokens, counts, strict=True) if count]
        return sum(counts), sorted(map(stretch, dict.fromkeys(held))), rows, usual

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


def seen_stretches(filter: Filter) -> list[tuple[int, int]]:
    """Where in the index lies what the filter's project and session see; nothing is counted."""
    if filter.project is None:
        return [(0, LAST)]
    tokens = visible_tokens(filter.project, filter.session, filter.parent)
    return [stretch(token) for token in tokens]


def quote(word: str) -> str:
    """A string the full-text engine takes as text, never as syntax."""
    return '"' + word.replace('"', '""') + '"'
