"""The database of ClaudeMemory, later called Engram: memories, edges, episodes and checkpoints."""

from __future__ import annotations

import os

from recairn.core.kinds import KINDS
from recairn.core.model import Draft
from recairn.sources.format import Extra, Fault, Record, Source
from recairn.sources.readers.database import Database, tables_of
from recairn.sources.readers.files import is_inside, names_in
from recairn.sources.readers.values import (
    amount,
    count,
    earned,
    moment,
    records_from,
    required,
    text,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]

_ENDINGS = (".sqlite", ".sqlite3", ".db")
# Where it was kept under its two names.
_USUAL = ("~/.claude/memory.sqlite", "~/.engram/memory.sqlite")
# `Date.distantFuture`, in milliseconds: never.
_NEVER = 64_092_211_200_000
_GLOBAL = "global"
_SUMMARISED = "summarized_by"
_HIGHEST = 5
_LONGEST_NAME = 200


def read(origin: Origin) -> Iterator[Reading]:
    with Database(origin) as database:
        database.require("Memory", "a database of ClaudeMemory")
        # Originals of a consolidation were put away; the edges tell which they are.
        summarised = {
            str(edge[1].get("sourceId"))
            for edge in database.rows("Edge")
            if not isinstance(edge, Fault) and edge[1].get("relation") == _SUMMARISED
        }

        def memory(place: str, row: Row) -> Iterator[Record | Extra]:
            return _memory(place, row, summarised)

        yield from records_from(database.rows("Episode"), _episode)
        yield from records_from(database.rows("Memory"), memory)
        yield from records_from(database.rows("Edge"), _edge)
        yield from records_from(database.rows("Checkpoint"), _checkpoint)
        yield from database.omissions(("Memory", "Edge", "Episode", "Checkpoint"))


def _memory(place: str, row: Row, summarised: set[str]) -> Iterator[Record | Extra]:
    number, topic = required(row, "id"), text(row, "topic")
    project, expires = text(row, "project") or _GLOBAL, moment(row, "expiresAt")
    episode = count(row, "episodeId")
    rating = amount(row, "importance", most=_HIGHEST)
    source = text(row, "source")[:_LONGEST_NAME]
    draft = Draft(
        required(row, "content"),
        kind=_kind(topic),
        project="" if project == _GLOBAL else project,
        tier="global" if project == _GLOBAL else "project",
        category=topic[:_LONGEST_NAME],
        keywords=(source,) if source else (),
        importance=rating / _HIGHEST if rating else None,
        source_type="import",
        session=_episode_name(episode) if episode else None,
        external_id=text(row, "globalId") or f"engram-{number}",
        created_at=moment(row, "createdAt"),
        expires_at=None if expires is None or expires >= _NEVER else expires,
    )
    counts = earned(row, usage_count="accessCount", last_used_at="lastAccessedAt")
    retired = "consolidated in Engram" if number in summarised and not rating else ""
    yield Record(number, draft, place, (), counts, retired)
    if episode:
        values = {"session_id": draft.session, "memory": number, "usage_type": "created"}
        yield Extra(number, "use", {**values, "at": when(row, "createdAt")}, place)


def _kind(topic: str) -> str:
    """A topic such as `preferences` names a kind; all others are learnings."""
    word = topic.strip().lower()
    return next((kind for kind in (word, word.removesuffix("s")) if kind in _TOPICS), "learning")


_TOPICS = frozenset(KINDS) - {"chunk", "handoff", "entity"}


def _episode_name(number: int) -> str:
    return f"engram-episode-{number}"


def _episode(place: str, row: Row) -> Iterator[Extra]:
    name = _episode_name(count(row, "id"))
    project, ended = text(row, "project"), moment(row, "endedAt")
    over = ended is not None and ended < _NEVER
    values = {
        "id": name,
        "project": "" if project == _GLOBAL else project,
        "prompt": text(row, "title"),
        "summary": text(row, "summary"),
        "started_at": when(row, "startedAt"),
        "ended_at": when(row, "endedAt") if over else None,
    }
    yield Extra(name, "session", values, place)


def _edge(place: str, row: Row) -> Iterator[Extra]:
    values = {
        "source": required(row, "sourceId"),
        "target": required(row, "targetId"),
        "relation": required(row, "relation"),
        "created_at": moment(row, "createdAt"),
    }
    yield Extra(
        f"{values['source']} {values['target']} {values['relation']}", "edge", values, place
    )


def _checkpoint(place: str, row: Row) -> Iterator[Extra]:
    name = f"engram-{required(row, 'id')}"
    parts = [(name, text(row, name).strip()) for name in ("plan", "progress", "context")]
    project = text(row, "project")
    values = {
        "id": name,
        "title": required(row, "title"),
        "description": "\n\n".join(
            f"{name.capitalize()}: {words}" for name, words in parts if words
        ),
        "status": text(row, "status") or "active",
        "created_at": moment(row, "createdAt"),
        **({} if project in ("", _GLOBAL) else {"project": project}),
    }
    yield Extra(name, "task", values, place)


def takes(path: str) -> bool:
    return path.endswith(_ENDINGS) and {"Memory", "Edge"} <= tables_of(path)


def find(folder: str) -> list[str]:
    """The databases in a folder; where there are none, the user's own."""
    root = os.path.realpath(folder)
    paths = [os.path.join(folder, name) for name in names_in(folder)]
    databases = [path for path in paths if is_inside(root, path) and takes(path)]
    return databases or [path for path in map(os.path.expanduser, _USUAL) if takes(path)]


SOURCE = Source(
    name="engram",
    about="the database of ClaudeMemory (Engram)",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
