"""Sessions, what they did with memories, who read how far, and what the repository said."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

_COLUMNS = (
    "id",
    "project",
    "agent",
    "directory",
    "branch",
    "summary",
    "started_at",
    "last_seen_at",
    "ended_at",
)
_SELECT = ", ".join(f"s.{column}" for column in _COLUMNS)
# What may be said about a session anew; an empty value says nothing.
_TOLD = ("project", "agent", "directory", "branch", "summary")
_LIVE = (
    "m.deleted_at is null and (m.expires_at is null or m.expires_at > ?) and m.kind <> 'chunk'"
    " and (m.tier <> 'session' or m.session_id = ?)"
)


class SessionRows:
    """The part of the store that keeps sessions."""

    _c: Connection

    def link_session(self, session: str, memory: int, usage: str, at: int) -> None:
        """Notes what a session did with a memory, opening the session when it is new or ended."""
        self._link_sessions([(session, memory, usage, at)])

    def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None:
        """The same for many: (session, memory, usage, at) of each."""
        first = {(session, at): memory for session, memory, _, at in reversed(links)}
        self._c.run_many(
            "insert into sessions(id, project, started_at, last_seen_at)"
            " select ?, project, ?, ? from memories where id = ? on conflict(id) do update set"
            " ended_at = case when excluded.last_seen_at > ended_at then null else ended_at end,"
            " last_seen_at = max(last_seen_at, excluded.last_seen_at)",
            [(session, at, at, first[session, at]) for session, at in reversed(first)],
        )
        self._c.run_many(
            "insert into session_memories values (?, ?, ?, ?)"
            " on conflict do update set at = excluded.at",
            links,
        )

    def open_session(self, session: str, told: Mapping[str, str], at: int) -> None:
        """Begins a session, or takes an earlier one up again."""
        values = [told.get(name, "") for name in _TOLD]
        anew = ", ".join(
            f"{name} = case when excluded.{name} = '' then {name} else excluded.{name} end"
            for name in _TOLD
        )
        self._c.run(
            f"insert into sessions(id, {', '.join(_TOLD)}, started_at, last_seen_at)"
            f" values (?, ?, ?, ?, ?, ?, ?, ?) on conflict(id) do update set {anew},"
            " last_seen_at = max(last_seen_at, excluded.last_seen_at), ended_at = null",
            (session, *values, at, at),
        )

    def end_session(self, session: str, summary: str, at: int) -> None:
        """Ends a session; nobody joins it any more."""
        self._c.run(
            "update sessions set ended_at = max(?, started_at), summary ="
            " case when ? = '' then summary else ? end where id = ?",
            (at, summary, summary, session),
        )
        self._c.run("delete from current_sessions where session_id = ?", (session,))

    def sessions(
        self, *, project: str | None = None, ids: Sequence[str] | None = None, limit: int = -1
    ) -> list[dict[str, Any]]:
        """Sessions with the number of memories of each use, newest first."""
        where, values = "1", []
        if ids is not None:
            where, values = f"s.id in ({', '.join('?' * len(ids))})", list(ids)
        elif project is not None:
            where, values = "s.project = ?", [project]
        rows = self._c.rows(
            f"select {_SELECT} from sessions s where {where}"
            " order by s.started_at desc, s.id desc limit ?",
            (*values, limit),
        )
        found = {row[0]: {**dict(zip(_COLUMNS, row, strict=True)), "uses": {}} for row in rows}
        marks = ", ".join("?" * len(found))
        for session, usage, count in self._c.rows(
            "select session_id, usage_type, count(*) from session_memories"
            f" where session_id in ({marks}) group by 1, 2",
            list(found),
        ):
            found[session]["uses"][usage] = count
        for session, count in self._c.rows(
            "select session_id, count(distinct memory) from session_memories"
            f" where session_id in ({marks}) group by 1",
            list(found),
        ):
            found[session]["memories"] = count
        return list(found.values())

    def session_notes(self, session: str) -> dict[str, Any]:
        """What was noted in a session; empty when nothing was, or there is no such session."""
        from recairn.core.fastjson import loads

        kept = self._c.value("select context from sessions where id = ?", (session,))
        found = loads(kept) if kept else {}
        return found if isinstance(found, dict) else {}

    def set_session_notes(self, session: str, notes: Mapping[str, Any]) -> None:
        """Keeps the notes of a session in place of those before."""
        from recairn.core.fastjson import dumps

        text = dumps(notes)
        self._c.run("update sessions set context = ? where id = ?", (text, session))

    def find_sessions(self, beginning: str) -> list[str]:
        """Ids of the sessions of that id, or else of those whose id begins so."""
        exact = self._c.rows("select id from sessions where id = ?", (beginning,))
        rows = exact or self._c.rows(
            "select id from sessions where substr(id, 1, ?) = ? order by id limit 9",
            (len(beginning), beginning),
        )
        return [row[0] for row in rows]

    def open_since(self, before: int) -> list[tuple[str, int]]:
        """(id, last seen) of the sessions nobody ended, last seen at or before a time."""
        return [
            (row[0], row[1])
            for row in self._c.rows(
                "select id, last_seen_at from sessions where ended_at is null"
                " and last_seen_at <= ? order by id",
                (before,),
            )
        ]

    def used_in(self, session: str) -> list[tuple[int, str, int]]:
        """(memory, usage, time) of everything a session did, oldest first."""
        rows = self._c.rows(
            "select memory, usage_type, at from session_memories where session_id = ?"
            " order by at, memory, usage_type",
            (session,),
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def session_uses(self, memories: Sequence[int]) -> list[tuple[int, str, str, int]]:
        """(memory, session, usage, time) of everything sessions did with them, newest first."""
        marks = ", ".join("?" * len(memories))
        rows = self._c.rows(
            "select memory, session_id, usage_type, at from session_memories"
            f" where memory in ({marks}) order by at desc, session_id desc, usage_type desc",
            list(memories),
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def of_session_tier(self, session: str, now: int) -> list[int]:
        """Ids of the live memories that only this session sees."""
        rows = self._c.rows(
            "select id from memories where session_id = ? and tier = 'session' and"
            " deleted_at is null and (expires_at is null or expires_at > ?) order by id",
            (session, now),
        )
        return [row[0] for row in rows]

    def neighbours(self, memory: int, seen: Filter, *, count: int) -> list[int]:
        """Ids of the memories made in the same project just before (count < 0) or after one.

        Of the filter, session, trust and the time of asking count.
        """
        sign, way = ("<", "desc") if count < 0 else (">", "asc")
        rows = self._c.rows(
            "select m.id from memories m, memories a where a.id = ? and m.project = a.project"
            f" and (m.created_at, m.id) {sign} (a.created_at, a.id) and {_LIVE}"
            " and m.trust = coalesce(?, m.trust)"
            f" order by m.created_at {way}, m.id {way} limit ?",
            (memory, seen.now, seen.session, seen.trust, abs(count)),
        )
        return [row[0] for row in rows]

    # Where one stands

    def current_session(self, place: str) -> tuple[str, int] | None:
        """(id, last seen) of the session that a place is in, unless it was ended."""
        found = self._c.row(
            "select s.id, s.last_seen_at from current_sessions c join sessions s"
            " on s.id = c.session_id where c.place = ? and s.ended_at is null",
            (place,),
        )
        return None if found is None else (found[0], found[1])

    def set_current_session(self, place: str, session: str) -> None:
        self._c.run(
            "insert into current_sessions values (?, ?) on conflict(place) do update set"
            " session_id = excluded.session_id",
            (place, session),
        )

    def read_position(self, reader: str, stream: str) -> int:
        """How far a reader has read a stream; 0 when never."""
        return int(
            self._c.value(
                "select coalesce(max(position), 0) from read_cursors"
                " where reader = ? and stream = ?",
                (reader, stream),
            )
        )

    def move_reader(self, reader: str, stream: str, position: int, at: int) -> None:
        """Notes that a reader has read so far; never backwards."""
        self._c.run(
            "insert into read_cursors values (?, ?, ?, ?) on conflict(reader, stream) do update"
            " set position = max(position, excluded.position), updated_at = excluded.updated_at",
            (reader, stream, position, at),
        )

    # What the repository said

    def put_staleness(self, rows: Iterable[tuple[int, int, str, float, str]]) -> None:
        """Keeps what a check found, as (memory, checked at, state, value in 0..1, detail)."""
        self._c.run_many("insert or replace into staleness values (?, ?, ?, ?, ?)", rows)

    def staleness(
        self, memories: Sequence[int] | None = None
    ) -> dict[int, tuple[int, str, float, str]]:
        """Memory → (checked at, state, value, detail), of those ever checked."""
        where = "1" if memories is None else f"memory in ({', '.join('?' * len(memories))})"
        rows = self._c.rows(
            f"select memory, checked_at, state, value, detail from staleness where {where}"
            " order by memory",
            list(memories or ()),
        )
        return {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}
