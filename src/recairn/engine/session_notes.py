"""The engine's notes on a session, and the handoff that is made of them."""

from __future__ import annotations

import os

from recairn.engine.base import BOOKKEEPING_PATIENCE_S
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine.changes import Changing
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
        from recairn.work.session_notes import kept, noted

        if self.session is None:
            return {}
        new = {name: kept(value) for name, value in new.items()}
        with self.store.bookkeeping(BOOKKEEPING_PATIENCE_S), self.store.transaction():
            self.store.open_session(self.session, {"project": self.project}, self._clock())
            notes = noted(self.store.session_notes(self.session), new)
            self.store.set_session_notes(self.session, notes)
        return notes

    def given(self) -> list[int]:
        """What this session has been handed, or made itself, and so need not be handed again."""
        if self.session is None:
            return []
        since = int(self.notes().get("given_since", 0))
        handed = self.store.injections(session=self.session, since=since)
        own = [
            memory for memory, usage, _ in self.store.used_in(self.session) if usage == "created"
        ]
        return [
            *dict.fromkeys([each["memory"] for one in handed for each in one["memories"]] + own)
        ]

    def forget_given(self) -> list[int]:
        """Notes that the agent has lost what it was handed; those memories, most useful first."""
        from recairn.work.session_notes import by_use

        if self.session is None:
            return []
        since = int(self.notes().get("given_since", 0))
        handed = self.store.injections(session=self.session, since=since)
        self.note(given_since=self._clock())
        return by_use([each for one in handed for each in one["memories"]])

    def learned_something(self) -> bool:
        """Whether somebody kept a memory on purpose in this session."""
        uses = [] if self.session is None else self.store.used_in(self.session)
        known = self.store.get_many([memory for memory, usage, _ in uses if usage == "created"])
        return any(each.source_type != "hook" for each in known.values())

    def snapshot(self, *, task: str = "") -> Memory | None:
        """Leaves a handoff made of this session's notes; a later one takes its place."""
        from recairn.host.git import branch_of
        from recairn.work.session_notes import snapshot

        root = root_of(os.getcwd())
        made = snapshot(self.notes(), task=task, branch=branch_of(root) if root else "")
        if made is None or self.session is None:
            return None
        content, fields = made
        source = f"snapshot of {self.session}"
        earlier = [each for each in self.store.from_source(source) if self._is_live(each)]
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

    def _is_live(self, memory: int) -> bool:
        known = self.store.get(memory)
        return known is not None and known.deleted_at is None
