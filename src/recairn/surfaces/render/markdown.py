"""Memories as Markdown."""

from __future__ import annotations

from recairn.surfaces.render.marks import without_marks
from recairn.surfaces.render.text import details, headline, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory


def listing_markdown(page: Sequence[Memory]) -> str:
    """A bullet for each memory, as an agent's context file holds them."""
    return "".join(f"- {headline(memory)} (#{memory.id})\n" for memory in page)


def memory_markdown(memory: Memory, *, now: int) -> str:
    """A memory under its own heading."""
    lines = [f"## {kind_name(memory).capitalize()} #{memory.id}", "", memory.content.strip(), ""]
    for label, value in details(memory, now):
        if label == "Content":
            continue
        shown = "; ".join(map(str, value)) if isinstance(value, list) else " ".join(value.split())
        lines.append(f"- {label}: {shown}")
    return without_marks("\n".join(lines)) + "\n"
