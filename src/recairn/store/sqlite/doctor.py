"""What is wrong with a database, and the command that mends it; also for one that will not open.

`diagnose` never raises and changes nothing. `repair` mends what it can, and never deletes: a
damaged file is kept aside under another name.
"""

from __future__ import annotations

import os
import stat

from recairn.core.errors import NotFound, RecairnError, Refused, StoreDamaged
from recairn.core.times import DAY, age, now_ms
from recairn.store.sqlite import SqliteStore, schema
from recairn.store.sqlite.backup import listing_of, stamp
from recairn.store.sqlite.connection import Connection, check_engine, engine_version
from recairn.store.sqlite.copies import (
    SIDE_FILES,
    look,
    put_in_place,
    read_bytes,
    refuse_if_open_elsewhere,
    to_one_file,
    write_lock_is_held,
)
from recairn.store.sqlite.salvage import salvage
from recairn.store.sqlite.verify import verify
from recairn.store.upkeep_rows import Finding, Repaired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recairn.core.report import Report

_REPAIR = "recairn doctor --repair"
_RESTORE = "recairn backup restore"
_ELSEWHERE = "name another file with --db or RECAIRN_DB"

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100  # bytes
_WAL_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
# Bytes. A bulk import or a repair writes the database once more; a single memory needs kilobytes.
_LITTLE_SPACE = 100_000_000
_NO_SPACE = 2_000_000
_OLD_BACKUP = 30 * DAY
# Folders recairn makes for itself; others (a home, a checkout) are not its to close.
_OWN_FOLDERS = ("recairn", ".recairn")

# Checks of verify() that look at what is made from the rows, and those only a person can settle.
_DERIVED = frozenset({"full text", "checksums", "orphans", "vectors", "documents"})
_BY_HAND = frozenset({"times"})


def diagnose(path: str, *, now: int | None = None) -> tuple[Finding, ...]:
    """Everything there is to say about a database, in the order it was looked at."""
    at = now_ms() if now is None else now
    findings: list[Finding] = []
    for name, check in (
        ("the engine", _engine),
        ("the place", _place),
        ("the permissions", _permissions),
        ("the space", _space),
        ("the file", _file),
        ("the files beside it", _side_files),
        ("the content", _content),
        ("the backups", lambda file: _backups(file, at)),
    ):
        if not _carry_out(name, check, path, findings):
            break
    return tuple(findings)


def _carry_out(
    name: str, check: Callable[[str], Iterator[Finding]], path: str, findings: list[Finding]
) -> bool:
    """Runs one check; False when there is no use in going on."""
    try:
        for finding in check(path):
            findings.append(finding)
    except _Final as last:
        findings.append(last.finding)
        return False
    except RecairnError as error:
        findings.append(Finding("problem", error.message, error.hint or _REPAIR))
    except Exception as error:  # a doctor that dies on the disease is no use
        what = f"{name} could not be checked ({type(error).__name__}: {error})"
        findings.append(Finding("problem", what, _REPAIR))
    return True


class _Final(Exception):
    """A finding after which nothing else can be looked at."""

    def __init__(self, level: str, what: str, remedy: str) -> None:
        super().__init__(what)
        self.finding = Finding(level, what, remedy)


def _engine(_: str) -> Iterator[Finding]:
    check_engine(engine_version())
    yield Finding("ok", f"SQLite {'.'.join(map(str, engine_version()))}")


def _place(path: str) -> Iterator[Finding]:
    if os.path.isdir(path):
        raise _Final("problem", f"{path} is a folder, not a database", _ELSEWHERE)
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        raise _Final("problem", f"{folder} may not be entered by you", _ELSEWHERE)
    if not os.path.lexists(path):
        raise _Final("warning", f"there is no database yet at {path}", 'recairn add "…" makes one')
    if not os.path.exists(path):
        raise _Final(
            "problem", f"{path} points at {os.path.realpath(path)}: nothing there", _ELSEWHERE
        )
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise _Final("problem", f"{path} is not a plain file", _ELSEWHERE)
    if not os.access(path, os.R_OK):
        raise _Final("problem", f"{path} may not be read by you", f"chmod 600 {_quoted(path)}")
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        yield Finding("warning", f"{folder} is on a read-only medium: searching works", _ELSEWHERE)
    elif not os.access(path, os.W_OK):
        what = f"{path} may not be written: searching works, remembering does not"
        yield Finding("warning", what, f"chmod 600 {_quoted(path)}")
    elif not os.access(folder, os.W_OK):
        what = f"{folder} may not be written: remembering does not work"
        yield Finding("warning", what, f"chmod u+w {_quoted(folder)}")
    yield Finding("ok", f"database {path}, {os.path.getsize(path):,} bytes")


def _permissions(path: str) -> Iterator[Finding]:
    wrong = list(_too_open(path))
    for target, mode, right in wrong:
        what = f"{target} is open to others (mode {mode:04o})"
        yield Finding("warning", what, f"chmod {right:o} {_quoted(target)}")
    if not wrong:
        yield Finding("ok", "nobody else can read it")


def _too_open(path: str) -> Iterator[tuple[str, int, int]]:
    """(file or folder, its mode, the mode it should have)"""
    folder = os.path.dirname(os.path.abspath(path))
    mode = stat.S_IMODE(os.stat(folder).st_mode)
    own = os.path.basename(folder) in _OWN_FOLDERS
    if (own and mode & 0o077) or (mode & 0o022 and not mode & stat.S_ISVTX):
        yield folder, mode, 0o700 if own else mode & ~0o022
    for file in (path, *(path + suffix for suffix in SIDE_FILES)):
        if os.path.exists(file):
            mode = stat.S_IMODE(os.stat(file).st_mode)
            if mode & 0o077:
                yield file, mode, 0o600


def _space(path: str) -> Iterator[Finding]:
    folder = os.path.dirname(os.path.abspath(path))
    space = os.statvfs(folder)
    free = space.f_bavail * space.f_frsize
    look_at = f"df -h {_quoted(folder)}"
    if free < _NO_SPACE:
        yield Finding("problem", f"the disk is full: {free:,} bytes free", look_at)
    elif free < _LITTLE_SPACE:
        yield Finding("warning", f"the disk is nearly full: {free // 1_000_000} MB free", look_at)
    else:
        yield Finding("ok", f"{free // 1_000_000:,} MB free")


def _file(path: str) -> Iterator[Finding]:
    header, size = read_bytes(path, 0, _HEADER)
    if size == 0 and _size(path + "-wal") == 0:
        raise _Final("warning", f"{path} is empty: nothing was ever stored", 'recairn add "…"')
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise _Final(
            "problem", f"{path} is not a SQLite database (its header is gone)", _mend(path)
        )
    page = int.from_bytes(header[16:18], "big")
    stated = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    if size < stated and _size(path + "-wal") == 0:
        what = f"{path} is cut off: {stated - size:,} of {stated:,} bytes are missing"
        yield Finding("problem", what, _mend(path))


def _side_files(path: str) -> Iterator[Finding]:
    if _size(path + "-journal") > 0:
        what = f"a write to {path} was interrupted; the next use undoes it"
        raise _Final("warning", what, "recairn stats, then recairn doctor")
    if not os.path.exists(path + "-wal"):
        return
    header, _ = read_bytes(path, 0, _HEADER)
    belongs = True
    if _size(path + "-wal") > 0:
        with open(path + "-wal", "rb") as file:  # carries no locks, unlike the database and -shm
            start = file.read(32)
        same_pages = int.from_bytes(start[8:12], "big") == int.from_bytes(header[16:18], "big")
        belongs = start[:4] in _WAL_MAGIC and same_pages
    aside = f"mv {_quoted(path + '-wal')} {_quoted(path + '-wal.aside')}"
    if not belongs:
        what = f"{path}-wal does not belong to this database; it is ignored"
        yield Finding("warning", what, aside)
    elif header[18:20] != b"\x02\x02" and _size(path + "-wal") > 0:
        what = f"{path}-wal was left by another database, or {path} was replaced under it"
        yield Finding("problem", what, aside)
    elif write_lock_is_held(path):
        what = "another process holds the write lock" + _holders(path + "-shm")
        yield Finding("warning", what, "wait, or end that process")


def _holders(shared: str) -> str:
    """The processes that lock a file, where the system tells."""
    try:
        inode = str(os.stat(shared).st_ino)
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except (OSError, UnicodeDecodeError):
        return ""
    writing = {
        row[4]
        for row in rows
        if len(row) > 5 and row[3] == "WRITE" and row[5].endswith(f":{inode}")
    }
    return f" (process {', '.join(sorted(writing))})" if writing else ""


def _content(path: str) -> Iterator[Finding]:
    try:
        identity = look(path)
    except StoreDamaged as error:
        raise _Final("problem", error.message, _mend(path)) from None
    if identity.empty:
        raise _Final("warning", f"{path} is empty: nothing was ever stored", 'recairn add "…"')
    if not identity.ours and identity.memories is not None:
        raise _Final("problem", f"the mark that makes {path} recairn's is gone", _mend(path))
    if not identity.ours:
        raise _Final("problem", f"{path} is a database, but not one of recairn's", _ELSEWHERE)
    if identity.schema > schema.LATEST:
        what = f"{path} has schema {identity.schema}; this recairn knows up to {schema.LATEST}"
        raise _Final("problem", what, "pip install -U recairn")
    if identity.schema < schema.LATEST:
        what = f"schema {identity.schema} becomes {schema.LATEST} at the next use"
        yield Finding("warning", what, "recairn backup create, then recairn stats")
        return
    report = _checked(path)
    for problem in report.problems:
        yield Finding("problem", f"{problem.check}: {problem.detail}", problem.remedy)
    if not report.problems:
        yield Finding("ok", report.passed())


def _checked(path: str) -> Report:
    """verify() without a trace; again with locks when somebody may have written meanwhile."""
    before = _fingerprint(path)
    quiet = not os.path.exists(path + "-wal")
    report = _verified(path, immutable=quiet)
    if report.problems and quiet and _fingerprint(path) != before:
        report = _verified(path, immutable=False)
    return report


def _verified(path: str, *, immutable: bool) -> Report:
    connection = Connection(path, read_only=True, immutable=immutable)
    try:
        return verify(connection)
    finally:
        connection.close()


def _fingerprint(path: str) -> tuple[int, int, bool]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, os.path.exists(path + "-wal")


def _backups(path: str, now: int) -> Iterator[Finding]:
    good = [backup for backup in listing_of(path) if not backup.problem]
    if not good:
        yield Finding("warning", "there is no backup", "recairn backup create")
    elif now - good[0].created_at > _OLD_BACKUP:
        what = f"the newest backup was made {age(good[0].created_at, now)}"
        yield Finding("warning", what, "recairn backup create")
    else:
        yield Finding("ok", f"newest backup {age(good[0].created_at, now)}, {len(good)} in all")


def _mend(path: str) -> str:
    """Restoring loses least where there is a backup to restore."""
    try:
        good = [backup for backup in listing_of(path) if not backup.problem]
    except RecairnError:
        good = []
    return f"{_RESTORE} {_quoted(good[0].path)}, or {_REPAIR}" if good else _REPAIR


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _quoted(path: str) -> str:
    from shlex import quote

    return quote(path)


# Mending


def repair(path: str, *, now: int | None = None) -> Repaired:
    """Mends permissions and indexes; when that is not enough, saves every row that can be read."""
    at = now_ms() if now is None else now
    check_engine(engine_version())
    if not os.path.isfile(path):
        raise NotFound(f"there is no database file at {path}", _ELSEWHERE)
    actions = _close_to_others(path)
    try:
        memories = _mend_indexes(path, actions)
    except StoreDamaged:
        memories = None
    if memories is not None:
        _empty_log(path, actions)
        return Repaired(tuple(actions), memories)
    return _save(path, f"{path}.damaged-{stamp(at)}", actions)


def _empty_log(path: str, actions: list[str]) -> None:
    """Cuts off a log that a reader kept while something was destroyed."""
    if not os.path.exists(path + "-wal") or not os.path.getsize(path + "-wal"):
        return
    store = SqliteStore(path)
    try:
        kept = store.scrub()
    finally:
        store.close()
    actions.append(kept or f"emptied {path}-wal")


def _close_to_others(path: str) -> list[str]:
    actions = []
    for target, _, right in list(_too_open(path)):
        os.chmod(target, right)
        actions.append(f"closed {target} to others")
    return actions


def _mend_indexes(path: str, actions: list[str]) -> int | None:
    """The number of memories when rebuilding indexes is enough; None when rows are damaged."""
    identity = look(path)
    if not identity.ours and not identity.empty:
        if identity.memories is not None:
            return None
        raise Refused(f"{path} is a database, but not one of recairn's", _ELSEWHERE)
    if identity.schema < schema.LATEST:
        SqliteStore(path).close()  # migrates
    report = _checked(path)
    left = {problem.check for problem in report.problems} - _BY_HAND
    if not left:
        return report.memories
    if left - _DERIVED:
        return None  # writing into a damaged file could damage more
    store = SqliteStore(path)
    try:
        store.rebuild_indexes()
        with store.transaction():
            store.remake_keys()
        report = store.verify()
    finally:
        store.close()
    actions.append("rebuilt the indexes")
    return None if {problem.check for problem in report.problems} - _BY_HAND else report.memories


def _save(path: str, aside: str, actions: list[str]) -> Repaired:
    refuse_if_open_elsewhere(path)
    while os.path.lexists(aside):
        aside += "x"
    fresh = f"{path}.salvaged"
    for suffix in ("", *SIDE_FILES):  # left by a repair that was interrupted
        if os.path.exists(fresh + suffix):
            os.unlink(fresh + suffix)
    try:
        salvaged = salvage(path, fresh)
        to_one_file(fresh)
        put_in_place(fresh, path, aside)
    finally:
        if os.path.exists(fresh):
            os.unlink(fresh)
    actions.append(f"saved {salvaged.saved:,} memories; the damaged file is now {aside}")
    return Repaired(tuple(actions), salvaged.saved, aside, salvaged.changed, salvaged.lost)
