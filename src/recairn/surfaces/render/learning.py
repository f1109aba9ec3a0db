"""What was learned from, as text and as JSON."""

from __future__ import annotations

from recairn.core.words import counted
from recairn.surfaces.render.text import indented, memories, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.tune import Tuned
    from recairn.work.compaction import Compacted
    from recairn.work.outcomes import Observed


def tuned_json(tuned: Tuned) -> dict[str, Any]:
    """The fit: how much it was given, how it does on what was held back, and all weights."""
    return {
        "profile": tuned.profile,
        "questions": tuned.questions,
        "held_back": tuned.held_back,
        "pairs": tuned.pairs,
        "missing": tuned.missing,
        "held_back_right": {
            "before": round(tuned.right_before, 4),
            "after": round(tuned.right_after, 4),
        },
        "weights": {
            name: {"before": tuned.before[name], "after": tuned.after[name]} for name in tuned.after
        },
        "better": tuned.better,
        "applied": list(tuned.applied),
    }


def tuned_text(tuned: Tuned) -> str:
    many = counted(tuned.questions, "question")
    basis = f"{many} with a known better answer, {tuned.pairs} pairs"
    if tuned.missing:
        return (
            f"{basis}: too few to learn from, {tuned.missing} more needed\n"
            "  recairn helpful ID after a search, recairn miss, and recairn task done --outcome"
            " record them"
        )
    return (
        f"{basis}; {counted(tuned.held_back, 'question')} held back\n"
        f"held back, pairs in the right order: {tuned.right_before:.1%} before,"
        f" {tuned.right_after:.1%} after\n"
    )


def weight_rows(tuned: Tuned) -> list[tuple[str, str, str]]:
    return [(name, f"{tuned.before[name]:.3f}", f"{tuned.after[name]:.3f}") for name in tuned.after]


def observed_json(seen: Observed) -> dict[str, Any]:
    return {
        "task": seen.task,
        "outcome": seen.outcome,
        "what": seen.what,
        "memories": seen.memories,
    }


def observed_text(seen: Observed) -> str:
    reached = "no memory was handed out for it"
    if seen.memories:
        reached = f"on {memories(seen.memories)} handed out for it"
    what = without_marks(seen.what)
    join = "and" if seen.memories else "but"
    return f"{seen.task}: {seen.outcome} ({what}); noted on the task, {join} {reached}"


def compacted_json(group: Compacted) -> dict[str, Any]:
    return {
        "tasks": list(group.tasks),
        "memory": group.memory,
        "title": group.title,
        "text": group.text,
        "by": group.by,
        "notice": group.notice,
    }


def compacted_text(group: Compacted) -> str:
    """`#12 Draw the chart (t-1, t-2)` and the text beneath."""
    head = f"#{group.memory}" if group.memory is not None else "would become"
    listed = ", ".join(group.tasks)
    text = indented(without_marks(group.text), "    ")
    return f"{styled(head, 'name')} {without_marks(group.title)} ({listed})\n{text}\n"
