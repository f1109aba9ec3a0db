"""Taking back what was done to a task last: its status, its outcome, and what that has reached."""

from __future__ import annotations

from recairn.core.errors import Refused
from recairn.work import feedback
from recairn.work.tasks import task_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Act
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Task, TaskEvent

UNDONE = "undone"
# Steps that are taken back by their own command, and that command.
_DEPENDENCIES = {"waits for": "rm", "waits no more for": "add"}


def take_back(store: Store, task: Task, act: Act, *, seen: int | None = None) -> Task:
    """Gives a task the values from before its last step; an outcome leaves what it had reached.

    Refused when nothing is left to take back, and when the task has another number of events than
    were `seen`: somebody went on from there.
    """
    with store.transaction():
        events = store.task_events(task.id)
        if seen is not None and len(events) != seen:
            raise Refused(
                f"{task.id} is {task.status} by now: somebody went on from there",
                f"recairn task show {task.id}",
            )
        last = _last(events)
        if last is None:
            raise Refused(f"nothing is left to undo for {task.id}", f"recairn task show {task.id}")
        if last.event in _DEPENDENCIES:
            raise Refused(
                f"the last step of {task.id} was a dependency, {last.reason}",
                f"recairn task dep {_DEPENDENCIES[last.event]} {task.id} {last.reason}",
            )
        store.change_task(task.id, {**last.before, "updated_at": act.at}, UNDONE, act)
        before = task_named(store, task.id)
        if "outcome" in last.before:
            feedback.withdraw_outcome(store, before, act)
        return before


def _last(events: Sequence[TaskEvent]) -> TaskEvent | None:
    """The last step that changed something and was not taken back; None for the beginning."""
    taken_back = 0
    event: TaskEvent
    for event in reversed(events):
        if event.event == "created":
            return None
        if event.event == UNDONE:
            taken_back += 1
        elif event.before or event.event in _DEPENDENCIES:
            if not taken_back:
                return event
            taken_back -= 1 if event.event not in _DEPENDENCIES else 0
    return None
