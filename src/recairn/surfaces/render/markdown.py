"""Memories as Markdown."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.surfaces.render.text import details, doubts, headline, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory


def listing_markdown(page: Sequence[Memory], *, now: int) -> str:
    """A bullet for each memory, as an agent's context file holds them."""
    return "".join(f"- {headline(memory)} ({_about(memory, now)})\n" for memory in page)


def _about(memory: Memory, now: int) -> str:
    """`#42, decision`, and why it may not be believed."""
    return ", ".join([f"#{memory.id}", kind_name(memory), *doubts(memory, now)])


def memory_markdown(memory: Memory, *, now: int) -> str:
    """A memory under its own heading."""
    lines = [f"## {kind_name(memory).capitalize()} #{memory.id}", "", memory.content.strip(), ""]
    for label, value in details(memory, now):
        if label == "Content":
            continue
        shown = "; ".join(map(str, value)) if isinstance(value, list) else " ".join(value.split())
        lines.append(f"- {label}: {shown}")
    return without_marks("\n".join(lines)) + "\n"
