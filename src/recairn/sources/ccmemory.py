"""ccmemory: its export (JSON) and its database, with sectors, tiers, counts, sessions and graph.

Both tell the same under two spellings: `lastAccessed` there is `last_accessed` here, and lists are
`tags` there and JSON in `tags_json` here.
"""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput
from recairn.core.kinds import SECTORS, TIERS, kind_named
from recairn.core.model import Draft
from recairn.sources.format import Extra, Fault, Omission, Record, Source
from recairn.sources.readers.database import Database, is_database, tables_of
from recairn.sources.readers.files import head_of, is_inside, names_in
from recairn.sources.readers.json_array import json_items
from recairn.sources.readers.values import (
    all_required,
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
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]
    PlacedRow = tuple[str, Any] | Fault
    Maker = Callable[[str, Row], Iterable[Reading]]

# Bytes of an export, which is read whole: a hundred thousand memories.
_LARGEST_EXPORT = 64_000_000
_HEAD = 64_000
_ENDINGS = (".json", ".jsonl")
_TABLES = (
    "projects",
    "session_memories",
    "sessions",
    "memories",
    "entities",
    "memory_entities",
    "memory_relationships",
)
# Versions of the schema say nothing of their own.
_NO_RECORDS = ("schema_version", "migrations", "_migrations")
_ALSO_CALLED = {"": "memories", "relationships": "memory_relationships"}
# Those of these tables that other programs' databases do not have beside `memories`.
_OWN_TABLES = {"memory_relationships", "session_memories", "memory_vectors"}
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
# What the write door takes of keywords, and how long.
_MOST_KEYWORDS, _LONGEST_NAME, _LONGEST_TITLE = 50, 200, 500


def read(origin: Origin) -> Iterator[Reading]:
    if is_database(origin.path):
        with Database(origin) as database:
            if not _OWN_TABLES.intersection(database.tables):
                database.require("memory_relationships", "a database of ccmemory")
            yield from _records(database.rows)
            yield from database.omissions({*_TABLES, *_NO_RECORDS})
        return
    tables: dict[str, list[PlacedRow]] = {}
    for item in json_items(origin, _LARGEST_EXPORT):
        if isinstance(item, Fault):
            yield item
        else:
            section, line, value = item
            name = _snake(section)
            tables.setdefault(_ALSO_CALLED.get(name, name), []).append((origin.place(line), value))
    yield from _records(lambda table: tables.get(table, ()))
    for name, rows in tables.items():
        if name not in _TABLES:
            yield Omission(f"items of {name[:40]}", "recairn has no place for them", len(rows))


def _records(rows: Callable[[str], Iterable[PlacedRow]]) -> Iterator[Reading]:
    """Everything that the tables tell; memories need the names of projects and sessions first."""
    names = _Names()
    makers: tuple[Maker, ...] = (
        names.project,
        names.use,
        names.session,
        names.memory,
        _entity,
        _mention,
        _relation,
    )
    for table, make in zip(_TABLES, makers, strict=True):
        yield from records_from(map(_same_names, rows(table)), make)


def _same_names(item: PlacedRow) -> PlacedRow:
    if isinstance(item, Fault) or not isinstance(item[1], dict):
        return item
    place, row = item
    return place, {_snake(str(name)).removesuffix("_json"): value for name, value in row.items()}


def _snake(name: str) -> str:
    return _INNER_CAPITAL.sub(r"_\1", name).lower()


class _Names:
    """What other rows need to know of projects and sessions."""

    def __init__(self) -> None:
        self._projects: dict[str, str] = {}
        self._made_in: dict[str, str] = {}

    def project(self, place: str, row: Row) -> Iterator[Omission]:
        name = text(row, "name") or os.path.basename(text(row, "path").rstrip("/"))
        self._projects[required(row, "id")] = name[:_LONGEST_NAME]
        yield Omission("projects", "as names in their memories", kept=True)

    def _project(self, row: Row) -> str | None:
        """The project's name; the current project where only an id is told."""
        return self._projects.get(text(row, "project_id")) or text(row, "project") or None

    def use(self, place: str, row: Row) -> Iterator[Extra]:
        session, memory = all_required(row, "session_id", "memory_id")
        usage = text(row, "usage_type") or "recalled"
        if usage == "created":
            self._made_in.setdefault(memory, session)
        values = {
            "session_id": session,
            "memory": memory,
            "usage_type": usage,
            "at": when(row, "created_at"),
        }
        yield Extra(f"{session}/{memory}/{usage}", "use", values, place)

    def session(self, place: str, row: Row) -> Iterator[Extra]:
        around = mapping(row, "context")
        name = required(row, "id")
        values = {
            "id": name,
            "project": self._project(row) or "",
            "agent": "claude",
            "directory": text(around, "working_dir", "cwd"),
            "branch": text(around, "git_branch", "branch"),
            "prompt": text(row, "user_prompt"),
            "summary": text(row, "summary"),
            "context": around,
            "started_at": when(row, "started_at"),
            "ended_at": when(row, "ended_at"),
        }
        yield Extra(name, "session", values, place)

    def memory(self, place: str, row: Row) -> Iterator[Record]:
        name = required(row, "id")
        session = text(row, "session_id") or self._made_in.get(name)
        sector, tier = text(row, "sector").lower(), text(row, "tier").lower()
        summary = " ".join(text(row, "summary").split())
        words = [*texts(row, "tags"), *texts(row, "files")]
        memory_type = text(row, "memory_type").lower()
        kind = _kind(memory_type)
        # A type that has no kind of its own here comes back as what it was (`calls/ccmemory.py`).
        category = ", ".join(texts(row, "categories")) or (
            memory_type if kind != memory_type else ""
        )
        draft = Draft(
            required(row, "content"),
            kind=kind,
            title=summary if len(summary) <= _LONGEST_TITLE else "",
            project=self._project(row),
            tier=tier if tier in TIERS and (tier != "session" or session) else None,
            sector=sector if sector in SECTORS else None,
            category=category[:_LONGEST_NAME],
            keywords=tuple(dict.fromkeys(word[:_LONGEST_NAME] for word in words))[:_MOST_KEYWORDS],
            scope=text(row, "scope_path")[:_LONGEST_NAME],
            importance=share(row, "importance"),
            confidence=share(row, "confidence"),
            source_type="import",
            session=session,
            external_id=name,
            created_at=moment(row, "created_at"),
            valid_from=moment(row, "valid_from"),
            valid_until=moment(row, "valid_until"),
        )
        counts = earned(
            row, salience="salience", usage_count="access_count", last_used_at="last_accessed"
        )
        gone = flag(row, "is_deleted") or moment(row, "deleted_at") is not None
        yield Record(name, draft, place, (), counts, "deleted in ccmemory" if gone else "")


def _kind(memory_type: str) -> str:
    """Our kind for theirs; one that we do not know is a learning."""
    try:
        return kind_named(memory_type) if memory_type else "learning"
    except BadInput:
        return "learning"


def _entity(place: str, row: Row) -> Iterator[Record]:
    name, summary = required(row, "name"), text(row, "summary").strip()
    draft = Draft(
        summary or name,
        kind="entity",
        title=name[:_LONGEST_TITLE],
        fields={"entity_type": text(row, "entity_type", "type"), "description": summary},
        source_type="import",
        external_id=required(row, "id"),
        created_at=moment(row, "created_at"),
    )
    yield Record(f"entity:{draft.external_id}", draft, place)


def _mention(place: str, row: Row) -> Iterator[Extra]:
    values = {
        "source": required(row, "memory_id"),
        "target": f"entity:{required(row, 'entity_id')}",
        "relation": "relates_to",
        "created_at": moment(row, "created_at"),
    }
    yield Extra(f"{values['source']} {values['target']}", "edge", values, place)


def _relation(place: str, row: Row) -> Iterator[Extra]:
    sure = share(row, "confidence")
    values = {
        "source": required(row, "source_memory_id", "source_id", "from"),
        "target": required(row, "target_memory_id", "target_id", "to"),
        "relation": required(row, "relationship_type", "type"),
        "confidence": 1.0 if sure is None else sure,
        "created_at": moment(row, "created_at", "valid_from"),
        "valid_until": moment(row, "valid_until"),
    }
    key = text(row, "id") or f"{values['source']} {values['target']} {values['relation']}"
    yield Extra(key, "edge", values, place)


def takes(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    if is_database(path):
        tables = tables_of(path)
        return "memories" in tables and bool(tables & _OWN_TABLES)
    if not path.endswith(_ENDINGS):
        return False
    head = head_of(path, _HEAD)
    counted = b'"accessCount"' in head or b'"access_count"' in head
    return counted and b'"sector"' in head and b'"content"' in head


def find(folder: str) -> list[str]:
    """The exports and databases in a folder; where there are none, the user's own database."""
    root = os.path.realpath(folder)
    paths = [os.path.join(folder, name) for name in names_in(folder)]
    candidates = [path for path in paths if path.endswith((*_ENDINGS, ".db"))]
    matches = [path for path in candidates if is_inside(root, path) and takes(path)]
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    own = os.path.join(data, "ccmemory", "memories.db")
    return matches or ([own] if takes(own) else [])


SOURCE = Source(
    name="ccmemory",
    about="ccmemory's export (JSON) and its database",
    takes=takes,
    find=find,
    read=read,
    complete=True,
    distinct=True,
)
