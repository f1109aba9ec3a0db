"""What a store promises about tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.core.model import Act, TaskFilter
    from recairn.store.work_rows import (
        Task,
        TaskEvent,
    )


class Tasks(Protocol):
    """Pieces of work, what they wait for, and who is at work on which."""

    def put_task(self, task: Mapping[str, Any], act: Act) -> None:
        """Stores a new task and a `created` event; its id must be free."""

    def change_task(self, task: str, changes: Mapping[str, Any], event: str, act: Act) -> None:
        """Changes columns of a task and notes the event with the values before."""

    def tasks(self, filter: TaskFilter) -> list[Task]:
        """Tasks with what they depend on.

        Active ones first, then open, blocked, done; within these by score, then oldest first.
        """

    def find_tasks(self, reference: str) -> list[str]:
        """Ids of the task of that id, else of those whose id, or what follows its dash, begins so.

        Case does not count; an exact id wins over one that only differs in case.
        """

    def task_namesakes(self, name: str) -> list[str]:
        """Ids that differ from the name in nothing but case; first the very one, if it is there."""

    def add_dependency(self, task: str, on: str, act: Act) -> bool:
        """Lets a task wait for another and notes it; whether that was new."""

    def remove_dependency(self, task: str, on: str, act: Act) -> bool:
        """Ends a dependency and notes it; whether there was one."""

    def dependents(self, task: str) -> list[str]:
        """Ids of the tasks that depend on this one."""

    def task_events(self, task: str) -> list[TaskEvent]:
        """What was done to a task, in order."""

    def current_task(self, place: str) -> str | None:
        """The task a place is at work on."""

    def set_current_task(self, place: str, task: str) -> None:
        """Puts a place to work on a task."""

    def leave_task(self, task: str) -> None:
        """No place is at work on the task any more."""
