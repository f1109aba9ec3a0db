"""The engine's sessions: beginning and ending them, what they did, and handoffs between them."""

from __future__ import annotations

import os

from recairn.core.times import DAY
from recairn.engine.base import TURNS_KEPT, place, user
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Event, Memory, Remembered
    from recairn.engine.remember import Writing
    from recairn.store.work_rows import SeenSession, Session
    from recairn.work.handoff import Resumed
    from recairn.work.sessions import Ended, SessionContext, Timeline
    from recairn.work.turns import Turn
else:
    Writing = object

_SESSIONS_SHOWN = 20
# Turns of sessions: nobody asks what an agent knew before that, and so many take some 20 MB.
_TURN_DAYS = 90.0
_MOST_TURNS = 20_000


class Sessions(Writing):
    """Runs of agents, and what is handed from one to the next."""

    if TYPE_CHECKING:  # of the whole, which joins a session when it is opened

        def join_session(self, named: str | None = None, *, of: str = "") -> str | None: ...

        def _agent(self) -> str: ...

    def start_session(
        self, session: str | None = None, *, summary: str = "", agent: str = ""
    ) -> Session:
        """Begins a session here, or takes one up again; what follows belongs to it.

        Without a name it is RECAIRN_SESSION's, or gets a new one.
        Later processes of the same user in the same checkout join it (`join_session`).
        """
        from recairn.core.draft import MAX_REFERENCE, Cleaner
        from recairn.core.ids import new_uid
        from recairn.host.git import branch_of
        from recairn.memory.lookup import known_memory
        from recairn.work.sessions import close_idle, session_named

        self.settle()
        self._move_in()
        now, clean = self._clock(), Cleaner(self._allowed())
        named = session or os.environ.get("RECAIRN_SESSION") or f"s-{new_uid(now)}"
        name = clean.name("session", named)
        folder = root_of(os.getcwd()) or os.getcwd()
        description = {
            "project": self.project,
            "agent": clean.name("agent", agent),
            "directory": clean.name("directory", folder, MAX_REFERENCE),
            "branch": clean.name("branch", branch_of(folder)),
            "summary": clean.text("summary", summary),
        }
        with self.store.transaction():
            for memory in close_idle(self.store, now, but=name):
                self.meaning.renew(known_memory(self.store, memory), now=now)
            self.store.open_session(name, description, now)
            self.store.drop_turns(now - self._turns_kept_ms(), _MOST_TURNS)
            self.store.set_current_session(place(self._agent()), name)
        self.session = name
        return session_named(self.store, name, now)

    def _turns_kept_ms(self) -> int:
        """For how long the turns of sessions are kept."""
        from recairn.work.sessions import setting

        return int(setting(self.store, TURNS_KEPT, _TURN_DAYS) * DAY)

    def _of_agent(self, author: str, last: SeenSession) -> SeenSession | None:
        """The session that was started here last, or the last one of this agent."""
        from recairn.core.author import agent_named
        from recairn.store.work_rows import SeenSession

        (row,) = self.store.sessions(ids=[last.id])
        if not row.agent or agent_named(row.agent) == author:
            return last
        for other in self.store.sessions(project=self.project, limit=_SESSIONS_SHOWN):
            if other.ended_at is None and agent_named(other.agent) == author:
                return SeenSession(other.id, other.last_seen_at)
        return None

    def last_here(self, agent: str) -> int | None:
        """When an agent was last at work in this project; None where it never was."""
        rows = self.store.sessions(project=self.project, limit=_SESSIONS_SHOWN)
        return max([row.last_seen_at for row in rows if row.agent == agent], default=None)

    def end_session(self, session: str | None = None, *, summary: str = "") -> Ended:
        """Ends a session; what proved salient of its own memories stays, the rest expires."""
        from recairn.core.draft import Cleaner
        from recairn.memory.lookup import known_memory
        from recairn.work.sessions import end

        self.settle()
        act = self._act()
        name = self.session_info(session).id
        summary = Cleaner(self._allowed()).text("summary", summary)
        with self.store.transaction():
            ended = end(self.store, name, summary, act)
            for memory in ended.promoted:
                self.meaning.renew(known_memory(self.store, memory), now=act.at)
        if self.session == name:
            self.session = None
        return ended

    def session_info(self, session: str | None = None) -> Session:
        """A session by its id or the beginning of it; by default the one this memory is in."""
        from recairn.core.errors import NotFound
        from recairn.work.sessions import session_named

        self.settle()
        name = session or self.join_session() or self._last_open()
        if name is None:
            raise NotFound("no session is open here", "recairn session start")
        return session_named(self.store, name, self._clock())

    def _last_open(self) -> str | None:
        """The newest session of this project that nobody ended: what a person wants to look at."""
        rows = self.store.sessions(project=self.project, limit=_SESSIONS_SHOWN)
        return next((row.id for row in rows if row.ended_at is None), None)

    def sessions(
        self, *, limit: int = _SESSIONS_SHOWN, all_projects: bool = False
    ) -> list[Session]:
        """The sessions of this project, or of all, newest first."""
        from recairn.engine.options import limit_from
        from recairn.work.sessions import sessions

        self.settle()
        shown = limit_from({"limit": limit}, _SESSIONS_SHOWN)
        project = None if all_projects else self.project
        return sessions(self.store, now=self._clock(), project=project, limit=shown)

    def session_uses(self, session: str | None = None) -> list[tuple[Memory, str, int]]:
        """(memory, usage, time) of everything a session did, oldest first."""
        uses = self.store.used_in(self.session_info(session).id)
        memories = self.store.get_many([memory for memory, _, _ in uses])
        return [(memories[memory], usage, at) for memory, usage, at in uses]

    def turns(
        self, session: str | None = None, *, offset: int = 0, limit: int | None = None
    ) -> list[Turn]:
        """What the agent of a session was told and when, silent moments with the reason, in order.

        Memories are in the words of that time.
        """
        from recairn.work.turns import turns

        return turns(self.store, self.session_info(session).id, offset=offset, limit=limit)

    def prompt_of(self, reference: int | str) -> str:
        """What the person had said last when a memory was written in a session of an agent; ""
        where that is not noted."""
        from recairn.memory.lookup import known_memory

        memory = known_memory(self.store, self.resolve(reference))
        if memory.session_id is None:
            return ""
        return self.store.prompt_before(memory.session_id, memory.created_at)

    def last_turns(self) -> list[Turn]:
        """The last prompt here and what came of it: the turns of that session from there on."""
        sessions = self.sessions(limit=_SESSIONS_SHOWN)
        for session in sorted(sessions, key=lambda one: -one.last_seen_at):
            turns = self.turns(session.id)
            starts = [at for at, turn in enumerate(turns) if turn.event in ("start", "prompt")]
            prompts = [at for at in starts if turns[at].event == "prompt"]
            if starts:
                return turns[(prompts or starts)[-1] :]
        return []

    def session_events(self, session: str | None = None) -> list[Event]:
        """What was changed in a session, oldest first."""
        return self.store.events(since=None, session=self.session_info(session).id)

    def session_context(self, reference: int | str) -> SessionContext | None:
        """The latest session that had to do with a memory, and how; None when none had."""
        from recairn.work.sessions import context_of

        self.settle()
        return context_of(self.store, self.resolve(reference), self._clock())

    def timeline(
        self, reference: int | str, *, before: int = 5, after: int = 5, candidates: bool = True
    ) -> Timeline:
        """The memories of the project made around one, with the sessions of everything shown.

        Without `candidates`, what waits for review is left out.
        """
        from recairn.memory.lookup import known_memory
        from recairn.work.sessions import timeline

        self.settle()
        memory = self.resolve(reference)
        options: dict[str, Any] = {"candidates": candidates}
        if memory in self._named:
            options["project"] = known_memory(self.store, memory).project
        seen = self._filter(options, self._clock())
        return timeline(self.store, memory, seen, before=before, after=after)

    # Handoffs

    def handoff(
        self, content: str, *, fields: Mapping[str, Any] | None = None, git: bool = True
    ) -> Remembered:
        """Leaves a note for the next session, with the state of the checkout unless `git` is off.

        `fields` are next_steps, blockers, questions, goals; each a list.
        """
        from recairn.work.handoff import with_git_state

        root = root_of(self.folder) if git and self.folder else None
        noted = with_git_state(fields or {}, root)
        return self.remember(content, kind="handoff", fields=noted, force=True)

    def resume(
        self,
        *,
        new: bool = False,
        all: bool = False,
        reader: str | None = None,
        candidates: bool = True,
    ) -> Resumed:
        """The last handoff of the project, what is open, and where the checkout stands.

        `new` gives the handoffs this reader was not given as new before; `all` gives every one.
        Without `candidates`, those that wait for review are left out.
        """
        from recairn.work.handoff import resume

        self.settle()
        now = self._clock()
        return resume(
            self.store,
            self._filter({"kind": "handoff", "candidates": candidates}, now),
            reader=reader or os.environ.get("RECAIRN_READER") or user(),
            root=root_of(self.folder) if self.folder else None,
            which="new" if new else "all" if all else "last",
            now=now,
        )
