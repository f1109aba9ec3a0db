"""Injections as files of a project: `.recairn/context.md`, and an archive of those of a task.

.recairn/context.md                    what was injected last
.recairn/archive/TASK/context.md       what was injected for the task
.recairn/archive/TASK/outcome.json     how it came out
"""

from __future__ import annotations

import os

from recairn.core.times import iso
from recairn.host.files import exists_inside, file_name, write_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from recairn.recall.context import ContextResult
    from recairn.store.work_rows import InjectionRow, Task

FOLDER = ".recairn"
_IGNORED = ("context.md", "archive/", ".gitignore")
_NOTHING = "Nothing is remembered that would help here.\n"


def write_context(root: str, result: ContextResult) -> str:
    """Writes a context into the project, and into the archive of its task; the path."""
    text = result.text or _NOTHING
    path = write_inside(root, (FOLDER, "context.md"), text)
    if not exists_inside(root, (FOLDER, ".gitignore")):
        write_inside(root, (FOLDER, ".gitignore"), "\n".join(_IGNORED) + "\n")
    if result.task is not None:
        write_inside(root, (*_archive(result.task), "context.md"), text)
    return path


def write_outcome(root: str, task: Task, injections: Sequence[InjectionRow]) -> str | None:
    """Writes how a task came out beside its injection; None when nothing is archived for it."""
    if not exists_inside(root, (*_archive(task), "context.md")):
        return None
    from json import dumps

    document = {
        "task": task.id,
        "title": task.title,
        "status": task.status,
        "outcome": task.outcome,
        "note": task.outcome_note,
        "started_at": iso(task.started_at),
        "completed_at": iso(task.completed_at),
        "contexts": [_injection_json(injection) for injection in injections],
    }
    text = dumps(document, ensure_ascii=False, indent=2) + "\n"
    return write_inside(root, (*_archive(task), "outcome.json"), text)


def clear_contexts(root: str, repeats: Callable[[str], bool]) -> list[str]:
    """Empties the contexts of a project that repeat what was destroyed; their paths."""
    folders: list[tuple[str, ...]] = [(FOLDER,)]
    archive = os.path.join(root, FOLDER, "archive")
    if exists_inside(root, (FOLDER, "archive")):
        folders += [(FOLDER, "archive", name) for name in sorted(os.listdir(archive))]
    cleared = []
    for folder in folders:
        parts = (*folder, "context.md")
        if not exists_inside(root, parts):
            continue
        with open(os.path.join(root, *parts), encoding="utf-8", errors="replace") as file:
            text = file.read()
        if repeats(text):
            cleared.append(write_inside(root, parts, _NOTHING))
    return cleared


def _archive(task: Task) -> tuple[str, str, str]:
    return FOLDER, "archive", file_name(task.id)


def _injection_json(injection: InjectionRow) -> dict[str, Any]:
    return {
        "injection": injection.id,
        "at": iso(injection.at),
        "surface": injection.surface,
        "session": injection.session_id,
        "tokens": injection.tokens,
        "memories": [
            {
                "id": entry.memory,
                "tokens": entry.tokens,
                "score": entry.score,
                "used": entry.used,
            }
            for entry in injection.memories
        ],
    }
