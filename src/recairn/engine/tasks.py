"""The engine's tasks: what is to be done, what waits for what, and how it came out."""

from __future__ import annotations

from recairn.engine.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypedDict, Unpack

    from recairn.store.work_rows import Task

    class TaskFields(TypedDict, total=False):
        """Keyword arguments of `add_task`."""

        id: str | None
        description: str
        category: str
        project: str
        status: str
        score: float
        parent: str | None
        depends_on: Sequence[str]
        metadata: Mapping[str, Any]
        source_type: str
        source_ref: str
        created_at: int | str | None


_LISTED = ("status", "category", "parent", "all_projects", "project", "limit", "all")


class Tasks(Base):
    """Pieces of work."""

    def add_task(self, title: str, **fields: Unpack[TaskFields]) -> Task:
        """Adds a task to this project; `id` keeps the id of another tracker."""
        from recairn.core.draft import Cleaner
        from recairn.engine.options import moment, refuse_unknown
        from recairn.work import tasks

        self._move_in()
        values: dict[str, Any] = {"project": self.project, **fields, "title": title}
        values["project"] = self._home(values["project"]).name
        refuse_unknown("add_task", values, (*tasks.EDITABLE, "id", "depends_on", "created_at"))
        values["created_at"] = moment(values.get("created_at"), self._clock())
        self.settle()
        return tasks.add(self.store, values, self._act(), Cleaner(self._allowed()))

    def task(self, reference: str) -> Task:
        """The task of that id, or of an id that begins so; NotFound or Ambiguous otherwise."""
        from recairn.work.tasks import task_named

        task = task_named(self.store, reference)
        if task.project not in ("", self.project, self.parent):
            self.crossed[task.id] = task.project
        return task

    def tasks(self, **filters: Any) -> list[Task]:
        """The tasks of this project that are not done, the most urgent first; `all` shows all.

        Filters: `status`, `category`, `parent`, `project`, `all_projects`, `limit`.
        """
        return self._tasks(filters, ready=False)

    def ready_tasks(self, **filters: Any) -> list[Task]:
        """The open tasks whose dependencies are all done, highest score first."""
        return self._tasks(filters, ready=True)

    def _tasks(self, options: Mapping[str, Any], *, ready: bool) -> list[Task]:
        from recairn.core.model import TaskFilter
        from recairn.engine.options import limit_from, refuse_unknown
        from recairn.work import tasks

        refuse_unknown("tasks", options, _LISTED)
        status, parent = options.get("status"), options.get("parent")
        chosen = (tasks.status_named(status),) if status else tasks.STATUSES[:-1]
        everywhere = options.get("all_projects")
        return self.store.tasks(
            TaskFilter(
                project=None if everywhere else self._home(options.get("project")).name,
                statuses=() if options.get("all") and not status else chosen,
                category=options.get("category"),
                parent=None if parent is None else self.task(parent).id,
                ready=ready,
                limit=-1 if options.get("limit") is None else limit_from(options, 1),
            ),
        )

    def start_task(self, reference: str, *, force: bool = False) -> Task:
        """Begins with a task: it is active, and the current one here and in this session.

        Refused when it is done, or waits for others, unless `force` says to begin anyway.
        """
        from recairn.core.errors import Refused
        from recairn.work import tasks

        self.settle()
        with self.store.transaction():
            task = self.task(reference)
            if task.status == "done" and not force:
                hint = f"recairn task edit {task.id} --status open takes it up again"
                raise Refused(f"{task.id} is done", hint)
            if task.waits_for and not force:
                waited = ", ".join(task.waits_for)
                raise Refused(f"{task.id} waits for {waited}", "--force begins with it anyway")
            if task.status != "active":
                task = tasks.move(self.store, task, "active", "started", self._act())
            for here in self._work_places():
                self.store.set_current_task(here, task.id)
        return task

    def finish_task(self, reference: str, outcome: str | None = None, note: str = "") -> Task:
        """Ends a task; its outcome (success, partial, failure) reaches what was handed out for it.

        A task that is done already takes a later outcome.
        """
        from recairn.core.draft import MAX_REFERENCE, Cleaner
        from recairn.core.kinds import one_of
        from recairn.work import feedback, tasks

        self.settle()
        outcome_fields: dict[str, Any] = {}
        if outcome is not None:
            outcome_fields["outcome"] = one_of("outcome", outcome, tasks.OUTCOMES)
        if note:
            clean = Cleaner(self._allowed())
            outcome_fields["outcome_note"] = clean.text("note", note, MAX_REFERENCE)
        with self.store.transaction():
            act, task = self._act(), self.task(reference)
            if task.status == "done" and not outcome_fields:
                return task
            task = tasks.move(self.store, task, "done", "done", act, **outcome_fields)
            if outcome is not None:
                feedback.task_outcome(self.store, task, outcome, act)
        self._archive(task)
        return task

    def _archive(self, task: Task) -> None:
        """Notes the outcome beside the context the task was given, where one was archived."""
        from recairn.core.errors import RecairnError
        from recairn.recall.context_files import write_outcome

        root = self._work_root()
        try:
            write_outcome(root, task, self.store.injections(task=task.id))
        except (OSError, RecairnError):
            return  # the ledger has it all; a folder that cannot be written is no reason to fail

    def undo_task(self, reference: str, *, seen: int | None = None) -> Task:
        """Takes back what was done to a task last; an outcome leaves the memories it had reached.

        Refused when it has another number of events than were `seen`.
        """
        from recairn.work.task_undo import take_back

        self.settle()
        task = take_back(self.store, self.task(reference), self._act(), seen=seen)
        self._archive(task)
        return task

    def block_task(self, reference: str, reason: str = "") -> Task:
        """Marks a task that cannot go on; the reason stays in its events."""
        from recairn.work import tasks

        self.settle()
        act = self._act(reason)
        return tasks.move(self.store, self.task(reference), "blocked", "blocked", act)

    def edit_task(self, reference: str, **changes: Any) -> Task:
        """Changes title, description, category, project, status, score, parent or metadata."""
        from recairn.core.draft import Cleaner
        from recairn.engine.options import refuse_unknown
        from recairn.work import tasks

        refuse_unknown("edit_task", changes, tasks.EDITABLE)
        self.settle()
        clean = Cleaner(self._allowed())
        return tasks.edit(self.store, self.task(reference), changes, self._act(), clean)

    def add_dependency(self, reference: str, on: str) -> Task:
        """Lets a task wait until another is done; Refused when that would be a circle."""
        from recairn.work.tasks import wait_for

        self.settle()
        task = self.task(reference)
        wait_for(self.store, task, self.task(on), self._act())
        return self.task(task.id)

    def remove_dependency(self, reference: str, on: str) -> Task:
        """Lets a task wait for another no more."""
        from recairn.work.tasks import wait_no_more

        self.settle()
        task = self.task(reference)
        wait_no_more(self.store, task, self.task(on), self._act())
        return self.task(task.id)

    def dependents(self, reference: str) -> list[Task]:
        """The tasks that wait for this one."""
        return [self.task(id) for id in self.store.dependents(self.task(reference).id)]

    def task_events(self, reference: str) -> list[dict[str, Any]]:
        """What was done to a task, oldest first, each with the values `before`."""
        return [event._asdict() for event in self.store.task_events(self.task(reference).id)]

    def current_task(self) -> Task | None:
        """The task that this session, or else this checkout, is at work on."""
        task_id = self._task_here()
        return None if task_id is None else self.task(task_id)
