"""Databases in checkouts that the user has said may be used, remembered outside of them.

A `.recairn/memory.db` may have come with somebody's repository: its rules would go to agents as the
user's own. It counts only while a file in the user's data folder knows it: by path, owner and
inode, and by a seal, a random text inside the database that nobody else knows. A file that was put
in its place has neither. What only a person may set is kept in that file too, and never read
from such a database.
"""

from __future__ import annotations

import os

from recairn.core.errors import Refused
from recairn.core.fastjson import dumps, loads
from recairn.core.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Entries = dict[str, dict[str, Any]]

_FILE, _LOCK = "trusted.json", "trusted.lock"
_VERSION = 1
# Bits of a mode: its kind, a link, who else may write, and that others may not rename in a folder.
_KIND, _LINK, _FOLDER, _REGULAR = 0o170000, 0o120000, 0o040000, 0o100000
_OTHERS_WRITE, _GROUP_WRITES, _STICKY = 0o022, 0o020, 0o1000
_OTHERS = 0o077
# What the engine reads with a database; a file of a checkout could bring one along.
_SIDE_FILES = ("-wal", "-journal")


@record
class Trust:
    """The user's word on one database, and what a person set for it on this machine."""

    path: str
    owner: int
    inode: int
    seal: str
    since: int
    settings: Mapping[str, str]


def doubt(trust: Trust) -> str:
    """Why a database is not the one that was trusted; "" when it is."""
    why = objection(trust.path)
    if why:
        return why
    status = os.lstat(trust.path)
    if (status.st_uid, status.st_ino) != (trust.owner, trust.inode):
        return f"{trust.path} is another file than the one that was trusted"
    return ""


def objection(path: str) -> str:
    """Why owner or rights forbid to trust a database, whatever is in it; "" when they do not."""
    folder = os.path.dirname(path)
    above = os.path.dirname(folder)
    user = os.geteuid()
    try:
        # Whoever owns the folder above can put another one in its place; root can anyway.
        for place, kind, owners in (
            (above, _FOLDER, (user, 0)),
            (folder, _FOLDER, (user,)),
            (path, _REGULAR, (user,)),
        ):
            why = _objection(place, kind, owners)
            if why:
                return why
        return _side_objection(path)
    except OSError as error:
        return f"{path} cannot be looked at: {error.strerror}"


def _objection(path: str, kind: int, owners: tuple[int, ...]) -> str:
    status = os.lstat(path)
    if status.st_mode & _KIND == _LINK:
        return f"{path} is a symbolic link"
    if status.st_mode & _KIND != kind:
        return f"{path} is no {'folder' if kind == _FOLDER else 'plain file'}"
    if status.st_uid not in owners:
        return f"{path} belongs to another user"
    if _open_to_others(status, kind):
        return f"{path} can be written by others (mode {status.st_mode & 0o7777:04o})"
    return ""


def _open_to_others(status: os.stat_result, kind: int) -> bool:
    """A group of the user's own, which many systems give everyone, is nobody else."""
    written = status.st_mode & _OTHERS_WRITE
    if written == _GROUP_WRITES and status.st_gid == os.getegid() == os.geteuid():
        return False
    return bool(written) and not (kind == _FOLDER and status.st_mode & _STICKY)


def _side_objection(path: str) -> str:
    """The engine makes its own files as private as the database; one from elsewhere is not."""
    rights = os.lstat(path).st_mode & _OTHERS
    for ending in _SIDE_FILES:
        try:
            status = os.lstat(path + ending)
        except FileNotFoundError:
            continue
        if (
            status.st_mode & _KIND != _REGULAR
            or status.st_uid != os.geteuid()
            or status.st_mode & _OTHERS & ~rights
        ):
            return f"{path + ending} was not written by recairn"
    return ""


class TrustFile:
    """What the user trusts, in one file of the user's data folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, _FILE)

    def trust_of(self, path: str) -> Trust | None:
        """The word on a database, if it was given, still fits the file, and nobody else can write
        it. Its seal is left to who opens it."""
        trust = self.remembered(path)
        return None if trust is None or doubt(trust) else trust

    def remembered(self, path: str) -> Trust | None:
        """The word given on a path, whatever lies there now."""
        entry = self._entries().get(path)
        return None if entry is None else _trust(path, entry)

    def all(self) -> list[Trust]:
        """Every word that was given, by path."""
        trusts = (_trust(path, entry) for path, entry in sorted(self._entries().items()))
        return [trust for trust in trusts if trust is not None]

    def remember(self, path: str, seal: str, at: int) -> Trust:
        """Keeps the user's word on a database; what a person set for it before stays."""
        status = os.lstat(path)
        before = self.remembered(path)
        settings = {} if before is None else before.settings
        trust = Trust(path, status.st_uid, status.st_ino, seal, at, settings)

        def put(entries: Entries) -> None:
            entries[path] = _entry(trust)

        self.change(put)
        return trust

    def revoke(self, path: str) -> bool:
        """Takes the word on a database back, with what was set for it; whether there was one."""
        if path not in self._entries():
            return False
        self.change(lambda entries: entries.pop(path, None))
        return True

    def change(self, edit: Callable[[Entries], object]) -> None:
        """Changes the file, one process after the other; it is replaced whole or not at all."""
        from fcntl import LOCK_EX, flock

        from recairn.host.files import write_lines

        os.makedirs(self.folder, 0o700, exist_ok=True)
        beside = os.path.join(self.folder, _LOCK)
        lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            flock(lock, LOCK_EX)
            try:
                entries = self._read()
            except ValueError as error:
                raise Refused(
                    f"{self.path} cannot be used: {error}",
                    "look at it, move it away, and say recairn trust again where you want it",
                ) from None
            edit(entries)
            write_lines(self.path, [dumps({"version": _VERSION, "databases": entries}) + "\n"])
        finally:
            os.close(lock)

    def _entries(self) -> Entries:
        """What it holds; nothing where there is none, or one that others could have written."""
        try:
            return self._read()
        except (OSError, ValueError):
            return {}

    def _read(self) -> Entries:
        try:
            file = open(self.path, encoding="utf-8")  # noqa: SIM115 - the `with` below closes it
        except FileNotFoundError:
            return {}
        with file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or _open_to_others(status, _REGULAR):
                raise ValueError("others could have written it")
            document = loads(file.read())
        entries = document.get("databases") if isinstance(document, dict) else None
        if not isinstance(entries, dict) or document.get("version") != _VERSION:
            raise ValueError("not of this version")
        return {path: entry for path, entry in entries.items() if isinstance(entry, dict)}


class PersonalSettings:
    """What a person set on this machine for a trusted database, in the place of what is in it."""

    def __init__(self, file: TrustFile, trust: Trust) -> None:
        self._file = file
        self._trust = trust

    def over(self, kept: Mapping[str, str]) -> dict[str, str]:
        """The settings of the database, and these in the place of all that are a person's."""
        from recairn.core.settings import is_personal

        own = {key: value for key, value in kept.items() if not is_personal(key)}
        return dict(sorted({**own, **self._trust.settings}.items()))

    def put(self, key: str, value: str | None) -> bool:
        """Keeps a setting here if it is a person's; None removes it. Whether it was."""
        from recairn.core.settings import is_personal

        if not is_personal(key):
            return False

        def put(entries: Entries) -> None:
            trust = _trust(self._trust.path, entries.get(self._trust.path, {}))
            if trust is None:
                raise Refused(f"{self._trust.path} is not trusted any more", "recairn trust")
            settings = {name: value for name, value in trust.settings.items() if name != key}
            if value is not None:
                settings[key] = value
            self._trust = replace(trust, settings=settings)
            entries[trust.path] = _entry(self._trust)

        self._file.change(put)
        return True


def _trust(path: str, entry: Mapping[str, Any]) -> Trust | None:
    """An entry of the file; None for one that is not whole."""
    owner, inode, since = (entry.get(name) for name in ("owner", "inode", "since"))
    seal, settings = entry.get("seal"), entry.get("settings")
    if not (type(owner) is type(inode) is type(since) is int and isinstance(settings, dict)):
        return None
    if not (isinstance(seal, str) and seal):
        return None
    return Trust(path, owner, inode, seal, since, settings)


def _entry(trust: Trust) -> dict[str, Any]:
    return {
        "owner": trust.owner,
        "inode": trust.inode,
        "seal": trust.seal,
        "since": trust.since,
        "settings": dict(trust.settings),
    }
