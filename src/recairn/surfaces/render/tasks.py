"""Tasks as text and as JSON."""

from __future__ import annotations

from recairn.core.times import age, iso
from recairn.core.words import one_line
from recairn.surfaces.render.text import indented, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.work_rows import Task

_TIMES = ("created_at", "updated_at", "started_at", "completed_at")
_JSON_NAMES = {"session_id": "session"}
_TITLE = 120  # characters a list shows


def task_json(task: Task) -> dict[str, Any]:
    """The task object of the JSON contract."""
    shown: dict[str, Any] = {}
    for name, value in task._asdict().items():
        value = iso(value) if name in _TIMES else value
        shown[_JSON_NAMES.get(name, name)] = list(value) if isinstance(value, tuple) else value
    return {**shown, "metadata": dict(task.metadata), "ready": task.ready}


def event_json(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "at": iso(event["at"]),
        "event": event["event"],
        "reason": event["reason"],
        "before": event["before"],
        "session": event["session_id"],
        "author": event["author"],
    }


def task_line(task: Task, project: str | None = None) -> str:
    """`t-3k9x2m7q [charts] Draw the chart (active)`, and what it waits for."""
    category = f"[{one_line(task.category, _TITLE)}] " if task.category else ""
    outcome = task.outcome if task.outcome and task.status == "done" else ""
    about = [f"{task.status}, {outcome}" if outcome else task.status]
    if task.score:
        about.append(f"score {task.score:g}")
    if task.waits_for:
        about.append(f"waits for {', '.join(task.waits_for)}")
    if task.project and task.project != project:
        about.append(f"project {one_line(task.project, _TITLE)}")
    title = one_line(without_marks(task.title), _TITLE)
    state = styled(f"({'; '.join(about)})", "dim")
    return f"{styled(task.id, 'name')} {category}{title} {state}"


def task_text(
    task: Task, *, children: Sequence[Task], blocks: Sequence[Task], events: Sequence[Any], now: int
) -> str:
    """A task whole, a line for everything known about it."""
    source = task.source_type + (f" ({task.source_ref})" if task.source_ref else "")
    listed = (
        ("Title", task.title),
        ("Status", task.status),
        ("Outcome", _outcome(task)),
        ("Description", task.description),
        ("Category", task.category),
        ("Score", f"{task.score:g}" if task.score else ""),
        ("Project", task.project),
        ("Parent", task.parent),
        ("Depends On", ", ".join(task.depends_on)),
        ("Waits For", ", ".join(task.waits_for)),
        ("Source", source if source != "manual" else ""),
        ("Session", task.session_id),
        ("Created", iso(task.created_at)),
        ("Started", iso(task.started_at)),
        ("Completed", iso(task.completed_at)),
        *((f"Metadata {name}", str(value)) for name, value in task.metadata.items()),
    )
    lines = [styled(f"Task {task.id}", "bold")]
    for label, value in listed:
        if value:
            shown = indented(without_marks(value), " " * (len(label) + 4)).lstrip()
            lines.append(f"  {label}: {shown}")
    for label, others in (("Children", children), ("Blocks", blocks)):
        lines += [
            f"  {label}:",
            *(f"    {task_line(other, task.project)}" for other in others),
        ] * bool(others)
    lines += [styled(f"  {_happened(event, now)}", "dim") for event in events[1:]]
    return "\n".join(lines) + "\n"


def _happened(event: Mapping[str, Any], now: int) -> str:
    """`blocked just now: no licence`; what was waited for then may be done by now."""
    what, when = event["event"], age(event["at"], now)
    reason = one_line(without_marks(event["reason"] or ""), _TITLE)
    if event["author"] not in ("", "person"):
        when += f" by {one_line(without_marks(event['author']), _TITLE)}"
    if what in _WAITING:
        return f"{_WAITING[what]} {reason} {when}"
    return f"{what} {when}" + (f": {reason}" if reason else "")


_WAITING = {"waits for": "began to wait for", "waits no more for": "ceased to wait for"}


def _outcome(task: Task) -> str:
    """`partial (the legend is missing)`."""
    note = task.outcome_note
    return f"{task.outcome} ({note})" if task.outcome and note else task.outcome or note
