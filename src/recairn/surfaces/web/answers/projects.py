"""Projects: where their memories come from, renaming and joining them."""

from __future__ import annotations

from recairn.surfaces.web.answers.brief import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_LISTED = 150
_CHANGES = 20


def listing(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """All projects with what is kept in each, and the last changes of them."""
    from recairn.surfaces.render.projects import change_json, project_json

    projects = memory.projects()
    return {
        "current": memory.project or None,
        "projects": [project_json(project) for project in projects[:_LISTED]],
        "total": len(projects),
        "changes": [change_json(change) for change in memory.project_changes()[:_CHANGES]],
    }


def rename(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    move = memory.rename_project(
        parameters.value("new", str, needed=True), parameters.value("name", str, needed=True)
    )
    return _moved(move)


def merge(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    move = memory.merge_project(
        parameters.value("source", str, needed=True), parameters.value("into", str, needed=True)
    )
    return _moved(move)


def _moved(move: Any) -> dict[str, Any]:
    return {
        "change": move.change,
        "event": move.event,
        "project": clipped(move.project, 200),
        "to": clipped(move.to, 200),
        "memories": move.memories,
        "tasks": move.tasks,
    }
