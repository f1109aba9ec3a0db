"""What a session leaves behind by itself: prompts, files, test runs; and a handoff made of it."""

from __future__ import annotations

from recairn.core.guard.log_text import loggable
from recairn.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.work_rows import InjectedMemory

# So many notes of a list stay, the newest: enough to see what the work was about.
_LONGEST_LISTS = {"files": 50, "prompts": 8, "tests": 10, "heard": 500}
# Characters of a prompt or command that a note keeps.
LONGEST_NOTE = 300
_LOOKED_AT = 1000
_SNAPSHOT_PROMPTS = 4
# From no sign of use to the strongest.
_USES = (None, "expanded", "cited", "helpful")


def merged_notes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The old notes with new ones added; what comes again moves to the end."""
    notes = dict(old)
    for name, value in new.items():
        if name in _LONGEST_LISTS:
            before = [note for note in notes.get(name, ()) if note not in value]
            notes[name] = [*before, *value][-_LONGEST_LISTS[name] :]
        else:
            notes[name] = value
    return notes


def note_value(value: Any) -> Any:
    """A value as notes hold it: texts without secrets, cut short."""
    if isinstance(value, str):
        # Redacted before the final cut: half a secret is not recognised any more.
        return loggable(value[:_LOOKED_AT])[:LONGEST_NOTE]
    return [note_value(item) for item in value] if isinstance(value, list) else value


def by_use(entries: Sequence[InjectedMemory]) -> list[int]:
    """Memories of injections, the most useful first: by how they were used, how often, how well."""
    worth: dict[int, tuple[int, int, float]] = {}
    for entry in entries:
        use, times, score = worth.get(entry.memory, (0, 0, 0.0))
        worth[entry.memory] = (
            max(use, _USES.index(entry.used) if entry.used in _USES else 0),
            times + 1,
            max(score, entry.score or 0.0),
        )
    return sorted(worth, key=lambda memory: (*(-part for part in worth[memory]), memory))


def snapshot(
    notes: Mapping[str, Any], *, task: str, branch: str
) -> tuple[str, dict[str, Any]] | None:
    """Content and fields of a handoff made of the notes alone; None when they say nothing."""
    prompts = notes.get("prompts", ())[-_SNAPSHOT_PROMPTS:]
    files: Sequence[str] = notes.get("files", ())
    if not (prompts or files):
        return None
    lines = ["Where the session stood when it was cut short"]
    if task:
        lines.append(f"Task: {task}")
    if prompts:
        lines += ["Last asked:", *(f"- {one_line(prompt, LONGEST_NOTE)}" for prompt in prompts)]
    if notes.get("tests"):
        lines.append(f"Last test run: {notes['tests'][-1]}")
    fields = {"branch": branch, "files": list(files)}
    return "\n".join(lines), {name: value for name, value in fields.items() if value}
