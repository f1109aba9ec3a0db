"""Handlers of the commands about projects."""

from __future__ import annotations

import os

from recairn.core.times import age, now_ms
from recairn.core.words import counted
from recairn.surfaces.cli.parse import Usage
from recairn.surfaces.render.projects import change_json, destination, project_json
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.surfaces.cli.call import Call
    from recairn.work.projects import Project, ProjectMove

# Letters of a commit that people know it by.
_SHORT = 10


def listing(call: Call) -> None:
    with call.open() as memory:
        projects = memory.projects()
        current = memory.project
    if call.json:
        listed = [project_json(project) for project in projects]
        call.screen.document({"current": current or None, "projects": listed})
        return
    # A checkout where somebody only looked around is a project, too, but not worth a line.
    kept = [project for project in projects if project.name == current or _is_kept(project)]
    if not any(_is_kept(project) for project in projects):
        call.say('no memories yet\n  recairn add "..." remembers something')
        return
    rows = [
        (
            project.name or "(none)",
            f"{project.memories:,}",
            "here" if project.name == current else "",
            _place(project),
        )
        for project in kept
    ]
    call.screen.table(("project", "memories", "", "where"), rows)


def _is_kept(project: Project) -> bool:
    return bool(
        project.memories or project.tasks or project.documents or project.parent or project.aliases
    )


def _place(project: Project) -> str:
    """Where a project lies, in a word or two."""
    if project.parent is not None:
        return f"{project.folder} of {project.parent}"
    places = [*project.checkouts, *project.folders]
    there = [path for path in places if os.path.exists(path)] or places
    more = f" and {len(there) - 1} more" if len(there) > 1 else ""
    return f"{there[0]}{more}" if there else ""


def _marked(path: str) -> str:
    return path if os.path.exists(path) else f"{path} (gone)"


def show(call: Call) -> None:
    with call.open() as memory:
        project = memory.project_info(call.arguments.get("name"))
        names = {project.name, *project.aliases}
        changes = [
            change
            for change in memory.project_changes()
            if change.project in names or change.details.get("to") in names
        ]
    if call.json:
        call.screen.document(
            {**project_json(project), "changes": [change_json(change) for change in changes]}
        )
        return
    call.say(project.name)
    for name, value in _facts(project):
        if value:
            call.say(f"  {name}: {value}")
    if changes:
        call.say("  Changes:")
    for change in changes:
        what = change_text(change.event, change.project, destination(change))
        undone = ", undone" if change.undone_at is not None else ""
        call.say(f"    {change.id}: {what}, {age(change.at, now_ms())}{undone}")


def _facts(project: Project) -> Sequence[tuple[str, str]]:
    kept = [memories(project.memories)] if project.memories else []
    for count, noun in (
        (project.sessions, "session"),
        (project.tasks, "task"),
        (project.documents, "document"),
    ):
        kept += [counted(count, noun)] if count else []
    return (
        ("Also called", ", ".join(project.aliases)),
        ("Part of", f"{project.parent}, from {project.folder} on" if project.parent else ""),
        ("Parts", ", ".join(project.parts)),
        ("Keeps", ", ".join(kept)),
        ("Checkouts", ", ".join(map(_marked, project.checkouts))),
        ("Folders", ", ".join(map(_marked, project.folders))),
        ("First commit", ", ".join(root[:_SHORT] for root in project.roots)),
        ("Remote", ", ".join(project.remotes)),
    )


def rename(call: Call) -> None:
    old, new = _two_names(call, "the new name, or the old and the new one", last=True)
    with call.open() as memory:
        _say(call, memory.rename_project(new, old))


def merge(call: Call) -> None:
    into, source = _two_names(call, "a project, and the one it goes into", last=False)
    with call.open() as memory:
        _say(call, memory.merge_project(source, into))


def split(call: Call) -> None:
    with call.open() as memory:
        _say(call, memory.split_project(call.arguments.get("name")))


def add(call: Call) -> None:
    if "folder" not in call.arguments:
        raise Usage("project add needs --folder", f"for example: {call.command.examples[0]}")
    with call.open() as memory:
        _say(call, memory.add_project(call.arguments["name"], call.arguments["folder"]))


def _two_names(call: Call, what: str, *, last: bool) -> tuple[str | None, str]:
    """The name that may be left out, and the other; which of two that is, `last` says."""
    names = call.arguments["name"]
    if len(names) > 2:
        raise Usage(f"{call.command.name} takes {what}", f"as in: {call.command.examples[1]}")
    if len(names) == 1:
        return None, names[0]
    return (names[0], names[1]) if last else (names[1], names[0])


def change_text(event: str, project: str, to: str) -> str:
    """A change of projects in words."""
    words = {
        "renamed": f"{project} renamed to {to}",
        "merged": f"{project} merged into {to}",
        "split": f"{to} split from {project}",
        "added": f"{to} made a part of {project}",
        "adopted": f"{project} taken over by its checkout",
    }
    return words.get(event, event)


def _say(call: Call, move: ProjectMove) -> None:
    if call.json:
        call.screen.document(
            {
                "change": move.change,
                "event": move.event,
                "project": move.project,
                "to": move.to,
                "memories": move.memories,
                "tasks": move.tasks,
            }
        )
        return
    tasks = f" and {counted(move.tasks, 'task')}" if move.tasks else ""
    along = f", with {memories(move.memories)}{tasks}" if move.memories or move.tasks else ""
    words = change_text(move.event, move.project, move.to)
    call.say(f"Project {words}{along} (recairn undo --change {move.change} takes it back)")
