"""One connection to a PostgreSQL server: few messages, no state of the session, patient.

A message is all statements that can go at once. Whoever and whatever is asked stands in the same
message (`set_config(…, true)`), so that a pool that lends connections by transaction may stand
between: no `SET`, no temporary tables, prepared statements only where there is no pool.

Writers of a team take turns, as they do with a file: the first message of a writing transaction
locks the team's row. What was read after that stays true until the commit, numbers follow the
order of commits, and no two clients can deadlock.

A turn does not last until its change is flushed: it is committed without, and a message of no
meaning, committed after it in the same round trip, is flushed with all that stands before it in
the server's log. So one flush is for all who wait, and who is told of a change has it for good.
"""

from __future__ import annotations

import os

from recairn.core.errors import Refused, StoreError, StoreReadOnly
from recairn.store.postgres.driver import connected, extensions, psycopg2
from recairn.store.postgres.kept_plans import ALONE, GENERIC, Asked, KeptPlans
from recairn.store.postgres.spelling import spelled, values_of
from recairn.store.statements.base import Bookkeeping, Transaction, half_done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

    from recairn.store.postgres.address import Address

# Statements that wait to be sent together, in bytes: more is sent at once.
_FULL = 1 << 20
# How often a message that cannot have changed anything is sent again.
_ATTEMPTS = 4
# Keys of what each member keeps apart: where they work, how far they read, what they imported.
_KEYS_OF_MEMBERS = ("place", "reader, stream", "source, origin, key")
_IDLE = extensions.TRANSACTION_STATUS_IDLE
_FLUSH = b"select pg_logical_emit_message(true, 'recairn', '')"


class Connection:
    """Runs statements, owns the transaction, and turns the server's errors into ours."""

    def __init__(
        self, address: Address, *, read_only: bool = False, patience_s: float = 30.0
    ) -> None:
        self.address = address
        self.place = address.shown
        self.read_only = read_only
        self.reads_only = False
        self.relaxed = False
        self.closed = False
        self.snapshots = 0
        # Round trips so far.
        self.messages = 0
        # Transactions that were not kept, and all that were begun.
        self.undone = 0
        self.turn = 0
        self._patience_s = self._usual_patience_s = patience_s
        self._process = os.getpid()
        self._depth = 0
        self._begun = self._doomed = self._read = False
        self._pending: list[bytes] = []
        self._waiting = 0
        self._db = connected(address.conninfo, self.place)
        self._cursor = self._db.cursor()
        self.plans = KeptPlans()
        # Whether this role may flush the server's log by a message of its own.
        self.flushes = False
        self.team = self.member = 0

    def backend(self) -> int:
        """The number of the server's process that answers, as whoever is connected to it says."""
        return int(self._db.info.backend_pid)

    def server_version(self) -> int:
        """The server's version as one number: 150004 is 15.4."""
        return int(self._db.server_version)

    def first(self, message: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """The answer to the first message, which asks for no team yet; with the driver's errors."""
        self.messages += 1
        self._cursor.execute(message, values)
        answer: tuple[Any, ...] = self._cursor.fetchone()
        return answer

    def join(self, team: int, member: int, *, reads_only: bool = False) -> None:
        """From now on everything is asked for this team, and for this member of it, if any."""
        self.team, self.member = team, member
        self.reads_only = reads_only
        self.read_only = self.read_only or reads_only
        schema = '"' + self.address.schema.replace('"', '""') + '"'
        where = f"set_config('search_path', {self._literal(schema)}, true)"
        self._who = f"{where}, set_config('recairn.team', '{team}', true), {ALONE}"
        if self.plans.allowed:
            self._who += f", {GENERIC}"
        if member:
            self._who += f", set_config('recairn.member', '{member}', true)"
        self._turn = f"select from teams where team = {team} for update"
        self._only = ", set_config('transaction_read_only', 'on', true)" if self.read_only else ""

    def _literal(self, text: str) -> str:
        quoted: bytes = self._cursor.mogrify("%s", (text,))
        return quoted.decode()

    # Running statements

    def rows(
        self, sql: str, values: Sequence[Any] = (), *, kept: bool = False
    ) -> list[tuple[Any, ...]]:
        """The answer; the plan of a `kept` one is used again, see KeptPlans."""
        with translated(self):
            self._ask(self._statement(sql, values, kept=kept))
            rows: list[tuple[Any, ...]] = self._cursor.fetchall()
            return rows

    def iterate(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        yield from self.rows(sql, values)

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        return next(iter(self.rows(sql, values)), None)

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Runs a writing statement; the number of rows it changed."""
        with translated(self), self.transaction():
            self._ask(self._statement(sql, values))
            return int(self._cursor.rowcount)

    def insert(self, sql: str, values: Sequence[Any]) -> int:
        """Runs an insert into a table that numbers its rows; the number of the new row."""
        with translated(self), self.transaction():
            self._ask(self._statement(f"{sql} returning id", values))
            return int(self._cursor.fetchone()[0])

    def post(self, sql: str, values: Sequence[Any] = (), *, kept: bool = False) -> None:
        """Runs a writing statement of which nobody asks what became of it: with the next message.

        An error shows then, at the latest when the transaction ends.
        """
        with translated(self), self.transaction():
            self._check_alive()
            self._wait(self._statement(sql, values, kept=kept))

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]], *, kept: bool = False) -> None:
        """Runs a writing statement once for each row of values, with the next message."""
        with translated(self), self.transaction():
            self._check_alive()
            for values in rows:
                self._wait(self._statement(sql, values, kept=kept))

    def insert_rows(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Runs `insert into … values` with many rows in one statement, with the next message."""
        if not rows:
            return
        if len(rows) == 1:
            marks = ", ".join(["?"] * len(rows[0]))
            self.post(sql.replace("values ?", f"values ({marks})"), rows[0], kept=True)
            return
        marks = "(" + ", ".join(["%s"] * len(rows[0])) + ")"
        head, _, tail = sql.partition("values ?")
        with translated(self), self.transaction():
            self._check_alive()
            listed = b", ".join([self._cursor.mogrify(marks, values_of(row)) for row in rows])
            self._wait(b"".join([head.encode(), b"values ", listed, tail.encode()]))

    def unique(self, columns: str) -> str:
        """The columns of a unique key as `on conflict` names them: of a team, or of a member."""
        return f"(team, owner, {columns})" if columns in _KEYS_OF_MEMBERS else f"(team, {columns})"

    def defer_references(self) -> None:
        """Until the transaction ends, a row may name another one that comes later."""
        self.post("set constraints all deferred")

    # Messages

    def _statement(self, sql: str, values: Sequence[Any], *, kept: bool = False) -> bytes:
        if kept:
            asked = self.plans.statement(self._cursor, sql, values_of(values))
            if asked is not None:
                return asked
        if not values:
            return spelled(sql, bound=False).encode()
        statement: bytes = self._cursor.mogrify(spelled(sql, bound=True), values_of(values))
        return statement

    def _wait(self, statement: bytes) -> None:
        """Keeps a statement for the next message, unless that is long enough."""
        self._pending.append(statement)
        self._waiting += len(statement)
        if self._waiting > _FULL:
            self._send(self._begin())

    def _ask(self, statement: bytes) -> None:
        """Sends what waits and this statement, whose answer the cursor then has."""
        self._check_alive()
        if not self._depth:
            self._exchange([f"select {self._who}{self._only}".encode(), statement], safe=True)
            return
        self._send([*self._begin(), *self._take(), statement])

    def _begin(self) -> list[bytes]:
        """What the first message of a transaction begins with."""
        if self._begun:
            return []
        if self._read:
            return [
                b"begin isolation level repeatable read read only",
                f"select {self._who}".encode(),
            ]
        wait = f", set_config('lock_timeout', '{max(1, int(1000 * self._patience_s))}', true)"
        later = self.relaxed or self.flushes
        lazy = ", set_config('synchronous_commit', 'off', true)" if later else ""
        return [b"begin", f"select {self._who}{wait}{lazy}".encode(), self._turn.encode()]

    def _take(self) -> list[bytes]:
        waiting, self._pending = self._pending, []
        self._waiting = 0
        return waiting

    def _send(self, statements: list[bytes]) -> None:
        """A message inside a transaction; the first one may be sent again: it commits nothing."""
        if self._pending:
            statements = [*statements, *self._take()]
        first, self._begun = not self._begun, True
        self._exchange(statements, safe=first)

    def _exchange(self, statements: Sequence[bytes], *, safe: bool) -> None:
        """One round trip; a safe one is repeated where connection or transaction was lost."""
        self._check_process()
        message = b";".join(statements)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self.messages += 1
                self._cursor.execute(message)
                return
            except psycopg2.Error as error:
                self.plans.forget()
                if not safe or attempt == _ATTEMPTS or not self._recovered(error, attempt):
                    raise
                message = b";".join([self._plain(statement) for statement in statements])

    def _plain(self, statement: bytes) -> bytes:
        if isinstance(statement, Asked):
            return self._statement(statement.sql, statement.values)
        return statement

    def _recovered(self, error: psycopg2.Error, attempt: int) -> bool:
        """Whether the message may be sent again, over a new connection if that one is gone."""
        from recairn.store.postgres.trouble import is_undone

        if self._db.closed:
            if self.closed:
                return False
            self._reconnect(attempt)
            return True
        if is_undone(error):
            self._roll_back()
            return True
        return False

    def _reconnect(self, attempt: int) -> None:
        import time

        # A server that restarts is back within seconds.
        pauses = [0.0, 0.2, 0.5, 1.0, 2.0][attempt - 1 :]
        while True:
            time.sleep(pauses.pop(0))
            try:
                self._db = connected(self.address.conninfo, self.place)
                self._cursor = self._db.cursor()
                return
            except StoreError:
                if not pauses:
                    raise

    # Transactions

    def transaction(self) -> Transaction:
        return Transaction(self)

    def begin(self) -> None:
        if self.snapshots:
            raise Refused("an export is still being read", "read it to its end, or close() it")
        if self._depth == 0:
            if self.read_only:
                raise self._unwritable()
            self._check_process()
            self._begun = self._doomed = self._read = False
            self._take()
            self.turn += 1
        self._depth += 1

    def _unwritable(self) -> StoreReadOnly:
        if self.reads_only:
            return StoreReadOnly(
                f"{self.place}: your role in the team is reader",
                "an admin of the team may change it: recairn member add NAME --role writer",
            )
        return StoreReadOnly(f"{self.place} was opened read-only", "open it for writing")

    def finish(self, *, commit: bool) -> None:
        """Ends one level; the outermost commits, or undoes everything if any level failed."""
        self._depth -= 1
        if not commit:
            self._doomed = True
        if self._depth > 0:
            return
        with translated(self):
            if not self._doomed:
                self._commit()
                return
            self._roll_back()
        if commit:
            raise half_done(self.place)

    def _commit(self) -> None:
        if not (self._begun or self._pending):
            return
        statements = [*self._begin(), *self._take(), b"commit"]
        if self.flushes and not self.relaxed:
            statements.append(_FLUSH)
        try:
            self._exchange(statements, safe=False)
        except psycopg2.Error as error:
            lost = bool(self._db.closed) or self._may_be_kept(error)
            self._roll_back()
            if lost:
                from recairn.store.postgres.trouble import outcome_unknown

                raise outcome_unknown(self.place) from error
            raise

    def _may_be_kept(self, error: psycopg2.Error) -> bool:
        """Whether it was the flush after the commit that failed: then no transaction is left."""
        undone = isinstance(error, (psycopg2.IntegrityError, extensions.TransactionRollbackError))
        return self._db.info.transaction_status == _IDLE and not undone

    def _roll_back(self) -> None:
        """Undoes the transaction; a lost connection has undone it."""
        self.undone += 1
        if self._take():
            self.plans.forget()
        if self._db.closed:
            if not self.closed:
                self._reconnect(1)
            return
        if self._db.info.transaction_status != _IDLE:
            self.messages += 1
            self._cursor.execute("rollback")

    def begin_reading(self) -> None:
        """From now on everything is read as it was at the first look."""
        self._begun = self._doomed = False
        self._read = True
        self._take()
        self._depth = 1

    def end_reading(self) -> None:
        self._depth = 0
        self._read = False
        if not self.closed:
            with translated(self):
                self._roll_back()
            self.flush()

    def flush(self) -> None:
        """Returns when all that could be read so far is there for good.

        A change may be read before it is flushed. Whoever notes elsewhere how far they have read
        must not be ahead of a server that comes back after a loss of power.
        """
        if self.flushes and not self._depth:
            with translated(self):
                self._exchange([_FLUSH], safe=True)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.place} was opened before this process was forked",
                "open it again in this process; nothing was written",
            )

    def _check_alive(self) -> None:
        # Once a part of a transaction failed, nothing after it may be written on its own.
        if self.closed:
            raise StoreError(f"{self.place}: this memory was closed", "recairn.open() opens one")
        if self._depth and self._doomed:
            raise half_done(self.place)

    def doom(self) -> None:
        """What failed on the server takes the whole transaction with it."""
        if self._depth:
            self._doomed = True

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    def bookkeeping(self, patience_s: float) -> Bookkeeping:
        return Bookkeeping(self, patience_s)

    def relax(self, patience_s: float) -> None:
        """Counters need no flush to disk of their own."""
        self.relaxed, self._patience_s = True, patience_s

    def insist(self) -> None:
        self.relaxed, self._patience_s = False, self._usual_patience_s

    def close(self) -> None:
        self.closed = True
        self._db.close()


class translated:
    """Turns the server's errors into ours, with the way out."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        from recairn.store.postgres.trouble import our_error

        if isinstance(error, psycopg2.Error):
            self._connection.doom()
        ours = our_error(self._connection.place, error)
        if ours is not None:
            raise ours from error
