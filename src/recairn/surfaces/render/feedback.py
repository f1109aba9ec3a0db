"""What was said about a memory, as text and as JSON."""

from __future__ import annotations

from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.text import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.store.work_rows import Evidence

# Newest pieces of evidence that text shows; JSON has all.
_SHOWN = 10
_PREVIEW = 60


def evidence_json(piece: Evidence) -> dict[str, Any]:
    """A piece of evidence; those undone no longer count."""
    return {
        "at": iso(piece.at),
        "score": piece.score,
        "weight": round(piece.weight, 6),
        "source": piece.source,
        "task": piece.task,
        "query": piece.query,
        "note": piece.note,
        "session": piece.session,
        "undone": piece.undone,
    }


def evidence_text(evidence: Sequence[Evidence], memory: Memory) -> str:
    """The counts ranking uses, then a line for each piece of evidence, the newest last."""
    total = memory.helpful + memory.harmful
    likely = (memory.helpful + 1.0) / (total + 2.0)
    counted = f"{memory.helpful:.3g} of {total:.3g}, so ranked as {likely:.0%}"
    lines = [f"  Evidence: helped {counted}"]
    if len(evidence) > _SHOWN:
        lines.append(f"    ({len(evidence) - _SHOWN} older ones: --json shows all)")
    lines += [f"    {_line(piece)}" for piece in evidence[-_SHOWN:]]
    return "\n".join(lines) + "\n"


def _line(piece: Evidence) -> str:
    source = f"{piece.source} {piece.task}" if piece.task else piece.source
    about = [f"score {piece.score:g}"]
    about += [f"weight {piece.weight:.3g}"] if piece.weight != 1.0 else []
    about += [one_line(without_marks(piece.note), _PREVIEW)] if piece.note else []
    about += [f'for "{one_line(without_marks(piece.query), _PREVIEW)}"'] if piece.query else []
    about += ["taken back"] if piece.undone else []
    return f"{iso(piece.at)}  {without_marks(source)}: {', '.join(about)}"
