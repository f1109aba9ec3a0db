"""What travels between databases beside the memories themselves: one shape for each noun.

A record is known by its field names. Row numbers mean nothing in another database, so every column
says what it holds, and those that hold numbers of memories or of other records are translated. How
a store keeps them is its own affair.
"""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


@record
class Column:
    """`holds` is text, int, real, time, json, memory (its number), memories (a list of numbers),
    number (the record's own), or the noun whose number or name it is."""

    name: str
    holds: str
    optional: bool


@record
class Shape:
    """`name` is the noun; `key` names the columns by which a record is recognised."""

    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def number(self) -> str:
        """The column of the record's own number; empty where it has none."""
        return next((column.name for column in self.columns if column.holds == "number"), "")


@record
class Placement:
    """The number of a record in this database, 0 for one without; and whether it is new."""

    number: int
    new: bool


@record
class WholeMemory:
    """A memory of another database with all its columns.

    `number` is the one it had there, `successor` the uid of what replaced it.
    """

    number: int | None
    successor: str | None
    row: Mapping[str, Any]
    keys: Sequence[int]


@record
class Position:
    """How far a history was read: the number and the time of an event.

    The time tells a database that came back from a backup: it gives numbers out once more.
    """

    event: int
    at: int


@record
class Changes:
    """The memories something happened to since a position, and the position now."""

    position: Position
    memories: list[int]


BEGINNING = Position(0, 0)


def _shape(name: str, key: str, columns: str) -> Shape:
    """A shape from `column` (text), `column:holds` and `column:holds?` (may be null)."""
    listed = []
    for spelling in columns.split():
        column, _, holds = spelling.partition(":")
        listed.append(Column(column, holds.rstrip("?") or "text", holds.endswith("?")))
    return Shape(name, tuple(key.split()), tuple(listed))


# In the order in which they can be written: what others point at comes first.
SHAPES = (
    _shape(
        "session",
        "id",
        "id project agent directory branch prompt summary context:json started_at:time"
        " last_seen_at:time ended_at:time?",
    ),
    _shape(
        "event",
        "memory at event reason before after",
        "id:number memory:memory at:time event reason before:json after:json session_id:text?"
        " undo_of:event? author:text?",
    ),
    _shape(
        "edge",
        "source target relation",
        "source:memory target:memory relation weight:real confidence:real created_by"
        " created_at:time valid_from:time valid_until:time? changed_at:time?",
    ),
    _shape("private", "memory", "memory:memory"),
    _shape(
        "use",
        "session_id memory usage_type",
        "session_id:session memory:memory usage_type at:time",
    ),
    _shape(
        "access",
        "memory at source",
        "id:number memory:memory at:time source session_id:text?",
    ),
    _shape(
        "staleness",
        "memory",
        "memory:memory checked_at:time state value:real detail",
    ),
    _shape(
        "task",
        "id",
        "id title description category project status score:real parent_id:task? outcome:text?"
        " outcome_note source_type source_ref session_id:text? metadata:json created_at:time"
        " updated_at:time started_at:time? completed_at:time?",
    ),
    _shape("dependency", "task_id depends_on", "task_id:task depends_on:task"),
    _shape(
        "task event",
        "task_id at event reason before",
        "id:number task_id:task at:time event reason before:json session_id:text? author:text?",
    ),
    _shape(
        "compaction",
        "at task_ids",
        "id:number at:time task_ids:json memories:memories summary exported_to",
    ),
    _shape(
        "injection",
        "at surface query tokens characters",
        "id:number at:time surface task_id:text? session_id:text? project query"
        " budget_tokens:int? tokens:int characters:int outcome:text? outcome_at:time?",
    ),
    _shape(
        "injected",
        "injection memory",
        "injection:injection memory:memory position:int tokens:int score:real? used:text?"
        " used_at:time?",
    ),
    _shape(
        "feedback",
        "memory at score source",
        "id:number memory:memory at:time score:real weight:real source query task_id:text?"
        " session_id:text? note event:event?",
    ),
    _shape(
        "query",
        "at query tool",
        "id:number at:time query tool mode profile project:text? session_id:text? results:int"
        " result_ids:memories duration_ms:real",
    ),
    _shape(
        "miss",
        "at failure_type query",
        "id:number at:time failure_type query project:text? wanted:memory? model:text? note",
    ),
    _shape(
        "document",
        "uid",
        "id:number uid path url title project format content_hash size:int modified_at:time?"
        " missing_since:time? created_at:time updated_at:time deleted_at:time?",
    ),
    _shape(
        "read",
        "reader stream",
        "reader stream position:memory updated_at:time",
    ),
    _shape(
        "import",
        "source origin key",
        "source origin key hash memory:memory? own:int position:int",
    ),
    _shape("project", "name", "id:number name parent:project? folder created_at:time"),
    _shape("alias", "name", "name project:project"),
    _shape("mark", "kind value", "kind value project:project state:int at:time"),
    _shape("setting", "key", "key value updated_at:time"),
)
SHAPE_OF = {shape.name: shape for shape in SHAPES}
# Records that go with their memory when it is destroyed; the others outlive it.
GO_WITH_MEMORY = frozenset(
    {"edge", "private", "use", "access", "staleness", "injected", "feedback"}
)
