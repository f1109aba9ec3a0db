"""The store in one SQLite file."""

from __future__ import annotations

from recairn.core.lazy import assemble
from recairn.store.rows import ModelRow
from recairn.store.sqlite.connection import Connection
from recairn.store.sqlite.parts import PARTS
from recairn.store.statements.base import Bookkeeping, SurroundingStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.report import Report
    from recairn.store.sqlite.chunks import ChunkRows
    from recairn.store.sqlite.edges import EdgeWalks
    from recairn.store.sqlite.exchange import ExchangeRows
    from recairn.store.sqlite.match import TextMatching
    from recairn.store.sqlite.memories import MemoryRows
    from recairn.store.sqlite.naming import NamingRows
    from recairn.store.sqlite.recall import RecallRows, Sketches
    from recairn.store.sqlite.sharing import SharedRows
    from recairn.store.sqlite.text_index import Figures
    from recairn.store.sqlite.vector_writes import VectorWrites
    from recairn.store.statements.documents import DocumentStatements
    from recairn.store.statements.edges import EdgeStatements
    from recairn.store.statements.evidence import EvidenceStatements
    from recairn.store.statements.imports import ImportStatements
    from recairn.store.statements.ledger import LedgerStatements
    from recairn.store.statements.listings import ListingStatements
    from recairn.store.statements.projects import ProjectStatements
    from recairn.store.statements.queries import QueryStatements
    from recairn.store.statements.queues import QueueStatements
    from recairn.store.statements.replicas import ReplicaStatements
    from recairn.store.statements.sessions import SessionStatements
    from recairn.store.statements.settings import SettingStatements
    from recairn.store.statements.stats import StatStatements
    from recairn.store.statements.tasks import TaskStatements
    from recairn.store.statements.traces import TraceStatements

    class _Parts(
        RecallRows,
        TextMatching,
        VectorWrites,
        ExchangeRows,
        SharedRows,
        MemoryRows,
        EdgeWalks,
        NamingRows,
        EdgeStatements,
        QueryStatements,
        SettingStatements,
        SessionStatements,
        TaskStatements,
        LedgerStatements,
        ListingStatements,
        EvidenceStatements,
        TraceStatements,
        ImportStatements,
        ChunkRows,
        DocumentStatements,
        StatStatements,
        ProjectStatements,
        ReplicaStatements,
        QueueStatements,
    ):
        """What is kept beside memories and vectors, for type checkers."""

else:

    class _Parts:
        pass


# Seconds to wait for readers before the log is left as it is: they may be at it for hours.
_LOG_PATIENCE_S = 2.0


class SqliteStore(_Parts, SurroundingStatements):
    """Keeps every promise of the contract in one file, one transaction per change."""

    absent = False
    # A file has one reader, who may do everything.
    member = role = ""
    _BY_MEMBER = "''"
    _ALL_KEYS = "known_keys"
    # Of both indexes, once counted or read; those parts are loaded by the first search.
    _figures: Figures | None = None
    _sketches: Sketches | None = None

    def __init__(self, path: str, *, read_only: bool = False, patience_s: float = 30.0) -> None:
        self._c = self._connected(path, read_only=read_only, patience_s=patience_s)
        self.path = self.address = path
        self.read_only = read_only
        self.author = ""
        self.wrote = False
        self._replica = self._incarnation = ""
        self.damaged: set[int] = set()

    def _connected(self, path: str, *, read_only: bool, patience_s: float) -> Connection:
        return Connection(path, read_only=read_only, patience_s=patience_s)

    def transaction(self) -> Connection:
        self.wrote = self.wrote or not self._c.relaxed
        return self._c

    def bookkeeping(self, patience_s: float) -> Bookkeeping:
        """Inside, writes wait only so long for others, and may be lost with the power."""
        return Bookkeeping(self._c, patience_s)

    def models(self) -> list[ModelRow]:
        """Every model that has or had vectors here."""
        return self._models("true")

    def active_model(self) -> ModelRow | None:
        """The model that answers searches."""
        return next(iter(self._models("state = 'active'")), None)

    def _models(self, where: str, values: Sequence[Any] = ()) -> list[ModelRow]:
        columns = ", ".join(ModelRow._fields)
        rows = self._c.rows(f"select {columns} from models where {where} order by id", values)
        return list(map(ModelRow._make, rows))

    def verify(self) -> Report:
        from recairn.store.sqlite.verify import verify

        return verify(self._c)

    def rebuild_indexes(self) -> None:
        from recairn.store.sqlite.verify import rebuild_indexes

        rebuild_indexes(self._c)

    def backup_to(self, path: str) -> None:
        self._c.backup_to(path)

    def _size(self) -> int:
        """The bytes of the database."""
        size = "select page_count * page_size from pragma_page_count, pragma_page_size"
        return int(self._c.value(size))

    def revision(self) -> str:
        """Others' commits by the engine's own count, and what this connection changed."""
        return f"{self._c.value('pragma data_version')}.{self._c.changed()}"

    def _whereabouts(self) -> str:
        """The machine and the file: a copy is another file, or lies on another machine."""
        import os

        status = os.stat(self.path)
        return f"{os.uname().nodename} {status.st_dev} {status.st_ino}"

    def scrub(self) -> str:
        """Moves the write-ahead log into the database file and empties it; else says why not."""
        with self.bookkeeping(_LOG_PATIENCE_S):
            ((is_kept, _, _),) = self._c.rows("pragma wal_checkpoint(truncate)")
        if not is_kept:
            return ""
        return (
            f"another program is reading {self.path}, whose log ({self.path}-wal) keeps it: end"
            " that program, then recairn doctor --repair"
        )

    def close(self) -> None:
        self._c.close()


assemble(SqliteStore, PARTS)
