"""Whole records out of and into the tables: what export, import and mirror are made of."""

from __future__ import annotations

from operator import itemgetter

from recairn.core.model import Edge
from recairn.store.statements.base import batches, from_json, marks
from recairn.store.statements.edges import ALL_COLUMNS
from recairn.store.statements.memories import MemoryStatements
from recairn.store.statements.memory_table import (
    AUTHORED,
    COUNTERS,
    authored_rows,
)
from recairn.store.tables import SHAPE_OF, Changes, Placement, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.store.tables import Column, Shape, WholeMemory

_INSERTED = ("id", *AUTHORED, *COUNTERS, "row_hash", "stamps")
_counters = itemgetter(*COUNTERS)
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ({', '.join('?' * len(_INSERTED))})"
# Where each noun is kept.
TABLES = {
    "session": "sessions",
    "event": "history",
    "edge": "edges",
    "private": "private_memories",
    "use": "session_memories",
    "access": "access_log",
    "staleness": "staleness",
    "task": "tasks",
    "dependency": "task_deps",
    "task event": "task_events",
    "compaction": "compactions",
    "injection": "injections",
    "injected": "injection_memories",
    "feedback": "feedback",
    "query": "query_log",
    "miss": "search_failures",
    "document": "documents",
    "read": "read_cursors",
    "import": "imports",
    "project": "projects",
    "alias": "project_aliases",
    "mark": "project_marks",
    "setting": "config",
}
# Columns that hold lists and objects, which are kept as JSON.
_ENCODED = ("json", "memories")


class ExchangeStatements(MemoryStatements):
    """The part of a store that hands rows to other databases and takes theirs."""

    if TYPE_CHECKING:  # the engine's own

        def _insert_rows(self, insert: str, rows: Sequence[tuple[Any, ...]]) -> None: ...
        def _insert_keys(self, flat: Sequence[int]) -> None: ...
        def _next_id(self) -> int: ...

    def all_numbers(self) -> list[int]:
        """The numbers of all memories, forgotten ones too, in their order."""
        return [row[0] for row in self._c.rows("select id from memories order by id")]

    def changed_after(self, seen: Position) -> Changes:
        """The memories something happened to after the event seen, and the last event.

        All memories, where that one is not an event of this database.
        """
        last = self._c.row("select id, at from history order by id desc limit 1") or (0, 0)
        ours = self._c.value("select 1 from history where id = ? and at = ?", (seen.event, seen.at))
        rows = self._c.rows(
            # The plus keeps the index of memories from being walked from end to end.
            "select distinct +memory from history where id > ? order by 1",
            (seen.event if ours else 0,),
        )
        return Changes(Position(*last), [row[0] for row in rows])

    def edges_touching(self, ids: Sequence[int]) -> list[Edge]:
        """All edges, past ones too, that begin or end at one of these memories."""
        edges: dict[tuple[Any, ...], Edge] = {}
        for part in batches(ids):
            for end in ("source", "target"):
                for row in self._c.rows(
                    f"select {ALL_COLUMNS} from edges e where e.{end} in ({marks(part)})", part
                ):
                    edges[row[:3]] = Edge(*row)
        return list(edges.values())

    def edges_created_by(self, maker: str) -> list[Edge]:
        """The edges in force, between living memories, that this maker made."""
        rows = self._c.rows(
            f"select {ALL_COLUMNS} from edges e join memories s on s.id = e.source"
            " join memories t on t.id = e.target where e.created_by = ? and e.valid_until is null"
            " and s.deleted_at is null and t.deleted_at is null"
            " and s.superseded_by is null and t.superseded_by is null order by 1, 2",
            (maker,),
        )
        return [Edge(*row) for row in rows]

    def put_whole(self, memories: Sequence[WholeMemory], *, is_heard: bool = False) -> list[int]:
        """Inserts rows with all their columns and look-alike keys; their numbers.

        Their history is the caller's. A successor may come later in the same call. Those that the
        server told (`is_heard`) do not wait to be sent to it.
        """
        numbers = self._free_numbers([memory.number for memory in memories])
        rows = self._with_successors(memories, numbers)
        self._c.defer_references()
        self._insert_rows(
            _INSERT,
            [
                (number, *values, *_counters(row), checksum, row.get("stamps", ""))
                for number, row, (values, checksum) in zip(
                    numbers, rows, authored_rows(rows), strict=True
                )
            ],
        )
        keyed = zip(numbers, memories, strict=True)
        # In their order: each page of the keys is then read and written once.
        pairs = sorted([(key, number) for number, memory in keyed for key in memory.keys])
        self._insert_keys([value for pair in pairs for value in pair])
        self.queue_memories(numbers, is_heard=is_heard)
        return numbers

    def new_numbers(self, count: int) -> list[int]:
        """Numbers that no memory has or had."""
        first = self._next_id()
        return list(range(first, first + count))

    def _free_numbers(self, wishes: Sequence[int | None]) -> list[int]:
        """A number for each new memory: the one it had, unless it is or was another memory's."""
        taken = self._memory_numbers_in_use([number for number in wishes if number is not None])
        upcoming = max(self._next_id(), 1 + max((number or 0 for number in wishes), default=0))
        numbers = []
        for number in wishes:
            if number is None or number in taken:
                number, upcoming = upcoming, upcoming + 1
            taken.add(number)
            numbers.append(number)
        return numbers

    def _memory_numbers_in_use(self, numbers: Sequence[int]) -> set[int]:
        taken: set[int] = set()
        for part in batches(numbers):
            rows = self._c.rows(
                f"select id from memories where id in ({marks(part)}) union"
                f" select memory from history where memory in ({marks(part)})",
                (*part, *part),
            )
            taken.update(row[0] for row in rows)
        return taken | self._unseen("memories", numbers)

    def _with_successors(
        self, memories: Sequence[WholeMemory], numbers: Sequence[int]
    ) -> list[Mapping[str, Any]]:
        """The rows of memories, with the numbers of what replaced them."""
        uids = sorted({memory.successor for memory in memories if memory.successor is not None})
        here: dict[str, int] = {}
        for part in batches(uids):
            asked = f"select uid, id from memories where uid in ({marks(part)})"
            here.update(self._c.rows(asked, part))
        arriving = zip(memories, numbers, strict=True)
        here.update((memory.row["uid"], number) for memory, number in arriving)
        return [
            {**memory.row, "superseded_by": here.get(memory.successor or "")}
            if memory.successor is not None or memory.row["superseded_by"] is not None
            else memory.row
            for memory in memories
        ]

    def records(self, noun: str) -> Iterator[Mapping[str, Any]]:
        """All records of a noun by column, in a stable order."""
        yield from self._records(noun, "", ())

    def records_about(self, noun: str, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        """The records of a noun that are about one of these memories, in the same order."""
        for part in batches(sorted(ids)):
            yield from self._records(noun, f" where memory in ({marks(part)})", part)

    def _records(self, noun: str, where: str, values: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
        shape = SHAPE_OF[noun]
        names = [column.name for column in shape.columns]
        order = shape.number or ", ".join(shape.key)
        for row in self._c.iterate(
            f"select {', '.join(names)} from {TABLES[noun]}{where} order by {order}", values
        ):
            record = dict(zip(names, row, strict=True))
            for column in shape.columns:
                if column.holds in _ENCODED and record[column.name] is not None:
                    nothing: Any = [] if column.holds == "memories" else {}
                    record[column.name] = from_json(record[column.name], nothing)
            yield record

    def names(self, noun: str) -> set[str]:
        """The names of all records of a noun that is known by one."""
        (name,) = SHAPE_OF[noun].key
        return {row[0] for row in self._c.rows(f"select {name} from {TABLES[noun]}")}

    def add_records(self, noun: str, records: Sequence[Mapping[str, Any]]) -> list[Placement]:
        """Inserts the records whose keys are not here yet; where each of them is now."""
        shape = SHAPE_OF[noun]
        rows = [
            {column.name: _stored(column, values[column.name]) for column in shape.columns}
            for values in records
        ]
        places = self._placements(shape, rows)
        if shape.number:
            own = [column.name for column in shape.columns if column.holds == noun]
            moves: dict[Any, int] = {}
            for row, place in zip(rows, places, strict=True):
                row.update({name: moves.get(row[name]) for name in own if row[name] is not None})
                moves[row[shape.number]] = place.number
                row[shape.number] = place.number
        self._c.defer_references()
        self._c.run_many(
            f"insert into {TABLES[noun]}({', '.join(column.name for column in shape.columns)})"
            f" values ({marks(shape.columns)})",
            [tuple(row.values()) for row, place in zip(rows, places, strict=True) if place.new],
        )
        return places

    def _placements(self, shape: Shape, rows: Sequence[Mapping[str, Any]]) -> list[Placement]:
        """Where records are here, or will be."""
        here = self._numbers_by_key(shape, rows)
        wishes = [row.get(shape.number) or 0 for row in rows]
        taken: set[int] = set()
        upcoming = 1
        if shape.number:
            taken = self._numbers_in_use(TABLES[shape.name], wishes)
            last = self._c.value(f"select max(id) from {TABLES[shape.name]}") or 0
            upcoming = 1 + max((last, *taken, *wishes), default=0)
        copies: dict[tuple[Any, ...], int] = {}
        places = []
        for row, wish in zip(rows, wishes, strict=True):
            key = tuple(row[name] for name in shape.key)
            if (wish, key) in copies:
                place = Placement(copies[wish, key], new=False)
            elif here.get(key):
                place = Placement(here[key].pop(0), new=False)
            elif not shape.number:
                place = Placement(0, new=True)
            elif wish < 1 or wish in taken:
                place = Placement(upcoming, new=True)
                upcoming += 1
            else:
                place = Placement(wish, new=True)
            taken.add(place.number)
            copies[wish, key] = place.number
            places.append(place)
        return places

    def _numbers_in_use(self, table: str, numbers: Sequence[int]) -> set[int]:
        """Those of the numbers that rows of a table have."""
        taken = self._unseen(table, numbers)
        for part in batches(numbers):
            rows = self._c.rows(f"select id from {table} where id in ({marks(part)})", part)
            taken.update(row[0] for row in rows)
        return taken

    def _unseen(self, table: str, numbers: Sequence[int]) -> set[int]:
        """Those of the numbers that rows have which only others see."""
        return set()

    def _numbers_by_key(
        self, shape: Shape, rows: Sequence[Mapping[str, Any]]
    ) -> dict[tuple[Any, ...], list[int]]:
        """The keys of records that are here, and the numbers (or 0) of those that have them.

        The same may happen twice within a millisecond. Of what is about a memory, only records of
        those memories are read that the rows are about.
        """
        columns = ", ".join((shape.number or "0", *shape.key))
        asked = f"select {columns} from {TABLES[shape.name]}"
        numbers: dict[tuple[Any, ...], list[int]] = {}
        if "memory" not in shape.key:
            pairs = list(self._c.iterate(f"{asked} order by 1"))
        else:
            pairs = []
            for part in batches(sorted({row["memory"] for row in rows})):
                about = f"{asked} where memory in ({marks(part)}) order by 1"
                pairs += self._c.rows(about, part)
        for row in pairs:
            numbers.setdefault(row[1:], []).append(row[0])
        return numbers


def _stored(column: Column, value: Any) -> Any:
    """A value as its column keeps it."""
    if value is None or column.holds not in _ENCODED:
        return value
    from json import dumps

    return dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
