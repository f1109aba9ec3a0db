"""A memory as Markdown for reading: its text literally, whatever it holds."""

from __future__ import annotations

from recairn.core.times import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory


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
    parts += [part for part in (memory.category, memory.scope) if part]
    parts += [f"#{keyword}" for keyword in memory.keywords]
    for name, holds in (
        ("forgotten", memory.deleted_at is not None),
        ("superseded", memory.superseded_by is not None),
        ("pinned", memory.pinned),
        (memory.trust, memory.trust == "unverified"),
    ):
        if holds:
            parts.append(f"**{name}**")
    return " · ".join(_inline(part) if part[0] not in "`*" else part for part in parts)


def _field(name: str, value: Any) -> list[str]:
    if isinstance(value, list):
        return [f"**{name}**", "", *(f"- {_inline(str(entry))}" for entry in value)]
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
