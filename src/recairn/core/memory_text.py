"""The text of a memory. Pure.

`whole_text` is everything a memory says, in the form that is indexed, embedded and compared.
`readable_text` is the same for a reader: fields have their names, and nothing is said twice.
"""

from __future__ import annotations

from recairn.core.kinds import KINDS, LIST, TEXT, fields_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory

# Without these an agent would repeat what was remembered to be avoided: no shortening drops them.
_KEPT = ("risk", "fix")
# What a handoff says beside its text; the newest commits are the checkout's to say.
_OF_HANDOFF = ("branch", "next_steps", "blockers", "questions", "files")
# Of its files the last ones: those the work ended with.
_FILES_SHOWN = 8


def whole_text(memory: Memory) -> str:
    """Title, content and the words of the kind's own fields."""
    return joined_text(memory.title, memory.content, fields_text(memory.fields))


def joined_text(title: str, content: str, details: str) -> str:
    """The whole text of a memory that is at hand in parts; `details` is its `fields_text`."""
    if not (title or details):
        return content
    return "\n".join([part for part in (title, content, details) if part])


def kind_name(memory: Memory) -> str:
    """The kind as readers know it: what not to do is no pattern to follow."""
    return "anti-pattern" if memory.fields.get("anti_pattern") else memory.kind


def flags_of(memory: Memory) -> tuple[str, ...]:
    """What a reader must know of a memory before it takes the text for true, or for advice."""
    if not (memory.stale or memory.fields or memory.branch):
        return ()
    flags = ("anti-pattern",) if memory.fields.get("anti_pattern") else ()
    if memory.branch:
        flags = (*flags, f"on branch {memory.branch}")
    return (*flags, f"may be stale: {memory.stale}") if memory.stale else flags


def readable_text(memory: Memory) -> str:
    """Title, unless the content begins with it, content, and each field behind its name."""
    return "\n".join(readable_parts(memory))


def readable_parts(memory: Memory) -> tuple[str, ...]:
    """The same in two: what may be shortened, and what stays whatever is shortened."""
    parts = [memory.content]
    if memory.title and not memory.content.startswith(memory.title):
        parts.insert(0, memory.title)
    if memory.fields.get("anti_pattern"):
        parts[0] = f"Avoid: {parts[0]}"
    fields = _field_lines(memory)
    kept = [fields.pop(name) for name in _KEPT if name in fields]
    text = "\n".join([*parts, *fields.values()])
    return (text, "\n".join(kept)) if kept else (text,)


def _field_lines(memory: Memory) -> dict[str, str]:
    """Name → line of each field that a reader wants."""
    if not memory.fields:
        return {}
    types = KINDS[memory.kind].fields
    names = _OF_HANDOFF if memory.kind == "handoff" else tuple(memory.fields)
    lines = {}
    for name in names:
        value = memory.fields.get(name)
        if value and types.get(name) in (TEXT, LIST):
            text = "; ".join(_shown(name, value)) if isinstance(value, list) else str(value)
            lines[name] = f"{name.replace('_', ' ')}: {text}"
    return lines


def _shown(name: str, values: list[str]) -> list[str]:
    """The values of a list, of many files the last with the number of the others."""
    more = len(values) - _FILES_SHOWN
    if name != "files" or more <= 0:
        return values
    return [*values[-_FILES_SHOWN:], f"and {more} more"]
