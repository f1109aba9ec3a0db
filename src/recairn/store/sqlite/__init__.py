"""The store in one SQLite file."""

from __future__ import annotations

from recairn.core.lazy import assemble
from recairn.store.sqlite.connection import Connection
from recairn.store.sqlite.match import TextMatching
from recairn.store.sqlite.memories import MemoryRows
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

# What is loaded when it is first called, each part with its methods.
_LATER = {
    "recairn.store.sqlite.documents:DocumentRows": (
        "documents put_document change_document chunks_of chunk_counts"
    ),
    "recairn.store.sqlite.edges:EdgeRows": (
        "edges_between put_edges linked passing visible_edges visible_ids labels"
        " entities texts_with mentions alike_groups"
    ),
    "recairn.store.sqlite.exchange:ExchangeRows": (
        "snapshot uids all_numbers changed_after edges_touching edges_created_by"
        " free_numbers _taken put_whole records known_records put_records"
    ),
    "recairn.store.sqlite.feedback:FeedbackRows": (
        "add_feedback feedback add_compaction compactions note_exported question_for"
    ),
    "recairn.store.sqlite.imports:ImportRows": ("imported put_imported drop_imported brought_by"),
    "recairn.store.sqlite.injections:InjectionRows": (
        "put_injection injections note_outcome note_used ledger handed_out"
    ),
    "recairn.store.sqlite.queries:QueryRows": (
        "query_stats queries_before drop_queries add_failure failures count_failures"
    ),
    "recairn.store.sqlite.tasks:TaskRows": (
        "put_task change_task tasks find_tasks add_dependency remove_dependency"
        " dependents task_events _note current_task set_current_task leave_task"
    ),
}


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


assemble(SqliteStore, _LATER)
