"""What a session leaves behind by itself: prompts, files, test runs; and a handoff made of it."""

from __future__ import annotations

from recairn.core.guard.log_text import loggable
from recairn.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# So many of each are kept, the newest: enough to see what the work was about.
_KEPT = {"files": 50, "prompts": 8, "tests": 10, "heard": 500}
# Characters of a prompt or command that a note keeps.
LONGEST_NOTE = 300
_LOOKED_AT = 1000
_TOLD_PROMPTS = 4
# From no sign of use to the strongest.
_USES = (None, "expanded", "cited", "helpful")


def noted(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The notes with new ones added; what comes again moves to the end."""
    notes = dict(known)
    for name, value in new.items():
        if name in _KEPT:
            before = [each for each in notes.get(name, ()) if each not in value]
            notes[name] = [*before, *value][-_KEPT[name] :]
        else:
            notes[name] = value
    return notes


def kept(value: Any) -> Any:
    """A value as notes keep it: texts without secrets, cut short."""
    if isinstance(value, str):
        # Redacted before the final cut: half a secret is not recognised any more.
        return loggable(value[:_LOOKED_AT])[:LONGEST_NOTE]
    return [kept(each) for each in value] if isinstance(value, list) else value


def by_use(handed: Sequence[Mapping[str, Any]]) -> list[int]:
    """Memories handed out, the most useful first: by how they were used, how often, how well."""
    worth: dict[int, tuple[int, int, float]] = {}
    for each in handed:
        use, times, score = worth.get(each["memory"], (0, 0, 0.0))
        worth[each["memory"]] = (
            max(use, _USES.index(each["used"]) if each["used"] in _USES else 0),
            times + 1,
            max(score, each["score"] or 0.0),
        )
    return sorted(worth, key=lambda memory: (*(-part for part in worth[memory]), memory))


def snapshot(
    notes: Mapping[str, Any], *, task: str, branch: str
) -> tuple[str, dict[str, Any]] | None:
    """Content and fields of a handoff made of the notes alone; None when they say nothing."""
    prompts = notes.get("prompts", ())[-_TOLD_PROMPTS:]
    files: Sequence[str] = notes.get("files", ())
    if not (prompts or files):
        return None
    lines = ["Where the session stood when it was cut short"]
    if task:
        lines.append(f"Task: {task}")
    if prompts:
        lines += ["Last asked:", *(f"- {one_line(each, LONGEST_NOTE)}" for each in prompts)]
    if notes.get("tests"):
        lines.append(f"Last test run: {notes['tests'][-1]}")
    fields = {"branch": branch, "files": list(files)}
    return "\n".join(lines), {name: value for name, value in fields.items() if value}
