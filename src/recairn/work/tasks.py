"""Tasks: pieces of work with a status, a parent, and other tasks they wait for.

Every change keeps what was there before it (`task_events`). The ids of other trackers are kept as
they are, and so is the status they had.
"""

from __future__ import annotations

from recairn.core.errors import Ambiguous, BadInput, NotFound, Refused
from recairn.core.ids import new_uid
from recairn.core.kinds import one_of
from recairn.core.model import TaskFilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.draft import Cleaner
    from recairn.core.model import Act
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Task

STATUSES = ("open", "active", "blocked", "done")
OUTCOMES = ("success", "partial", "failure")
# Statuses of tx, beads and others, by what they mean here; the original stays in the metadata.
_STATUS_ALIASES = {
    **dict.fromkeys(("backlog", "ready", "planning", "todo", "new", "pending"), "open"),
    **dict.fromkeys(
        ("in_progress", "in-progress", "doing", "started", "review", "human_needs_to_review"),
        "active",
    ),
    **dict.fromkeys(("deferred", "waiting", "on_hold", "on-hold", "paused"), "blocked"),
    **dict.fromkeys(
        ("closed", "completed", "complete", "cancelled", "canceled", "tombstone"), "done"
    ),
}
ORIGINAL_STATUS = "original_status"

# Characters. A description is a page, not a file.
_LONGEST = {"title": 500, "category": 200, "project": 200, "source_type": 200, "source_ref": 1000}
_MAX_DESCRIPTION = 20_000
_MAX_ID = 100
_MAX_METADATA = 20_000
# Letters, digits and what trackers put between them: `bd-a3f8.1`, `ENG-12`, `shop#7`.
_ID_SIGNS = "-_.:#/"
_OWN_PREFIX = "t-"
_OWN_LETTERS = 8  # 40 bits: two tasks in a million of them share one with odds of 1 in 2

EDITABLE = (
    "title",
    "description",
    "category",
    "project",
    "status",
    "score",
    "parent",
    "metadata",
    "source_type",
    "source_ref",
)


# Times that another tracker may tell; otherwise they follow from what is done here.
_MOMENTS = ("updated_at", "started_at", "completed_at")


def task_named(store: Store, reference: str) -> Task:
    """The task of that id, or of an id that begins so; NotFound or Ambiguous otherwise."""
    return store.tasks(TaskFilter(ids=(_id_named(store, reference),)))[0]


def _id_named(store: Store, reference: str) -> str:
    prefix = reference.strip() if isinstance(reference, str) else ""
    ids = store.find_tasks(prefix) if prefix else []
    if not ids:
        raise NotFound(f"there is no task {reference!s}", "recairn task list shows what there is")
    if len(ids) > 1:
        raise Ambiguous(f"{prefix} fits {', '.join(ids)}", "give more letters")
    return ids[0]


def status_named(name: str) -> str:
    """Our status for one of ours or another tracker's; BadInput listing ours otherwise."""
    word = name.strip().lower() if isinstance(name, str) else str(name)
    return one_of("task status", _STATUS_ALIASES.get(word, word), STATUSES)


def add(store: Store, values: Mapping[str, Any], act: Act, clean: Cleaner) -> Task:
    """Stores a new task, in the caller's transaction if there is one."""
    return task_named(store, put(store, values, act, clean))


def put(store: Store, values: Mapping[str, Any], act: Act, clean: Cleaner) -> str:
    """The same; only its id comes back."""
    with store.transaction():
        row = _columns(store, values, clean)
        row.setdefault("status", "open")
        row["id"] = _free_id(store, values.get("id"), act.at, clean)
        created_at = values.get("created_at")
        row |= {
            "created_at": act.at if created_at is None else created_at,
            "updated_at": act.at,
            "session_id": act.session,
            **_moments(row["status"], act.at),
            **{name: values[name] for name in _MOMENTS if values.get(name) is not None},
        }
        if not row.get("title"):
            raise BadInput("a task needs a title", 'for example: recairn task add "Draw the chart"')
        store.put_task(row, act)
        for dependency in values.get("depends_on") or ():
            store.add_dependency(row["id"], _id_named(store, dependency), act)
    name: str = row["id"]
    return name


def edit(store: Store, task: Task, values: Mapping[str, Any], act: Act, clean: Cleaner) -> Task:
    """Changes what was given; what was there before stays in the task's events."""
    with store.transaction():
        changes = _columns(store, values, clean)
        if changes.get("title") == "":
            raise BadInput("a task needs a title", f"recairn task show {task.id}")
        if changes.get("parent_id"):
            _refuse_own_ancestor(store, task, changes["parent_id"])
        if "metadata" in changes:
            changes["metadata"] = {**task.metadata, **changes["metadata"]}
        if "status" in changes:
            changes |= _status_times(task, changes["status"], act.at)
        store.change_task(task.id, {**changes, "updated_at": act.at}, "edited", act)
        if changes.get("status") in ("blocked", "done"):
            store.leave_task(task.id)
    return task_named(store, task.id)


def move(store: Store, task: Task, status: str, event: str, act: Act, **more: Any) -> Task:
    """Gives a task another status; who was at work on it is not any more, unless it is active."""
    with store.transaction():
        changes = {
            "status": status,
            **_status_times(task, status, act.at),
            **more,
            "updated_at": act.at,
        }
        store.change_task(task.id, changes, event, act)
        if status in ("blocked", "done"):
            store.leave_task(task.id)
    return task_named(store, task.id)


def wait_for(store: Store, task: Task, on: Task, act: Act) -> None:
    """Lets a task wait for another; Refused, with the circle named, when that one waits for it."""
    with store.transaction():
        circle = _path(store, on.id, task.id)
        if circle:
            route = " -> ".join([task.id, *circle])
            raise Refused(
                f"{task.id} cannot depend on {on.id}: that is a circle ({route})",
                f"recairn task dep rm {circle[-2] if len(circle) > 1 else task.id} {task.id}",
            )
        store.add_dependency(task.id, on.id, act)


def wait_no_more(store: Store, task: Task, on: Task, act: Act) -> None:
    """Ends a dependency; NotFound when there is none."""
    with store.transaction():
        if not store.remove_dependency(task.id, on.id, act):
            raise NotFound(f"{task.id} does not depend on {on.id}", f"recairn task show {task.id}")


def _path(store: Store, start: str, goal: str) -> list[str]:
    """The chain of dependencies from one task to another, both ends included; empty for none."""
    previous: dict[str, str] = {start: ""}
    level = [start]
    while level and goal not in previous:
        coming: dict[str, str] = {}
        for task in store.tasks(TaskFilter(ids=tuple(level))):
            coming |= {on: task.id for on in task.depends_on if on not in previous}
        previous |= coming
        level = list(coming)
    path = [goal] if goal in previous else []
    while path and previous[path[0]]:
        path.insert(0, previous[path[0]])
    return path


def _refuse_own_ancestor(store: Store, task: Task, parent: str) -> None:
    chain = [task.id]
    above: str | None = parent
    while above is not None and above not in chain:
        chain.append(above)
        above = task_named(store, above).parent
    if above == task.id:
        route = " -> ".join([*chain, task.id])
        raise Refused(
            f"{parent} cannot be the parent of {task.id}: that is a circle ({route})",
            f"recairn task show {parent}",
        )


def _columns(store: Store, values: Mapping[str, Any], clean: Cleaner) -> dict[str, Any]:
    """The columns that the given values stand for, each clean."""
    row: dict[str, Any] = {
        name: clean.name(name.replace("_", " "), values[name], longest)
        for name, longest in _LONGEST.items()
        if name in values
    }
    if "description" in values:
        row["description"] = clean.text("description", values["description"], _MAX_DESCRIPTION)
    if "score" in values:
        row["score"] = _score(values["score"])
    if "parent" in values:
        parent = values["parent"]
        row["parent_id"] = _id_named(store, parent) if parent else None
    if values.get("metadata") is not None:
        row["metadata"] = _metadata(values["metadata"], clean)
    if "status" in values:
        row["status"] = status_named(values["status"])
        if row["status"] != values["status"]:
            original = {ORIGINAL_STATUS: clean.name("status", values["status"])}
            row["metadata"] = {**original, **row.get("metadata", {})}
    return row


def _score(value: Any) -> float:
    """How urgent a task is; trackers differ in scale, so any finite number will do."""
    wrong = isinstance(value, bool) or not isinstance(value, int | float)
    if wrong or value != value or abs(value) > 1e12:
        raise BadInput(f"score must be a number, got {value!r}")
    return float(value)


def _metadata(metadata: Any, clean: Cleaner) -> dict[str, Any]:
    """What another tracker said beyond our fields, cleaned like every text."""
    import json

    if not hasattr(metadata, "items"):
        raise BadInput(f"metadata must be a mapping, got {type(metadata).__name__}")
    try:
        text = json.dumps(dict(metadata), ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"metadata must be JSON: {error}") from None
    if len(text) > _MAX_METADATA:
        raise BadInput(f"metadata has {len(text):,} characters, {_MAX_METADATA:,} at most")
    cleaned: dict[str, Any] = _clean_values(json.loads(text), clean)
    return cleaned


def _clean_values(value: Any, clean: Cleaner) -> Any:
    if isinstance(value, str):
        return clean.text("metadata", value)
    if isinstance(value, list):
        return [_clean_values(item, clean) for item in value]
    if isinstance(value, dict):
        return {
            clean.name("metadata", key): _clean_values(item, clean) for key, item in value.items()
        }
    return value


def _free_id(store: Store, foreign: Any, now: int, clean: Cleaner) -> str:
    """The id another tracker gave, or a new one of ours."""
    if foreign is None:
        while True:
            own = _OWN_PREFIX + new_uid(now)[-_OWN_LETTERS:]
            if not store.task_namesakes(own):
                return own
    name = clean.name("task id", foreign, _MAX_ID)
    plain = name.isascii() and all(letter.isalnum() or letter in _ID_SIGNS for letter in name)
    if name != foreign or not plain or not name[:1].isalnum():
        raise BadInput(
            f"{str(foreign)[:_MAX_ID]!r} cannot be a task's id",
            f"letters, digits and {' '.join(_ID_SIGNS)}, beginning with a letter or digit",
        )
    if namesakes := store.task_namesakes(name):
        raise Refused(
            f"there is a task {namesakes[0]} already", f"recairn task show {namesakes[0]}"
        )
    return name


def _moments(status: str, at: int) -> dict[str, int]:
    if status == "done":
        return {"completed_at": at}
    return {"started_at": at} if status == "active" else {}


def _status_times(task: Task, status: str, at: int) -> dict[str, Any]:
    """The times that follow from a new status; what began stays begun."""
    if status == "done":
        return {"completed_at": task.completed_at or at}
    start = {"started_at": task.started_at or at} if status == "active" else {}
    return {**start, "completed_at": None}
