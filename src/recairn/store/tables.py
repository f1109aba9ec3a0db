"""What travels between databases beside the memories themselves: one shape for each table.

A record is a row by its column names. Row numbers mean nothing in another database, so every column
says what it holds, and those that hold numbers of memories or of other records are translated.
"""

from __future__ import annotations

from recairn.core.record import record


@record
class Column:
    """`holds` is text, int, real, time, json, memory (its number), memories (a JSON list of
    numbers), number (the record's own), or the name of the shape whose number it is."""

    name: str
    holds: str
    may_lack: bool


@record
class Shape:
    """`key` names the columns that tell whether a record is known already."""

    name: str
    table: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def number(self) -> str:
        """The column of the record's own number; empty where it has none."""
        return next((each.name for each in self.columns if each.holds == "number"), "")


def _shape(name: str, table: str, key: str, columns: str) -> Shape:
    """A shape from `column` (text), `column:holds` and `column:holds?` (may be null)."""
    listed = []
    for spelled in columns.split():
        column, _, holds = spelled.partition(":")
        listed.append(Column(column, holds.rstrip("?") or "text", holds.endswith("?")))
    return Shape(name, table, tuple(key.split()), tuple(listed))


# In the order in which they can be written: what others point at comes first.
SHAPES = (
    _shape(
        "session",
        "sessions",
        "id",
        "id project agent directory branch prompt summary context:json started_at:time"
        " last_seen_at:time ended_at:time?",
    ),
    _shape(
        "event",
        "history",
        "memory at event reason before after",
        "id:number memory:memory at:time event reason before:json after:json session_id:text?"
        " undo_of:event?",
    ),
    _shape(
        "edge",
        "edges",
        "source target relation",
        "source:memory target:memory relation weight:real confidence:real created_by"
        " created_at:time valid_from:time valid_until:time? changed_at:time?",
    ),
    _shape(
        "use",
        "session_memories",
        "session_id memory usage_type",
        "session_id:session memory:memory usage_type at:time",
    ),
    _shape(
        "access",
        "access_log",
        "memory at source",
        "id:number memory:memory at:time source session_id:text?",
    ),
    _shape(
        "staleness",
        "staleness",
        "memory",
        "memory:memory checked_at:time state value:real detail",
    ),
    _shape(
        "task",
        "tasks",
        "id",
        "id title description category project status score:real parent_id:task? outcome:text?"
        " outcome_note source_type source_ref session_id:text? metadata:json created_at:time"
        " updated_at:time started_at:time? completed_at:time?",
    ),
    _shape("dependency", "task_deps", "task_id depends_on", "task_id:task depends_on:task"),
    _shape(
        "task event",
        "task_events",
        "task_id at event reason before",
        "id:number task_id:task at:time event reason before:json session_id:text?",
    ),
    _shape(
        "compaction",
        "compactions",
        "at task_ids",
        "id:number at:time task_ids:json memories:memories summary exported_to",
    ),
    _shape(
        "injection",
        "injections",
        "at surface query tokens characters",
        "id:number at:time surface task_id:text? session_id:text? project query"
        " budget_tokens:int? tokens:int characters:int outcome:text? outcome_at:time?",
    ),
    _shape(
        "injected",
        "injection_memories",
        "injection memory",
        "injection:injection memory:memory position:int tokens:int score:real? used:text?"
        " used_at:time?",
    ),
    _shape(
        "feedback",
        "feedback",
        "memory at score source",
        "id:number memory:memory at:time score:real weight:real source query task_id:text?"
        " session_id:text? note event:event?",
    ),
    _shape(
        "query",
        "query_log",
        "at query tool",
        "id:number at:time query tool mode profile project:text? session_id:text? results:int"
        " result_ids:memories duration_ms:real",
    ),
    _shape(
        "miss",
        "search_failures",
        "at failure_type query",
        "id:number at:time failure_type query project:text? wanted:memory? model:text? note",
    ),
    _shape(
        "document",
        "documents",
        "uid",
        "id:number uid path url title project format content_hash size:int modified_at:time?"
        " missing_since:time? created_at:time updated_at:time deleted_at:time?",
    ),
    _shape(
        "read",
        "read_cursors",
        "reader stream",
        "reader stream position:memory updated_at:time",
    ),
    _shape(
        "import",
        "imports",
        "source origin key",
        "source origin key hash memory:memory? own:int position:int",
    ),
    _shape("setting", "config", "key", "key value updated_at:time"),
)
# Records that go with their memory when it is destroyed; the others outlive it.
GO_WITH_MEMORY = frozenset({"edge", "use", "access", "staleness", "injected", "feedback"})
