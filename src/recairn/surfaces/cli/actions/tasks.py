"""Handlers of the commands about tasks."""

from __future__ import annotations

from recairn.core.times import now_ms
from recairn.surfaces.cli.call import text_from
from recairn.surfaces.render import tasks as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.store.work_rows import Task
    from recairn.surfaces.cli.call import Call

_FIELDS = ("description", "category", "score", "parent", "status")
_FILTERS = ("status", "category", "parent", "all_projects", "limit", "all")


def add(call: Call) -> None:
    arguments = call.arguments
    title = text_from(arguments["title"], "what is to be done", call)
    fields: dict[str, Any] = call.chosen(*_FIELDS, "id")
    if "dep" in arguments:
        fields["depends_on"] = arguments["dep"]
    with call.open() as memory:
        task = memory.add_task(title, **fields)
    _answer(call, task, "Added")


def listing(call: Call) -> None:
    with call.open() as memory:
        tasks = memory.tasks(**call.chosen(*_FILTERS))
        project = memory.project
    _show(call, tasks, project, 'nothing to do\n  recairn task add "..." adds a task')


def ready(call: Call) -> None:
    with call.open() as memory:
        tasks = memory.ready_tasks(**call.chosen("category", "all_projects", "limit"))
        project = memory.project
    _show(call, tasks, project, "nothing is ready\n  recairn task list shows what waits for what")


def show(call: Call) -> None:
    with call.open() as memory:
        task = _meant(call, memory)
        children = memory.tasks(parent=task.id, all=True, all_projects=True)
        blocks = memory.dependents(task.id)
        events = memory.task_events(task.id)
    if call.json:
        call.screen.document(
            {
                **render.task_json(task),
                "children": [child.id for child in children],
                "blocks": [dependent.id for dependent in blocks],
                "events": [render.event_json(event) for event in events],
            }
        )
        return
    call.screen.write(
        render.task_text(task, children=children, blocks=blocks, events=events, now=now_ms())
    )


def start(call: Call) -> None:
    with call.open() as memory:
        task = memory.start_task(call.arguments["id"], force="force" in call.arguments)
    _answer(call, task, "Started")


def done(call: Call) -> None:
    with call.open() as memory:
        task = memory.finish_task(_meant(call, memory).id, **call.chosen("outcome", "note"))
        freed = [dependent for dependent in memory.dependents(task.id) if dependent.ready]
    _answer(call, task, "Done with")
    if not call.json:
        for dependent in freed:
            call.say(f"Ready now: {render.task_line(dependent, task.project)}")


def block(call: Call) -> None:
    with call.open() as memory:
        task = memory.block_task(call.arguments["id"], **call.chosen("reason"))
    _answer(call, task, "Blocked")


def undo(call: Call) -> None:
    """`undo --task`."""
    if "dry_run" in call.arguments:
        from recairn.surfaces.cli.parse import Usage

        raise Usage("--dry-run says nothing of a task", "recairn task show ID has its events")
    with call.open() as memory:
        task = memory.undo_task(call.arguments["task"])
    _answer(call, task, "Took back the last step of")


def edit(call: Call) -> None:
    changes = call.chosen(*_FIELDS, "title")
    if not changes:
        from recairn.surfaces.cli.parse import Usage

        raise Usage("nothing to change", f"for example: {call.command.examples[0]}")
    with call.open() as memory:
        task = memory.edit_task(call.arguments["id"], **changes)
    _answer(call, task, "Changed")


def dep_add(call: Call) -> None:
    with call.open() as memory:
        task = memory.add_dependency(call.arguments["id"], call.arguments["on"])
    _answer(call, task, "Changed")


def dep_rm(call: Call) -> None:
    with call.open() as memory:
        task = memory.remove_dependency(call.arguments["id"], call.arguments["on"])
    _answer(call, task, "Changed")


def _meant(call: Call, memory: Any) -> Task:
    """The task named, or the one somebody is at work on here."""
    from recairn.core.errors import NotFound

    named = call.arguments["id"]
    task: Task | None = memory.task(named) if named else memory.current_task()
    if task is None:
        raise NotFound("no task was started here", "name one; recairn task list shows them")
    return task


def _answer(call: Call, task: Task, verb: str) -> None:
    if call.json:
        call.screen.document(render.task_json(task))
    else:
        call.say(f"{verb} {render.task_line(task, task.project)}")


def _show(call: Call, tasks: list[Task], project: str, nothing: str) -> None:
    if call.json:
        call.screen.document({"tasks": [render.task_json(task) for task in tasks]})
        return
    for task in tasks:
        call.say(render.task_line(task, project))
    if not tasks:
        call.say(nothing)
