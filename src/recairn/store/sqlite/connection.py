"""One SQLite connection as recairn wants it: engine checked, durable, patient, private.

Nothing here ever opens the database file by itself while a connection exists: closing such a file
descriptor would drop the locks SQLite holds on it (POSIX semantics).
"""

from __future__ import annotations

import os
from zlib import crc32

import apsw

from recairn.core.errors import (
    EngineTooOld,
    NotFound,
    Refused,
    SchemaTooNew,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)
from recairn.store.sqlite import schema
from recairn.store.sqlite.files import (
    STATEMENT_CACHE,
    Patience,
    check_writable,
    copy_to_file,
    create_private,
    file_identity,
    open_immutable,
    open_read_only,
    ready_to_write,
    run_in_copy,
    switch_to_wal,
)
from recairn.store.statements.base import half_done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

# Engines from 3.7.0 on can corrupt a file when two connections write and checkpoint at once;
# 3.51.3 is the first with the repair.
OLDEST_ENGINE = (3, 51, 3)
# Marks the file as ours ("rcrn"), so that another program's database is never migrated.
APPLICATION_ID = 0x7263726E
# Pages a long-lived process keeps, at most: with them, scoring vectors is twice as fast.
CACHE_KIB = 65_536
# And while it writes many rows: the keys of a million look-alikes lie in 100 MB, of which ten
# thousand new memories read and change nearly every page.
_BULK_CACHE_KIB = 196_608
# Pages after which the log is copied into the file; in bulk work a quarter of the file may wait.
_LOG_PAGES = 1000
_ADD = f"update checksums set value = (value + ?) & {schema.MODULUS - 1} where name = ?"
# Where a memory's counters lie, the hash that covers its other columns, and its stamps.
_COUNTERS, _HASH, _STAMPS = slice(21, 30), 42, 45
IDENTITY = (
    "select application_id, user_version, (select count(*) from sqlite_schema)"
    " from pragma_application_id, pragma_user_version"
)


def engine_version() -> tuple[int, ...]:
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))


def check_engine(version: tuple[int, ...]) -> None:
    """EngineTooOld for a SQLite that can lose or corrupt acknowledged writes."""
    if version < OLDEST_ENGINE:
        spelled = ".".join(map(str, version))
        raise EngineTooOld(
            f"SQLite {spelled} can corrupt a database that two processes write to",
            "pip install -U apsw (3.51.3 or newer)",
        )


class Connection:
    """Runs statements, is the transaction, and turns engine errors into ours."""

    def __init__(
        self,
        path: str,
        *,
        read_only: bool = False,
        immutable: bool = False,
        patience_s: float = 30.0,
    ) -> None:
        """`immutable` reads without locks or side files: only right while nobody writes."""
        check_engine(engine_version())
        self.path = path
        self.read_only = read_only or immutable
        self._immutable = immutable
        self._patience_s, self._patience = patience_s, Patience(patience_s)
        self._depth = 0
        self._doomed = False
        self._process = os.getpid()
        self.snapshots = 0
        self.closed = False
        self.relaxed = False
        self._tokenizer: Any = None
        self._collecting = self._widened = False
        # By table, what the changes of this transaction add to its sum.
        self.sums: dict[str, int] = {}
        with translated(path):
            self._db = self._connect()
            try:
                self._cursor = self._db.cursor()
                self._file = file_identity(path)
                self._prepare()
            except BaseException:
                # The exception's frames keep `self` alive: do not leave a lock behind in them.
                self._db.close(True)
                raise

    def _connect(self) -> apsw.Connection:
        if os.path.isdir(self.path):
            what = f"{self.path} is a folder, not a database"
            raise StoreError(what, "name a file with --db or RECAIRN_DB")
        if not self.read_only:
            ready_to_write(self.path)
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            return apsw.Connection(self.path, flags=flags, statementcachesize=STATEMENT_CACHE)
        if not os.path.exists(self.path):
            raise NotFound(f"there is no database at {self.path}", 'recairn add "…" makes one')
        if self._immutable:
            return open_immutable(self.path)
        return open_read_only(self.path, self._patience_s)

    def _prepare(self) -> None:
        self._db.set_busy_handler(self._patience)
        # Book-keeping alone is not worth the checkpoint at close: 10-20 ms of a search.
        self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._db.execute("pragma foreign_keys=on; pragma synchronous=full; pragma secure_delete=on")
        self._db.execute(f"pragma cache_size=-{CACHE_KIB}")
        # One statement, one snapshot: another process may be creating the schema right now.
        owner, version, objects = next(self._db.execute(IDENTITY))
        if owner != APPLICATION_ID and (owner or version or objects):
            raise StoreDamaged(
                f"{self.path} is a SQLite database, but not one of recairn's",
                "name another file with --db or RECAIRN_DB",
            )
        if version > schema.LATEST:
            raise SchemaTooNew(
                f"{self.path} has schema {version}, newer than this recairn knows"
                f" ({schema.LATEST})",
                "pip install -U recairn",
            )
        if version < schema.LATEST and self.read_only:
            raise StoreReadOnly(
                f"{self.path} needs a migration to schema {schema.LATEST}",
                "open it once without read-only",
            )
        if not self.read_only and self._db.pragma("journal_mode") != "wal":
            # A new file, or a backup that someone copied into place.
            switch_to_wal(self._db, self._patience)
        if version < schema.LATEST:
            with self.transaction():
                schema.migrate(self, self._db)
                self._db.execute(f"pragma application_id={APPLICATION_ID}")
        if not self.read_only:
            self._db.preupdate_hook(self._add_up)

    def _add_up(self, change: apsw.PreUpdate) -> None:
        """Called by the engine before it changes a row, whichever statement does so."""
        table = change.table_name
        if table not in schema.SUMMED:
            return
        total = self.sums.get(table, 0)
        try:
            old, new = change.old, change.new
        except UnicodeDecodeError:
            return  # a damaged row: `verify` speaks of it, and goes on to until it is repaired
        if new is not None:
            total += self.checksum(table, new)
        if old is not None:
            total -= self.checksum(table, old)
        self.sums[table] = total

    @staticmethod
    def checksum(table: str, row: tuple[Any, ...]) -> int:
        """What a row adds to the sum of its table; one flipped bit always makes it another number.

        `ascii` spells every value alike in all versions of Python.
        """
        if table == "memories":
            row = (row[0], row[_COUNTERS], row[_HASH], row[_STAMPS])
        return crc32(ascii(row).encode())

    def remake_sums(self) -> None:
        """Takes what is there now for what was written, inside a transaction."""
        from recairn.store.sqlite.checksums import remake

        remake(self._db, self.checksum)
        self.sums.clear()

    # Running statements

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        with translated(self.path):
            return self._db.execute(sql, values).fetchall()

    def iterate(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        with translated(self.path):
            yield from self._db.execute(sql, values)

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        with translated(self.path):
            return self._db.execute(sql, values).fetchone()

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> int:
        """Runs a writing statement; the number of rows it changed."""
        self._write(self._cursor.execute, sql, values)
        return self._db.changes()

    def changed(self) -> int:
        """How many rows this connection has changed so far."""
        return self._db.total_changes()

    def insert(self, sql: str, values: Sequence[Any]) -> int:
        """Runs an insert; the id of the new row."""
        self._write(self._cursor.execute, sql, values)
        return self._db.last_insert_rowid()

    def _write(self, execute: Callable[..., Any], sql: str, values: Any) -> None:
        """Once a statement of a transaction failed, no part of that counts: nor do its sums."""
        with translated(self.path):
            self._check_alive()
            try:
                execute(sql, values)
            except BaseException:
                self._doomed = True
                raise
            if not self._depth:
                self._keep_sums()

    def unique(self, columns: str) -> str:
        """The columns of a unique key as `on conflict` names them."""
        return f"({columns})"

    def defer_references(self) -> None:
        """Until the transaction ends, a row may name another one that comes later."""
        self.run("pragma defer_foreign_keys = on")

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]], *, kept: bool = False) -> None:
        self._write(self._cursor.executemany, sql, rows)

    def run_many_alone(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The same while no trigger fires and no sum follows: both are then the caller's to do."""
        self._db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        try:
            self.run_many_unsummed(sql, rows)
        finally:
            self._db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)

    def run_many_unsummed(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The same for a table of which no sum is kept: nobody need hear of each of its rows."""
        self._db.preupdate_hook(None)
        try:
            self.run_many(sql, rows)
        finally:
            self._db.preupdate_hook(self._add_up)

    def expect_many(self) -> None:
        """Until the transaction ends more pages are kept; and until the end the log grows longer,
        so that a page which every batch changes is copied into the file once in a while."""
        self._widened = True
        self._db.execute(f"pragma cache_size=-{_BULK_CACHE_KIB}")
        pages = max(_LOG_PAGES, self._db.pragma("page_count") // 4)
        self._db.execute(f"pragma wal_autocheckpoint={pages}")

    def terms(self, text: bytes) -> list[tuple[int, int, str]]:
        """(start byte, end byte, index term) of each word, as the full-text engine sees them."""
        if self._tokenizer is None:
            self._tokenizer = self._db.fts5_tokenizer(
                "porter", ["unicode61", "remove_diacritics", "2"]
            )
        places: list[tuple[int, int, str]] = self._tokenizer(
            text, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False
        )
        return places

    def collect_matches(
        self, collect: Callable[[Any], None], sql: str, values: Sequence[Any]
    ) -> None:
        """Runs a full-text query that calls `recairn_collect`, handing each match to `collect`."""
        self._collect = collect
        if not self._collecting:
            self._db.register_fts5_function("recairn_collect", self._hand_over)
            self._collecting = True
        self.rows(sql, values)

    def _hand_over(self, api: Any, *_: Any) -> None:
        self._collect(api)

    def state(self) -> tuple[int, int] | None:
        """Another one after every write of anybody, this connection too; None in a transaction."""
        if self._depth:
            return None
        return int(self._db.pragma("data_version")), self._db.total_changes()

    # Transactions

    def transaction(self) -> Connection:
        """From begin to commit; nested ones join the outermost."""
        return self

    def __enter__(self) -> None:
        if self._depth == 0:
            if self.read_only:
                check_writable(self.path)
                raise StoreReadOnly(f"{self.path} was opened read-only", "open it for writing")
            if self.snapshots:
                raise Refused("an export is still being read", "read it to its end, or close() it")
            self._check_in_place()
            with translated(self.path):
                self._db.execute("begin immediate")
            self._doomed = False
            if not self.relaxed:
                self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends one level; the outermost commits, or undoes everything if any level failed."""
        self._depth -= 1
        if kind is not None:
            self._doomed = True
        if self._depth > 0:
            return
        if self._widened:
            self._widened = False
            self._db.execute(f"pragma cache_size=-{CACHE_KIB}")
        with translated(self.path):
            if not self._doomed:
                self._commit()
                return
            self._roll_back()
        if kind is None:
            raise half_done(self.path)

    def _commit(self) -> None:
        try:
            self._keep_sums()
            self._db.execute("commit")
        except BaseException:
            self._roll_back()
            raise

    def _keep_sums(self) -> None:
        if self.sums:
            sums = [(total % schema.MODULUS, table) for table, total in self.sums.items()]
            self.sums.clear()
            self._cursor.executemany(_ADD, sums)

    def _roll_back(self) -> None:
        self.sums.clear()
        # On a full disk or an I/O error the engine has rolled back by itself.
        if self._db.in_transaction:
            self._db.execute("rollback")

    def _check_in_place(self) -> None:
        """The engine goes on writing to a deleted file, whose content nobody will see again.

        Its locks are not inherited: a child that wrote beside its parent could ruin the file.
        """
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.path} was opened before this process was forked",
                "open it again in this process; nothing was written",
            )
        if file_identity(self.path) != self._file:
            raise StoreError(
                f"{self.path} was moved, replaced or deleted while it was open",
                "start this program again; nothing was written",
            )

    def _check_alive(self) -> None:
        """Once a part of a transaction failed, nothing after it may be written on its own."""
        if self._depth and (self._doomed or not self._db.in_transaction):
            self._doomed = True
            raise half_done(self.path)

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    def relax(self, patience_s: float) -> None:
        """Counters need no flush to disk of their own: the next durable write brings them along."""
        self.relaxed = True
        self._patience.seconds = patience_s
        self._db.execute("pragma synchronous=normal")

    def insist(self) -> None:
        self.relaxed = False
        self._patience.seconds = self._patience_s
        self._db.execute("pragma synchronous=full")

    def backup_to(self, path: str) -> None:
        """Copies the whole database into a new file while others go on writing."""
        create_private(path)
        with translated(path):
            copy_to_file(self._db, path)

    def check_in_copy(self, sql: str) -> None:
        """Runs a statement in a passing copy: what only a writer may ask of a read-only file."""
        with translated(self.path):
            run_in_copy(self._db, sql)

    def close(self) -> None:
        self.closed = True
        with translated(self.path):
            self._db.close()


class translated:
    """Turns the engine's errors into ours, with the way out."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

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
        from recairn.store.sqlite.trouble import our_error

        ours = our_error(self._path, error)
        if ours is not None:
            raise ours from error
