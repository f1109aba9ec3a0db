"""Counts of everything a store keeps."""

from __future__ import annotations

from recairn.store.statements.base import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# What memories are counted by, in the order of the index that holds all of it.
_GROUPED = ("source_type", "sector", "trust", "tier", "kind", "project")
_GROUPS = ("kind", "project", "sector", "tier", "source_type", "trust")
# All of a group, those forgotten, and of the others those that were replaced.
_COUNTS = (
    "count(*), count(deleted_at), count(*) filter (where deleted_at is null and valid_until <= ?)"
)
# Pieces of documents lie among the memories, and are none that anybody remembered.
_CHUNK = "chunk"
_KIND = _GROUPED.index("kind")


class StatStatements(Statements):
    """The part of a store that counts."""

    if TYPE_CHECKING:  # the engine's own

        def _size(self) -> int: ...

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything, for `stats`; memories are looked at once."""
        grouped: dict[str, dict[str, int]] = {by: {} for by in _GROUPS}
        forgotten = replaced = chunks = 0
        for *names, count, deleted, ended in self._c.rows(
            f"select {', '.join(_GROUPED)}, {_COUNTS} from memories group by 1, 2, 3, 4, 5, 6",
            (now,),
        ):
            live = count - deleted - ended
            is_chunk = names[_KIND] == _CHUNK
            if is_chunk:
                chunks += count - deleted
            else:
                forgotten += deleted
                replaced += ended
            for by, name in zip(_GROUPED, names, strict=True):
                # A project may have documents alone, and is one all the same.
                if live and (by == "project" or not is_chunk):
                    known = grouped[by].get(name, 0)
                    grouped[by][name] = known if is_chunk else known + live
        counted = {
            table: self._c.value(f"select count(*) from {table}")
            for table in ("sessions", "tasks", "documents", "history", "query_log")
        }
        edges = self._c.value("select count(*) from edges where valid_until is null")
        return {
            "memories": sum(grouped["kind"].values()),
            "forgotten": forgotten,
            "superseded": replaced,
            "by": {by: _most_first(counts) for by, counts in grouped.items()},
            "edges": edges,
            "sessions": counted["sessions"],
            "tasks": counted["tasks"],
            "documents": counted["documents"],
            "chunks": chunks,
            "events": counted["history"],
            "queries": counted["query_log"],
            "bytes": self._size(),
        }


def _most_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
