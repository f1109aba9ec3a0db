"""Copies of the database that were checked after writing, and the way back from one.

A backup is one file, `memory-20261115T103000Z.db`, in `backups/` beside the database. It is taken
while others write, and restored under their eyes: every process sees the old content or the new.
"""

from __future__ import annotations

import os

import apsw

from recairn.core.errors import BadInput, NotFound, Refused, StoreDamaged, StoreError, StoreFull
from recairn.core.times import iso, now_ms
from recairn.store.sqlite import SqliteStore
from recairn.store.sqlite.copies import (
    SIDE_FILES,
    copy_database,
    look,
    put_in_place,
    quiet_reader,
    to_one_file,
)
from recairn.store.sqlite.files import create_private, private_folder, sync_folder
from recairn.store.upkeep_rows import BackupInfo, Restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.report import Problem

_FOLDER = "backups"
_UNFINISHED = ".part"
# Nobody guesses so many.
_SEAL_BYTES = 16
# In the name of what a restore has replaced: `latest` never means such a one.
_SAFETY = "-before-restore"


def create(
    store_path: str, folder: str | None = None, *, keep: int | None = None, now: int | None = None
) -> BackupInfo:
    """A new, verified backup; with `keep`, only that many of this database's newest remain."""
    if keep is not None and keep < 1:
        raise BadInput(f"keep must be 1 or more, got {keep}", "recairn backup create --keep 7")
    if not os.path.exists(store_path):
        raise NotFound(f"there is no database at {store_path}", 'recairn add "…" makes one')
    _seal(store_path)
    info = _write(store_path, folder or folder_of(store_path), now_ms() if now is None else now)
    if keep is not None:
        _rotate(info.path, keep)
    return info


def _seal(store_path: str) -> None:
    """Gives a database a seal, by which its backups are known as its own wherever they lie."""
    if _seal_of(store_path) or not _rows_of(store_path, "select 1"):
        return
    try:
        store = SqliteStore(store_path)
    except StoreError:
        return  # a backup is made of what can only be read, too
    try:
        with store.transaction():
            if not store.seal():
                store.set_seal(os.urandom(_SEAL_BYTES).hex())
    except StoreError:
        return
    finally:
        store.close()


def folder_of(store_path: str) -> str:
    """Where the backups of a database lie unless another folder is named."""
    return os.path.join(os.path.dirname(os.path.abspath(store_path)), _FOLDER)


def listing(folder: str) -> tuple[BackupInfo, ...]:
    """The backups in a folder, newest first; a folder that does not exist has none."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(
            f"cannot read {folder}: {error.strerror}", "check its permissions"
        ) from None
    backups = [_info(os.path.join(folder, name)) for name in names if _stamp_in(name) is not None]
    return tuple(sorted(backups, key=_age, reverse=True))


def listing_of(store_path: str, folder: str | None = None) -> tuple[BackupInfo, ...]:
    """The backups of this database alone: others may keep theirs in the same folder."""
    stem = os.path.splitext(os.path.basename(store_path))[0]
    backups = listing(folder or folder_of(store_path))
    return tuple(backup for backup in backups if _stem(os.path.basename(backup.path)) == stem)


def _age(backup: BackupInfo) -> tuple[int, int, str]:
    """Sorts by time; `-2` and `-3` were taken later in the same second."""
    number = backup.path.rpartition("-")[2].removesuffix(".db")
    return backup.created_at, int(number) if number.isdigit() else 1, backup.path


def restore(backup: str, store_path: str, *, now: int | None = None) -> Restored:
    """Puts a backup's content in place of the database's, which is first backed up itself.

    The backup is checked on a private copy (and brought to this version's schema there); a backup
    that does not verify changes nothing.
    """
    if not os.path.isfile(backup):
        raise NotFound(f"there is no backup {backup}", "recairn backup list")
    is_own = _is_own(backup, store_path)
    if not is_own:
        _refuse_strangers(backup)
    staged = _unused(store_path + ".restoring")
    left_out: tuple[str, ...] = ()
    try:
        memories = _stage(backup, staged)
        if not is_own:
            left_out = _without_personal_settings(staged, store_path)
        previous = _replace(staged, store_path, now_ms() if now is None else now)
    finally:
        _remove(staged)
    return Restored(_info(backup), previous, memories, left_out)


# Writing


def _write(store_path: str, folder: str, now: int, *, tag: str = "") -> BackupInfo:
    """A backup; one with a tag is taken of whatever is there, and is not checked."""
    _make_folder(folder)
    stem = os.path.splitext(os.path.basename(store_path))[0]
    target = _unused(os.path.join(folder, f"{stem}-{stamp(now)}{tag}"), ".db")
    unfinished = _unused(f"{target}.{os.getpid()}", _UNFINISHED)
    try:
        create_private(unfinished)
        copy_database(store_path, unfinished)
        to_one_file(unfinished)
        if not tag:
            _refuse_problems(store_path, _problems(unfinished))
        # A link, unlike a renaming, never replaces what another process put there meanwhile.
        target = _publish(unfinished, target)
        sync_folder(folder)
    finally:
        _remove(unfinished)
    return _info(target)


def _make_folder(folder: str) -> None:
    try:
        private_folder(os.path.abspath(folder))
    except OSError as error:
        raise StoreError(
            f"cannot create {folder}: {error.strerror}", "name another folder with --folder"
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{folder} may not be written", "name another folder with --folder")


def _publish(unfinished: str, target: str) -> str:
    stem = target.removesuffix(".db")
    try:
        while True:
            try:
                os.link(unfinished, target)
                return target
            except FileExistsError:
                target = _unused(stem, ".db")
    except OSError:
        os.rename(unfinished, target)  # a file system without hard links
        return target


def _problems(path: str) -> tuple[Problem, ...]:
    """What verify finds in a file that nobody else has open."""
    if look(path).schema == 0:
        return ()  # created, never written to
    store = SqliteStore(path)
    try:
        return store.verify().problems
    finally:
        store.close()
        to_one_file(path)


def _refuse_problems(path: str, problems: tuple[Problem, ...]) -> None:
    if problems:
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise StoreDamaged(
            f"{path} is damaged: {problems[0].detail}{more}", "recairn doctor --repair"
        )


def _rotate(newest: str, keep: int) -> None:
    stem = _stem(os.path.basename(newest))
    same = [
        backup
        for backup in listing(os.path.dirname(newest))
        if _stem(os.path.basename(backup.path)) == stem
    ]
    # What restores have replaced takes no place of a backup that somebody wanted.
    for safety in (False, True):
        for old in [backup for backup in same if is_safety_copy(backup.path) == safety][keep:]:
            _remove(old.path)


# Restoring


def _is_own(backup: str, store_path: str) -> bool:
    """Whether a backup was made of this very database: it lies among its own, or bears its seal."""
    if os.path.dirname(os.path.realpath(backup)) == os.path.realpath(folder_of(store_path)):
        return True
    seal = _seal_of(backup)
    return bool(seal) and _seal_of(store_path) == seal


def _seal_of(path: str) -> str:
    return "".join(
        str(row[0]) for row in _rows_of(path, "select value from meta where key = 'seal'")
    )


def _settings_of(path: str) -> list[tuple[Any, ...]]:
    return _rows_of(path, "select key, value, updated_at from config")


def _rows_of(path: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of an answer; none where there is no healthy database of ours."""
    try:
        if not os.path.exists(path) or not look(path).ours:
            return []
        db = quiet_reader(path)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close(True)
    except (StoreError, apsw.Error):
        return []


def _refuse_strangers(backup: str) -> None:
    """Refused for what recairn never makes: in somebody else's database it would run here."""
    from recairn.store.sqlite.inspection import inspect

    if not look(backup).ours:
        return  # which is said when it is read
    strangers = inspect(backup).strangers
    if strangers:
        raise Refused(
            f"{backup} holds what recairn never makes: {' '.join(strangers[0].split())[:160]}",
            "ask where it comes from for an export: recairn import takes that in",
        )


def _without_personal_settings(staged: str, store_path: str) -> tuple[str, ...]:
    """Leaves out of a stranger's database what only a person here may set; their own stays."""
    from recairn.core.settings import is_personal

    own = [row for row in _settings_of(store_path) if is_personal(row[0])]
    db = apsw.Connection(staged)
    try:
        keys = [key for (key,) in db.execute("select key from config order by key")]
        theirs = tuple(key for key in keys if is_personal(key))
        with db:
            db.executemany("delete from config where key = ?", [(key,) for key in theirs])
            db.executemany(
                "insert into config(key, value, updated_at) values (?, ?, ?)",
                own,
            )
            db.execute("delete from meta where key = 'seal'")
    finally:
        db.close(True)
    return theirs


def _stage(backup: str, staged: str) -> int:
    """A verified copy of the backup in this version's schema; the number of its memories."""
    identity = look(backup)
    if not identity.ours:
        raise Refused(f"{backup} is not a backup of recairn", "recairn backup list")
    create_private(staged)
    copy_database(backup, staged)
    _refuse_problems(backup, _problems(staged))
    return look(staged).memories or 0


def _replace(staged: str, store_path: str, now: int) -> str | None:
    """Brings the staged file's content to the database's place; where the old content went."""
    create_private(store_path)
    try:
        current = look(store_path)
        if not current.ours and not current.empty:
            raise Refused(
                f"{store_path} is a database, but not one of recairn's", "name another with --db"
            )
        if current.empty:
            copy_database(staged, store_path)
            return None
        kept: list[str] = []

        def keep_current() -> None:
            kept.append(_write(store_path, folder_of(store_path), now, tag=_SAFETY).path)

        copy_database(staged, store_path, keep_current)
        return kept[0]
    except StoreFull:
        raise
    except StoreDamaged:
        aside = _unused(f"{store_path}.damaged-{stamp(now)}")
        put_in_place(staged, store_path, aside)
        return aside


# Names


def stamp(at: int) -> str:
    """A time as file names carry it: `20261115T103000Z`."""
    return (iso(at) or "")[:19].replace("-", "").replace(":", "") + "Z"


def _stamp_in(name: str) -> int | None:
    """The time in a backup's name, or None for other files."""
    import re

    match = re.fullmatch(rf".+-(\d{{8}}T\d{{6}}Z)(?:{_SAFETY})?(?:-\d+)?\.db", name)
    if match is None:
        return None
    from recairn.core.times import parse

    try:
        return parse(match.group(1), 0)
    except BadInput:
        return None


def _stem(name: str) -> str:
    """The database's name in a backup's name."""
    import re

    return re.sub(rf"-\d{{8}}T\d{{6}}Z(?:{_SAFETY})?(?:-\d+)?\.db$", "", name)


def is_safety_copy(path: str) -> bool:
    """Whether a backup holds what a restore has replaced."""
    return _SAFETY in os.path.basename(path)


def _unused(stem: str, suffix: str = "") -> str:
    """A file name not taken yet: the stem, or the stem with -2, -3 …"""
    candidate, number = stem + suffix, 1
    while os.path.lexists(candidate):
        number += 1
        candidate = f"{stem}-{number}{suffix}"
    return candidate


def _info(path: str) -> BackupInfo:
    size = os.path.getsize(path) if os.path.exists(path) else 0
    at = _stamp_in(os.path.basename(path))
    created = int(os.path.getmtime(path) * 1000) if at is None else at
    try:
        identity = look(path)
    except StoreError as error:
        return BackupInfo(path, created, size, None, None, error.message)
    if not identity.ours:
        return BackupInfo(path, created, size, None, None, "not a database of recairn")
    return BackupInfo(path, created, size, identity.memories, identity.schema)


def _remove(path: str) -> None:
    for file in (path, *(path + suffix for suffix in SIDE_FILES)):
        if os.path.lexists(file):
            os.unlink(file)
