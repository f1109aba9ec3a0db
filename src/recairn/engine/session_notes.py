"""The engine's notes on a session, its injections, and the handoff that is made of the notes."""

from __future__ import annotations

import os

from recairn.engine.base import BOOKKEEPING_PATIENCE_S
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine.changes import Changing
    from recairn.store.work_rows import InjectedMemory
else:
    Changing = object


class Noting(Changing):
    """What a session does, noted without anyone writing it down."""

    def notes(self) -> dict[str, Any]:
        """What was noted in this session: files, prompts, tests, and what was asked."""
        return {} if self.session is None else self.store.session_notes(self.session)

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
            self.store.open_session(self.session, {"project": self.project}, self._clock())
            notes = merged_notes(self.store.session_notes(self.session), new)
            self.store.set_session_notes(self.session, notes)
        return notes

    def given(self) -> list[int]:
        """What was injected into this session, or made in it, and so need not be injected again."""
        if self.session is None:
            return []
        entries = self._injection_entries(self.session)
        uses = self.store.used_in(self.session)
        own = [memory for memory, usage, _ in uses if usage == "created"]
        return [*dict.fromkeys([*[entry.memory for entry in entries], *own])]

    def forget_given(self) -> list[int]:
        """Notes that the agent has lost what was injected; those memories, most useful first."""
        from recairn.work.session_notes import by_use

        if self.session is None:
            return []
        entries = self._injection_entries(self.session)
        self.note(given_since=self._clock())
        return by_use(entries)

    def _injection_entries(self, session: str) -> list[InjectedMemory]:
        """The memories of the injections that the agent of a session still has, oldest first."""
        since = int(self.store.session_notes(session).get("given_since", 0))
        injections = self.store.injections(session=session, since=since)
        return [entry for injection in injections for entry in injection.memories]

    def learned_something(self) -> bool:
        """Whether somebody kept a memory on purpose in this session."""
        uses = [] if self.session is None else self.store.used_in(self.session)
        own = self.store.get_many([memory for memory, usage, _ in uses if usage == "created"])
        return any(memory.source_type != "hook" for memory in own.values())

    def snapshot(self, *, task: str = "") -> Memory | None:
        """Leaves a handoff made of this session's notes; a later one takes its place."""
        from recairn.host.git import branch_of
        from recairn.work.session_notes import snapshot

        root = root_of(os.getcwd())
        parts = snapshot(self.notes(), task=task, branch=branch_of(root) if root else "")
        if parts is None or self.session is None:
            return None
        content, fields = parts
        source = f"snapshot of {self.session}"
        earlier = [number for number in self.store.from_source(source) if self._is_live(number)]
        if earlier:
            return self.edit(earlier[-1], content=content, fields=fields, force=True)
        outcome = self.remember(
            content,
            kind="handoff",
            fields=fields,
            source_type="hook",
            source_ref=source,
            # A record of what happened, not a claim that could be wrong.
            trust="verified",
            force=True,
        )
        return None if outcome.id is None else self.store.get(outcome.id)

    def _is_live(self, number: int) -> bool:
        memory = self.store.get(number)
        return memory is not None and memory.deleted_at is None
