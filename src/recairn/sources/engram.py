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
    each_told,
    earned,
    moment,
    needed,
    text,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    Told = Mapping[str, Any]

_ENDINGS = (".sqlite", ".sqlite3", ".db")
# Where it was kept under its two names.
_USUAL = ("~/.claude/memory.sqlite", "~/.engram/memory.sqlite")
# `Date.distantFuture`, in milliseconds: never.
_NEVER = 64_092_211_200_000
_GLOBAL = "global"
_SUMMARISED = "summarized_by"
_HIGHEST = 5
_LONGEST_NAME = 200


def read(origin: Origin) -> Iterator[Record | Extra | Fault]:
    with Database(origin) as database:
        database.require("Memory", "a database of ClaudeMemory")
        # Originals of a consolidation were put away; the edges tell which they are.
        summarised = {
            str(each[1].get("sourceId"))
            for each in database.rows("Edge")
            if not isinstance(each, Fault) and each[1].get("relation") == _SUMMARISED
        }

        def memory(place: str, told: Told) -> Iterator[Record | Extra]:
            return _memory(place, told, summarised)

        yield from each_told(database.rows("Episode"), _episode)
        yield from each_told(database.rows("Memory"), memory)
        yield from each_told(database.rows("Edge"), _edge)
        yield from each_told(database.rows("Checkpoint"), _checkpoint)


def _memory(place: str, told: Told, summarised: set[str]) -> Iterator[Record | Extra]:
    number, topic = needed(told, "id"), text(told, "topic")
    project, expires = text(told, "project") or _GLOBAL, moment(told, "expiresAt")
    episode = count(told, "episodeId")
    rating = amount(told, "importance", most=_HIGHEST)
    source = text(told, "source")[:_LONGEST_NAME]
    draft = Draft(
        needed(told, "content"),
        kind=_kind(topic),
        project="" if project == _GLOBAL else project,
        tier="global" if project == _GLOBAL else "project",
        category=topic[:_LONGEST_NAME],
        keywords=(source,) if source else (),
        importance=rating / _HIGHEST if rating else None,
        source_type="import",
        session=_episode_name(episode) if episode else None,
        external_id=text(told, "globalId") or f"engram-{number}",
        created_at=moment(told, "createdAt"),
        expires_at=None if expires is None or expires >= _NEVER else expires,
    )
    counts = earned(told, usage_count="accessCount", last_used_at="lastAccessedAt")
    retired = "consolidated in Engram" if number in summarised and not rating else ""
    yield Record(number, draft, place, (), counts, retired)
    if episode:
        made = {"session_id": draft.session, "memory": number, "usage_type": "created"}
        yield Extra(number, "use", {**made, "at": when(told, "createdAt")}, place)


def _kind(topic: str) -> str:
    """A topic such as `preferences` names a kind; all others are learnings."""
    word = topic.strip().lower()
    return next((each for each in (word, word.removesuffix("s")) if each in _TOPICS), "learning")


_TOPICS = frozenset(KINDS) - {"chunk", "handoff", "entity"}


def _episode_name(number: int) -> str:
    return f"engram-episode-{number}"


def _episode(place: str, told: Told) -> Iterator[Extra]:
    name = _episode_name(count(told, "id"))
    project, ended = text(told, "project"), moment(told, "endedAt")
    over = ended is not None and ended < _NEVER
    values = {
        "id": name,
        "project": "" if project == _GLOBAL else project,
        "prompt": text(told, "title"),
        "summary": text(told, "summary"),
        "started_at": when(told, "startedAt"),
        "ended_at": when(told, "endedAt") if over else None,
    }
    yield Extra(name, "session", values, place)


def _edge(place: str, told: Told) -> Iterator[Extra]:
    values = {
        "source": needed(told, "sourceId"),
        "target": needed(told, "targetId"),
        "relation": needed(told, "relation"),
        "created_at": moment(told, "createdAt"),
    }
    yield Extra(
        f"{values['source']} {values['target']} {values['relation']}", "edge", values, place
    )


def _checkpoint(place: str, told: Told) -> Iterator[Extra]:
    name = f"engram-{needed(told, 'id')}"
    parts = [(each, text(told, each).strip()) for each in ("plan", "progress", "context")]
    project = text(told, "project")
    values = {
        "id": name,
        "title": needed(told, "title"),
        "description": "\n\n".join(f"{each.capitalize()}: {said}" for each, said in parts if said),
        "status": text(told, "status") or "active",
        "created_at": moment(told, "createdAt"),
        **({} if project in ("", _GLOBAL) else {"project": project}),
    }
    yield Extra(name, "task", values, place)


def takes(path: str) -> bool:
    return path.endswith(_ENDINGS) and {"Memory", "Edge"} <= tables_of(path)


def find(folder: str) -> list[str]:
    """The databases in a folder; where there are none, the user's own."""
    root = os.path.realpath(folder)
    paths = [os.path.join(folder, name) for name in names_in(folder)]
    found = [each for each in paths if is_inside(root, each) and takes(each)]
    return found or [each for each in map(os.path.expanduser, _USUAL) if takes(each)]


SOURCE = Source(
    name="engram",
    about="the database of ClaudeMemory (Engram)",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
)
