"""tx: its database, the JSONL files it keeps in git, its event streams, its markdown learnings.

The same learning may stand in all of them. The database is read first; what it holds is not taken
again from the files. Elsewhere numbers mean nothing (two machines count alike), so records of the
files are known by their content hash, as tx itself knows them.
"""

from __future__ import annotations

import os
from functools import partial

from recairn.core.errors import BadInput
from recairn.core.words import normalised
from recairn.sources.format import Fault, Omission, Source
from recairn.sources.readers.database import Database
from recairn.sources.readers.files import Origin
from recairn.sources.readers.values import records_of
from recairn.sources.tx.log_entries import STREAMS, last_words
from recairn.sources.tx.notes import PLACE, notes
from recairn.sources.tx.records import MAKERS, Tx
from recairn.sources.tx.work import newest_docs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from recairn.sources.format import Predecessor, Reading, Record

    Item = Reading
    PlacedRow = tuple[str, Any] | Fault

_FOLDER, _NOTES = ".tx", PLACE
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
# Tables that say nothing of their own: versions of the schema, and what follows from files.
_NO_RECORDS = ("schema_version",)
_DERIVED = {
    "memory_properties": "they stand in the front matter of their files",
    "memory_sources": "folders that tx indexes",
}


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
    if tuple(parts[-2:]) == _NOTES:
        return [folder]
    if parts[-1] == _FOLDER:
        return [folder, *(path for path in beside(folder) if os.path.isdir(path))]
    usual = (os.path.join(folder, _FOLDER), os.path.join(folder, *_NOTES))
    return [path for path in usual if os.path.isdir(path)]


def beside(path: str) -> list[str]:
    """The learnings beside a database, and the other way round: they are linked to each other."""
    parts = os.path.abspath(path).split(os.sep)
    if parts[-1] == _FOLDER:
        return [os.path.join(os.path.dirname(os.path.normpath(path)), *_NOTES)]
    if tuple(parts[-2:]) == _NOTES:
        return [os.path.join(os.sep.join(parts[:-2]) or os.sep, _FOLDER)]
    return []


def read(origin: Origin) -> Iterator[Item]:
    """Everything tx keeps there: database first, then what only the files know."""
    if not os.path.isdir(origin.path):
        yield from _file(origin, Tx(_project_around(origin)))
        return
    if not os.path.basename(os.path.realpath(origin.path)).startswith(_FOLDER):
        yield from notes(origin.path, origin.files(".md"))
        return
    tx = Tx(_project_around(origin))
    files = origin.files(".db", ".jsonl")
    for file in files:
        if os.path.basename(file.path) == _DATABASE:
            yield from _file(file, tx)
    logs = [file for file in files if file.path.endswith(".jsonl") and _is_log(origin, file)]
    others = len(files) - len(logs) - sum(file.path.endswith(".db") for file in files)
    if others:
        yield Omission("files", "no logs of tx", others)
    if logs:
        yield from _logs(logs, tx)


def _is_log(folder: Origin, file: Origin) -> bool:
    """Whether a file is one of those tx keeps in git; transcripts and the like lie deeper."""
    parts = os.path.relpath(file.path, folder.path).split(os.sep)
    return len(parts) == 1 or parts[0] == STREAMS


def _project_around(origin: Origin) -> Origin | None:
    """The folder in which `.tx` lies, where docs are written."""
    whole = os.path.abspath(origin.path).split(os.sep)
    if _FOLDER not in whole:
        return None
    folder = os.sep.join(whole[: whole.index(_FOLDER)]) or os.sep
    return Origin(folder, folder)


def _file(origin: Origin, tx: Tx) -> Iterator[Item]:
    if origin.path.endswith(".md"):
        yield from notes(os.path.dirname(origin.path), [origin])
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
                yield from database.omissions({*_TABLES, *_NO_RECORDS}, _DERIVED)
        except BadInput as error:
            yield Fault(origin.name, error.message)


def _records(tx: Tx, what: str, rows: Iterable[PlacedRow]) -> list[Item]:
    """What rows or the last words of a log become; nothing when the database said it already."""
    items: list[Item] = []
    if what == "doc":
        rows, earlier = newest_docs(tx, rows)
        if earlier:
            why = "tx keeps the text of the last one"
            items.append(Omission("earlier versions of docs", why, earlier))
    return items + records_of(rows, partial(MAKERS[what], tx))


# Logs


def _logs(files: list[Origin], tx: Tx) -> Iterator[Item]:
    """What the logs say, in the order in which it can be understood."""
    tx.from_logs = True
    rows: dict[str, list[PlacedRow]] = {}
    for entry in last_words(files):
        if isinstance(entry, Fault | Omission):
            yield entry
        else:
            rows.setdefault(entry.what, []).append((entry.place, entry.data))
    for what in _TABLES.values():
        if what in rows:
            yield from _records(tx, what, rows[what])


def pairs(fresh: Sequence[Record], former: Sequence[Predecessor]) -> dict[str, str]:
    """Which record is a former one under another key: it says the same, or has its number.

    The same learning is known by its number in the database and by its content in a log.
    """
    texts = {normalised(one.text): one.key for one in former}
    names = {one.external_id: one.key for one in former if one.external_id}
    matches: dict[str, str] = {}
    for record in fresh:
        same_text = texts.get(normalised(record.draft.content))
        key = same_text or names.get(record.draft.external_id or "")
        if key is not None and key not in matches.values() and _alike(record.key, key):
            matches[record.key] = key
    return matches


def _alike(key: str, other: str) -> bool:
    """Whether two keys are of one sort of record."""
    return key.partition(":")[0] == other.partition(":")[0]


SOURCE = Source(
    name="tx",
    about="tx: tasks.db, .tx/*.jsonl, event streams, docs/learnings; tasks too",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
    pairs=pairs,
    beside=beside,
)
