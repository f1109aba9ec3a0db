"""The text of a memory. Pure.

`whole_text` is everything a memory says, in the form that is indexed, embedded and compared.
`readable_parts` are the same for a reader: fields have their names, and nothing is said twice.
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
    details = fields_text(memory.fields) if memory.fields else ""
    return joined_text(memory.title, memory.content, details)


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


def readable_parts(memory: Memory) -> tuple[str, ...]:
    """Title, unless the content begins with it, content, and each field behind its name; in two:
    what may be shortened, and what stays whatever is shortened."""
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


OPEN = "<recairn-context>"
CLOSE = "</recairn-context>"
QUOTE = "> "

_NAME = "recairn-"
_BROKEN = "&lt;"
# The lines of a block: quoted ones, headers (`#42 ...`), what introduces them, and section titles.
_OWN_LINE = (
    r"(?:(?:>|#\d+ |Background|\[\.\.\. )[^\n]*"
    r"|(?:[^\n:]{1,40}|About [^\n]{1,140}):(?=\n#\d+ |\n?\Z))(?:\n|\Z)"
)
# The signs that a name in a header line may hold, beside letters and digits.
_HARMLESS = " _.:/#@+-"


def unfenced(text: str) -> str:
    """The text with every tag of ours broken, so that it cannot open or end a block."""
    if _NAME not in text.lower():
        return text
    import re

    return re.sub(rf"<(?=\s*/?\s*{_NAME})", _BROKEN, text, flags=re.IGNORECASE)


def quoted(text: str) -> list[str]:
    """The lines of a text as quoted lines of a block."""
    return [f"{QUOTE}{line}".rstrip() for line in unfenced(text).splitlines()]


def plain(text: str, longest: int) -> str:
    """A name without any sign that structures a header line."""
    if not text.isalnum():
        letters = [sign if sign.isalnum() or sign in _HARMLESS else " " for sign in text]
        text = " ".join("".join(letters).split())
    return text[:longest].strip()


def without_blocks(text: str) -> tuple[str, int]:
    """The text without what recairn injected, and how many blocks that were.

    A block that a host cut off before its end goes as far as its lines are a block's: what somebody
    wrote below it stays. Inside a block no tag of ours stands, so one that follows begins another.
    """
    if f"{OPEN}\n" not in text:
        return text, 0
    import re

    whole = rf"{OPEN}\n(?:(?!{OPEN}\n).)*?{CLOSE}\n?"
    return re.subn(rf"{whole}|{OPEN}\n(?:{_OWN_LINE})+", "", text, flags=re.DOTALL)
