"""The ledger: what was handed to whom, what it cost, and what became of it."""

from __future__ import annotations

from recairn.core.times import DAY, iso
from recairn.store.statements.base import Statements, batches, from_json, insertion, limit_of, marks
from recairn.store.work_rows import InjectedMemory, InjectionRow, InjectionTotal, LedgerRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.work_rows import HandOutRow, LastHook, TurnRow

# All fields of a row but its memories.
_COLUMNS = ", ".join(f"i.{name}" for name in InjectionRow._fields[:-1])
_MEMBER = ", ".join(f"m.{name}" for name in InjectedMemory._fields)
_TURN = ("at", "session_id", "project", "agent", "event", "prompt", "silence", "injection")
_TAKEN = "select 1 from injections where id = ?"
# Which sign of use says more; a weaker one never replaces a stronger.
_STRENGTH = "case {} when 'helpful' then 3 when 'cited' then 2 when 'expanded' then 1 else 0 end"
_USES = ("cited", "expanded", "helpful")
# What injections are added up by.
_NAMES = {
    "task": "coalesce(i.task_id, '')",
    "memory": "m.memory",
    # One that is not noted any more goes by the surface it came from.
    "moment": "coalesce((select min(t.event) from turns t where t.injection = i.id), i.surface)",
    "day": f"i.at / {DAY}",
    "agent": "coalesce(s.agent, '')",
    "session": "coalesce(i.session_id, '')",
}
_OUTCOMES = ("success", "partial", "failure")


class LedgerStatements(Statements):
    """The part of a store that knows what was handed out."""

    def put_injection(
        self, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
    ) -> int:
        """Records what was handed out, with (memory, tokens, score) in order; its id.

        Where the id is taken, the next free one: it was made of time and chance, by whoever asked.
        """
        values = dict(entry)
        while "id" in values and self._c.row(_TAKEN, (values["id"],)) is not None:
            values["id"] += 1
        injection = self._c.insert(*insertion("injections", values))
        self._c.run_many(
            # Another process may have erased one of them meanwhile.
            "insert into injection_memories(injection, memory, position, tokens, score)"
            " select ?, id, ?, ?, ? from memories where id = ? on conflict do nothing",
            [
                (injection, position, tokens, score, memory)
                for position, (memory, tokens, score) in enumerate(memories, start=1)
            ],
        )
        return injection

    def put_turn(self, turn: Mapping[str, Any]) -> None:
        """Records a moment of a session; what it says nothing about is empty."""
        from recairn.core.fastjson import dumps

        row = {name: turn[name] for name in _TURN if name in turn}
        for name in ("left_out", "terms"):
            if turn.get(name):
                row[name] = dumps(turn[name], ascii=False, compact=True)
        self._c.run(*insertion("turns", row))

    def turns(self, session: str, *, after: int = 0, limit: int = -1) -> list[TurnRow]:
        """The moments of a session, oldest first; those after one, by its number."""
        from recairn.store.work_rows import TurnRow

        rows = self._c.rows(
            f"select id, {', '.join(_TURN)}, left_out, terms from turns"
            " where session_id = ? and id > ? order by id limit ?",
            (session, after, limit_of(limit)),
        )
        return [TurnRow._make((*row[:-2], _pairs(row[-2]), from_json(row[-1], []))) for row in rows]

    def prompt_before(self, session: str, at: int) -> str:
        """What was said last in a session up to a time; "" where nothing is noted."""
        row = self._c.row(
            "select prompt from turns where session_id = ? and at <= ? and event = 'prompt'"
            " and prompt <> '' order by at desc, id desc limit 1",
            (session, at),
        )
        return "" if row is None else str(row[0])

    def last_hooks(self) -> list[LastHook]:
        """When each agent last reported each event, newest first."""
        from recairn.store.work_rows import LastHook

        rows = self._c.rows(
            "select agent, event, max(at), count(*) from turns where agent <> ''"
            " group by 1, 2 order by 3 desc, 1, 2"
        )
        return list(map(LastHook._make, rows))

    def drop_turns(self, before: int, most: int) -> int:
        """Forgets the turns before a time, and of the others all but so many; how many went."""
        return self._c.run(
            "delete from turns where id <= (select max(id) from turns) - ? or id <"
            " coalesce((select id from turns where at >= ? order by id limit 1),"
            " (select max(id) + 1 from turns))",
            (most, before),
        )

    def injections(
        self, *, task: str | None = None, session: str | None = None, since: int = 0
    ) -> list[InjectionRow]:
        """What was handed out, oldest first."""
        # Only what is asked for stands in the condition: then it is answered by an index.
        where = "i.at >= ?"
        values: list[int | str] = [since]
        for column, wanted in (("task_id", task), ("session_id", session)):
            if wanted is not None:
                where += f" and i.{column} = ?"
                values.append(wanted)
        rows = self._c.rows(
            f"select {_COLUMNS} from injections i where {where} order by i.at, i.id", values
        )
        members: dict[int, list[InjectedMemory]] = {row[0]: [] for row in rows}
        for injection, *member in self._c.rows(
            f"select i.id, {_MEMBER} from injections i"
            f" join injection_memories m on m.injection = i.id where {where}"
            " order by i.id, m.position",
            values,
        ):
            members[injection].append(InjectedMemory._make(member))
        return [InjectionRow._make((*row, members[row[0]])) for row in rows]

    def note_outcome(self, task: str, outcome: str | None, at: int) -> int:
        """Writes the outcome of a task to all that was handed out for it; how many those were."""
        return self._c.run(
            "update injections set outcome = ?, outcome_at = ? where task_id = ?",
            (outcome, None if outcome is None else at, task),
        )

    def settle_injections(self, ids: Sequence[int], outcome: str, at: int) -> None:
        """Writes an outcome to injections that have none yet."""
        self._c.run_many(
            "update injections set outcome = ?, outcome_at = ? where id = ? and outcome is null",
            [(outcome, at, injection) for injection in ids],
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
                " order by case when i.session_id is not distinct from ? then 0 else 1 end,"
                " i.at desc, i.id desc limit 1)"
                f" and {_STRENGTH.format('used')} < {_STRENGTH.format('?')}",
                (how, at, memory, memory, since, at, session, how),
            )
        return marked

    def ledger(self, by: str, since: int, project: str | None) -> list[LedgerRow]:
        """What was handed out by task, memory, moment, day, agent or session, most tokens first.

        Of a memory its own tokens count, else all of an injection. Uses and outcomes are counted
        under their own names. Days come newest first.
        """
        name = _NAMES[by]
        used = ", ".join(f"count(*) filter (where m.used = '{use}')" for use in _USES)
        outcomes = ", ".join(
            f"count(distinct case when i.outcome = '{outcome}' then i.id end)"
            for outcome in _OUTCOMES
        )
        join = "join" if by == "memory" else "left join"
        whose = "left join sessions s on s.id = i.session_id" if by == "agent" else ""
        order = "1 desc" if by == "day" else "4 desc, 1"
        where, values = _of_project(since, project)
        rows = self._c.rows(
            f"select {name}, count(distinct i.id), count(distinct m.memory),"
            f" coalesce(sum(m.tokens), 0), {used}, {outcomes}, max(i.at)"
            f" from injections i {join} injection_memories m on m.injection = i.id {whose}"
            f" where {where} group by 1 order by {order}",
            values,
        )
        counted = list(map(LedgerRow._make, rows))
        if by == "memory":
            return counted
        whole = dict(
            self._c.rows(
                f"select {name}, sum(i.tokens) from injections i {whose} where {where} group by 1",
                values,
            )
        )
        counted = [row._replace(tokens=int(whole[row.name])) for row in counted]
        if by != "day":
            return sorted(counted, key=lambda row: (-row.tokens, str(row.name)))
        return [row._replace(name=str(iso(int(row.name) * DAY))[:10]) for row in counted]

    def injections_of(self, memory: int, limit: int) -> list[HandOutRow]:
        """When and to whom a memory was handed out, newest first."""
        from recairn.store.work_rows import HandOutRow

        rows = self._c.rows(
            "select i.id, i.at, i.surface, i.session_id, coalesce(s.agent, ''), i.project,"
            " i.task_id, i.query, m.position, m.tokens, m.score, m.used, m.used_at, i.outcome"
            " from injection_memories m join injections i on i.id = m.injection"
            " left join sessions s on s.id = i.session_id"
            " where m.memory = ? order by i.at desc, i.id desc limit ?",
            (memory, limit_of(limit)),
        )
        return list(map(HandOutRow._make, rows))

    def times_handed_out(self, memories: Sequence[int], agent: str) -> list[LedgerRow]:
        """How often memories were handed out, to one agent where one is named."""
        totals = []
        for part in batches(memories):
            whose = " and s.agent = ?" if agent else ""
            rows = self._c.rows(
                "select m.memory, count(*), 1, sum(m.tokens),"
                " count(*) filter (where m.used = 'cited'),"
                " count(*) filter (where m.used = 'expanded'),"
                " count(*) filter (where m.used = 'helpful'), 0, 0, 0, max(i.at)"
                " from injection_memories m join injections i on i.id = m.injection"
                " left join sessions s on s.id = i.session_id"
                f" where m.memory in ({marks(part)}){whose} group by 1",
                (*part, agent) if agent else part,
            )
            totals += [LedgerRow._make(row) for row in rows]
        return totals

    def handed_out(self, since: int, project: str | None) -> InjectionTotal:
        """Everything handed out since a time, added up."""
        where, values = _of_project(since, project)
        rows = self._c.rows(
            f"select count(*), coalesce(sum(i.tokens), 0) from injections i where {where}", values
        )
        return InjectionTotal._make(rows[0])


def _of_project(since: int, project: str | None) -> tuple[str, list[Any]]:
    if project is None:
        return "i.at >= ?", [since]
    return "i.at >= ? and i.project = ?", [since, project]


def _pairs(text: str) -> list[tuple[int, str]]:
    """(memory, reason) of what was left out; a damaged entry says nothing."""
    return [
        (entry[0], entry[1])
        for entry in from_json(text, [])
        if isinstance(entry, list) and len(entry) == 2
    ]
