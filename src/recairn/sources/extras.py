"""What an import brings beside memories: links, sessions, tasks, uses, queries, settings.

Each is known by its key and a hash, as memories are: a second run leaves it alone, even when it was
taken away here meanwhile. A changed task is edited.
"""

from __future__ import annotations

from functools import partial

from recairn.core.draft import Cleaner
from recairn.core.errors import BadInput, NotFound
from recairn.core.kinds import relation_named
from recairn.core.model import Edge, TaskFilter
from recairn.core.record import Row, record
from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.memory import link_state, links
from recairn.sources.format import BESIDES, Fault, Omission, content_key
from recairn.sources.imported import BATCH, adopt, extra_key, kept_rows, linkable_rows, write_all
from recairn.store.contract.imported import SETTLED, ImportedRow
from recairn.store.tables import SHAPES
from recairn.sync.entry import Entry
from recairn.sync.merge_tables import MemoryNames, TableMerge
from recairn.sync.record_format import moment
from recairn.work import tasks
from recairn.work.session_notes import note_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.sources.format import Extra
    from recairn.sources.imported import Target
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Task

_LONGEST_KEY = 500
# Characters of a setting's key in a message.
_SHOWN = 80
# By shape: the columns that name memories, and whether each names one or a list of them.
_MEMORY_COLUMNS = {
    shape.name: [
        (column.name, column.holds == "memories")
        for column in shape.columns
        if column.holds in ("memory", "memories")
    ]
    for shape in SHAPES
}
# What a source need not say.
_USUAL: dict[str, dict[str, Any]] = {
    "session": {
        "agent": "",
        "directory": "",
        "branch": "",
        "prompt": "",
        "summary": "",
        "context": {},
    },
    "query": {"mode": "", "profile": "", "results": 0, "result_ids": [], "duration_ms": 0.0},
    "miss": {"note": ""},
}
# The task that waits, and the one it waits for.
_WAIT = ("task_id", "depends_on")
# Of the row of what has just come in: nothing is left to do, and it is there.
_NEW = (SETTLED, True, False)
# Renewed when the source tells them anew; what they were stays in their events.
_TASK_CHANGES = ("title", "description", "category", "status", "score", "metadata")


@record
class ExtraSummary:
    """How many came in, by shape; how many were in already; those that could not, and those that
    say nothing of their own."""

    added: Mapping[str, int]
    unchanged: int
    faults: Sequence[Fault] = ()
    omissions: Sequence[Omission] = ()


@record
class _Memories:
    """By their keys, the memories that records of the source became; and which of those numbers
    this import merely met."""

    numbers: Mapping[str, int]
    foreign: frozenset[int]


class _Entry(Row):
    """An extra that is new or changed, and the row to keep of it."""

    extra: Extra
    row: ImportedRow


def count_extras(target: Target, extras: Sequence[Extra]) -> ExtraSummary:
    """What `write_extras` would do, without writing."""
    by_key, repeated = _by_key(extras)
    entries, unchanged = _fresh(target, by_key)
    return ExtraSummary(_counts(entries), unchanged, (), repeated)


def write_extras(target: Target, extras: Sequence[Extra]) -> ExtraSummary:
    """Writes what is new or changed, tasks after their parents; faults stop nothing else."""
    by_key, repeated = _by_key(extras)
    if target.former and by_key:
        with target.store.transaction():
            adopt(target, list(by_key))
    entries, unchanged = _fresh(target, by_key)
    if not entries:
        return ExtraSummary({}, unchanged, (), repeated)
    memories = _memories(target, entries)
    shapes: dict[str, list[_Entry]] = {}
    for entry in entries:
        shapes.setdefault(entry.extra.shape, []).append(entry)
    keep = partial(_keep, target)
    store = target.store
    ordered = _parents_first(shapes.pop("task", []))
    there = _tasks(store, [entry.extra.values.get("id") for entry in ordered])
    refused = write_all(store, ordered, partial(_write_task, target, there), keep)
    waits = shapes.pop("dependency", [])
    there = _tasks(store, [entry.extra.values.get(end) for entry in waits for end in _WAIT])
    refused += write_all(store, waits, partial(_write_dependency, target, there), keep)
    edges, pointless = _pointless(target, memories, shapes.pop("edge", []))
    refused += write_all(store, edges, partial(_write_edge, target, memories), keep)
    refused += _write_table_rows(target, memories, shapes)
    keys = {entry.row.key for entry, _ in refused} | {entry.row.key for entry, _ in pointless}
    return ExtraSummary(
        _counts([entry for entry in entries if entry.row.key not in keys]),
        unchanged,
        [Fault(entry.extra.place, reason) for entry, reason in refused],
        [*repeated, *(Omission("links", why) for _, why in pointless)],
    )


def _by_key(extras: Sequence[Extra]) -> tuple[dict[str, Extra], list[Omission]]:
    """The extras by the keys of their rows; of those told more than once the last holds."""
    shapes: dict[str, int] = {}
    by_key: dict[str, Extra] = {}
    for extra in extras:
        key = _row_key(extra)
        if key in by_key:
            shapes[extra.shape] = shapes.get(extra.shape, 0) + 1
        by_key[key] = extra
    return by_key, [
        Omission(BESIDES[shape][1], "told again further on", count)
        for shape, count in shapes.items()
    ]


def _counts(entries: Sequence[_Entry]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.extra.shape] = counts.get(entry.extra.shape, 0) + 1
    return counts


def _keep(target: Target, entries: Sequence[_Entry]) -> None:
    """Notes that they came in; in the same transaction, so that none comes twice."""
    target.store.put_imported(*target.where, [entry.row for entry in entries])


def _fresh(target: Target, by_key: Mapping[str, Extra]) -> tuple[list[_Entry], int]:
    """Those that are new or changed, and the number of the others."""
    hashes = {key: _hash(extra) for key, extra in by_key.items()}
    rows = kept_rows(target, list(by_key))
    unchanged = {key for key, row in rows.items() if row.hash == hashes[key]}
    fresh = [
        _Entry._make((extra, ImportedRow._make((key, hashes[key], None, True, 0, *_NEW))))
        for key, extra in by_key.items()
        if key not in unchanged
    ]
    return fresh, len(unchanged)


def _row_key(extra: Extra) -> str:
    name = extra.key if len(extra.key) <= _LONGEST_KEY else content_key(extra.key)
    return extra_key(extra.shape, name)


def _hash(extra: Extra) -> str:
    from hashlib import blake2b
    from json import dumps

    text = dumps(extra.values, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _memories(target: Target, entries: Sequence[_Entry]) -> _Memories:
    """All memories that the extras name, looked up at once."""
    names: dict[str, None] = {}
    for entry in entries:
        for column, many in _MEMORY_COLUMNS.get(entry.extra.shape, ()):
            value = entry.extra.values.get(column)
            listed = value if many and isinstance(value, list) else [value]
            names.update(dict.fromkeys(name for name in listed if isinstance(name, str)))
    if not names:
        return _Memories({}, frozenset())
    rows = linkable_rows(target, list(names)).values()
    numbers = {row.key: row.memory for row in rows if row.memory is not None}
    own = {row.memory for row in rows if row.own}
    return _Memories(numbers, frozenset(numbers.values()) - own)


# Links


def _pointless(
    target: Target, memories: _Memories, entries: Sequence[_Entry]
) -> tuple[list[_Entry], list[tuple[_Entry, str]]]:
    """The links to make; and those that would join a memory to itself, or to one that was not
    imported, or replace one that the import did not make, with the reason."""
    useful: list[_Entry] = []
    others: list[tuple[_Entry, str]] = []
    for entry in entries:
        values = entry.extra.values
        source, end = (memories.numbers.get(values[name]) for name in ("source", "target"))
        if target.beside and (source is None or end is None):
            others.append((entry, "one end was not imported from beside it"))
        elif source is not None and source == end:
            others.append((entry, "both ends say the same and are one memory"))
        elif str(values["relation"]).lower() == links.REPLACING and end in memories.foreign:
            others.append((entry, "they would replace what was remembered before"))
        else:
            useful.append(entry)
    return useful, others


def _write_edge(target: Target, memories: _Memories, entry: _Entry) -> None:
    values = entry.extra.values
    source, end = (_number(memories, values[name]) for name in ("source", "target"))
    relation = relation_named(values["relation"])
    created = values.get("created_at")
    at = target.act.at if created is None else created
    weight, confidence = values.get("weight", 1.0), values.get("confidence", 1.0)
    for name, value in (("weight", weight), ("confidence", confidence)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise BadInput(f"{name} must lie between 0 and 1, got {str(value)[:40]}")
    edge = Edge(source, end, relation, weight, confidence, "import", at, at, None)
    stored = links.link(target.store, edge, target.act)
    if values.get("valid_until") is not None:
        link_state.end(target.store, stored, values["valid_until"])


def _number(memories: _Memories, key: str) -> int:
    number = memories.numbers.get(key)
    if number is None:
        raise NotFound(f"no record {str(key)[:80]!r} to link")
    return number


# Tasks


def _parents_first(entries: Sequence[_Entry]) -> list[_Entry]:
    """The tasks in an order in which each comes after its parent; circles as they stand."""
    waiting = {str(entry.extra.values.get("id")): entry for entry in entries}
    ordered: dict[str, _Entry] = {}
    for name in waiting:
        line: list[str] = []
        while name in waiting and name not in ordered and name not in line:
            line.append(name)
            name = str(waiting[name].extra.values.get("parent"))
        ordered.update((task, waiting[task]) for task in reversed(line))
    return list(ordered.values())


def _tasks(store: Store, names: Sequence[Any]) -> dict[str, Task]:
    """The tasks of those very ids."""
    ids = tuple(dict.fromkeys(name for name in names if isinstance(name, str)))
    return {
        task.id: task
        for start in range(0, len(ids), BATCH)
        for task in store.tasks(TaskFilter(ids=ids[start : start + BATCH]))
    }


def _write_task(target: Target, there: Mapping[str, Task], entry: _Entry) -> None:
    """Adds a task, or edits the one that an import of the same source made before."""
    store, values = target.store, dict(entry.extra.values)
    values.setdefault("project", target.project)
    values.setdefault("source_type", target.where[0])
    values.setdefault("source_ref", entry.extra.place)
    parent = values.get("parent")
    if parent and not store.find_tasks(str(parent)):
        values["parent"] = None
        values["metadata"] = {**(values.get("metadata") or {}), "original_parent": parent}
    clean = Cleaner(target.allow)
    task = there.get(str(values.get("id")))
    if task is None or task.source_type != values["source_type"]:
        tasks.put(store, values, target.act, clean)
        return
    changes = {field: values[field] for field in _TASK_CHANGES if values.get(field) is not None}
    if values.get("parent"):
        changes["parent"] = values["parent"]
    tasks.edit(store, task, changes, target.act, clean)


def _write_dependency(target: Target, there: Mapping[str, Task], entry: _Entry) -> None:
    store = target.store
    names = [entry.extra.values[end] for end in _WAIT]
    # A task that another spelling means is looked up by itself.
    task, other = (there.get(str(name)) or tasks.task_named(store, name) for name in names)
    if other.id not in task.depends_on:
        tasks.wait_for(store, task, other, target.act)


# Everything else is written as an export's records are


def _write_table_rows(
    target: Target, memories: _Memories, shapes: Mapping[str, Sequence[_Entry]]
) -> list[tuple[_Entry, str]]:
    """Writes sessions, uses, queries, settings and the like; the refused ones and the reasons."""
    if not shapes:
        return []
    entries = [entry for listed in shapes.values() for entry in listed]
    refused: dict[int, str] = {}
    records: dict[str, list[Entry]] = {}
    for number, entry in enumerate(entries):
        try:
            record = Entry(str(number), _values(target, entry.extra))
        except BadInput as error:
            refused[number] = error.message
        else:
            records.setdefault(entry.extra.shape, []).append(record)
    with target.store.transaction():
        tables = TableMerge(target.store, MemoryNames(memories.numbers), target.allow)
        tables.receive(records)
        refused.update((int(fault.place), fault.reason) for fault in tables.faults)
        for number_text, key in tables.personal.items():
            refused[int(number_text)] = f"only a person may set {one_line(key, _SHOWN)}"
        _keep(target, [one for number, one in enumerate(entries) if number not in refused])
    return [(entries[number], reason) for number, reason in refused.items()]


def _values(target: Target, extra: Extra) -> dict[str, Any]:
    """The fields of an extra with those its source did not say."""
    values = {**_USUAL.get(extra.shape, {}), **extra.values}
    if extra.shape == "setting":
        values.setdefault("updated_at", iso(target.act.at))
    if extra.shape == "session":
        values["project"] = values.get("project") or target.project
        values.setdefault("last_seen_at", values.get("ended_at") or values.get("started_at"))
        _update_session(target, values)
    return values


def _update_session(target: Target, values: Mapping[str, Any]) -> None:
    """A session that is here gets a summary that came later; one that had ended and went on, its
    new end and notes."""
    name, store = values.get("id"), target.store
    if not isinstance(name, str) or not (sessions := store.sessions(ids=[name])):
        return
    session = sessions[0]
    summary = Cleaner(target.allow).text("summary", values["summary"])
    ended = session.ended_at or session.last_seen_at
    later = moment("ended_at", values.get("ended_at")) or 0
    went_on = session.ended_at is not None and later > ended
    if not went_on and (not summary or summary == session.summary):
        return
    with store.transaction():
        store.end_session(name, summary, later if went_on else ended)
        if went_on and values["context"]:
            notes = {
                note: note_value(value)
                for note, value in values["context"].items()
                if isinstance(value, str | int | list)
            }
            store.set_session_notes(name, {**store.session_notes(name), **notes})
