"""The text of a memory. Pure.

`whole_text` is everything a memory says, in the form that is indexed, embedded and compared.
`readable_text` is the same for a reader: fields have their names, and nothing is said twice.
"""

from __future__ import annotations

from recairn.core.kinds import KINDS, LIST, TEXT, fields_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory

# What a handoff leaves open; its branch, commits and files are the checkout's to say.
_OPEN_POINTS = ("next_steps", "blockers", "questions")


def whole_text(memory: Memory) -> str:
    """Title, content and the words of the kind's own fields."""
    return joined_text(memory.title, memory.content, fields_text(memory.fields))


def joined_text(title: str, content: str, details: str) -> str:
    """The whole text of a memory that is at hand in parts; `details` is its `fields_text`."""
    if not (title or details):
        return content
    return "\n".join([part for part in (title, content, details) if part])


def readable_text(memory: Memory) -> str:
    """Title, unless the content begins with it, content, and each field behind its name."""
    parts = [memory.content]
    if memory.title and not memory.content.startswith(memory.title):
        parts.insert(0, memory.title)
    return "\n".join([*parts, *_field_lines(memory)])


def _field_lines(memory: Memory) -> list[str]:
    if not memory.fields:
        return []
    types = KINDS[memory.kind].fields
    names = _OPEN_POINTS if memory.kind == "handoff" else tuple(memory.fields)
    lines = []
    for name in names:
        value = memory.fields.get(name)
        if value and types.get(name) in (TEXT, LIST):
            text = "; ".join(value) if isinstance(value, list) else str(value)
            lines.append(f"{name.replace('_', ' ')}: {text}")
    return lines
