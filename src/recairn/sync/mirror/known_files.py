"""How far a folder has come with a project of one database: the last event written, known files.

A file that is as it was when it was last read or written says nothing new, and is not read again.
That belongs to one database and one checkout, so git leaves it alone.
"""

from __future__ import annotations

import os
import time

from recairn.core.record import record, replace
from recairn.host.files import write_lines
from recairn.store.tables import BEGINNING, Position
from recairn.sync.mirror.stretches import Stretches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder

    # Size, time of the last change and inode of a file.
    Signature = tuple[int, int, int]

STATE = ".state.json"
# Bytes of a state that are read: some ten thousand files.
_LONGEST = 2_000_000
# Nanoseconds in which a file may change twice and look the same: file systems count in ticks of
# the kernel, and those whose times are whole milliseconds perhaps in two seconds.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
_MILLISECOND_NS = 1_000_000
CHANGED = (-1, 0, 0)


@record
class KnownFile:
    """A file as it was when all of it was known, and how many keys it had."""

    signature: Signature
    keys: int


class KnownFiles:
    """The state of a folder, read once and written at the end."""

    def __init__(self, folder: Folder, store: Store) -> None:
        self._path = os.path.join(folder.path, STATE)
        self._folder = folder
        self._owner = {"database": store.address, "project": folder.project}
        self.position, self.files = self._read()
        if not _is_here(store, self.position):
            # Another database, or one that was put back: what it knew of files is not known.
            self.position, self.files = BEGINNING, {}

    def _read(self) -> tuple[Position, dict[str, KnownFile]]:
        from json import loads

        try:
            with open(self._path, encoding="utf-8") as file:
                state = loads(file.read(_LONGEST))
        except (OSError, ValueError):
            return BEGINNING, {}
        if not isinstance(state, dict) or any(
            state.get(name) != value for name, value in self._owner.items()
        ):
            return BEGINNING, {}
        event, at, files = state.get("position"), state.get("at"), state.get("files")
        if type(event) is not int or type(at) is not int:
            return BEGINNING, {}
        return Position(event, at), _known(files)

    def news(self, stretches: Stretches) -> list[str] | None:
        """The files that changed since they were known; None where all have to be read.

        That is so at the first time, where a file is missing, and where one is there that nobody
        here has read: what it should hold is not known then.
        """
        if not self.files or self.files.keys() != stretches.files:
            return None
        return sorted(
            file for file, known in self.files.items() if self.signature(file) != known.signature
        )

    def signature(self, file: str) -> Signature:
        return signature_of(os.path.join(self._folder.path, file))

    def note(self, file: str, signature: Signature, keys: int) -> None:
        """Notes a file that is known as it is, or with CHANGED one that has to be read again."""
        self.files[file] = KnownFile(signature, keys)

    def is_known(self, file: str, signature: Signature) -> bool:
        """Whether a file is as it was known, or was not there at all."""
        known = self.files.get(file)
        return signature == (CHANGED if known is None else known.signature)

    def remember(self, position: Position) -> None:
        """Writes down how far the folder has come."""
        from json import dumps

        now = time.time_ns()
        for file, known in self.files.items():
            changed = known.signature[1]
            if changed + (_TICK_NS if changed % _MILLISECOND_NS else _COARSE_TICK_NS) > now:
                self.files[file] = replace(known, signature=CHANGED)
        files = {file: [*known.signature, known.keys] for file, known in self.files.items()}
        state = {**self._owner, "position": position.event, "at": position.at}
        write_lines(self._path, [dumps({**state, "files": files}) + "\n"])


def signature_of(path: str) -> Signature:
    """What a file looks like from outside."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return CHANGED
    return status.st_size, status.st_mtime_ns, status.st_ino


def _known(files: Any) -> dict[str, KnownFile]:
    """The files of a state; none where it was written otherwise."""
    by_name: dict[str, KnownFile] = {}
    entries: Mapping[str, Any] = files if isinstance(files, dict) else {}
    for file, entry in entries.items():
        if not isinstance(entry, list) or [type(number) for number in entry] != [int] * 4:
            return {}
        by_name[file] = KnownFile((entry[0], entry[1], entry[2]), entry[3])
    return by_name


def _is_here(store: Store, position: Position) -> bool:
    """Whether a position is an event of this history."""
    return any(event.at == position.at for event in store.events_numbered([position.event]))
