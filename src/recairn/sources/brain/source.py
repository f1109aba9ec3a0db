"""Project Brain: a decrypted copy of one of its databases (core, or another with that schema)."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.kinds import kind_named, relation_named
from recairn.core.model import Draft
from recairn.sources.brain.work import Handoffs, History, log_item, pain_point
from recairn.sources.format import Extra, Omission, Record, Source
from recairn.sources.readers.database import Database, tables_of
from recairn.sources.readers.files import names_in
from recairn.sources.readers.values import (
    all_required,
    amount,
    count,
    earned,
    flag,
    mapping,
    moment,
    records_from,
    required,
    share,
    text,
    texts,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]
    Item = Record | Extra | Omission

_OWN_TABLES = frozenset(("memories", "entities", "links"))
# Its databases differ in what else they have; nobody else has these.
_TELLING_TABLES = frozenset(("query_log", "pain_points", "claude_notes", "chat_sessions"))
_PLACES = ("", "data", "dbs", os.path.join("brain-data", "dbs"))
_ENDINGS = (".db", ".sqlite", ".sqlite3")
_PUT_AWAY = ("archived", "deleted")
# Importance and quality are told in five steps.
_STEPS = 5
# Read too, each in its own way; versions of the schema say nothing of their own.
_OTHER_TABLES = (
    "memory_history",
    "entities",
    "memories",
    "handoff_entries",
    "handoffs",
    "schema_version",
)
# How tables are called in links.
_LINKED = ("memory", "entity", "note", "resource")


def takes(path: str) -> bool:
    if not path.endswith(_ENDINGS):
        return False
    tables = tables_of(path)
    return tables >= _OWN_TABLES and not tables.isdisjoint(_TELLING_TABLES)


def find(folder: str) -> list[str]:
    """The databases of Project Brain that lie in a folder, or where it keeps them below it."""
    paths = []
    for where in (os.path.join(folder, place) for place in _PLACES):
        names = names_in(where)
        paths += [os.path.join(where, name) for name in names]
    return [path for path in paths if takes(path)]


def read(origin: Origin) -> Iterator[Reading]:
    with Database(origin) as database:
        database.require("memories", "a database of Brain")
        database.require("entities", "a database of Brain")
        history = History()
        yield from history.read(database.rows("memory_history"))
        yield from records_from(database.rows("entities"), _entity)
        yield from records_from(
            database.rows("memories"), lambda place, row: _memory(place, row, history)
        )
        yield from history.omissions()
        for table, make in _TABLES.items():
            yield from records_from(database.rows(table), make)
        entries, handoffs = database.rows("handoff_entries"), database.rows("handoffs")
        yield from Handoffs().read(entries, handoffs)
        yield from database.omissions({*_TABLES, *_OTHER_TABLES})


def _memory(place: str, row: Row, history: History) -> Iterator[Item]:
    name, category = required(row, "id"), text(row, "category")
    kind, more = _kind(category), mapping(row, "metadata")
    status, replaced = text(row, "status"), text(row, "superseded_by")
    subject = text(row, "subcategory")
    draft = Draft(
        required(row, "content"),
        kind=kind,
        category="/".join(filter(None, (category, subject)))[:200],
        keywords=texts(row, "tags")[:50],
        importance=_step(row, "importance"),
        confidence=share(row, "confidence"),
        immutable=_unchangeable(row, category, subject, more),
        source_type="import",
        source_ref=text(row, "source"),
        external_id=name,
        created_at=moment(row, "created_at"),
        valid_from=moment(row, "valid_from"),
        valid_until=moment(row, "valid_until"),
    )
    links = [("superseded_by", _key("memory", replaced))] if replaced else []
    links += _of_project(row)
    brought = earned(row, usage_count="access_count", last_used_at="last_accessed_at")
    ended = status in _PUT_AWAY or (status == "superseded" and not replaced)
    retired = f"{status} in Brain" if ended else ""
    because = history.why_replaced(name)
    last = Record(_key("memory", name), draft, place, links, brought, retired, because)
    yield last  # before its versions: what it said once and says again is no version of it
    yield from history.versions(name, last)


def _kind(category: str) -> str:
    """Brain's categories are kinds or other names of them; what is none is a learning."""
    try:
        kind = kind_named(category)
    except BadInput:
        return "learning"
    return kind if kind != "chunk" else "note"  # it is no piece of a document kept here


def _unchangeable(row: Row, category: str, subject: str, more: Mapping[str, Any]) -> bool:
    """What Brain itself refuses to change."""
    fixed = category == "hard_constraint" or (category == "value" and subject == "core")
    return fixed or text(row, "source") == "founding" or more.get("immutable") is True


def _step(row: Row, name: str) -> float | None:
    """One to five as a share; None where nothing was said."""
    value = amount(row, name, most=_STEPS)
    return None if value is None else value / _STEPS


def _of_project(row: Row) -> list[tuple[str, str]]:
    project = text(row, "project_id")
    return [("part_of", _key("entity", project))] if project else []


def _entity(place: str, row: Row) -> Iterator[Item]:
    name, title = all_required(row, "id", "name")
    about, status = text(row, "description"), text(row, "status")
    draft = Draft(
        about or title,
        kind="entity",
        title=title,
        fields={
            "entity_type": text(row, "type"),
            "aliases": texts(row, "aliases"),
            "mentions": count(row, "mention_count") or None,
        },
        category=text(row, "subtype"),
        keywords=texts(row, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    retired = f"{status} in Brain" if status in _PUT_AWAY else ""
    yield Record(_key("entity", name), draft, place, retired=retired)


def _note(place: str, row: Row) -> Iterator[Item]:
    name = required(row, "id")
    fields = {
        "note_type": text(row, "note_type"),
        "summary": text(row, "summary"),
        "key_points": texts(row, "key_points"),
    }
    draft = Draft(
        required(row, "content", "summary", "title"),
        kind="note",
        title=text(row, "title"),
        fields=fields,
        keywords=texts(row, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    above, about = text(row, "parent_note_id"), text(row, "entity_id")
    links = _of_project(row)
    links += [("part_of", _key("note", above))] if above else []
    links += [("relates_to", _key("entity", about))] if about else []
    yield Record(_key("note", name), draft, place, links)


def _resource(place: str, row: Row) -> Iterator[Item]:
    name, title = required(row, "id"), required(row, "title", "url")
    status = text(row, "status")
    fields = {
        "url": text(row, "url"),
        "resource_type": text(row, "resource_type"),
        "takeaways": texts(row, "key_takeaways"),
        "notes": text(row, "notes"),
        "rating": amount(row, "quality_rating", most=_STEPS),
        "status": status,
    }
    draft = Draft(
        text(row, "description") or title,
        kind="resource",
        title=title,
        fields=fields,
        category=text(row, "domain"),
        keywords=texts(row, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    retired = f"{status} in Brain" if status in _PUT_AWAY else ""
    yield Record(_key("resource", name), draft, place, _of_project(row), retired=retired)


def _link(place: str, row: Row) -> Iterator[Item]:
    ends = []
    for end in ("source", "target"):
        kind = required(row, f"{end}_type")
        if kind not in _LINKED:
            yield Omission("links", f"one end is a {kind[:40]}, which is not brought")
            return
        ends.append(_key(kind, required(row, f"{end}_id")))
    relation = relation_named(required(row, "relationship"))
    strength = share(row, "strength")
    flag(row, "bidirectional")
    values = {
        "source": ends[0],
        "target": ends[1],
        "relation": relation,
        "weight": 1.0 if strength is None else strength,
        "created_at": moment(row, "created_at"),
    }
    yield Extra(f"{ends[0]} {relation} {ends[1]}", "edge", values, place)


def _setting(place: str, row: Row) -> Iterator[Item]:
    """Its weights belong to its own formula: kept under its name, for the profile `brain`."""
    name = required(row, "key")
    yield Extra(name, "setting", {"key": f"brain.{name}", "value": text(row, "value")}, place)


def _query(place: str, row: Row) -> Iterator[Item]:
    at, query = when(row, "created_at", "timestamp"), required(row, "query_text")
    if at is None:
        raise BadInput("it has no created_at")
    results = texts(row, "result_ids")
    values = {
        "at": at,
        "query": query,
        "tool": text(row, "query_source") or "brain",
        "session_id": text(row, "session_id") or None,
        "results": count(row, "result_count"),
        "result_ids": [_key("memory", name) for name in results],
        "duration_ms": float(amount(row, "execution_time_ms") or 0.0),
    }
    yield Extra(text(row, "id") or f"{at} {query}", "query", values, place)


def _session(place: str, row: Row) -> Iterator[Item]:
    name, started = required(row, "id"), when(row, "started_at", "created_at")
    if started is None:
        raise BadInput("it has no started_at")
    lists = {name: texts(row, name) for name in ("key_decisions", "key_facts")}
    notes = {"title": text(row, "title"), **lists}
    values = {
        "id": name,
        "project": "",
        "summary": text(row, "summary", "title"),
        "context": {name: value for name, value in notes.items() if value},
        "started_at": started,
        "ended_at": when(row, "ended_at") or started,
    }
    yield Extra(name, "session", values, place)


def _key(kind: str, name: str) -> str:
    return f"{kind}:{name}"


_TABLES: dict[str, Callable[[str, Row], Iterator[Item]]] = {
    "notes": _note,
    "resources": _resource,
    "links": _link,
    "config": _setting,
    "query_log": _query,
    "chat_sessions": _session,
    "daily_log_items": log_item,
    "pain_points": pain_point,
}

SOURCE = Source(
    name="brain",
    about="Project Brain: memories with history, entities, links, notes, handoffs; decrypted",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
