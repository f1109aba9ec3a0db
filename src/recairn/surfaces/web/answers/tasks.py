"""Tasks: what is open, what waits, how it came out."""

from __future__ import annotations

from recairn.core.errors import BadOption
from recairn.surfaces.render.tasks import event_json, task_json
from recairn.surfaces.web.answers.brief import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_LISTED = 60
_EVENTS = 40
OUTCOMES = ("success", "partial", "failure")


def listing(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The tasks of the project; `all` brings finished ones too."""
    options: dict[str, Any] = {"limit": _LISTED, "all_projects": memory.everywhere}
    if parameters.flag("all"):
        options["all"] = True
    tasks = memory.ready_tasks(**options) if parameters.flag("ready") else memory.tasks(**options)
    return {"tasks": [_brief(task_json(task)) for task in tasks]}


def _brief(task: dict[str, Any]) -> dict[str, Any]:
    return {**task, "description": clipped(task["description"], 240), "metadata": {}}


def show(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """One task with what was done to it, and what was handed out for it."""
    from recairn.surfaces.render.context import handed_out_json

    task = memory.task(parameters.path["id"])
    contexts = handed_out_json(task, memory.handed_out(task.id))["contexts"]
    for context in contexts:
        context["query"] = clipped(context["query"], 240)
        for entry in context["memories"]:
            entry["content"] = clipped(entry["content"], 140)
    return {
        **task_json(task),
        "events": [event_json(event) for event in memory.task_events(task.id)[-_EVENTS:]],
        "dependents": [dependent.id for dependent in memory.dependents(task.id)],
        "contexts": contexts[-8:],
    }


def act(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Begins, blocks, finishes or opens a task again; `back` is what an undo takes."""
    name, reference = parameters.path["act"], parameters.path["id"]
    steps = len(memory.task_events(reference))
    if name == "start":
        task = memory.start_task(reference)
    elif name == "block":
        task = memory.block_task(reference, parameters.value("reason", str) or "")
    elif name == "done":
        task = memory.finish_task(
            reference, parameters.value("outcome", str), parameters.value("note", str) or ""
        )
    elif name == "open":
        task = memory.edit_task(reference, status="open")
    else:
        raise BadOption(f"there is no act {name!r}", "known: start, block, done, open")
    after = len(memory.task_events(reference))
    back = {"task": task.id, "seen": after} if after > steps else None
    return {"task": _brief(task_json(task)), "back": back}


def take_back(memory: Recairn, parameters: Parameters) -> None:
    """Takes back the last step of a task; Refused once it went on from where it was seen."""
    task = parameters.value("task", str, needed=True)
    memory.undo_task(task, seen=parameters.value("seen", int, needed=True))
