"""Projects and what was done to them, as JSON."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.store.project_rows import ProjectChange
    from recairn.work.projects import Project


def project_json(project: Project) -> dict[str, Any]:
    """The project object of the JSON contract."""
    return {
        "name": project.name,
        "memories": project.memories,
        "sessions": project.sessions,
        "tasks": project.tasks,
        "documents": project.documents,
        "aliases": list(project.aliases),
        "parent": project.parent,
        "folder": project.folder or None,
        "parts": list(project.parts),
        "checkouts": list(project.checkouts),
        "folders": list(project.folders),
        "first_commits": list(project.roots),
        "remotes": list(project.remotes),
        "last_used_at": iso(project.last_used_at),
    }


def change_json(change: ProjectChange) -> dict[str, Any]:
    """What was done to a project; `change` is the number that undo takes."""
    return {
        "change": change.id,
        "at": iso(change.at),
        "event": change.event,
        "project": change.project,
        "to": destination(change) or None,
        "undone_at": None if change.undone_at is None else iso(change.undone_at),
    }


def destination(change: ProjectChange) -> str:
    """What a project became, or went to."""
    return str(change.details.get("to", ""))
