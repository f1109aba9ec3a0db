"""The ledger: what was handed to whom, what it cost, and what became of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.sqlite.connection import Connection

_COLUMNS = (
    "id",
    "at",
    "surface",
    "task_id",
    "session_id",
    "project",
    "query",
    "budget_tokens",
    "tokens",
    "characters",
    "outcome",
    "outcome_at",
)
_MEMBER = ("memory", "position", "tokens", "score", "used", "used_at")
_TAKEN = "select 1 from injections where id = ?"
# Which sign of use says more; a weaker one never replaces a stronger.
_STRENGTH = "case {} when 'helpful' then 3 when 'cited' then 2 when 'expanded' then 1 else 0 end"


class InjectionRows:
    """The part of the store that knows what was handed out."""

    _c: Connection

    def put_injection(
        self, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
    ) -> int:
        """Records what was handed out, with (memory, tokens, score) in order; its id.

        Where the id is taken, the next free one: it was made of time and chance, by whoever asked.
        """
        values = dict(entry)
        while "id" in values and self._c.row(_TAKEN, (values["id"],)) is not None:
            values["id"] += 1
        injection = self._c.insert(
            f"insert into injections({', '.join(values)}) values ({', '.join('?' * len(values))})",
            list(values.values()),
        )
        self._c.run_many(
            # Another process may have erased one of them meanwhile.
            "insert or ignore into injection_memories(injection, memory, position, tokens, score)"
            " select ?, id, ?, ?, ? from memories where id = ?",
            [
                (injection, position, tokens, score, memory)
                for position, (memory, tokens, score) in enumerate(memories, start=1)
            ],
        )
        return injection

    def injections(
        self, *, task: str | None = None, session: str | None = None, since: int = 0
    ) -> list[dict[str, Any]]:
        """What was handed out as its columns and `memories`, oldest first."""
        # Only what is asked for stands in the condition: then it is answered by an index.
        where = "i.at >= ?"
        values: list[int | str] = [since]
        for column, wanted in (("task_id", task), ("session_id", session)):
            if wanted is not None:
                where += f" and i.{column} = ?"
                values.append(wanted)
        rows = self._c.rows(
            f"select {', '.join(_COLUMNS)} from injections i where {where} order by at, id", values
        )
        found: dict[int, dict[str, Any]] = {
            row[0]: {**dict(zip(_COLUMNS, row, strict=True)), "memories": []} for row in rows
        }
        for injection, *member in self._c.rows(
            f"select i.id, {', '.join(f'm.{name}' for name in _MEMBER)} from injections i"
            f" join injection_memories m on m.injection = i.id where {where}"
            " order by i.id, m.position",
            values,
        ):
            found[injection]["memories"].append(dict(zip(_MEMBER, member, strict=True)))
        return list(found.values())

    def note_outcome(self, task: str, outcome: str, at: int) -> int:
        """Writes the outcome of a task to all that was handed out for it; how many those were."""
        return self._c.run(
            "update injections set outcome = ?, outcome_at = ? where task_id = ?",
            (outcome, at, task),
        )

    def note_used(
        self, memories: Sequence[int], how: str, *, session: str | None, since: int, at: int
    ) -> int:
        """Marks memories as used where each was handed out last, in this session if it was.

        Only what was handed out since a time counts; how many memories were marked.
        """
        marked = 0
        for memory in memories:
            marked += self._c.run(
                "update injection_memories set used = ?, used_at = ? where memory = ?"
                " and injection = (select i.id from injections i join injection_memories m"
                " on m.injection = i.id where m.memory = ? and i.at between ? and ?"
                " order by i.session_id is ? desc, i.at desc, i.id desc limit 1)"
                f" and {_STRENGTH.format('used')} < {_STRENGTH.format('?')}",
                (how, at, memory, memory, since, at, session, how),
            )
        return marked

    def ledger(self, by: str, since: int, project: str | None) -> list[dict[str, Any]]:
        """What was handed out by "task" or "memory", most tokens first.

        Uses and outcomes are counted under their own names.
        """
        name = "coalesce(i.task_id, '')" if by == "task" else "m.memory"
        used = ", ".join(
            f"coalesce(sum(m.used = '{how}'), 0)" for how in ("cited", "expanded", "helpful")
        )
        outcomes = ", ".join(
            f"count(distinct case when i.outcome = '{each}' then i.id end)"
            for each in ("success", "partial", "failure")
        )
        names = (
            *("name", "times", "memories", "tokens", "cited", "expanded", "helpful"),
            *("success", "partial", "failure", "last_at"),
        )
        cost = "coalesce(sum(m.tokens), 0)"
        join = "left join" if by == "task" else "join"
        rows = self._c.rows(
            f"select {name}, count(distinct i.id), count(distinct m.memory), {cost}, {used},"
            f" {outcomes}, max(i.at) from injections i {join} injection_memories m"
            " on m.injection = i.id where i.at >= :since"
            " and (:project is null or i.project = :project) group by 1 order by 4 desc, 1",
            {"since": since, "project": project},
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def handed_out(self, since: int, project: str | None) -> tuple[int, int]:
        """(times, tokens) of everything handed out since a time."""
        rows = self._c.rows(
            "select count(*), coalesce(sum(tokens), 0) from injections where at >= :since"
            " and (:project is null or project = :project)",
            {"since": since, "project": project},
        )
        return rows[0][0], rows[0][1]
