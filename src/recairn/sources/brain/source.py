"""Project Brain: a decrypted copy of one of its databases (core, or another with that schema)."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.kinds import kind_named, relation_named
from recairn.core.model import Draft
from recairn.sources.brain.work import Handoffs, History, log_item, pain_point
from recairn.sources.format import Extra, Fault, Record, Source
from recairn.sources.readers.database import Database, tables_of
from recairn.sources.readers.files import names_in
from recairn.sources.readers.values import (
    amount,
    count,
    each_told,
    earned,
    flag,
    mapping,
    moment,
    needed,
    share,
    text,
    texts,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    Told = Mapping[str, Any]
    Given = Record | Extra

_OWN_TABLES = frozenset(("memories", "entities", "links"))
# Its databases differ in what else they have; nobody else has these.
_TELLING_TABLES = frozenset(("query_log", "pain_points", "claude_notes", "chat_sessions"))
_PLACES = ("", "data", "dbs", os.path.join("brain-data", "dbs"))
_ENDINGS = (".db", ".sqlite", ".sqlite3")
_PUT_AWAY = ("archived", "deleted")
# Importance and quality are told in five steps.
_STEPS = 5
# How tables are called in links.
_LINKED = ("memory", "entity", "note", "resource")


def takes(path: str) -> bool:
    if not path.endswith(_ENDINGS):
        return False
    tables = tables_of(path)
    return tables >= _OWN_TABLES and not tables.isdisjoint(_TELLING_TABLES)


def find(folder: str) -> list[str]:
    """The databases of Project Brain that lie in a folder, or where it keeps them below it."""
    found = []
    for where in (os.path.join(folder, place) for place in _PLACES):
        names = names_in(where)
        found += [os.path.join(where, name) for name in names]
    return [path for path in found if takes(path)]


def read(origin: Origin) -> Iterator[Given | Fault]:
    with Database(origin) as database:
        database.require("memories", "a database of Brain")
        database.require("entities", "a database of Brain")
        history = History()
        yield from history.read(database.rows("memory_history"))
        yield from each_told(database.rows("entities"), _entity)
        yield from each_told(
            database.rows("memories"), lambda place, told: _memory(place, told, history)
        )
        for table, make in _TABLES.items():
            yield from each_told(database.rows(table), make)
        entries, handoffs = database.rows("handoff_entries"), database.rows("handoffs")
        yield from Handoffs().read(entries, handoffs)


def _memory(place: str, told: Told, history: History) -> Iterator[Given]:
    name, category = needed(told, "id"), text(told, "category")
    kind, more = _kind(category), mapping(told, "metadata")
    status, replaced = text(told, "status"), text(told, "superseded_by")
    subject = text(told, "subcategory")
    draft = Draft(
        needed(told, "content"),
        kind=kind,
        category="/".join(filter(None, (category, subject)))[:200],
        keywords=texts(told, "tags")[:50],
        importance=_step(told, "importance"),
        confidence=share(told, "confidence"),
        immutable=_unchangeable(told, category, subject, more),
        source_type="import",
        source_ref=text(told, "source"),
        external_id=name,
        created_at=moment(told, "created_at"),
        valid_from=moment(told, "valid_from"),
        valid_until=moment(told, "valid_until"),
    )
    links = [("superseded_by", _key("memory", replaced))] if replaced else []
    links += _of_project(told)
    brought = earned(told, usage_count="access_count", last_used_at="last_accessed_at")
    gone = status in _PUT_AWAY or (status == "superseded" and not replaced)
    retired = f"{status} in Brain" if gone else ""
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


def _unchangeable(told: Told, category: str, subject: str, more: Mapping[str, Any]) -> bool:
    """What Brain itself refuses to change."""
    fixed = category == "hard_constraint" or (category == "value" and subject == "core")
    return fixed or text(told, "source") == "founding" or more.get("immutable") is True


def _step(told: Told, name: str) -> float | None:
    """One to five as a share; None where nothing was said."""
    value = amount(told, name, most=_STEPS)
    return None if value is None else value / _STEPS


def _of_project(told: Told) -> list[tuple[str, str]]:
    project = text(told, "project_id")
    return [("part_of", _key("entity", project))] if project else []


def _entity(place: str, told: Told) -> Iterator[Given]:
    name, title = needed(told, "id"), needed(told, "name")
    about, status = text(told, "description"), text(told, "status")
    draft = Draft(
        about or title,
        kind="entity",
        title=title,
        fields={
            "entity_type": text(told, "type"),
            "aliases": texts(told, "aliases"),
            "mentions": count(told, "mention_count") or None,
        },
        category=text(told, "subtype"),
        keywords=texts(told, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(told, "created_at"),
    )
    retired = f"{status} in Brain" if status in _PUT_AWAY else ""
    yield Record(_key("entity", name), draft, place, retired=retired)


def _note(place: str, told: Told) -> Iterator[Given]:
    name = needed(told, "id")
    fields = {
        "note_type": text(told, "note_type"),
        "summary": text(told, "summary"),
        "key_points": texts(told, "key_points"),
    }
    draft = Draft(
        needed(told, "content", "summary", "title"),
        kind="note",
        title=text(told, "title"),
        fields=fields,
        keywords=texts(told, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(told, "created_at"),
    )
    above, about = text(told, "parent_note_id"), text(told, "entity_id")
    links = _of_project(told)
    links += [("part_of", _key("note", above))] if above else []
    links += [("relates_to", _key("entity", about))] if about else []
    yield Record(_key("note", name), draft, place, links)


def _resource(place: str, told: Told) -> Iterator[Given]:
    name, title = needed(told, "id"), needed(told, "title", "url")
    status = text(told, "status")
    fields = {
        "url": text(told, "url"),
        "resource_type": text(told, "resource_type"),
        "takeaways": texts(told, "key_takeaways"),
        "notes": text(told, "notes"),
        "rating": amount(told, "quality_rating", most=_STEPS),
        "status": status,
    }
    draft = Draft(
        text(told, "description") or title,
        kind="resource",
        title=title,
        fields=fields,
        category=text(told, "domain"),
        keywords=texts(told, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(told, "created_at"),
    )
    retired = f"{status} in Brain" if status in _PUT_AWAY else ""
    yield Record(_key("resource", name), draft, place, _of_project(told), retired=retired)


def _link(place: str, told: Told) -> Iterator[Given]:
    ends = []
    for end in ("source", "target"):
        kind = needed(told, f"{end}_type")
        if kind not in _LINKED:
            return
        ends.append(_key(kind, needed(told, f"{end}_id")))
    relation = relation_named(needed(told, "relationship"))
    strength = share(told, "strength")
    flag(told, "bidirectional")
    values = {
        "source": ends[0],
        "target": ends[1],
        "relation": relation,
        "weight": 1.0 if strength is None else strength,
        "created_at": moment(told, "created_at"),
    }
    yield Extra(f"{ends[0]} {relation} {ends[1]}", "edge", values, place)


def _setting(place: str, told: Told) -> Iterator[Given]:
    """Its weights belong to its own formula: kept under its name, for the profile `brain`."""
    name = needed(told, "key")
    yield Extra(name, "setting", {"key": f"brain.{name}", "value": text(told, "value")}, place)


def _query(place: str, told: Told) -> Iterator[Given]:
    at, asked = when(told, "created_at", "timestamp"), needed(told, "query_text")
    if at is None:
        raise BadInput("it has no created_at")
    found = texts(told, "result_ids")
    values = {
        "at": at,
        "query": asked,
        "tool": text(told, "query_source") or "brain",
        "session_id": text(told, "session_id") or None,
        "results": count(told, "result_count"),
        "result_ids": [_key("memory", each) for each in found],
        "duration_ms": float(amount(told, "execution_time_ms") or 0.0),
    }
    yield Extra(text(told, "id") or f"{at} {asked}", "query", values, place)


def _session(place: str, told: Told) -> Iterator[Given]:
    name, started = needed(told, "id"), when(told, "started_at", "created_at")
    if started is None:
        raise BadInput("it has no started_at")
    lists = {each: texts(told, each) for each in ("key_decisions", "key_facts")}
    noted = {"title": text(told, "title"), **lists}
    values = {
        "id": name,
        "project": "",
        "summary": text(told, "summary", "title"),
        "context": {each: value for each, value in noted.items() if value},
        "started_at": started,
        "ended_at": when(told, "ended_at") or started,
    }
    yield Extra(name, "session", values, place)


def _key(kind: str, name: str) -> str:
    return f"{kind}:{name}"


_TABLES: dict[str, Callable[[str, Told], Iterator[Given]]] = {
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
)
