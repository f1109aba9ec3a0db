"""Mirrors kept in step: which there are, and writing them after a change."""

from __future__ import annotations

from recairn.core.errors import RecairnError
from recairn.sync.mirror.folder import Folder
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
    notice = ""
    for folder in folders_of(setting):
        try:
            write(store, folder)
        except (OSError, RecairnError) as error:
            notice = f"the mirror {folder.path} is behind: {error}"
    return notice
