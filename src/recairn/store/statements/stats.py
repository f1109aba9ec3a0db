"""Counts of everything a store keeps."""

from __future__ import annotations

from recairn.store.statements.base import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class StatStatements(Statements):
    """The part of a store that counts."""

    if TYPE_CHECKING:  # the engine's own

        def _size(self) -> int: ...

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything, for `stats`."""
        live = "deleted_at is null and (valid_until is null or valid_until > ?)"
        grouped = {
            by: dict(
                self._c.rows(
                    f"select {by}, count(*) from memories where {live} group by 1"
                    " order by 2 desc, 1",
                    (now,),
                )
            )
            for by in ("kind", "project", "sector", "tier", "source_type", "trust")
        }
        counted = {
            table: self._c.value(f"select count(*) from {table}")
            for table in ("memories", "edges", "sessions", "tasks", "documents", "history")
        }
        counted["edges"] = self._c.value("select count(*) from edges where valid_until is null")
        live_count = sum(grouped["kind"].values())
        deleted = self._c.value("select count(*) from memories where deleted_at is not null")
        return {
            "memories": live_count,
            "forgotten": deleted,
            "superseded": counted["memories"] - live_count - deleted,
            "by": grouped,
            "edges": counted["edges"],
            "sessions": counted["sessions"],
            "tasks": counted["tasks"],
            "documents": counted["documents"],
            "events": counted["history"],
            "queries": self._c.value("select count(*) from query_log"),
            "bytes": self._size(),
        }
