"""What an asker sees of the full-text index, and questions in its syntax.

How large the scope is and how common terms are in it: figures that a process keeps for as long as
nobody writes.
"""

from __future__ import annotations

from recairn.core.visibility import visible_tokens
from recairn.store.rows import SAMPLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.sqlite.connection import Connection

# All columns but one, which is a filter; to name the others instead costs a little more.
TEXT_COLUMNS = "- reach"
# A longer question is no phrase that anybody has written down.
_PHRASE_WORDS = 6

# Figures kept at most; each takes some 100 bytes.
_MOST = 10_000
# A term in fewer rows than this is counted in the asker's scope; of a commoner one the share is
# taken. Counting costs a walk through the rows.
_COUNTED = 2_000
# Nearly everything: what the others hold changes no figure.
_NEARLY_ALL = 0.95
_HOLDING = "select count(*) from memories_fts where memories_fts match ?"


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
        self.size, self.share = self._counted_size()

    def _counted_size(self) -> tuple[int, float]:
        """How many memories the scope holds, and which share of all that is; costs no count."""
        filter = self.filter
        key = ("scope", filter.project, filter.session, filter.parent)
        size: tuple[int, float] | None = self._figures.get(key)
        if size is None:
            # The full-text index begins its statistics with the number of its rows.
            statistics = self._c.value("select block from memories_fts_data where id = 1")
            everything = first_varint(statistics or b"\0")
            size = everything, 1.0
            if filter.project is not None:
                seen = visible_tokens(filter.project, filter.session, filter.parent)
                total = sum(self.rows_with(seen).values())
                size = total, total / everything if everything else 1.0
            self._figures[key] = size
        return size

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

    def frequencies(self, words: dict[str, str]) -> dict[str, int]:
        """In how many memories of the scope each term occurs, by the word it is asked for.

        Counted, or if common estimated.
        """
        found = self.rows_with(list(words))
        if self.share > _NEARLY_ALL:
            return found
        return {
            term: self._holding(term, words[term])
            if 0 < rows <= _COUNTED
            else round(rows * self.share)
            for term, rows in found.items()
        }

    def _holding(self, term: str, word: str) -> int:
        key = ("rows", term, self.filter.project, self.filter.session, self.filter.parent)
        if key not in self._figures:
            self._figures[key] = int(self._c.value(_HOLDING, (self.limited(quote(word)),)))
        return int(self._figures[key])

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

    def limited(self, expression: str) -> str:
        """The expression, limited to the text columns and to what the scope holds."""
        limited = f"{TEXT_COLUMNS} : ({expression})"
        filter = self.filter
        if filter.project is None:
            return limited
        tokens = visible_tokens(filter.project, filter.session, filter.parent)
        seen = " OR ".join([quote(token) for token in tokens])
        return f"reach : ({seen}) AND {limited}"


def first_varint(data: bytes) -> int:
    """The first number of a blob in SQLite's own spelling: seven bits a byte, the highest first."""
    value = 0
    for byte in data[:8]:
        value = value << 7 | byte & 127
        if byte < 128:
            break
    return value


# Questions in the syntax of the index; words are always text there, never syntax


def quote(word: str) -> str:
    """A string the full-text engine takes as text, never as syntax."""
    return '"' + word.replace('"', '""') + '"'


def together(chosen: Sequence[str]) -> list[str]:
    """The expressions for some words as a phrase and near one another; none for one or for many."""
    if not 2 <= len(chosen) <= _PHRASE_WORDS:
        return []
    each = " ".join(quote(word) for word in chosen)
    return [quote(" ".join(chosen)), f"NEAR({each}, 10)"]


def match_expression(plan: Plan, chosen: Sequence[str], *, apart: bool = False) -> str:
    """The three tiers as one full-text expression: phrase, nearness, any of the chosen words.

    A row that holds the phrase matches all three tiers and so scores highest under BM25. Where the
    words stand `apart` in every row, the last tier alone finds the same.
    """
    tiers = [quote(phrase) for phrase in plan.phrases]
    if not apart:
        tiers += together(chosen)
    tiers.extend(quote(word) for word in chosen)
    if plan.prefix and plan.prefix in chosen:
        tiers.append(quote(plan.prefix) + "*")
    return " OR ".join(tiers)
