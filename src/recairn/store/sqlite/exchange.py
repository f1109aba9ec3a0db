"""Whole records out of and into the tables: what export, import and mirror are made of."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.model import Edge
from recairn.store.sqlite.memories import MemoryRows
from recairn.store.statements.memory_columns import AUTHORED, COUNTERS, authored_values, row_hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.store.sqlite.connection import Connection
    from recairn.store.tables import Shape

_INSERTED = ("id", *AUTHORED, *COUNTERS, "row_hash")
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ({', '.join('?' * len(_INSERTED))})"
# SQLite takes 32,766 bound values; stay well below.
_BATCH = 500


class Snapshot:
    """A reading transaction; inside another one it is that one.

    Whoever reads records one by one may leave off, and close the database before this ends.
    """

    def __init__(self, connection: Connection) -> None:
        self._c = connection
        self._own = not connection.in_transaction

    def __enter__(self) -> None:
        if self._own:
            if not self._c.snapshots:
                self._c.rows("begin")
            self._c.snapshots += 1

    def __exit__(self, *_: object) -> None:
        if self._own and not self._c.closed:
            self._c.snapshots -= 1
            if not self._c.snapshots:
                self._c.rows("rollback")


class ExchangeRows(MemoryRows):
    """The part of the store that hands rows to other databases and takes theirs."""

    def snapshot(self) -> Snapshot:
        """Inside, everything is read as it was at the first look, whoever writes meanwhile."""
        return Snapshot(self._c)

    def uids(self) -> dict[int, str]:
        """The uid of every memory there is, and of those erased that the history remembers."""
        rows = self._c.rows(
            "select memory, before ->> 'uid' from history where event = 'erased'"
            " and before ->> 'uid' is not null union all select id, uid from memories"
        )
        return {row[0]: row[1] for row in rows}

    def all_numbers(self) -> list[int]:
        """The numbers of all memories, forgotten ones too, in their order."""
        return [row[0] for row in self._c.rows("select id from memories order by id")]

    def changed_after(self, seen: tuple[int, int]) -> tuple[tuple[int, int], list[int]]:
        """The last event (number, time), and the memories something happened to after the one seen.

        All memories, where that one is not an event of this database.
        """
        last = self._c.row("select id, at from history order by id desc limit 1") or (0, 0)
        known = self._c.value("select 1 from history where id = ? and at = ?", seen)
        rows = self._c.rows(
            "select distinct memory from history where id > ? order by memory",
            (seen[0] if known else 0,),
        )
        return (last[0], last[1]), [row[0] for row in rows]

    def edges_touching(self, ids: Sequence[int]) -> list[Edge]:
        """All edges, past ones too, that begin or end at one of these memories."""
        found: dict[tuple[Any, ...], Edge] = {}
        for start in range(0, len(ids), _BATCH):
            wanted = apsw.carray(array("q", ids[start : start + _BATCH]))
            for end in ("source", "target"):
                for row in self._c.rows(
                    f"select * from edges where {end} in (select value from carray(?))", (wanted,)
                ):
                    found[row[:3]] = Edge(*row)
        return list(found.values())

    def edges_created_by(self, maker: str) -> list[Edge]:
        """The edges in force, between living memories, that this maker made."""
        rows = self._c.rows(
            "select e.* from edges e join memories s on s.id = e.source"
            " join memories t on t.id = e.target where e.created_by = ? and e.valid_until is null"
            " and s.deleted_at is null and t.deleted_at is null"
            " and s.superseded_by is null and t.superseded_by is null order by 1, 2",
            (maker,),
        )
        return [Edge(*row) for row in rows]

    def free_numbers(self, wanted: Sequence[int | None]) -> list[int]:
        """A number for each new memory: the one wanted, unless it is or was another memory's."""
        taken = self._taken([number for number in wanted if number is not None])
        upcoming = max(self._next_id(), 1 + max((number or 0 for number in wanted), default=0))
        given = []
        for number in wanted:
            if number is None or number in taken:
                number, upcoming = upcoming, upcoming + 1
            taken.add(number)
            given.append(number)
        return given

    def _taken(self, numbers: Sequence[int]) -> set[int]:
        taken: set[int] = set()
        for start in range(0, len(numbers), _BATCH):
            part = numbers[start : start + _BATCH]
            marks = ", ".join("?" * len(part))
            rows = self._c.rows(
                f"select id from memories where id in ({marks}) union"
                f" select memory from history where memory in ({marks})",
                (*part, *part),
            )
            taken.update(row[0] for row in rows)
        return taken

    def put_whole(self, memories: Sequence[tuple[int, Mapping[str, Any], Sequence[int]]]) -> None:
        """Inserts rows with all their columns, under their numbers, with their look-alike keys.

        Their history is the caller's. A successor may come later in the same transaction.
        """
        self._c.run("pragma defer_foreign_keys = on")
        authored = [authored_values(row) for _, row, _ in memories]
        rows = [
            (number, *values, *[row[name] for name in COUNTERS], hashed)
            for (number, row, _), values, hashed in zip(
                memories, authored, row_hashes(authored), strict=True
            )
        ]
        self._insert_rows(_INSERT, rows)
        self._insert_keys(
            [value for number, _, keys in memories for key in keys for value in (key, number)]
        )

    def records(self, shape: Shape) -> Iterator[tuple[Any, ...]]:
        """All rows of a shape's table, in a stable order."""
        columns = ", ".join(each.name for each in shape.columns)
        order = shape.number or ", ".join(shape.key)
        return self._c.iterate(f"select {columns} from {shape.table} order by {order}")

    def known_records(self, shape: Shape) -> dict[tuple[Any, ...], list[int]]:
        """The key of every record that is there, and the numbers of those that have it.

        A record without a number counts as 0. The same may happen twice within a millisecond.
        """
        columns = ", ".join((shape.number or "0", *shape.key))
        found: dict[tuple[Any, ...], list[int]] = {}
        for row in self._c.iterate(f"select {columns} from {shape.table} order by 1"):
            found.setdefault(row[1:], []).append(row[0])
        return found

    def put_records(self, shape: Shape, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts rows as they are."""
        columns = ", ".join(each.name for each in shape.columns)
        marks = ", ".join("?" * len(shape.columns))
        self._c.run("pragma defer_foreign_keys = on")
        self._c.run_many(f"insert into {shape.table}({columns}) values ({marks})", rows)
