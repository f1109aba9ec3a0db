"""Candidates as text for the person who decides about them."""

from __future__ import annotations

from recairn.core.words import one_line
from recairn.surfaces.render.text import circumstances, headline, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory

_INDENT = "      "
# Characters of a candidate that are shown: all of it, as a rule over one sentence made it.
_WHOLE = 500
_REFERENCE = 100


def candidate_text(memory: Memory, *, now: int, project: str | None) -> str:
    """`#42 text`, what it is and how old, why and instead of what, and where it came from."""
    lines = [f"{styled(f'#{memory.id}', 'name')} {headline(memory, _WHOLE)}"]
    lines.append(_INDENT + styled(circumstances(memory, now, project), "dim"))
    for name, value in memory.fields.items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        lines.append(f"{_INDENT}{name}: {one_line(without_marks(text), _WHOLE)}")
    lines.append(_INDENT + styled(_origin(memory), "dim"))
    return "\n".join(lines) + "\n"


def _author(memory: Memory) -> str:
    """Who wrote it; of what the person's own words gave, the way it came."""
    if memory.author in ("", "person"):
        return memory.source_type
    role, _, name = memory.author.partition(":")
    return f"{role} {one_line(without_marks(name), _REFERENCE)}".strip()


def _origin(memory: Memory) -> str:
    source = one_line(without_marks(memory.source_ref), _REFERENCE)
    text = f"from {_author(memory)}" + (f": {source}" if source else "")
    if memory.session_id and memory.session_id not in source:
        text += f", session {one_line(without_marks(memory.session_id), _REFERENCE)}"
    return text
