"""What stands for a database that is not there: empty, and nothing is made on disk for it."""

from __future__ import annotations

import apsw

from recairn.core.errors import StoreAbsent
from recairn.store.sqlite import SqliteStore, schema
from recairn.store.sqlite.connection import APPLICATION_ID, Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class AbsentStore(SqliteStore):
    """Answers every question as a new database would; a write is refused."""

    absent = True

    def __init__(self, path: str) -> None:
        super().__init__(path, read_only=True)

    def _connected(self, path: str, *, read_only: bool, patience_s: float) -> Connection:
        return AbsentConnection(path, read_only=read_only, patience_s=patience_s)

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of nothing; the tables in memory take no room on disk."""
        return {**super().stats(now), "bytes": 0}


class AbsentConnection(Connection):
    """A connection to tables in memory alone."""

    def _connect(self) -> apsw.Connection:
        return apsw.Connection(":memory:")

    def _prepare(self) -> None:
        for version in range(1, schema.LATEST + 1):
            self._db.execute(schema.statements(version))
        self._db.execute(
            f"pragma user_version={schema.LATEST}; pragma application_id={APPLICATION_ID}"
        )

    def __enter__(self) -> None:
        raise StoreAbsent(f"there is no database at {self.path}", 'recairn add "…" makes one')
