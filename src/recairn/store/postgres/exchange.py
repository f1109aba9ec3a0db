"""What a server does its own way when whole records travel: a snapshot, and JSON in a statement."""

from __future__ import annotations

from recairn.store.postgres.memories import MemoryRows
from recairn.store.statements.exchange import ExchangeStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.postgres.connection import Connection


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
