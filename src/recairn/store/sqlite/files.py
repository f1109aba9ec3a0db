"""Files and folders as the store wants them: private, durable, and opened without a trace."""

from __future__ import annotations

import os
import time

import apsw

from recairn.core.errors import StoreDamaged, StoreError, StoreReadOnly

# A statement prepared once is kept: a search prepares about ten.
STATEMENT_CACHE = 100
# Bytes of the smallest page there is. SQLite writes a new database over a file that has fewer.
_SMALLEST = 512


class Patience:
    """A busy handler with short, growing sleeps: twice the throughput of SQLite's own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = 0.0

    def __call__(self, attempt: int) -> bool:
        now = time.monotonic()
        if attempt == 0:
            self._until = now + self.seconds
        if now >= self._until:
            return False
        time.sleep(min(0.0005 * (attempt + 1), 0.025))
        return True


def copy_pages(source: apsw.Connection, target: apsw.Connection) -> None:
    """Replaces the target's content by one snapshot of the source."""
    with target.backup("main", source, "main") as copying:
        # In one step: between two, another process's write would make it begin again.
        copying.step()


def copy_to_file(source: apsw.Connection, path: str) -> None:
    """Copies a database into a new file: one file, no -wal beside it."""
    target = apsw.Connection(path)
    try:
        copy_pages(source, target)
        target.pragma("journal_mode", "delete")
    finally:
        target.close()


def run_in_copy(source: apsw.Connection, sql: str) -> None:
    """Runs a statement in SQLite's own temporary file, which has no name and goes with its end."""
    scratch = apsw.Connection("")
    try:
        copy_pages(source, scratch)
        scratch.execute(sql)
    finally:
        scratch.close(True)


def open_read_only(path: str, patience_s: float = 30.0) -> apsw.Connection:
    """A connection that changes nothing, also on a medium where no -shm file can be made."""
    if not os.access(path, os.W_OK) and not os.path.exists(path + "-wal"):
        # SQLite would leave a -wal as unwritable as the file, which bars the next writer.
        return open_immutable(path)
    flags = apsw.SQLITE_OPEN_READONLY
    plain = apsw.Connection(path, flags=flags, statementcachesize=STATEMENT_CACHE)
    plain.set_busy_timeout(int(patience_s * 1000))
    try:
        plain.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        plain.close(True)
        if os.path.exists(path + "-wal"):
            raise
        return open_immutable(path)
    except apsw.Error:
        plain.close(True)
        raise
    return plain


def open_immutable(path: str) -> apsw.Connection:
    """A connection without locks and side files; only right while nobody writes."""
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(
        f"file:{quoted}?immutable=1", flags=flags, statementcachesize=STATEMENT_CACHE
    )


def ready_to_write(path: str) -> None:
    """Makes the file where there is none, and refuses one that may not be written."""
    create_private(path)
    check_writable(path)


def check_writable(path: str) -> None:
    """StoreReadOnly, before SQLite falls back to reading and leaves unwritable side files."""
    if not os.access(path, os.W_OK):
        raise StoreReadOnly(f"{path} may not be written", "check the file's permissions")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(folder, os.W_OK):
        raise StoreReadOnly(f"{folder} may not be written", "check that the folder is writable")


def create_private(path: str) -> None:
    """Makes folder and file with no rights for others, before SQLite would with the umask's."""
    try:
        size = os.stat(path).st_size
    except OSError:
        size = -1
    if size >= 0:
        if 0 < size < _SMALLEST:
            raise StoreDamaged(
                f"{path} is not a database", "name another file with --db or RECAIRN_DB"
            )
        return  # not even a failing open(): it could only cost locks
    target = os.path.realpath(path)
    try:
        private_folder(os.path.dirname(target))
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        sync_folder(os.path.dirname(target))
    except FileExistsError:
        return
    except PermissionError as error:
        raise StoreReadOnly(
            f"cannot create {path}: {error.strerror}", "name another file with --db or RECAIRN_DB"
        ) from None
    except OSError as error:
        raise StoreError(
            f"cannot create {path}: {error.strerror}", "name another file with --db or RECAIRN_DB"
        ) from None


def private_folder(folder: str) -> None:
    """Makes a folder, and those above it that are missing, with rights for the owner alone."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    if above != folder:
        private_folder(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise NotADirectoryError(20, "a file stands where the folder should be") from None
    sync_folder(above)


def sync_folder(folder: str) -> None:
    """Makes a new or renamed name in a folder survive a power loss."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # a folder one may enter but not read
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def file_identity(path: str) -> tuple[int, int] | None:
    """By which a file is known again, whatever happens to its name; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def switch_to_wal(db: apsw.Connection, patience: Patience) -> None:
    """The engine does not wait for this lock by itself where two processes would deadlock."""
    attempt = 0
    while True:
        try:
            db.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if not patience(attempt):
                raise
            attempt += 1
