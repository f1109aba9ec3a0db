"""Evidence about memories: who said how much they helped, and which event counted it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.sqlite.connection import Connection

_NAMES = (
    *("id", "memory", "at", "score", "weight", "source", "query", "task", "session", "note"),
    *("event", "undone"),
)
_EVIDENCE = """
select f.id, f.memory, f.at, f.score, f.weight, f.source, f.query, f.task_id, f.session_id, f.note,
    f.event, exists (select 1 from history h where h.undo_of = f.event)
from feedback f where {where} order by f.id
"""
# Newest questions that are looked through.
_LOOKED_THROUGH = 500


class FeedbackRows:
    """The part of the store that knows what helped."""

    _c: Connection

    def add_feedback(self, memory: int, entry: Mapping[str, Any]) -> None:
        """Appends a piece of evidence, which the memory's newest event has counted."""
        names, marks = ", ".join(entry), ", ".join("?" * len(entry))
        self._c.run(
            f"insert into feedback(memory, {names}, event)"
            f" values (?, {marks}, (select max(id) from history where memory = ?))",
            (memory, *entry.values(), memory),
        )

    def feedback(
        self, *, memory: int | None = None, task: str | None = None
    ) -> list[dict[str, Any]]:
        """Evidence about a memory, because of a task, or all of it, oldest first."""
        asked = {"f.memory": memory, "f.task_id": task}
        named = {column: value for column, value in asked.items() if value is not None}
        where = " and ".join(f"{column} = ?" for column in named) or "true"
        rows = self._c.rows(_EVIDENCE.format(where=where), list(named.values()))
        found = [dict(zip(_NAMES, row, strict=True)) for row in rows]
        return [{**each, "undone": bool(each["undone"])} for each in found]

    def question_for(self, memory: int, *, session: str | None, since: int) -> str:
        """The last logged question that found a memory, of this session if one did."""
        rows = self._c.rows(
            "select query, session_id from (select * from query_log where at >= ?"
            " order by at desc, id desc limit ?)"
            " where instr(replace(replace(result_ids, '[', ','), ']', ','), ?)",
            (since, _LOOKED_THROUGH, f",{memory},"),
        )
        own = [query for query, asked_in in rows if asked_in == session]
        return str((own or [row[0] for row in rows] or [""])[0])
