"""Looking after a store on a server: diagnosis and repair; backups are the server's."""

from __future__ import annotations

from recairn.core.errors import RecairnError, Refused
from recairn.store.postgres import PostgresStore
from recairn.store.postgres.address import Address
from recairn.store.statements.inspection import inspected
from recairn.store.upkeep_rows import Finding, Repaired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.upkeep_rows import BackupInfo, Inspection, Restored


class PostgresMaintenance:
    """Keeps the promises of `contract.maintenance` for a team on a server."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._shown = Address(address).shown

    def _open(self, *, read_only: bool = True) -> PostgresStore:
        return PostgresStore(self._address, read_only=read_only)

    def diagnose(self, *, now: int | None = None) -> tuple[Finding, ...]:
        try:
            store = self._open()
        except RecairnError as error:
            return (Finding("problem", f"cannot open: {error.message}", error.hint),)
        try:
            findings = [
                Finding("ok", f"store {self._shown}"),
                Finding("ok", f"PostgreSQL {store.server()}, schema {store.schema()}"),
            ]
            report = store.verify()
            findings += [
                Finding("problem", problem.detail, problem.remedy) for problem in report.problems
            ]
            if not report.problems:
                findings.append(Finding("ok", report.passed()))
            model = store.active_model()
            if model is not None:
                done, total = store.vector_counts(model.id)
                level = "ok" if done == total else "warning"
                remedy = "" if done == total else "recairn embed"
                findings.append(Finding(level, f"{done} of {total} memories have vectors", remedy))
            findings.append(Finding("ok", "backups are the server's: pg_dump, pg_basebackup"))
            return tuple(findings)
        finally:
            store.close()

    def inspect(self) -> Inspection:
        store = self._open()
        try:
            return inspected(store.connection.rows)
        finally:
            store.close()

    def repair(self, *, now: int | None = None) -> Repaired:
        store = self._open(read_only=False)
        try:
            before = store.verify()
            if not before.problems:
                return Repaired((), before.memories)
            store.rebuild_indexes()
            after = store.verify()
            left = "; ".join(f"{problem.detail} ({problem.remedy})" for problem in after.problems)
            actions = ["made the indexes anew", *([f"left: {left}"] if left else [])]
            return Repaired(tuple(actions), after.memories)
        finally:
            store.close()

    def create_backup(
        self, folder: str | None = None, *, keep: int | None = None, now: int | None = None
    ) -> BackupInfo:
        raise self._elsewhere()

    def backup_folder(self, folder: str | None = None) -> str:
        raise self._elsewhere()

    def backups(self, folder: str | None = None) -> tuple[BackupInfo, ...]:
        raise self._elsewhere()

    def find_backup(self, name: str, folder: str | None = None) -> str:
        raise self._elsewhere()

    def restore(self, backup_path: str, *, now: int | None = None) -> Restored:
        raise self._elsewhere()

    def _elsewhere(self) -> Refused:
        return Refused(
            f"{self._shown} is no file: the server backs it up",
            "pg_dump --schema=recairn on the server, or recairn export for one team",
        )
