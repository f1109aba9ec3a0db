"""Evidence about memories: who said how much they helped, and what finished work became."""

from __future__ import annotations

from recairn.store.sqlite.rows import from_json, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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
_COMPACTION = ("id", "at", "task_ids", "memories", "summary", "exported_to")
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

    def add_compaction(self, entry: Mapping[str, Any]) -> None:
        """Logs what tasks became."""
        values = [to_json(value) if isinstance(value, list) else value for value in entry.values()]
        names, marks = ", ".join(entry), ", ".join("?" * len(entry))
        self._c.run(f"insert into compactions({names}) values ({marks})", values)

    def compactions(self) -> list[dict[str, Any]]:
        """What tasks became, oldest first."""
        rows = self._c.rows(f"select {', '.join(_COMPACTION)} from compactions order by id")
        found = [dict(zip(_COMPACTION, row, strict=True)) for row in rows]
        return [
            {**each, **{name: from_json(each[name]) for name in ("task_ids", "memories")}}
            for each in found
        ]

    def note_exported(self, memories: Sequence[int], path: str) -> None:
        """Notes into which file learnings of compactions were written."""
        self._c.run_many(
            "update compactions set exported_to = ? where exists"
            " (select 1 from json_each(memories) where value = ?)",
            [(path, memory) for memory in memories],
        )

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
