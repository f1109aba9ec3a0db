"""Exports: the lines of the complete formats, and the readable ones."""

from __future__ import annotations

from recairn.render.documents import memory_json
from recairn.times import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from recairn.model import Memory

# What a table program would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_CSV_COLUMNS = (
    *("id", "uid", "kind", "title", "content", "fields", "project", "tier", "sector"),
    *("category", "keywords", "scope", "importance", "confidence", "salience", "helpful"),
    *("harmful", "usage_count", "created_at", "updated_at", "valid_until", "superseded_by"),
    *("expires_at", "deleted_at", "pinned", "trust", "source_type", "source_ref", "session"),
    "external_id",
)


def jsonl_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One record a line."""
    from json import dumps

    for record in records:
        yield dumps(record, ensure_ascii=False) + "\n"


def json_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The same records as one document, written bit by bit."""
    from json import dumps

    yield '{"records": [\n'
    before = ""
    for record in records:
        yield before + dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n"


def csv_lines(memories: Iterable[Memory]) -> Iterator[str]:
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


def markdown_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """Everything for reading, one heading a kind."""
    by_kind: dict[str, list[Memory]] = {}
    for memory in memories:
        by_kind.setdefault(memory.kind, []).append(memory)
    yield "# Memories\n"
    for kind in sorted(by_kind):
        yield f"\n## {kind.capitalize()}\n"
        for memory in by_kind[kind]:
            yield f"\n{markdown_entry(memory, '###')}"


def markdown_entry(memory: Memory, heading: str) -> str:
    """A memory under a heading: what it says, its fields, where it stands."""
    title = memory.title or memory.content.splitlines()[0][:80]
    lines = [f"{heading} {_inline(title)}", "", _marks(memory), ""]
    lines += [_block(memory.content), ""]
    for name, value in memory.fields.items():
        lines += [*_field(name.replace("_", " ").capitalize(), value), ""]
    return "\n".join(lines).rstrip() + "\n"


def _marks(memory: Memory) -> str:
    parts = [f"`{memory.uid}`", day(memory.created_at)]
    parts += [part for part in (memory.project, memory.category, memory.scope) if part]
    parts += [f"#{keyword}" for keyword in memory.keywords]
    for name, holds in (
        ("forgotten", memory.deleted_at is not None),
        ("superseded", memory.superseded_by is not None),
        ("pinned", memory.pinned),
        (memory.trust, memory.trust != "verified"),
    ):
        if holds:
            parts.append(f"**{name}**")
    return " · ".join(_inline(part) if part[0] not in "`*" else part for part in parts)


def _field(name: str, value: Any) -> list[str]:
    if isinstance(value, list):
        return [f"**{name}**", "", *(f"- {_inline(str(each))}" for each in value)]
    text = str(value)
    if "\n" in text:
        return [f"**{name}**", "", _block(text)]
    return [f"**{name}**: {_inline(text)}"]


def _inline(text: str) -> str:
    """Text on one line; what Markdown or HTML would read as markup is taken literally."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>" else letter for letter in flat)


def _block(text: str) -> str:
    """Text as it is; a line that would become a heading or a fence of ours stays text."""
    return text.replace("<", "&lt;")
