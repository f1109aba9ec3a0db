"""beads: the issues it keeps in git, a JSON line each. They become tasks; memories it has none."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.sources.format import Extra, Fault, Omission, Source
from recairn.sources.readers.files import log_lines
from recairn.sources.readers.values import amount, moment, records_from, required, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]

_FOLDER = ".beads"
# Priority 0 is the most urgent of five; a higher score is more urgent here.
_LEAST_URGENT, _SCORE_OF_ONE = 4, 100
_SECTIONS = (
    ("design", "Design"),
    ("acceptance_criteria", "Acceptance criteria"),
    ("notes", "Notes"),
)
_KEPT = ("issue_type", "assignee", "close_reason", "external_ref", "estimated_minutes", "priority")
_BLOCKS, _PARENT = "blocks", "parent-child"


def takes(path: str) -> bool:
    parts = os.path.abspath(path).split(os.sep)
    if os.path.isdir(path):
        return parts[-1] == _FOLDER
    return _FOLDER in parts[:-1] and parts[-1].endswith(".jsonl")


def find(folder: str) -> list[str]:
    if os.path.basename(os.path.abspath(folder)) == _FOLDER:
        return [folder]
    path = os.path.join(folder, _FOLDER)
    return [path] if os.path.isdir(path) else []


def read(origin: Origin) -> Iterator[Reading]:
    """The last state of every issue, whichever line or file told it last."""
    files = origin.files(".jsonl") if os.path.isdir(origin.path) else [origin]
    last: dict[str, tuple[int, str, Row]] = {}
    lines = 0
    for file in files:
        for line in log_lines(file):
            if isinstance(line, Fault):
                yield line
                continue
            place, row = file.place(line[0]), line[1]
            try:
                name, at = _id_and_time(row)
            except BadInput as error:
                yield Fault(place, error.message)
                continue
            lines += 1
            if name not in last or at >= last[name][0]:
                last[name] = (at, place, row)
    if lines > len(last):
        yield Omission("earlier lines", "the latest of an issue holds", lines - len(last))
    yield from records_from([(place, row) for _, place, row in last.values()], _issue)


def _id_and_time(row: Any) -> tuple[str, int]:
    """The id of an issue and when it was changed."""
    if not isinstance(row, dict):
        raise BadInput(f"not an object but {type(row).__name__}")
    return required(row, "id"), moment(row, "updated_at", "created_at") or 0


def _issue(place: str, row: Row) -> Iterator[Extra]:
    name, links = required(row, "id"), _links(row)
    urgency = amount(row, "priority", most=_LEAST_URGENT)
    metadata: dict[str, Any] = {key: row[key] for key in _KEPT if row.get(key) is not None}
    labels = texts(row, "labels")
    others = [f"{kind} {other}" for kind, other in links if kind not in (_BLOCKS, _PARENT)]
    comments = _comments(row)
    metadata |= {
        key: value
        for key, value in (("labels", labels), ("links", others), ("comments", comments))
        if value
    }
    parts = [text(row, "description")]
    parts += [f"{title}:\n{text(row, field)}" for field, title in _SECTIONS if text(row, field)]
    values = {
        "id": name,
        "title": required(row, "title"),
        "description": "\n\n".join(filter(None, parts)),
        "status": text(row, "status") or "open",
        "score": 0 if urgency is None else (_LEAST_URGENT - urgency) * _SCORE_OF_ONE,
        "category": text(row, "issue_type"),
        "parent": next((other for kind, other in links if kind == _PARENT), None),
        "metadata": metadata,
        "created_at": moment(row, "created_at"),
        "updated_at": moment(row, "updated_at"),
        "completed_at": moment(row, "closed_at"),
    }
    yield Extra(name, "task", values, place)
    for kind, other in links:
        if kind == _BLOCKS:
            values = {"task_id": name, "depends_on": other}
            yield Extra(f"{name} {other}", "dependency", values, place)


def _links(row: Row) -> list[tuple[str, str]]:
    """(kind, other issue) of what an issue depends on."""
    listed = row.get("dependencies") or []
    if not isinstance(listed, list) or not all(isinstance(link, dict) for link in listed):
        raise BadInput("dependencies must be a list of objects")
    return [(text(link, "type") or _BLOCKS, required(link, "depends_on_id")) for link in listed]


def _comments(row: Row) -> list[str]:
    listed = row.get("comments") or []
    if not isinstance(listed, list) or not all(isinstance(comment, dict) for comment in listed):
        raise BadInput("comments must be a list of objects")
    return [f"{text(comment, 'author')}: {text(comment, 'text')}" for comment in listed]


SOURCE = Source(
    name="beads",
    about="beads: the issues in .beads/*.jsonl, as tasks",
    takes=takes,
    find=find,
    read=read,
    complete=True,
)
