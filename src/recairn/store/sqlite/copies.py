"""Whole databases copied, looked at and put in place, whatever schema they have.

Everything goes through SQLite's own file layer: a plain open() of a database would, on closing,
drop the locks that this process's other connections hold on it.
"""

from __future__ import annotations

import os

import apsw

from recairn.core.errors import StoreBusy
from recairn.core.record import record
from recairn.store.sqlite.connection import APPLICATION_ID, IDENTITY, translated
from recairn.store.sqlite.files import (
    Patience,
    open_immutable,
    open_read_only,
    sync_folder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIDE_FILES = ("-wal", "-shm", "-journal")
# Seconds to wait for another process's write.
_PATIENCE_S = 30.0
# Bytes read at a time where a file is copied as it is.
_PIECE = 1 << 20


@record
class Identity:
    """What a database says about itself; `memories` is None where it has no table like ours."""

    ours: bool
    empty: bool
    schema: int
    memories: int | None


def look(path: str) -> Identity:
    """What lies in a database file; leaves nothing behind beside it. Raises StoreError."""
    with translated(path):
        db = quiet_reader(path)
        try:
            owner, version, objects = next(db.execute(IDENTITY))
            try:
                memories = db.execute(
                    "select count(*) from memories where row_hash is not null and kind <> 'chunk'"
                ).get
            except apsw.SQLError:
                memories = None
        finally:
            db.close(True)
    return Identity(owner == APPLICATION_ID, objects == 0, version, memories)


def quiet_reader(path: str) -> apsw.Connection:
    """A reading connection; where no log lies beside the file nobody writes, and none is made."""
    return open_read_only(path) if os.path.exists(path + "-wal") else open_immutable(path)


def copy_database(source: str, target: str, before: Callable[[], None] | None = None) -> None:
    """Replaces the target's content by one snapshot of the source, in one transaction.

    Connections that have the target open see the old content, then the new one, nothing between.
    `before` runs when nobody can write to the target any more and nothing has changed yet.
    """
    with translated(source):
        reader = _tidy_reader(source)
        try:
            with translated(target):
                writer = apsw.Connection(target)
                try:
                    writer.set_busy_handler(Patience(_PATIENCE_S))
                    writer.pragma("synchronous", "full")
                    _copy(reader, writer, before)
                finally:
                    writer.close(True)
        finally:
            reader.close(True)


def _tidy_reader(path: str) -> apsw.Connection:
    """A connection for reading that takes its side files away; only one that may write can."""
    if not (os.access(path, os.W_OK) and os.access(os.path.dirname(path) or ".", os.W_OK)):
        return open_read_only(path)
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    db.set_busy_handler(Patience(_PATIENCE_S))
    return db


def _copy(
    reader: apsw.Connection, writer: apsw.Connection, before: Callable[[], None] | None
) -> None:
    if before is not None:
        # Only with a log can others still read while the lock is held.
        writer.pragma("journal_mode", "wal")
    with writer.backup("main", reader, "main") as copying:
        if before is not None:
            copying.step(0)  # takes the write lock, copies nothing
            before()
        # In one step: between two, another process's write would make it begin again.
        copying.step()


def to_one_file(path: str) -> None:
    """Takes a database nobody else has open out of WAL mode: no side files, fit to be moved."""
    with translated(path):
        db = apsw.Connection(path)
        try:
            db.pragma("journal_mode", "delete")
        finally:
            db.close(True)


def refuse_if_open_elsewhere(path: str) -> None:
    """StoreBusy while any other connection has the file; a file too damaged to open is free."""
    if not os.path.exists(path + "-wal"):
        return
    try:
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return
    try:
        # Closing must not clear away the log: it may hold what is about to be saved.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.pragma("locking_mode", "exclusive")
        db.execute("begin exclusive; rollback")
    except apsw.BusyError:
        raise StoreBusy(
            f"{path} is open in another program", "close it (agents, servers), then try again"
        ) from None
    except apsw.Error:
        return
    finally:
        db.close(True)


def put_in_place(new: str, path: str, aside: str) -> None:
    """Makes `new` the database at `path`; what was there lives on as `aside`, with its log.

    At every moment a database stands at `path`.
    """
    try:
        os.link(path, aside)
    except OSError:
        os.rename(path, aside)  # a file system without hard links
    for suffix in SIDE_FILES:
        if os.path.exists(path + suffix):
            os.rename(path + suffix, aside + suffix)
    os.replace(new, path)
    sync_folder(os.path.dirname(os.path.abspath(path)))


def read_bytes(path: str, start: int, count: int) -> tuple[bytes, int]:
    """Bytes of a database file, and its size."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB
    file = apsw.VFSFile("", path, [flags, 0])
    try:
        size = file.xFileSize()
        available = max(0, min(count, size - start))
        return (file.xRead(available, start) if available else b""), size
    finally:
        file.xClose()


def copy_bytes(path: str, target: str) -> None:
    """Copies a file as it is, page for page, damage and all."""
    position, size = 0, 1
    with open(target, "wb") as out:
        os.fchmod(out.fileno(), 0o600)
        while position < size:
            piece, size = read_bytes(path, position, _PIECE)
            if not piece:
                break
            out.write(piece)
            position += len(piece)


def write_lock_is_held(path: str, wait_s: float = 1.0) -> bool:
    """Whether a writer kept the lock for longer than any ordinary write takes."""
    try:
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return False
    try:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.set_busy_handler(Patience(wait_s))
        db.execute("begin immediate; rollback")
    except apsw.BusyError:
        return True
    except apsw.Error:
        return False
    finally:
        db.close(True)
    return False
