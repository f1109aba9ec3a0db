"""What looks after a store from outside promises: it works where the store itself will not open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from recairn.store.upkeep_rows import BackupInfo, Finding, Inspection, Repaired, Restored


class Maintenance(Protocol):
    """Diagnosis, repair and backups of the store at one address."""

    def diagnose(self, *, now: int | None = None) -> tuple[Finding, ...]:
        """Everything there is to say about the store, in the order it was looked at."""

    def inspect(self) -> Inspection:
        """What somebody else's store holds, read so that nothing in it can act; or StoreError."""

    def repair(self, *, now: int | None = None) -> Repaired:
        """Mends what can be mended, and saves what can be read where that is not enough."""

    def create_backup(
        self, folder: str | None = None, *, keep: int | None = None, now: int | None = None
    ) -> BackupInfo:
        """A new, verified backup; with `keep`, only that many of the newest remain."""

    def backup_folder(self, folder: str | None = None) -> str:
        """Where the backups lie: the named folder, or the usual one."""

    def backups(self, folder: str | None = None) -> tuple[BackupInfo, ...]:
        """All backups in the folder, newest first."""

    def find_backup(self, name: str, folder: str | None = None) -> str:
        """The path of `latest`, of a name in the folder of backups, or of any file; or NotFound."""

    def restore(self, backup_path: str, *, now: int | None = None) -> Restored:
        """Puts a backup in place of the store, which is first backed up itself."""
