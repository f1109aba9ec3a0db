"""The engine's handoffs that sessions leave by themselves, made of what was noted in them."""

from __future__ import annotations

import os

from recairn.engine.base import place
from recairn.engine.options import handoff_ms
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine.changes import Changing
    from recairn.engine.remember import Writing
    from recairn.store.work_rows import Session

    class _Parts(Changing, Writing):
        """What handoffs are made with, for type checkers."""

else:
    _Parts = object

# Sessions looked at for one that nobody ended; and handoffs of an agent that none has replaced.
_SESSIONS_BEFORE = 5
_MANY_HANDOFFS = 20


class HandingOver(_Parts):
    """What one session leaves for the next without anyone writing it down."""

    def leave_handoff(self, state: str = "ended") -> Memory | None:
        """Leaves a handoff made of this session's notes, in the place of the last one.

        None where the session did nothing, or has left one on purpose.
        """
        from recairn.host.git import branch_of

        if self.session is None:
            return None
        (row,) = self.store.sessions(ids=[self.session]) or (None,)
        if row is None:
            return None
        root = root_of(os.getcwd())
        return self._handoff_of(row, state, branch_of(root) if root else row.branch)

    def take_over(self) -> list[Memory]:
        """Leaves the handoffs that the last sessions here could not leave: nobody ended them.

        Those of another checkout that is still there may be at work.
        """
        from recairn.core.author import HOOK, agent_named
        from recairn.work.handoff import is_in
        from recairn.work.session_notes import LEFT

        own, author = self.session, self.author
        made, root = [], root_of(os.getcwd())
        for row in reversed(self.store.sessions(project=self.project, limit=_SESSIONS_BEFORE)):
            notes = self.store.session_notes(row.id)
            if row.id == own or not row.agent or not notes or notes.get(LEFT):
                continue
            if os.path.isdir(row.directory) and not is_in(row, root):
                continue
            # Nothing is noted in a session that is over: that would open it again.
            self.session, self.author = None, agent_named(row.agent, HOOK)
            try:
                made.append(self._handoff_of(row, "open", row.branch))
            finally:
                self.session, self.author = own, author
        return [handoff for handoff in made if handoff is not None]

    def _handoff_of(self, row: Session, state: str, branch: str) -> Memory | None:
        from recairn.work.session_notes import LEFT, SNAPSHOT, did_something, handoff_of

        task = self._task_of(row.id)
        with self.store.transaction():
            notes = self.store.session_notes(row.id)
            compacted = state == "compacted" and (notes.get("prompts") or notes.get("files"))
            if not (compacted or did_something(notes, task)) or self._left_on_purpose(row.id):
                return None
            self.store.set_session_notes(row.id, {**notes, LEFT: state != "compacted"})
        agent = self.author.partition(":")[2].partition("/")[0]
        content, fields = handoff_of(notes, state, agent=agent, task=task)
        contents: dict[str, Any] = {
            "content": content,
            "fields": {**fields, "branch": branch},
            "expires_at": self._clock() + handoff_ms(self.store.config()),
        }
        source = f"{SNAPSHOT}{row.id}"
        earlier = [handoff for handoff in self._own_handoffs(row) if handoff.source_ref != source]
        earlier_ids = [number for number in self.store.from_source(source) if self._is_live(number)]
        if earlier_ids:
            left = self.edit(earlier_ids[-1], force=True, **contents)
        else:
            left = self._new_handoff(contents, source)
        for handoff in earlier:
            self.supersede(handoff.id, left.id, force=True)
        return left

    def _new_handoff(self, contents: Mapping[str, Any], source: str) -> Memory:
        from recairn.memory.lookup import known_memory

        options: dict[str, Any] = {
            **contents,
            "kind": "handoff",
            "source_type": "hook",
            "source_ref": source,
            # A record of what happened, not a claim that could be wrong.
            "trust": "verified",
            "force": True,
        }
        outcome = self.remember(options.pop("content"), **options)
        assert outcome.id is not None
        return known_memory(self.store, outcome.id)

    def _own_handoffs(self, row: Session) -> list[Memory]:
        """The live handoffs that hooks of this agent have left in the checkout of a session, or in
        one that is gone."""
        from recairn.work.handoff import is_in, sessions_of

        wanted = {"kind": "handoff", "author": self.author}
        filter = self._filter(wanted, self._clock())
        listed = self.store.listing(filter, order="newest", limit=_MANY_HANDOFFS)
        root = root_of(row.directory)
        rows = sessions_of(listed, self.store)
        return [
            handoff
            for handoff in listed
            if handoff.id in rows
            and (is_in(rows[handoff.id], root) or not os.path.isdir(rows[handoff.id].directory))
        ]

    def _left_on_purpose(self, session: str) -> bool:
        """Whether a handoff was written in a session: it says more than notes do."""
        uses = self.store.used_in(session)
        own = self.store.get_many([memory for memory, usage, _ in uses if usage == "created"])
        return any(
            memory.kind == "handoff" and memory.source_type != "hook" and memory.deleted_at is None
            for memory in own.values()
        )

    def _task_of(self, session: str) -> str:
        """The task a session is at work on, in a line; of this one also that of its place."""
        from recairn.work.tasks import task_named

        places = [f"session: {session}", *([place()] if session == self.session else [])]
        named = next(filter(None, map(self.store.current_task, places)), None)
        if named is None:
            return ""
        task = task_named(self.store, named)
        return f"{task.id} {task.title} ({task.status})"

    def _is_live(self, number: int) -> bool:
        memory = self.store.get(number)
        if memory is None or memory.superseded_by is not None:
            return False
        return memory.deleted_at is None
