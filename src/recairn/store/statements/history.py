"""The append-only history: every change of a memory with the values before and after it."""

from __future__ import annotations

import os

from recairn.core.model import Event
from recairn.store.statements.base import Statements, batches, from_json, marks, to_json
from recairn.store.statements.memory_table import as_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


# What is shared is queued for the others with every event, and what others read here is moved to a
# new number: given out while the row of the project is held, so that no reader passes one by.
_OUTBOX = (
    "insert into outbox(noun, name, mark) select 'memory', uid, cast(? as bigint) from memories"
    " where id in ({ids}) and exists (select 1 from shares)"
    " on conflict {key} do update set mark = excluded.mark"
)
_HEADS = (
    "update feed_heads set last = last + (select count(*) from memories m"
    " where m.project = feed_heads.project and m.id in ({ids}))"
    " where project in (select project from memories where id in ({ids}))"
)
_FEED = (
    "insert into feed(project, noun, name, number) select m.project, 'memory', m.uid,"
    " h.last + 1 - row_number() over (partition by m.project order by m.id desc)"
    " from memories m join feed_heads h on h.project = m.project where m.id in ({ids})"
    " on conflict {key} do update set number = excluded.number"
)
_COLUMNS = "memory, at, event, reason, before, after, session_id, undo_of, author"
_INSERT = f"insert into history({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"


class HistoryStatements(Statements):
    """The part of a store that keeps events."""

    # The engine's: who of a team made a change, as a part of the statement that reads it.
    _BY_MEMBER: str

    if TYPE_CHECKING:

        def writer(self) -> str: ...

    def note(self, event: Event) -> None:
        """Appends an event; one that changed fields is noted by the change itself."""
        self._c.run(_INSERT, self._row(event))
        self.queue_memories([event.memory])

    def note_beginnings(self, events: Sequence[Event]) -> None:
        """Appends the first events of memories that are new in this transaction: others are to hear
        of those already."""
        self._c.run_many(_INSERT, [self._row(event) for event in events])

    def _row(self, event: Event) -> tuple[Any, ...]:
        return (
            event.memory,
            event.at,
            event.event,
            event.reason,
            to_json(event.before),
            to_json(event.after),
            event.session_id,
            event.undo_of,
            event.author or self.writer(),
        )

    def queue_memories(self, memories: Sequence[int], *, is_heard: bool = False) -> None:
        """Notes that others are to hear of memories, where anything is shared; but for the server,
        where that told of them itself."""
        mark = int.from_bytes(os.urandom(6), "big")
        for part in batches(memories):
            # What one memory asks for is asked again and again: its plan is worth keeping.
            ids, listed, kept = marks(part), tuple(part), len(part) == 1
            if not is_heard:
                outbox = _OUTBOX.format(ids=ids, key=self._c.unique("noun, name"))
                self._c.run_many(outbox, [(mark, *listed)], kept=kept)
            self._c.run_many(_HEADS.format(ids=ids), [(*listed, *listed)], kept=kept)
            feed = _FEED.format(ids=ids, key=self._c.unique("project, noun, name"))
            self._c.run_many(feed, [listed], kept=kept)

    def history(self, memory: int) -> list[Event]:
        return self._events("memory = ?", (memory,))

    def events(self, *, since: int | None, session: str | None) -> list[Event]:
        """Changes since a time or made in a session, oldest first."""
        if session is not None:
            return self._events("session_id = ?", (session,))
        return self._events("at >= ?", (since,))

    def events_named(self, names: Sequence[str]) -> list[Event]:
        """All events of those names, oldest first."""
        return self._events(f"event in ({marks(names)})", names)

    def events_numbered(self, numbers: Sequence[int]) -> list[Event]:
        """The events of those numbers that there are, oldest first."""
        parts = [self._events(f"id in ({marks(part)})", part) for part in batches(sorted(numbers))]
        return [event for part in parts for event in part]

    def last_event(self) -> int:
        """The number of the newest event; 0 where there is none."""
        return int(self._c.value("select coalesce(max(id), 0) from history"))

    def events_after(self, number: int) -> list[int]:
        """The numbers of all newer events, in order."""
        rows = self._c.rows("select id from history where id > ? order by id", (number,))
        return [row[0] for row in rows]

    def undone(self) -> set[int]:
        """Ids of the events that were taken back."""
        rows = self._c.rows("select undo_of from history where undo_of is not null")
        return {row[0] for row in rows}

    def _events(self, where: str, values: Sequence[Any]) -> list[Event]:
        rows = self._c.rows(
            f"select id, {_COLUMNS}, {self._BY_MEMBER} from history where {where} order by id",
            values,
        )
        return [
            Event(
                number,
                memory,
                at,
                name,
                reason,
                before=_values(before),
                after=_values(after),
                session_id=session,
                undo_of=undo,
                author=author or "",
                member=by,
            )
            for number, memory, at, name, reason, before, after, session, undo, author, by in rows
        ]


def _values(text: str) -> Mapping[str, Any]:
    """The values of an event as a memory has them, not as its columns keep them."""
    if text == "{}":
        return {}
    return {name: as_value(name, value) for name, value in from_json(text, {}).items()}
