"""Exports: the lines of the complete formats, and the readable ones."""

from __future__ import annotations

from recairn.surfaces.render.json_objects import memory_json
from recairn.sync.markdown import markdown_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from typing import Any

    from recairn.core.model import Memory

# What a table program would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_CSV_COLUMNS = (
    *("id", "uid", "kind", "title", "content", "fields", "project", "tier", "sector"),
    *("category", "keywords", "scope", "importance", "confidence", "salience", "helpful"),
    *("harmful", "usage_count", "created_at", "updated_at", "valid_until", "superseded_by"),
    *("expires_at", "deleted_at", "pinned", "trust", "source_type", "source_ref", "author"),
    *("session", "external_id"),
)


def jsonl_lines(records: Iterable[Mapping[str, Any]]) -> Generator[str]:
    """One record a line."""
    from json import dumps

    for record in records:
        yield dumps(record, ensure_ascii=False) + "\n"


def json_lines(records: Iterable[Mapping[str, Any]]) -> Generator[str]:
    """The same records as one document, written bit by bit."""
    from json import dumps

    yield '{"records": [\n'
    before = ""
    for record in records:
        yield before + dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n"


def csv_lines(memories: Iterable[Memory]) -> Generator[str]:
    """A table of memories; text that a table program would calculate is marked as text."""
    import csv
    from io import StringIO
    from json import dumps

    def line(cells: Iterable[Any]) -> str:
        written = StringIO()
        csv.writer(written, lineterminator="\n").writerow(cells)
        return written.getvalue()

    yield line(_CSV_COLUMNS)
    for memory in memories:
        values = memory_json(memory)
        cells = []
        for name in _CSV_COLUMNS:
            value = values[name]
            text = dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
            risky = isinstance(text, str) and text.startswith(_FORMULA)
            cells.append(f"'{text}" if risky else text)
        yield line(cells)


def markdown_lines(memories: Iterable[Memory]) -> Generator[str]:
    """Everything for reading, one heading a kind."""
    by_kind: dict[str, list[Memory]] = {}
    for memory in memories:
        by_kind.setdefault(memory.kind, []).append(memory)
    yield "# Memories\n"
    for kind in sorted(by_kind):
        yield f"\n## {kind.capitalize()}\n"
        for memory in by_kind[kind]:
            yield f"\n{markdown_entry(memory, '###')}"
