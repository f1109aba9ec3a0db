"""What was said about a memory, as text and as JSON."""

from __future__ import annotations

from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.marks import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.work.feedback import Evidence

# Newest pieces of evidence that text shows; JSON has all.
_SHOWN = 10
_PREVIEW = 60


def evidence_json(each: Evidence) -> dict[str, Any]:
    """A piece of evidence; those undone no longer count."""
    return {
        "at": iso(each.at),
        "score": each.score,
        "weight": round(each.weight, 6),
        "source": each.source,
        "task": each.task,
        "query": each.query,
        "note": each.note,
        "session": each.session,
        "undone": each.undone,
    }


def evidence_text(found: Sequence[Evidence], memory: Memory) -> str:
    """The counts ranking uses, then a line for each piece of evidence, the newest last."""
    total = memory.helpful + memory.harmful
    likely = (memory.helpful + 1.0) / (total + 2.0)
    counted = f"{memory.helpful:.3g} of {total:.3g}, so ranked as {likely:.0%}"
    lines = [f"  Evidence: helped {counted}"]
    if len(found) > _SHOWN:
        lines.append(f"    ({len(found) - _SHOWN} older ones: --json shows all)")
    lines += [f"    {_line(each)}" for each in found[-_SHOWN:]]
    return "\n".join(lines) + "\n"


def _line(each: Evidence) -> str:
    source = f"{each.source} {each.task}" if each.task else each.source
    about = [f"score {each.score:g}"]
    about += [f"weight {each.weight:.3g}"] if each.weight != 1.0 else []
    about += [one_line(without_marks(each.note), _PREVIEW)] if each.note else []
    about += [f'for "{one_line(without_marks(each.query), _PREVIEW)}"'] if each.query else []
    about += ["taken back"] if each.undone else []
    return f"{iso(each.at)}  {without_marks(source)}: {', '.join(about)}"
