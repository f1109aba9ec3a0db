"""Tasks, what they wait for, what was done to them, and who is at work on which."""

from __future__ import annotations

from recairn.store.sqlite.rows import from_json, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, TaskFilter
    from recairn.store.sqlite.connection import Connection

_COLUMNS = (
    "id",
    "title",
    "description",
    "category",
    "project",
    "status",
    "score",
    "parent_id",
    "outcome",
    "outcome_note",
    "source_type",
    "source_ref",
    "session_id",
    "metadata",
    "created_at",
    "updated_at",
    "started_at",
    "completed_at",
)
_SELECT = ", ".join(f"t.{column}" for column in _COLUMNS)
_ORDER = (
    "case t.status when 'active' then 0 when 'open' then 1 when 'blocked' then 2 else 3 end,"
    " t.score desc, t.created_at, t.id"
)
_READY = (
    "t.status = 'open' and not exists (select 1 from task_deps d join tasks o"
    " on o.id = d.depends_on where d.task_id = t.id and o.status <> 'done')"
)
# SQLite takes 32,766 bound values; stay well below.
_BATCH = 500


class TaskRows:
    """The part of the store that keeps tasks."""

    _c: Connection

    def put_task(self, task: Mapping[str, Any], act: Act) -> None:
        """Stores a new task and a `created` event."""
        names = ", ".join(task)
        self._c.run(
            f"insert into tasks({names}) values ({', '.join('?' * len(task))})",
            [_stored(name, value) for name, value in task.items()],
        )
        self._note(task["id"], "created", {}, act)

    def change_task(self, task: str, changes: Mapping[str, Any], event: str, act: Act) -> None:
        """Changes columns of a task and notes the event with the values before."""
        names = list(changes)
        row = self._c.row(f"select {', '.join(names)} from tasks where id = ?", (task,))
        before = dict(zip(names, row or (), strict=True))
        changed = {
            name: before[name]
            for name, value in changes.items()
            if name != "updated_at" and before[name] != _stored(name, value)
        }
        self._c.run(
            f"update tasks set {', '.join(f'{name} = ?' for name in names)} where id = ?",
            (*(_stored(name, value) for name, value in changes.items()), task),
        )
        self._note(task, event, changed, act)

    def tasks(self, filter: TaskFilter) -> list[dict[str, Any]]:
        """Tasks with what they depend on and wait for; the most urgent first."""
        where, values = _conditions(filter)
        rows = self._c.rows(
            f"select {_SELECT} from tasks t where {where} order by {_ORDER} limit ?",
            (*values, filter.limit),
        )
        found: dict[str, dict[str, Any]] = {}
        for row in rows:
            task = dict(zip(_COLUMNS, row, strict=True))
            task["metadata"] = _parsed(task["metadata"])
            found[task["id"]] = {**task, "depends_on": [], "waits_for": []}
        ids = list(found)
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            for task_id, on, status in self._c.rows(
                "select d.task_id, d.depends_on, o.status from task_deps d join tasks o"
                f" on o.id = d.depends_on where d.task_id in ({_marks(part)}) order by 1, 2",
                part,
            ):
                found[task_id]["depends_on"].append(on)
                if status != "done":
                    found[task_id]["waits_for"].append(on)
        return list(found.values())

    def find_tasks(self, reference: str) -> list[str]:
        """Ids a person may mean: that very one, or else those that begin so."""
        exact = self._c.rows("select id from tasks where id = ?", (reference,))
        low = reference.lower()
        rows = exact or self._c.rows(
            "select id from tasks where lower(id) = ? order by id limit 9", (low,)
        )
        rows = rows or self._c.rows(
            "select id from tasks where substr(lower(id), 1, :n) = :low"
            " or substr(lower(id), instr(id, '-') + 1, :n) = :low order by id limit 9",
            {"n": len(low), "low": low},
        )
        return [row[0] for row in rows]

    def add_dependency(self, task: str, on: str, act: Act) -> bool:
        """Lets a task wait for another; whether that was new."""
        new = self._c.run("insert or ignore into task_deps values (?, ?)", (task, on)) > 0
        if new:
            self._note(task, "waits for", {}, act, on)
        return new

    def remove_dependency(self, task: str, on: str, act: Act) -> bool:
        """Ends a dependency; whether there was one."""
        was = self._c.run("delete from task_deps where task_id = ? and depends_on = ?", (task, on))
        if was:
            self._note(task, "waits no more for", {}, act, on)
        return was > 0

    def dependents(self, task: str) -> list[str]:
        """Ids of the tasks that depend on this one."""
        rows = self._c.rows(
            "select task_id from task_deps where depends_on = ? order by 1", (task,)
        )
        return [row[0] for row in rows]

    def task_events(self, task: str) -> list[dict[str, Any]]:
        """What was done to a task, oldest first."""
        names = ("at", "event", "reason", "before", "session_id")
        rows = self._c.rows(
            f"select {', '.join(names)} from task_events where task_id = ? order by id", (task,)
        )
        return [{**dict(zip(names, row, strict=True)), "before": _parsed(row[3])} for row in rows]

    def _note(
        self, task: str, event: str, before: Mapping[str, Any], act: Act, about: str = ""
    ) -> None:
        self._c.run(
            "insert into task_events(task_id, at, event, reason, before, session_id)"
            " values (?, ?, ?, ?, ?, ?)",
            (task, act.at, event, about or act.reason, to_json(before), act.session),
        )

    # Who is at work on what

    def current_task(self, place: str) -> str | None:
        found = self._c.row("select task_id from current_tasks where place = ?", (place,))
        return None if found is None else str(found[0])

    def set_current_task(self, place: str, task: str) -> None:
        self._c.run(
            "insert into current_tasks values (?, ?) on conflict(place) do update set"
            " task_id = excluded.task_id",
            (place, task),
        )

    def leave_task(self, task: str) -> None:
        self._c.run("delete from current_tasks where task_id = ?", (task,))


def _stored(name: str, value: Any) -> Any:
    return to_json(value) if name == "metadata" else value


def _parsed(text: str) -> Any:
    """The value a text stands for; most are empty and need no parser."""
    return {} if text == "{}" else from_json(text)


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _conditions(filter: TaskFilter) -> tuple[str, list[Any]]:
    parts = ["1"]
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
            parts.append(f"t.{column} in ({_marks(several)})")
            values += several
    if filter.ready:
        parts.append(_READY)
    return " and ".join(parts), values
