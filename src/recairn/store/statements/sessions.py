"""Sessions, what they did with memories, and who stands where."""

from __future__ import annotations

from recairn.store.statements.base import Statements, limit_of, marks
from recairn.store.statements.memory_table import SHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.store.work_rows import SeenSession, Session, SessionUse, Use

# What may be said about a session anew; an empty value says nothing.
_DESCRIPTION = ("project", "agent", "directory", "branch", "summary")
_LIVE = (
    "m.deleted_at is null and (m.expires_at is null or m.expires_at > ?) and m.kind <> 'chunk'"
    " and (m.tier <> 'session' or m.session_id = ?)"
)
_LATEST_SEEN = (
    "last_seen_at = case when excluded.last_seen_at > sessions.last_seen_at"
    " then excluded.last_seen_at else sessions.last_seen_at end"
)


class SessionStatements(Statements):
    """The part of a store that keeps sessions."""

    def link_session(self, session: str, memory: int, usage: str, at: int) -> None:
        """Notes what a session did with a memory, opening the session when it is new or ended."""
        self._link_sessions([(session, memory, usage, at)])

    def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None:
        """The same for many: (session, memory, usage, at) of each."""
        first = {(session, at): memory for session, memory, _, at in reversed(links)}
        self._c.run_many(
            "insert into sessions(id, project, started_at, last_seen_at)"
            " select ?, project, ?, ? from memories where id = ?"
            f" on conflict {self._c.unique('id')} do update set"
            " ended_at = case when excluded.last_seen_at > sessions.ended_at then null"
            f" else sessions.ended_at end, {_LATEST_SEEN}",
            [(session, at, at, first[session, at]) for session, at in reversed(first)],
        )
        self._c.run_many(
            "insert into session_memories(session_id, memory, usage_type, at) values (?, ?, ?, ?)"
            f" on conflict {self._c.unique('session_id, memory, usage_type')}"
            " do update set at = excluded.at",
            links,
        )

    def open_session(self, session: str, description: Mapping[str, str], at: int) -> None:
        """Begins a session, or takes an earlier one up again."""
        anew = ", ".join(
            f"{name} = case when excluded.{name} = '' then sessions.{name} else excluded.{name} end"
            for name in _DESCRIPTION
        )
        self._c.run(
            f"insert into sessions(id, {', '.join(_DESCRIPTION)}, started_at, last_seen_at)"
            f" values (?, ?, ?, ?, ?, ?, ?, ?) on conflict {self._c.unique('id')}"
            f" do update set {anew}, {_LATEST_SEEN}, ended_at = null",
            (session, *(description.get(name, "") for name in _DESCRIPTION), at, at),
        )

    def end_session(self, session: str, summary: str, at: int) -> None:
        """Ends a session; nobody joins it any more."""
        self._c.run(
            "update sessions set ended_at = case when started_at > ? then started_at else ? end,"
            " summary = case when ? = '' then summary else ? end where id = ?",
            (at, at, summary, summary, session),
        )
        self._c.run("delete from current_sessions where session_id = ?", (session,))

    def sessions(
        self, *, project: str | None = None, ids: Sequence[str] | None = None, limit: int = -1
    ) -> list[Session]:
        """Sessions with the number of memories of each use, newest first."""
        from recairn.store.work_rows import Session

        # All of its fields but the state, and what is counted.
        columns = ", ".join(f"s.{column}" for column in Session._fields[:-3])
        where, values = "1 = 1", []
        if ids is not None:
            where, values = f"s.id in ({marks(ids)})" if ids else "1 = 0", list(ids)
        elif project is not None:
            where, values = "s.project = ?", [project]
        rows = self._c.rows(
            f"select {columns} from sessions s where {where}"
            " order by s.started_at desc, s.id desc limit ?",
            (*values, limit_of(limit)),
        )
        uses, memories = self._usage([row[0] for row in rows])
        listed = []
        for row in rows:
            state = "open" if row[-1] is None else "ended"
            listed.append((*row, state, memories.get(row[0], 0), uses.get(row[0], {})))
        return list(map(Session._make, listed))

    def _usage(self, sessions: Sequence[str]) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
        """How many memories each session used in which way, and how many in all."""
        if not sessions:
            return {}, {}
        uses: dict[str, dict[str, int]] = {}
        for session, usage, count in self._c.rows(
            "select session_id, usage_type, count(*) from session_memories"
            f" where session_id in ({marks(sessions)}) group by 1, 2",
            sessions,
        ):
            uses.setdefault(session, {})[usage] = count
        counts = self._c.rows(
            "select session_id, count(distinct memory) from session_memories"
            f" where session_id in ({marks(sessions)}) group by 1",
            sessions,
        )
        return uses, {row[0]: row[1] for row in counts}

    def session_notes(self, session: str) -> dict[str, Any]:
        """What was noted in a session; empty when nothing was, or there is no such session."""
        from recairn.core.fastjson import loads

        text = self._c.value("select context from sessions where id = ?", (session,))
        try:
            notes = loads(text) if text else {}
        except ValueError:
            return {}  # damaged, as `verify` says
        return notes if isinstance(notes, dict) else {}

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

    def open_since(self, before: int) -> list[SeenSession]:
        """The sessions nobody ended, last seen at or before a time."""
        from recairn.store.work_rows import SeenSession

        rows = self._c.rows(
            "select id, last_seen_at from sessions where ended_at is null"
            " and last_seen_at <= ? order by id",
            (before,),
        )
        return list(map(SeenSession._make, rows))

    def used_in(self, session: str) -> list[Use]:
        """Everything a session did, oldest first."""
        from recairn.store.work_rows import Use

        rows = self._c.rows(
            "select memory, usage_type, at from session_memories where session_id = ?"
            " order by at, memory, usage_type",
            (session,),
        )
        return list(map(Use._make, rows))

    def session_uses(self, memories: Sequence[int]) -> list[SessionUse]:
        """Everything sessions did with memories, newest first."""
        if not memories:
            return []
        from recairn.store.work_rows import SessionUse

        rows = self._c.rows(
            "select memory, session_id, usage_type, at from session_memories"
            f" where memory in ({marks(memories)})"
            " order by at desc, session_id desc, usage_type desc",
            memories,
        )
        return list(map(SessionUse._make, rows))

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

        Of the filter, session, trust, candidates and the time of asking count.
        """
        sign, way = ("<", "desc") if count < 0 else (">", "asc")
        rows = self._c.rows(
            "select m.id from memories m, memories a where a.id = ? and m.project = a.project"
            f" and (m.created_at, m.id) {sign} (a.created_at, a.id) and {_LIVE}"
            f" and m.trust = coalesce(?, m.trust) and {'1 = 1' if seen.candidates else SHOWN}"
            f" order by m.created_at {way}, m.id {way} limit ?",
            (memory, seen.now, seen.session, seen.trust, abs(count)),
        )
        return [row[0] for row in rows]

    # Where one stands

    def set_current_session(self, place: str, session: str) -> None:
        """Puts a place into a session."""
        self._c.run(
            "insert into current_sessions(place, session_id) values (?, ?)"
            f" on conflict {self._c.unique('place')} do update set"
            " session_id = excluded.session_id",
            (self._here(place), session),
        )
