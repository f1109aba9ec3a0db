"""Memories as the lines of a marked block: a header, the quoted text, and shorter forms of it."""

from __future__ import annotations

from recairn.core.fence import plain, quoted, unfenced
from recairn.core.memory_text import readable_text
from recairn.core.record import record
from recairn.core.times import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory

# Characters at which a long text may be cut, at the next sentence end: a lead, a preview, a page.
_CUTS = (60, 200, 500)
# A text this much longer than a cut is worth cutting.
_WORTH_CUTTING = 1.3
_LONGEST_SENTENCE = 300
_CATEGORY, _SOURCE = 40, 60  # characters in a header


@record
class Shown:
    """One form of a memory: its lines, and how much of the whole text they hold."""

    lines: tuple[str, ...]
    share: float


def header(memory: Memory, now: int, notes: Sequence[str] = ()) -> str:
    """`#42 [database] decision, 3 days ago, manual (PR 17), 71%`."""
    category = plain(memory.category, _CATEGORY)
    source = plain(memory.source_ref, _SOURCE)
    about = [memory.kind, age(memory.created_at, now)]
    about.append(f"{memory.source_type} ({source})" if source else memory.source_type)
    if memory.trust == "unverified":
        about.append("unverified")
    named = f"#{memory.id} [{category}]" if category else f"#{memory.id}"
    return f"{named} {', '.join([*about, *notes])}"


def forms(memory: Memory, now: int, notes: Sequence[str] = ()) -> tuple[Shown, ...]:
    """The memory's forms, from the shortest to the whole; a short memory has only one."""
    first = header(memory, now, notes)
    text = unfenced(readable_text(memory)).strip()
    made = []
    for end in _ends(text):
        kept = text[:end].rstrip()
        lines = quoted(kept)
        lines[-1] += f" [... #{memory.id}]"
        made.append(Shown((first, *lines), len(kept) / len(text)))
    return (*made, Shown((first, *quoted(text)), 1.0))


def excerpt(shown: Shown) -> str:
    """The text of a form, without header and quotation marks."""
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in shown.lines[1:])


def _ends(text: str) -> list[int]:
    """Where a long text may be cut, in order."""
    if len(text) <= _CUTS[0] * _WORTH_CUTTING:
        return []
    import re

    # A full stop or its like before white space, the same in Chinese and Japanese, or a line's end.
    sentence_end = re.compile("(?<=[.!?;:])\\s+|(?<=[\u3002\uff01\uff1f])|\n+")
    ends: list[int] = []
    for cut in _CUTS:
        if len(text) <= cut * _WORTH_CUTTING:
            break
        found = next((m.start() for m in sentence_end.finditer(text) if m.start() >= cut), None)
        end = found if found is not None and found <= cut + _LONGEST_SENTENCE else None
        if end is None:
            space = text.rfind(" ", cut // 2, cut + _LONGEST_SENTENCE)
            end = space if space > 0 else cut
        if end * _WORTH_CUTTING <= len(text) and (not ends or end > ends[-1] * _WORTH_CUTTING):
            ends.append(end)
    return ends
