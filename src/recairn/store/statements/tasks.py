"""Tasks, what they wait for, what was done to them, and who is at work on which."""

from __future__ import annotations

from recairn.store.statements.base import Statements, batches, from_json, limit_of, marks, to_json
from recairn.store.work_rows import Task, TaskEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, TaskFilter

# A field of a task that its column spells otherwise.
_COLUMN_OF = {"parent": "parent_id"}
# All fields of a task but its dependencies, which stand together among the others.
_DEPENDENCIES_AT = Task._fields.index("depends_on")
_FIELDS = Task._fields[:_DEPENDENCIES_AT] + Task._fields[_DEPENDENCIES_AT + 2 :]
_SELECT = ", ".join(f"t.{_COLUMN_OF.get(name, name)}" for name in _FIELDS)
_METADATA_AT = _FIELDS.index("metadata")
# Of a task that others may have to hear of: most databases are one person's.
_PROJECT_IF_SHARED = (
    "select coalesce(project, '') from tasks where id = ?"
    " and (exists (select 1 from shares) or exists (select 1 from feed_heads))"
)
_ORDER = (
    "case t.status when 'active' then 0 when 'open' then 1 when 'blocked' then 2 else 3 end,"
    " t.score desc, t.created_at, t.id"
)
_READY = (
    "t.status = 'open' and not exists (select 1 from task_deps d join tasks o"
    " on o.id = d.depends_on where d.task_id = t.id and o.status <> 'done')"
)


class TaskStatements(Statements):
    """The part of a store that keeps tasks."""

    if TYPE_CHECKING:

        def writer(self) -> str: ...
        def queue_name(self, noun: str, name: str, project: str) -> None: ...

    def put_task(self, task: Mapping[str, Any], act: Act) -> None:
        """Stores a new task and a `created` event."""
        columns = ", ".join(map(_column, task))
        self._c.run(
            f"insert into tasks({columns}) values ({', '.join('?' * len(task))})",
            [_stored(name, value) for name, value in task.items()],
        )
        self._log(task["id"], "created", {}, act)

    def change_task(self, task: str, changes: Mapping[str, Any], event: str, act: Act) -> None:
        """Changes fields of a task and notes the event with the values before."""
        changes = dict(changes)
        columns = [_column(name) for name in changes]
        row = self._c.row(f"select {', '.join(columns)} from tasks where id = ?", (task,))
        if row is None:
            from recairn.core.errors import NotFound

            raise NotFound(f"there is no task {task}", "recairn task list")
        before = dict(zip(columns, row, strict=True))
        changed = {
            _column(name): before[_column(name)]
            for name, value in changes.items()
            if name != "updated_at" and before[_column(name)] != _stored(name, value)
        }
        if changed and "updated_at" in changes:
            # Whoever changes a task is later than what they knew, even with a slow clock.
            changes["updated_at"] = max(changes["updated_at"], before["updated_at"] + 1)
        self._c.run(
            f"update tasks set {', '.join(f'{column} = ?' for column in columns)} where id = ?",
            (*(_stored(name, value) for name, value in changes.items()), task),
        )
        self._log(task, event, changed, act)

    def tasks(self, filter: TaskFilter) -> list[Task]:
        """Tasks with what they depend on and wait for; the most urgent first."""
        where, values = _conditions(filter)
        rows = self._c.rows(
            f"select {_SELECT} from tasks t where {where} order by {_ORDER} limit ?",
            (*values, limit_of(filter.limit)),
        )
        depends_on: dict[str, list[str]] = {row[0]: [] for row in rows}
        waits_for: dict[str, list[str]] = {row[0]: [] for row in rows}
        for part in batches(list(depends_on)):
            for task, other, status in self._c.rows(
                "select d.task_id, d.depends_on, o.status from task_deps d join tasks o"
                f" on o.id = d.depends_on where d.task_id in ({marks(part)}) order by 1, 2",
                part,
            ):
                depends_on[task].append(other)
                if status != "done":
                    waits_for[task].append(other)
        return [_task(row, depends_on[row[0]], waits_for[row[0]]) for row in rows]

    def find_tasks(self, reference: str) -> list[str]:
        """Ids a person may mean: that very one, or else those that begin so."""
        exact = self._c.rows("select id from tasks where id = ?", (reference,))
        if exact:
            return [reference]
        namesakes = self.task_namesakes(reference)
        if namesakes:
            return namesakes
        low = reference.lower()
        rows = self._c.rows(
            "select id from tasks where substr(lower(id), 1, ?) = ?"
            " or substr(lower(id), instr(id, '-') + 1, ?) = ? order by id limit 9",
            (len(low), low, len(low), low),
        )
        return [row[0] for row in rows]

    def task_namesakes(self, name: str) -> list[str]:
        """Ids that differ from the name in nothing but case; first the very one, if it is there."""
        sql = "select id from tasks where lower(id) = ? order by id <> ?, id limit 9"
        return [row[0] for row in self._c.rows(sql, (name.lower(), name))]

    def add_dependency(self, task: str, on: str, act: Act) -> bool:
        """Lets a task wait for another; whether that was new."""
        insert = "insert into task_deps(task_id, depends_on) values (?, ?) on conflict do nothing"
        new = self._c.run(insert, (task, on)) > 0
        if new:
            self._log(task, "waits for", {}, act, on)
        return new

    def remove_dependency(self, task: str, on: str, act: Act) -> bool:
        """Ends a dependency; whether there was one."""
        was = self._c.run("delete from task_deps where task_id = ? and depends_on = ?", (task, on))
        if was:
            self._log(task, "waits no more for", {}, act, on)
        return was > 0

    def dependents(self, task: str) -> list[str]:
        """Ids of the tasks that depend on this one."""
        rows = self._c.rows(
            "select task_id from task_deps where depends_on = ? order by 1", (task,)
        )
        return [row[0] for row in rows]

    def task_events(self, task: str) -> list[TaskEvent]:
        """What was done to a task, oldest first."""
        rows = self._c.rows(
            f"select {', '.join(TaskEvent._fields)} from task_events where task_id = ? order by id",
            (task,),
        )
        return [
            TaskEvent(at, event, reason, from_json(before, {}), session, author or "")
            for at, event, reason, before, session, author in rows
        ]

    def _log(
        self, task: str, event: str, before: Mapping[str, Any], act: Act, about: str = ""
    ) -> None:
        self._c.run(
            "insert into task_events(task_id, at, event, reason, before, session_id, author)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (
                *(task, act.at, event, about or act.reason, to_json(before)),
                *(act.session, self.writer()),
            ),
        )
        project = self._c.value(_PROJECT_IF_SHARED, (task,))
        if project is not None:
            self.queue_name("task", task, project)

    # Who is at work on what

    def set_current_task(self, place: str, task: str) -> None:
        """Puts a place to work on a task."""
        self._c.run(
            "insert into current_tasks(place, task_id) values (?, ?)"
            f" on conflict {self._c.unique('place')} do update set task_id = excluded.task_id",
            (self._here(place), task),
        )

    def leave_task(self, task: str) -> None:
        """No place is at work on the task any more."""
        self._c.run("delete from current_tasks where task_id = ?", (task,))


def _column(field: str) -> str:
    return _COLUMN_OF.get(field, field)


def _stored(field: str, value: Any) -> Any:
    # What an event kept of it is spelled already.
    return to_json(value) if field == "metadata" and not isinstance(value, str) else value


def _task(row: tuple[Any, ...], depends_on: Sequence[str], waits_for: Sequence[str]) -> Task:
    values = list(row)
    values[_METADATA_AT] = from_json(values[_METADATA_AT], {})
    values[_DEPENDENCIES_AT:_DEPENDENCIES_AT] = (tuple(depends_on), tuple(waits_for))
    return Task._make(values)


def _conditions(filter: TaskFilter) -> tuple[str, list[Any]]:
    parts = ["1 = 1"]
    values: list[Any] = []
    for column, wanted in (
        ("project", filter.project),
        ("category", filter.category),
        ("parent_id", filter.parent),
    ):
        if wanted is not None:
            parts.append(f"t.{column} = ?")
            values.append(wanted)
    for column, several in (("status", filter.statuses or None), ("id", filter.ids)):
        if several is not None:
            parts.append(f"t.{column} in ({marks(several)})" if several else "1 = 0")
            values += several
    if filter.ready:
        parts.append(_READY)
    return " and ".join(parts), values
