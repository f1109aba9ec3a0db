"""Mirrors kept in step: which there are, and writing them after a change."""

from __future__ import annotations

import os

from recairn.core.errors import RecairnError
from recairn.sync.mirror.folder import Folder, check_there
from recairn.sync.mirror.push import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.contract.base import Store


def folders_of(setting: str | None) -> list[Folder]:
    """The mirrors a setting names."""
    from json import loads

    try:
        folders = loads(setting or "{}")
    except ValueError:
        return []
    if not isinstance(folders, dict):
        return []
    return [Folder(path, str(project)) for path, project in sorted(folders.items())]


def keep(store: Store, setting: str) -> str:
    """Brings every mirror up to date; what is wrong with one, if anything is.

    A folder in trouble never fails the write that came before: it is behind until it is mended.
    """
    notices = []
    for folder in folders_of(setting):
        try:
            write(store, folder)
        except RecairnError as error:
            notices.append(
                "; ".join(filter(None, (f"{error.message}, so it is behind", error.hint)))
            )
        except OSError as error:
            why = error.strerror or str(error)
            notices.append(f"the mirror {folder.path} is behind: {why}; recairn mirror status")
    return "\n".join(notices)


def troubles(setting: str | None) -> list[tuple[str, str]]:
    """What keeps mirrors from being written, each with the way out; looks at no file in them."""
    lines = []
    for folder in folders_of(setting):
        try:
            check_there(folder)
        except RecairnError as error:
            lines.append((error.message, error.hint))
            continue
        if not os.access(folder.path, os.W_OK | os.X_OK):
            lines.append((f"the mirror {folder.path} cannot be written", "check its permissions"))
    return lines
