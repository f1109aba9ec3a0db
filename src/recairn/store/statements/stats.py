"""Counts of everything a store keeps."""

from __future__ import annotations

from recairn.store.statements.base import Statements
from recairn.store.statements.tallies import ALL_DAYS, FORGOTTEN, GROUPED, REPLACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_GROUPS = ("kind", "project", "sector", "tier", "source_type", "trust")
# Those that were replaced but whose end is still to come count as living.
_STILL = (
    f"select {', '.join(GROUPED)}, 1 from memories where valid_until > ? and deleted_at is null"
)
_TALLIES = f"select state, {', '.join(GROUPED)}, memories from tallies where day = {ALL_DAYS}"
# Pieces of documents lie among the memories, and are none that anybody remembered.
_CHUNK = "chunk"
_KIND = GROUPED.index("kind")


class StatStatements(Statements):
    """The part of a store that counts."""

    if TYPE_CHECKING:  # the engine's own

        def _size(self) -> int: ...

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything, for `stats`; of memories by their tallies."""
        grouped: dict[str, dict[str, int]] = {by: {} for by in _GROUPS}
        gone = {FORGOTTEN: 0, REPLACED: 0}
        chunks = 0
        for state, *names, count in self._tallies(now):
            is_chunk = names[_KIND] == _CHUNK
            if is_chunk:
                chunks += 0 if state == FORGOTTEN else count
            elif state in gone:
                gone[state] += count
            for by, name in zip(GROUPED, names, strict=True):
                # A project may have documents alone, and is one all the same.
                if count and state not in gone and (by == "project" or not is_chunk):
                    before = grouped[by].get(name, 0)
                    grouped[by][name] = before if is_chunk else before + count
        counted = {
            table: self._c.value(f"select count(*) from {table}")
            for table in ("sessions", "tasks", "documents", "history", "query_log")
        }
        edges = self._c.value("select count(*) from edges where valid_until is null")
        return {
            "memories": sum(grouped["kind"].values()),
            "forgotten": gone[FORGOTTEN],
            "superseded": gone[REPLACED],
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

    def _tallies(self, now: int) -> list[tuple[Any, ...]]:
        """(state, what memories are told apart by, how many): what ends later is not replaced."""
        rows = self._c.rows(_TALLIES)
        for names in self._c.rows(_STILL, (now,)):
            rows += [(REPLACED, *names[:-1], -1), ("open", *names)]
        return rows


def _most_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
