"""The rows of a search and of its place: one type for each question, whichever engine answers.

Those of memories and their links are in `memory_rows`, those of work and of logs in `work_rows`.
"""

from __future__ import annotations

from recairn.core.record import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory, Said
    from recairn.ranking.lexical import Matches


# What a hit in title, content, details, keywords, category, idents and dates counts.
TEXT_WEIGHTS = (2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0)
# So many newest memories tell how long a memory of a scope usually is.
SAMPLED = 300


class KnownPlace(Row):
    """A mark that is known, its project, and one part of that, if it has any."""

    value: str
    state: int
    project: int
    name: str
    folder: str | None
    part: str | None


class Match(Row):
    """A memory that an index found, and how well it matches there."""

    memory: int
    score: float


class Named(Row):
    """A memory that may name a thing, with all that it says; a rule by its scope, without text."""

    memory: int
    kind: str
    scope: str
    text: str


class FactRow(Row):
    """What ranking computes with of one memory: the fields of `Facts` that a store knows."""

    id: int
    kind: str
    project: str
    tier: str
    sector: str
    created_at: int
    last_used_at: int | None
    usage_count: int
    salience: float
    decayed_at: int
    importance: float
    confidence: float
    helpful: float
    harmful: float
    outcome_score: float | None
    valid_until: int | None
    source_ref: str
    words: int
    stale: float


class ModelRow(Row):
    """A model known to a store; `state` is active (answers searches) or building."""

    id: int
    fingerprint: str
    name: str
    revision: str
    dim: int
    state: str


class VectorCount(Row):
    """How far a model has come: memories with an up-to-date vector, and live memories in all."""

    done: int
    total: int


class TermAt(Row):
    """An index term of a text, with the bytes of the text it stands for."""

    start: int
    end: int
    term: str


class QueryVector(Row):
    """A question in the space of a model: its codes, and what each of its words adds to them."""

    model: int
    name: str
    codes: bytes
    said: Sequence[Said]


class Candidates(Row):
    """What a store knows of the memories that may answer a question.

    Who was found by words and by meaning, with how well; the facts, vectors and places of all of
    them; about how many memories the asker sees; and how many the filter lets through, where they
    were listed.
    """

    by_words: Mapping[int, float]
    by_meaning: Mapping[int, float]
    facts: Mapping[int, FactRow]
    codes: Mapping[int, Sequence[bytes]]
    matches: Matches | None
    scope: int
    passing: int | None = None


class Shown(Row):
    """What a reader sees of a hit: the memory, its session, its successor, how many are linked."""

    memory: Memory
    session: Mapping[str, Any] | None
    successor: Mapping[str, Any] | None
    related: int
