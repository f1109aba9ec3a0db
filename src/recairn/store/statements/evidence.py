"""Evidence about memories: who said how much they helped, and what finished work became."""

from __future__ import annotations

from recairn.store.statements.base import Statements, from_json, insertion, to_json
from recairn.store.work_rows import CompactionRow, Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


_EVIDENCE = """
select f.id, f.memory, f.at, f.score, f.weight, f.source, f.query, f.task_id, f.session_id, f.note,
    f.event, exists (select 1 from history h where h.undo_of = f.event)
from feedback f where {where} order by f.id
"""
_COMPACTION = ", ".join(CompactionRow._fields)


class EvidenceStatements(Statements):
    """The part of a store that knows what helped."""

    def add_feedback(self, memory: int, entry: Mapping[str, Any]) -> None:
        """Appends a piece of evidence, which the memory's newest event has counted."""
        names, marks = ", ".join(entry), ", ".join("?" * len(entry))
        self._c.run(
            f"insert into feedback(memory, {names}, event)"
            f" values (?, {marks}, (select max(id) from history where memory = ?))",
            (memory, *entry.values(), memory),
        )

    def feedback(self, *, memory: int | None = None, task: str | None = None) -> list[Evidence]:
        """Evidence about a memory, because of a task, or all of it, oldest first."""
        wanted = {"f.memory": memory, "f.task_id": task}
        named = {column: value for column, value in wanted.items() if value is not None}
        where = " and ".join(f"{column} = ?" for column in named) or "true"
        rows = self._c.rows(_EVIDENCE.format(where=where), list(named.values()))
        return [Evidence._make((*row[:-1], bool(row[-1]))) for row in rows]

    def add_compaction(self, entry: Mapping[str, Any]) -> None:
        """Logs what tasks became."""
        row = {
            name: to_json(value) if isinstance(value, list) else value
            for name, value in entry.items()
        }
        self._c.run(*insertion("compactions", row))

    def compactions(self) -> list[CompactionRow]:
        """What tasks became, oldest first."""
        return [
            CompactionRow(
                number, at, from_json(tasks, []), from_json(memories, []), summary, exported_to
            )
            for number, at, tasks, memories, summary, exported_to in self._c.rows(
                f"select {_COMPACTION} from compactions order by id"
            )
        ]

    def note_exported(self, memories: Sequence[int], path: str) -> None:
        """Notes into which file learnings of compactions were written."""
        written = set(memories)
        holding = [row.id for row in self.compactions() if not written.isdisjoint(row.memories)]
        self._c.run_many(
            "update compactions set exported_to = ? where id = ?",
            [(path, compaction) for compaction in holding],
        )
