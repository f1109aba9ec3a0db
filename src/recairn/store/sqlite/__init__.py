"""The store in one SQLite file."""

from __future__ import annotations

from recairn.core.lazy import assemble
from recairn.store.sqlite.connection import Connection
from recairn.store.sqlite.match import TextMatching
from recairn.store.sqlite.memories import MemoryRows
from recairn.store.sqlite.parts import PARTS
from recairn.store.sqlite.vectors import VectorTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Report
    from recairn.store.sqlite.connection import Bookkeeping, Transaction
    from recairn.store.sqlite.documents import DocumentRows
    from recairn.store.sqlite.edges import EdgeRows
    from recairn.store.sqlite.exchange import ExchangeRows
    from recairn.store.sqlite.feedback import FeedbackRows
    from recairn.store.sqlite.imports import ImportRows
    from recairn.store.sqlite.injections import InjectionRows
    from recairn.store.sqlite.queries import QueryRows
    from recairn.store.sqlite.tasks import TaskRows

    class _Parts(
        ExchangeRows,
        EdgeRows,
        QueryRows,
        TaskRows,
        InjectionRows,
        FeedbackRows,
        ImportRows,
        DocumentRows,
    ):
        """What is kept beside memories and vectors, for type checkers."""

else:
    _Parts = MemoryRows


class SqliteStore(_Parts, TextMatching, VectorTable):
    """Keeps every promise of `store.base` in one file, one transaction per change."""

    def __init__(self, path: str, *, read_only: bool = False, patience_s: float = 30.0) -> None:
        self._c = Connection(path, read_only=read_only, patience_s=patience_s)
        self.path = path
        self.read_only = read_only
        self.wrote = False

    def transaction(self) -> Transaction:
        self.wrote = self.wrote or not self._c.relaxed
        return self._c.transaction()

    def bookkeeping(self, patience_s: float) -> Bookkeeping:
        """Inside, writes wait only so long for others, and may be lost with the power."""
        return self._c.bookkeeping(patience_s)

    def verify(self) -> Report:
        from recairn.store.sqlite.verify import verify

        return verify(self._c)

    def rebuild_indexes(self) -> None:
        from recairn.store.sqlite.verify import rebuild_indexes

        rebuild_indexes(self._c)

    def backup_to(self, path: str) -> None:
        self._c.backup_to(path)

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the database file and empties it."""
        self._c.rows("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        self._c.close()


assemble(SqliteStore, PARTS)
