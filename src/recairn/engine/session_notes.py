"""The engine's notes on a session, its injections, and the handoff that is made of the notes."""

from __future__ import annotations

import os

from recairn.engine.base import BOOKKEEPING_PATIENCE_S
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine.changes import Changing
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import InjectedMemory
else:
    Changing = object


class Noting(Changing):
    """What a session does, noted without anyone writing it down."""

    def notes(self, session: str | None = None) -> dict[str, Any]:
        """What was noted in this session, or another: files, prompts, tests, and what was asked."""
        wanted = session or self.session
        return {} if wanted is None else self.store.session_notes(wanted)

    def note(self, **new: Any) -> dict[str, Any]:
        """Adds to the notes of this session, beginning it when it is new; all notes now.

        Lists called files, prompts and tests grow at the end and are kept short; other names are
        set. Like counters, a note may be lost with the power.
        """
        from recairn.work.session_notes import merged_notes, note_value

        if self.session is None:
            return {}
        new = {name: note_value(value) for name, value in new.items()}
        with self.store.bookkeeping(BOOKKEEPING_PATIENCE_S), self.store.transaction():
            self._move_in()
            before = self.store.session_notes(self.session)
            about = {"project": self.project, **({} if before else self._unannounced())}
            self.store.open_session(self.session, about, self._clock())
            notes = merged_notes(before, new)
            self.store.set_session_notes(self.session, notes)
        return notes

    def _unannounced(self) -> dict[str, str]:
        """Who is at work where, in a session of an agent whose start nobody has heard."""
        from recairn.core.author import HOOK
        from recairn.host.git import branch_of

        role, _, name = self.author.partition(":")
        if role != HOOK:
            return {}
        agent = name.partition("/")[0]
        folder = root_of(os.getcwd()) or os.getcwd()
        return {
            "agent": "claude" if agent == "claude-code" else agent,
            "directory": folder,
            "branch": branch_of(folder),
        }

    def note_turn(self, moment: str, said: str = "", *, silence: str = "") -> None:
        """Notes, when there is time, a moment of this session at which nothing is handed out.

        `silence` says why not, where something could have been.
        """
        at = self._clock()
        turn = self._turn(moment, said, at)
        if turn is None:
            return
        from recairn.recall.ledger import log_turn

        def log(store: Store) -> None:
            store.open_session(turn["session_id"], {"project": turn["project"]}, at)
            log_turn(store, {**turn, "silence": silence})

        self._afterwards.append(log)

    def injected(self, surface: str = "") -> list[int]:
        """What was injected into this session, or made in it, and so need not be injected again.

        With a `surface` of a subagent, what that one has.
        """
        if self.session is None:
            return []
        entries = self._injection_entries(self.session, surface)
        uses = self.store.used_in(self.session)
        own = [memory for memory, usage, _ in uses if usage == "created"]
        return [*dict.fromkeys([*[entry.memory for entry in entries], *own])]

    def forget_injected(self) -> list[int]:
        """Notes that the agent has lost what was injected; those memories, most useful first."""
        from recairn.work.session_notes import by_use

        if self.session is None:
            return []
        entries = self._injection_entries(self.session)
        self.note(given_since=self._clock())
        return by_use(entries)

    def _injection_entries(self, session: str, surface: str = "") -> list[InjectedMemory]:
        """The memories of the injections that the agent of a session still has, oldest first.

        A subagent is told on a surface of its own, `hook/ID`, and has nothing but that.
        """
        own = surface if "/" in surface else ""
        since = int(self.store.session_notes(session).get("given_since", 0))
        injections = self.store.injections(session=session, since=since)
        return [
            entry
            for injection in injections
            if (injection.surface if "/" in injection.surface else "") == own
            for entry in injection.memories
        ]

    def handed_to_session(self) -> tuple[int, int]:
        """How many memories this session was handed so far, and for how many tokens."""
        injections = [] if self.session is None else self.store.injections(session=self.session)
        memories = {entry.memory for injection in injections for entry in injection.memories}
        return len(memories), sum(injection.tokens for injection in injections)

    def note_cited(self, text: str) -> None:
        """Notes that an answer names memories as `#42`, of those that this session was handed."""
        from recairn.core.ids import cited_in

        named = cited_in(text) if self.session is not None and "#" in text else []
        if named:
            handed_out = {entry.memory for entry in self._injection_entries(self.session or "")}
            self._used([memory for memory in named if memory in handed_out], "cited")

    def learned_something(self) -> bool:
        """Whether somebody kept a memory on purpose in this session."""
        uses = [] if self.session is None else self.store.used_in(self.session)
        own = self.store.get_many([memory for memory, usage, _ in uses if usage == "created"])
        return any(memory.source_type != "hook" for memory in own.values())
