"""tx: its database, the JSONL files it keeps in git, its event streams, its markdown learnings.

The same learning may stand in all of them. The database is read first; what it holds is not taken
again from the files. Elsewhere numbers mean nothing (two machines count alike), so records of the
files are known by their content hash, as tx itself knows them.
"""

from __future__ import annotations

import os
import re
from functools import partial

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Fault, Record, Source
from recairn.sources.readers.database import Database
from recairn.sources.readers.files import Origin, log_lines
from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.values import moment, records_of, required, share, text, texts
from recairn.sources.tx.records import MAKERS, Tx, rated
from recairn.sources.tx.work import newest_docs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from recairn.sources.format import Reading

    Item = Reading
    PlacedRow = tuple[str, Any] | Fault

_FOLDER, _NOTES = ".tx", ("docs", "learnings")
_DATABASE = "tasks.db"
# In this order: what edges and anchors point at is known when they come.
_TABLES = {
    "runs": "run",
    "docs": "doc",
    "doc_links": "doc_link",
    "task_doc_links": "task_doc_link",
    "task_labels": "label",
    "task_label_assignments": "label_assignment",
    "learning_anchors": "anchor",
    "learnings": "learning",
    "file_learnings": "file_learning",
    "attempts": "attempt",
    "context_pins": "pin",
    "decisions": "decision",
    "invariants": "invariant",
    "memory_documents": "memory_document",
    "memory_links": "memory_link",
    "tasks": "task",
    "task_dependencies": "dep",
    "learning_edges": "edge",
    "compaction_log": "compaction",
    "learnings_config": "setting",
}
# Operations of a log: what they are about, and whether they take it away.
_OPERATIONS = {
    "upsert": ("task", False),
    "delete": ("task", True),
    "dep_add": ("dep", False),
    "dep_remove": ("dep", True),
}
# Told by names that are the same everywhere; others by their content.
_NAMED = ("task", "pin", "decision", "invariant")
_CAMEL = re.compile(r"(?<=[a-z])([A-Z])")


def takes(path: str) -> bool:
    whole = os.path.abspath(path).split(os.sep)
    if os.path.isdir(path):
        return whole[-1] == _FOLDER or tuple(whole[-2:]) == _NOTES
    if _FOLDER in whole[:-1]:
        return whole[-1].endswith((".jsonl", ".db"))
    return tuple(whole[-3:-1]) == _NOTES and whole[-1].endswith(".md")


def find(folder: str) -> list[str]:
    """The `.tx` folder and the markdown learnings of a project, or the one that was given."""
    parts = os.path.abspath(folder).split(os.sep)
    if parts[-1] == _FOLDER or tuple(parts[-2:]) == _NOTES:
        return [folder]
    usual = (os.path.join(folder, _FOLDER), os.path.join(folder, *_NOTES))
    return [path for path in usual if os.path.isdir(path)]


def read(origin: Origin) -> Iterator[Item]:
    """Everything tx keeps there: database first, then what only the files know."""
    if not os.path.isdir(origin.path):
        yield from _file(origin, Tx(_project_around(origin)))
        return
    if not os.path.basename(os.path.realpath(origin.path)).startswith(_FOLDER):
        yield from _notes(origin.files(".md"))
        return
    tx = Tx(_project_around(origin))
    files = origin.files(".db", ".jsonl")
    for file in files:
        if os.path.basename(file.path) == _DATABASE:
            yield from _file(file, tx)
    yield from _logs([file for file in files if file.path.endswith(".jsonl")], tx)


def _project_around(origin: Origin) -> Origin | None:
    """The folder in which `.tx` lies, where docs are written."""
    whole = os.path.abspath(origin.path).split(os.sep)
    if _FOLDER not in whole:
        return None
    folder = os.sep.join(whole[: whole.index(_FOLDER)]) or os.sep
    return Origin(folder, folder)


def _file(origin: Origin, tx: Tx) -> Iterator[Item]:
    if origin.path.endswith(".md"):
        yield from _notes([origin])
    elif origin.path.endswith(".jsonl"):
        yield from _logs([origin], tx)
    else:
        try:
            with Database(origin) as database:
                if database.tables and not set(_TABLES).intersection(database.tables):
                    database.require("tasks", "a database of tx")
                for table, what in _TABLES.items():
                    if table in database.tables:
                        yield from _records(tx, what, database.rows(table))
        except BadInput as error:
            yield Fault(origin.name, error.message)


def _records(tx: Tx, what: str, rows: Iterable[PlacedRow]) -> list[Item]:
    """What rows or the last words of a log become; nothing when the database said it already."""
    if what == "doc":
        rows = newest_docs(tx, rows)
    return records_of(rows, partial(MAKERS[what], tx))


# Logs


def _logs(files: list[Origin], tx: Tx) -> Iterator[Item]:
    """The last state of everything the logs tell of, whichever of them told it last."""
    last: dict[tuple[str, str], tuple[int, int, str, bool, dict[str, Any]]] = {}
    seen = 0
    for origin in files:
        for line in log_lines(origin):
            if isinstance(line, Fault):
                yield line
                continue
            number, row = line
            place = origin.place(number)
            try:
                what, key, gone, data = _operation(row)
            except BadInput as error:
                yield Fault(place, error.message)
                continue
            seen += 1
            ranked = (moment(row, "ts") or 0, seen, place, gone, data)
            if (what, key) not in last or ranked[:2] >= last[what, key][:2]:
                last[what, key] = ranked
    tx.from_logs = True
    rows: dict[str, list[PlacedRow]] = {}
    for (what, _), (_, _, place, gone, data) in last.items():
        if not gone:
            rows.setdefault(what, []).append((place, data))
    for what in _TABLES.values():
        if what in rows:
            yield from _records(tx, what, rows[what])


def _operation(row: Any) -> tuple[str, str, bool, dict[str, Any]]:
    """(what it is about, which one, whether it is gone, its fields) of one line of a log."""
    if not isinstance(row, dict):
        raise BadInput(f"not an object but {type(row).__name__}")
    if isinstance(row.get("payload"), dict):  # an event of a stream, around an operation
        row = row["payload"]
    operation = required(row, "op")
    what, gone = _OPERATIONS.get(operation, ("", False))
    if not what:
        what, _, doing = operation.rpartition("_")
        gone = doing == "delete"
        if what not in MAKERS or doing not in ("upsert", "delete"):
            raise BadInput(f"unknown operation {operation[:40]!r}")
    moment(row, "ts")
    if what == "dep":
        data = {_snake(name): value for name, value in row.items()}
        return what, f"{required(row, 'blockedId')} {required(row, 'blockerId')}", gone, data
    values = row.get("data", {} if gone else None)
    if not isinstance(values, dict):
        raise BadInput("it has no data")
    data = {_snake(name): value for name, value in values.items()}
    named = required(row, "id", "contentHash")
    data |= {"id": named, "ts": row.get("ts"), "hash": text(row, "contentHash")}
    return what, named if what in _NAMED else data["hash"] or named, gone, data


def _snake(name: str) -> str:
    return _CAMEL.sub(r"_\1", name).lower()


# Markdown


def _notes(files: list[Origin]) -> Iterator[Item]:
    for file in files:
        try:
            yield _note(file)
        except BadInput as error:
            yield Fault(file.place(1), error.message)


def _note(origin: Origin) -> Record:
    """A markdown learning: fields above, title in the first heading, the text below it."""
    front, body, line = parted(origin.text())
    title = ""
    lines = body.strip("\n").split("\n")
    if lines[0].startswith("# "):
        title, lines = lines[0][2:].strip(), lines[1:]
    content = "\n".join(lines).strip()
    tags = [tag for tag in texts(front, "tags") if tag != "learning"]
    draft = Draft(
        content or title,
        title=title if content and len(title) <= 500 else "",
        category=text(front, "category"),
        keywords=tags[:50],
        scope=text(front, "file_pattern"),
        source_type="import",
        source_ref=text(front, "source_ref", "task_id"),
        created_at=moment(front, "created", "created_at"),
        external_id=os.path.basename(origin.name).removesuffix(".md")[:200],
    )
    earned = rated(share(front, "outcome_score"))
    return Record(f"note:{os.path.basename(origin.name)}", draft, origin.place(line), (), earned)


SOURCE = Source(
    name="tx",
    about="tx: tasks.db, .tx/*.jsonl, event streams, docs/learnings; tasks too",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
