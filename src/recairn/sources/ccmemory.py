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
from recairn.sources.format import Extra, Fault, Record, Source
from recairn.sources.readers.database import Database, is_database, tables_of
from recairn.sources.readers.files import head_of, is_inside, names_in
from recairn.sources.readers.json_array import json_items
from recairn.sources.readers.values import (
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
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    Told = Mapping[str, Any]
    Row = tuple[str, Any] | Fault
    Maker = Callable[[str, Told], Iterable[Record | Extra | Fault]]

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
_ALSO_CALLED = {"": "memories", "relationships": "memory_relationships"}
# Those of these tables that other programs' databases do not have beside `memories`.
_OWN_TABLES = {"memory_relationships", "session_memories", "memory_vectors"}
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
# What the write door takes of keywords, and how long.
_MOST_KEYWORDS, _LONGEST_NAME, _LONGEST_TITLE = 50, 200, 500


def read(origin: Origin) -> Iterator[Record | Extra | Fault]:
    if is_database(origin.path):
        with Database(origin) as database:
            if not _OWN_TABLES.intersection(database.tables):
                database.require("memory_relationships", "a database of ccmemory")
            yield from _told(lambda table: database.rows(table))
        return
    found: dict[str, list[Row]] = {}
    for each in json_items(origin, _LARGEST_EXPORT):
        if isinstance(each, Fault):
            yield each
        else:
            section, line, value = each
            name = _snake(section)
            found.setdefault(_ALSO_CALLED.get(name, name), []).append((origin.place(line), value))
    yield from _told(lambda table: found.get(table, ()))


def _told(rows: Callable[[str], Iterable[Row]]) -> Iterator[Record | Extra | Fault]:
    """Everything that the tables tell; memories need the names of projects and sessions first."""
    known = _Known()
    makers: tuple[Maker, ...] = (
        known.project,
        known.use,
        known.session,
        known.memory,
        _entity,
        _mention,
        _relation,
    )
    for table, make in zip(_TABLES, makers, strict=True):
        yield from each_told(map(_same_names, rows(table)), make)


def _same_names(row: Row) -> Row:
    if isinstance(row, Fault) or not isinstance(row[1], dict):
        return row
    place, told = row
    return place, {_snake(str(name)).removesuffix("_json"): value for name, value in told.items()}


def _snake(name: str) -> str:
    return _INNER_CAPITAL.sub(r"_\1", name).lower()


class _Known:
    """What other rows need to know of projects and sessions."""

    def __init__(self) -> None:
        self._projects: dict[str, str] = {}
        self._made_in: dict[str, str] = {}

    def project(self, place: str, told: Told) -> Iterator[Record]:
        name = text(told, "name") or os.path.basename(text(told, "path").rstrip("/"))
        self._projects[needed(told, "id")] = name[:_LONGEST_NAME]
        yield from ()

    def _project(self, told: Told) -> str | None:
        """The project's name; the current project where only an id is told."""
        return self._projects.get(text(told, "project_id")) or text(told, "project") or None

    def use(self, place: str, told: Told) -> Iterator[Extra]:
        session, memory = needed(told, "session_id"), needed(told, "memory_id")
        usage = text(told, "usage_type") or "recalled"
        if usage == "created":
            self._made_in.setdefault(memory, session)
        values = {
            "session_id": session,
            "memory": memory,
            "usage_type": usage,
            "at": when(told, "created_at"),
        }
        yield Extra(f"{session}/{memory}/{usage}", "use", values, place)

    def session(self, place: str, told: Told) -> Iterator[Extra]:
        around = mapping(told, "context")
        name = needed(told, "id")
        values = {
            "id": name,
            "project": self._project(told) or "",
            "agent": "claude",
            "directory": text(around, "working_dir", "cwd"),
            "branch": text(around, "git_branch", "branch"),
            "prompt": text(told, "user_prompt"),
            "summary": text(told, "summary"),
            "context": around,
            "started_at": when(told, "started_at"),
            "ended_at": when(told, "ended_at"),
        }
        yield Extra(name, "session", values, place)

    def memory(self, place: str, told: Told) -> Iterator[Record]:
        name = needed(told, "id")
        session = text(told, "session_id") or self._made_in.get(name)
        sector, tier = text(told, "sector").lower(), text(told, "tier").lower()
        summary = " ".join(text(told, "summary").split())
        words = [*texts(told, "tags"), *texts(told, "files")]
        draft = Draft(
            needed(told, "content"),
            kind=_kind(text(told, "memory_type")),
            title=summary if len(summary) <= _LONGEST_TITLE else "",
            project=self._project(told),
            tier=tier if tier in TIERS and (tier != "session" or session) else None,
            sector=sector if sector in SECTORS else None,
            category=", ".join(texts(told, "categories"))[:_LONGEST_NAME],
            keywords=tuple(dict.fromkeys(each[:_LONGEST_NAME] for each in words))[:_MOST_KEYWORDS],
            scope=text(told, "scope_path")[:_LONGEST_NAME],
            importance=share(told, "importance"),
            confidence=share(told, "confidence"),
            source_type="import",
            session=session,
            external_id=name,
            created_at=moment(told, "created_at"),
            valid_from=moment(told, "valid_from"),
            valid_until=moment(told, "valid_until"),
        )
        counts = earned(
            told, salience="salience", usage_count="access_count", last_used_at="last_accessed"
        )
        gone = flag(told, "is_deleted") or moment(told, "deleted_at") is not None
        yield Record(name, draft, place, (), counts, "deleted in ccmemory" if gone else "")


def _kind(memory_type: str) -> str:
    """Our kind for theirs; one that we do not know is a learning."""
    try:
        return kind_named(memory_type) if memory_type else "learning"
    except BadInput:
        return "learning"


def _entity(place: str, told: Told) -> Iterator[Record]:
    name, summary = needed(told, "name"), text(told, "summary").strip()
    draft = Draft(
        summary or name,
        kind="entity",
        title=name[:_LONGEST_TITLE],
        fields={"entity_type": text(told, "entity_type", "type"), "description": summary},
        source_type="import",
        external_id=needed(told, "id"),
        created_at=moment(told, "created_at"),
    )
    yield Record(f"entity:{draft.external_id}", draft, place)


def _mention(place: str, told: Told) -> Iterator[Extra]:
    values = {
        "source": needed(told, "memory_id"),
        "target": f"entity:{needed(told, 'entity_id')}",
        "relation": "relates_to",
        "created_at": moment(told, "created_at"),
    }
    yield Extra(f"{values['source']} {values['target']}", "edge", values, place)


def _relation(place: str, told: Told) -> Iterator[Extra]:
    sure = share(told, "confidence")
    values = {
        "source": needed(told, "source_memory_id", "source_id", "from"),
        "target": needed(told, "target_memory_id", "target_id", "to"),
        "relation": needed(told, "relationship_type", "type"),
        "confidence": 1.0 if sure is None else sure,
        "created_at": moment(told, "created_at", "valid_from"),
        "valid_until": moment(told, "valid_until"),
    }
    key = text(told, "id") or f"{values['source']} {values['target']} {values['relation']}"
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
    named = [each for each in paths if each.endswith((*_ENDINGS, ".db"))]
    found = [each for each in named if is_inside(root, each) and takes(each)]
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    own = os.path.join(data, "ccmemory", "memories.db")
    return found or ([own] if takes(own) else [])


SOURCE = Source(
    name="ccmemory",
    about="ccmemory's export (JSON) and its database",
    takes=takes,
    find=find,
    read=read,
    everywhere=True,
    distinct=True,
)
