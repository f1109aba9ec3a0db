"""The store on a PostgreSQL server, shared by the teams that its tables keep apart."""

from __future__ import annotations

from recairn.core.lazy import assemble
from recairn.store.postgres.address import Address
from recairn.store.postgres.basics import BasicStatements
from recairn.store.postgres.opening import opened
from recairn.store.postgres.parts import PARTS
from recairn.store.postgres.recall import RecallRows
from recairn.store.statements.base import SurroundingStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.report import Report
    from recairn.store.postgres.chunks import ChunkRows
    from recairn.store.postgres.connection import Connection
    from recairn.store.postgres.edges import EdgeWalks
    from recairn.store.postgres.exchange import ExchangeRows
    from recairn.store.postgres.memories import MemoryRows
    from recairn.store.postgres.sharing import SharedRows
    from recairn.store.statements.base import Bookkeeping, Transaction
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
    from recairn.store.statements.stats import StatStatements
    from recairn.store.statements.tasks import TaskStatements
    from recairn.store.statements.traces import TraceStatements

    class _Parts(
        ExchangeRows,
        SharedRows,
        MemoryRows,
        EdgeWalks,
        EdgeStatements,
        QueryStatements,
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


# Tables of which one gets a row whenever anything is written.
_GROWING = (
    "history",
    "task_events",
    "turns",
    "query_log",
    "feedback",
    "project_changes",
    "documents",
)


class PostgresStore(_Parts, BasicStatements, RecallRows, SurroundingStatements):
    """Keeps every promise of the contract in the tables of one team."""

    absent = False
    # Who of the team made a change, as a part of the statement that reads the history.
    _BY_MEMBER = "coalesce((select w.name from members w where w.id = history.member), '')"

    def __init__(self, address: str, *, read_only: bool = False, patience_s: float = 30.0) -> None:
        where = Address(address)
        connection = opened(where, read_only=read_only, patience_s=patience_s)
        self._c, self._basics = connection.connection, connection.basics
        self.address = where.shown
        self.member, self.role = where.member, connection.role
        self.read_only = self._c.read_only
        self.author = ""
        self.wrote = False
        self._replica = self._incarnation = ""
        self._upcoming = self._known_entities = None
        self._prefix: str | None = None
        self.damaged: set[int] = set()

    def _here(self, path: str) -> str:
        """A place of this machine: others of the team may have the same path on theirs."""
        if not path.startswith("session: ") and not path.startswith(self._machine()):
            return f"{self._machine()}{path}"
        return path

    def _path(self, place: str) -> str:
        return place.removeprefix(self._machine())

    def _machine(self) -> str:
        if self._prefix is None:
            from recairn.host.machine import machine

            self._prefix = f"{machine()}:"
        return self._prefix

    @property
    def connection(self) -> Connection:
        """The connection, for what looks after the store."""
        return self._c

    def transaction(self) -> Transaction:
        self.wrote = self.wrote or not self._c.relaxed
        return self._c.transaction()

    def bookkeeping(self, patience_s: float) -> Bookkeeping:
        """Inside, writes wait only so long for others, and may be lost with the power."""
        return self._c.bookkeeping(patience_s)

    def verify(self) -> Report:
        from recairn.store.postgres.verify import verify

        return verify(self._c)

    def rebuild_indexes(self) -> None:
        from recairn.store.postgres.verify import rebuild_indexes

        rebuild_indexes(self._c)
        with self._c.transaction():
            self.remake_keys()

    def _size(self) -> int:
        """The bytes of the team's own rows in the largest tables, without their indexes."""
        counted = " + ".join(
            f"(select coalesce(sum(pg_column_size({table}.*)), 0) from {table})"
            for table in ("memories", "history", "vectors", "postings")
        )
        return int(self._c.value(f"select {counted}"))

    def revision(self) -> str:
        """The last entries of all that grows when something is written."""
        last = ", '.', ".join(f"(select max(id) from {table})" for table in _GROWING)
        used = "(select max(last_seen_at) from sessions)"
        return str(self._c.value(f"select concat({last}, '.', {used})"))

    def server(self) -> str:
        """The version of the server."""
        number = self._c.server_version()
        return f"{number // 10_000}.{number % 10_000}"

    def schema(self) -> int:
        """The version of the tables."""
        return int(self._c.value("select max(version) from migrations"))

    def scrub(self) -> str:
        """What was erased stays in the server's log and backups until these are gone."""
        return "the server's own log and its backups keep it until they are gone"

    def close(self) -> None:
        self._c.close()


assemble(PostgresStore, PARTS)
