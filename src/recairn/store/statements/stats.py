"""Counts of everything a store keeps."""

from __future__ import annotations

from recairn.store.statements.base import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# Pieces of documents lie among the memories, and are none that anybody remembered.
_MEMORY = "(kind <> 'chunk')"
# A project may have documents alone, and is one all the same.
_GROUPS = {
    "kind": f" and {_MEMORY}",
    "project": "",
    "sector": f" and {_MEMORY}",
    "tier": f" and {_MEMORY}",
    "source_type": f" and {_MEMORY}",
    "trust": f" and {_MEMORY}",
}


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
                    f"select {by}, sum(case when {_MEMORY} then 1 else 0 end) from memories"
                    f" where {live}{also} group by 1 order by 2 desc, 1",
                    (now,),
                )
            )
            for by, also in _GROUPS.items()
        }
        counted = {
            table: self._c.value(f"select count(*) from {table}")
            for table in ("memories", "edges", "sessions", "tasks", "documents", "history")
        }
        counted["memories"] = self._c.value(f"select count(*) from memories where {_MEMORY}")
        counted["edges"] = self._c.value("select count(*) from edges where valid_until is null")
        live_count = sum(grouped["kind"].values())
        deleted = self._c.value(
            f"select count(*) from memories where deleted_at is not null and {_MEMORY}"
        )
        chunks = self._c.value(
            f"select count(*) from memories where deleted_at is null and not {_MEMORY}"
        )
        return {
            "memories": live_count,
            "forgotten": deleted,
            "superseded": counted["memories"] - live_count - deleted,
            "by": grouped,
            "edges": counted["edges"],
            "sessions": counted["sessions"],
            "tasks": counted["tasks"],
            "documents": counted["documents"],
            "chunks": chunks,
            "events": counted["history"],
            "queries": self._c.value("select count(*) from query_log"),
            "bytes": self._size(),
        }
