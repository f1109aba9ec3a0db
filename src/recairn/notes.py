"""What a session leaves behind by itself: prompts, files, test runs; and a handoff made of it."""

from __future__ import annotations

from recairn.text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# So many of each are kept, the newest: enough to see what the work was about.
_KEPT = {"files": 50, "prompts": 8, "tests": 10}
# Characters of a prompt or command that a note keeps.
LONGEST_NOTE = 300
_TOLD_PROMPTS = 4


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
