"""Looking after a SQLite database from outside: backups, diagnosis, repair, salvage."""

from __future__ import annotations

import os

from recairn.core.errors import NotFound
from recairn.store.sqlite import backup, doctor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.upkeep_rows import BackupInfo, Finding, Inspection, Repaired, Restored

_LATEST = "latest"


class SqliteMaintenance:
    """Keeps the promises of `contract.maintenance` for one file."""

    def __init__(self, path: str) -> None:
        self._path = path

    def diagnose(self, *, now: int | None = None) -> tuple[Finding, ...]:
        return doctor.diagnose(self._path, now=now)

    def inspect(self) -> Inspection:
        from recairn.store.sqlite.inspection import inspect

        return inspect(self._path)

    def repair(self, *, now: int | None = None) -> Repaired:
        return doctor.repair(self._path, now=now)

    def create_backup(
        self, folder: str | None = None, *, keep: int | None = None, now: int | None = None
    ) -> BackupInfo:
        return backup.create(self._path, folder, keep=keep, now=now)

    def backup_folder(self, folder: str | None = None) -> str:
        return folder or backup.folder_of(self._path)

    def backups(self, folder: str | None = None) -> tuple[BackupInfo, ...]:
        return backup.listing(self.backup_folder(folder))

    def find_backup(self, name: str, folder: str | None = None) -> str:
        place = self.backup_folder(folder)
        if name == _LATEST:
            for info in backup.listing_of(self._path, place):
                if not info.problem and not backup.is_safety_copy(info.path):
                    return info.path
            raise NotFound(
                f"there is no backup of {os.path.basename(self._path)} in {place}",
                "recairn backup list shows what is there, recairn backup create writes one",
            )
        for path in (os.path.join(place, name), os.path.abspath(name)):
            if os.path.isfile(path):
                return path
        raise NotFound(f"there is no backup {name}", "recairn backup list shows what there is")

    def restore(self, backup_path: str, *, now: int | None = None) -> Restored:
        return backup.restore(backup_path, self._path, now=now)
