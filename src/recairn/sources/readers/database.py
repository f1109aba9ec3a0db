"""Databases of other programs, read and never written: not even a lock or a log beside them."""

from __future__ import annotations

import os
from itertools import chain
from urllib.parse import quote

import apsw

from recairn.core.errors import BadInput
from recairn.sources.format import Fault, Omission
from recairn.store.sqlite.connection import APPLICATION_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    PlacedRow = tuple[str, dict[str, Any]] | Fault

_MAGIC = b"SQLite format 3\x00"
# Bytes of one value: as much as a line of JSON may have.
MAX_VALUE = 2_000_000
# Bytes of a database that must be copied to be read, because its log was not written back.
_MAX_COPY = 4_000_000_000
# Rows held at once; each may have several values of that size.
_BATCH = 100


class Database:
    """An open copy of what another program keeps, table by table."""

    def __init__(self, origin: Origin, *, with_log: bool = True) -> None:
        self._origin = origin
        self._folder = ""
        _check(origin)
        path = os.path.realpath(origin.path)
        if with_log and _has_log(path):
            path = self._copied(path)
            address = f"file:{quote(path)}"
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        else:
            address = f"file:{quote(path)}?mode=ro&immutable=1"
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            self._c = apsw.Connection(address, flags=flags)
        except apsw.Error as error:
            raise BadInput(f"{origin.name} is not a readable database: {error}") from None
        try:
            self._c.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            self._c.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
            self._c.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            own = self._c.execute("pragma application_id").get == APPLICATION_ID
            self.tables = self._plain_tables()
        except (apsw.Error, UnicodeError) as error:
            self.close()
            raise BadInput(f"{origin.name} is not a readable database: {error}") from None
        if own:
            self.close()
            raise BadInput(
                f"{origin.name} is a database of recairn",
                f"recairn export memories.jsonl --db {origin.name},"
                " then recairn import memories.jsonl",
            )

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._c.close()
        if self._folder:
            from shutil import rmtree

            rmtree(self._folder, ignore_errors=True)
        self._origin.done = self._origin.size

    def require(self, table: str, whose: str) -> None:
        """BadInput unless there is such a table: then the wrong file or format was named."""
        if table not in self.tables:
            raise BadInput(f"{self._origin.name} has no table {table}", f"is it {whose}?")

    def rows(self, table: str) -> Iterator[PlacedRow]:
        """(place, columns) of every row; none where there is no such table.

        A row with a value too large is a fault; a damaged page ends its table alone.
        """
        return chain.from_iterable(self._batches(table))

    def omissions(
        self, tables: Collection[str], derived: Mapping[str, str] | None = None
    ) -> Iterator[Omission]:
        """What other tables hold, each that has rows. Of `derived` ones it is said what they are:
        what they hold comes with other records."""
        derived = derived or {}
        others: dict[str, int] = {}
        for table in self.tables:
            if table in tables:
                continue
            try:
                count = self._c.execute(f"select count(*) from {_name(table)}").get
            except apsw.Error:
                continue  # a damaged page of what nobody reads
            if count and table in derived:
                yield Omission(f"rows of {table}", derived[table], count, True)
            elif count:
                others[table] = count
        if others:
            yield Omission("rows of other tables", ", ".join(others), sum(others.values()))

    def _batches(self, table: str) -> Iterator[list[PlacedRow]]:
        columns = self.tables.get(table)
        if columns is None:
            return
        sizes = " or ".join(f"octet_length({_name(column)}) > {MAX_VALUE}" for column in columns)
        values = ", ".join(_selected(_name(column)) for column in columns)
        batch: list[PlacedRow] = []
        try:
            for row in self._c.execute(f"select {sizes}, {values} from {_name(table)}"):
                fields = dict(zip(columns, map(_decoded, row[1::2], row[2::2]), strict=True))
                place = self._place(table, fields.get("id", fields.get("key")))
                if row[0]:
                    size = MAX_VALUE // 1_000_000
                    batch.append(Fault(place, f"a value is larger than {size} MB"))
                else:
                    batch.append((place, fields))
                if len(batch) == _BATCH:
                    yield batch
                    batch = []
        except apsw.Error as error:
            batch.append(Fault(f"{self._origin.name}:{table}", f"cannot be read on: {error}"))
        yield batch

    def _place(self, table: str, number: object) -> str:
        return f"{self._origin.name}:{table}" + ("" if number is None else f"/{str(number)[:80]}")

    def _plain_tables(self) -> dict[str, tuple[str, ...]]:
        """The columns of each table; views and virtual tables run code and are left out."""
        tables = {}
        for (name,) in self._c.execute(
            "select name from pragma_table_list where schema = 'main' and type = 'table'"
            " and name not like 'sqlite%' order by name"
        ):
            listed = self._c.execute("select name from pragma_table_info(?)", (name,))
            tables[str(name)] = tuple(str(row[0]) for row in listed)
        return {name: columns for name, columns in tables.items() if columns}

    def _copied(self, path: str) -> str:
        """A copy with its log, which reading may write back there."""
        from shutil import copyfile
        from tempfile import mkdtemp

        size = os.path.getsize(path) + os.path.getsize(f"{path}-wal")
        if size > _MAX_COPY:
            raise BadInput(
                f"{self._origin.name} is too large to copy, and its log was not written back",
                "close the program that uses it, and try again",
            )
        self._folder = mkdtemp(prefix="recairn-import-")
        there = os.path.join(self._folder, "copy.db")
        for ending in ("", "-wal"):
            copyfile(path + ending, there + ending)
        return there


def is_database(path: str) -> bool:
    """Whether a file begins as every SQLite database does."""
    try:
        return os.path.isfile(path) and _head(path).startswith(_MAGIC)
    except OSError:
        return False


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(len(_MAGIC))


def tables_of(path: str) -> frozenset[str]:
    """The tables of another program's database; none for any other file.

    A log beside it, which would have to be copied, is asked only where the database has none yet.
    """
    from recairn.sources.readers.files import Origin

    if not is_database(path):
        return frozenset()
    for with_log in (False, True) if _has_log(os.path.realpath(path)) else (False,):
        try:
            with Database(Origin(path, path), with_log=with_log) as database:
                if database.tables:
                    return frozenset(database.tables)
        except BadInput:
            continue
    return frozenset()


def _has_log(path: str) -> bool:
    log = f"{path}-wal"
    return os.path.isfile(log) and not os.path.islink(log) and os.path.getsize(log) > 0


def _check(origin: Origin) -> None:
    path = origin.path
    if not os.path.isfile(path):
        raise BadInput(f"{origin.name} is not a file", "give a file")
    try:
        head = _head(path)
    except OSError as error:
        raise BadInput(f"{origin.name} cannot be read: {error.strerror}") from None
    if head and not head.startswith(_MAGIC):
        raise BadInput(
            f"{origin.name} is no SQLite database, or an encrypted one", "import a decrypted copy"
        )


def _selected(column: str) -> str:
    """SQL for a value as bytes where it is text, since that need not be UTF-8; and for its type."""
    as_bytes = f"iif(typeof({column}) = 'text', cast({column} as blob), {column})"
    return f"iif(octet_length({column}) > {MAX_VALUE}, null, {as_bytes}), typeof({column})"


def _decoded(value: Any, kind: str) -> Any:
    if kind == "text" and value is not None:
        return bytes(value).decode("utf-8", "replace")
    return value


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
