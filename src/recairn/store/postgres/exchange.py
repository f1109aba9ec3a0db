"""What a server does its own way when whole records travel: a snapshot, and JSON in a statement."""

from __future__ import annotations

from recairn.core.members import PRIVATE
from recairn.host.project import FOLDER
from recairn.store.postgres.memories import MemoryRows
from recairn.store.statements.exchange import ExchangeStatements
from recairn.store.tables import Placement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.store.postgres.connection import Connection
    from recairn.store.tables import Changes, Position


class Snapshot:
    """A reading transaction of its own; inside another one it is that one."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection
        self._own = not connection.in_transaction or connection.snapshots > 0

    def __enter__(self) -> None:
        if self._own:
            if not self._c.snapshots:
                self._c.begin_reading()
            self._c.snapshots += 1

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._c.snapshots -= 1
            if not self._c.snapshots:
                self._c.end_reading()


class ExchangeRows(MemoryRows, ExchangeStatements):
    """The part of the store that hands rows to other databases and takes theirs."""

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def set_private(self, memory: int, private: bool) -> None: ...

        def forget_basics(self) -> None: ...

    def changed_after(self, seen: Position) -> Changes:
        """The memories something happened to after the event seen, and the last event."""
        changes = ExchangeStatements.changed_after(self, seen)
        self._c.flush()
        return changes

    def _unseen(self, table: str, numbers: Sequence[int]) -> set[int]:
        """Those of the numbers that rows have, whoever sees them."""
        rows = self._c.rows("select taken(?, ?::bigint[])", (table, list(numbers)))
        return {row[0] for row in rows}

    def records(self, noun: str) -> Iterator[Mapping[str, Any]]:
        """All records of a noun by column, in a stable order; of what is private, one's own."""
        if noun == "mark":
            for mark in ExchangeStatements.records(self, noun):
                is_folder = mark["kind"] == FOLDER
                yield {**mark, "value": self._path(mark["value"])} if is_folder else mark
            return
        if noun != PRIVATE:
            yield from ExchangeStatements.records(self, noun)
            return
        for (memory,) in self._c.rows("select id from memories where owner <> 0 order by id"):
            yield {"memory": memory}

    def records_about(self, noun: str, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        """The records of a noun that are about one of these memories, in the same order."""
        if noun != PRIVATE:
            yield from ExchangeStatements.records_about(self, noun, ids)
            return
        wanted = set(ids)
        yield from (record for record in self.records(noun) if record["memory"] in wanted)

    def add_records(self, noun: str, records: Sequence[Mapping[str, Any]]) -> list[Placement]:
        """Inserts the records whose keys are not here yet; where each of them is now."""
        if noun == "mark":
            # Folders of whoever brings them.
            records = [
                {**mark, "value": self._here(mark["value"])} if mark["kind"] == FOLDER else mark
                for mark in records
            ]
        if noun != PRIVATE:
            placed = ExchangeStatements.add_records(self, noun, records)
            if noun == "setting":
                self.forget_basics()
            return placed
        ids = {row[0] for row in self._c.rows("select id from memories where owner <> 0")}
        for record in records:
            self.set_private(record["memory"], private=True)
        return [Placement(0, new=record["memory"] not in ids) for record in records]

    def snapshot(self) -> Snapshot:
        """Inside, everything is read as it was at the first look, whoever writes meanwhile."""
        return Snapshot(self._c)

    def uids(self) -> dict[int, str]:
        """The uid of every memory there is, and of those erased that the history remembers."""
        rows = self._c.rows(
            "select memory, before::json ->> 'uid' from history where event = 'erased'"
            " and before::json ->> 'uid' is not null union all select id, uid from memories"
        )
        return {row[0]: row[1] for row in rows}
