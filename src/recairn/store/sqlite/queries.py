"""The query log, counted and cleaned up, and the searches that failed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.sqlite.connection import Connection

_GROUPS = {
    "query": "query",
    "tool": "tool",
    "day": "strftime('%Y-%m-%d', at / 1000, 'unixepoch')",
    "": "''",
}
# p95 by nearest rank: the smallest duration that at least 95 of 100 searches did not exceed.
_COUNTED = """
with logged as (
    select {group} as name, at, results, duration_ms,
        row_number() over (partition by {group} order by duration_ms) as place,
        count(*) over (partition by {group}) as many
    from query_log where at >= ?
)
select name, count(*), sum(results = 0), avg(results), avg(duration_ms),
    min(duration_ms) filter (where place * 100 >= many * 95), max(at)
from logged group by name order by {order} limit ?
"""
_NUMBERS = ("count", "empty", "mean_results", "mean_ms", "p95_ms", "last_at")
_FAILURE = ("id", "at", "query", "project", "wanted", "model", "note")


class QueryRows:
    """The part of the store that knows what was asked."""

    _c: Connection

    def query_stats(self, by: str, since: int, limit: int) -> list[dict[str, Any]]:
        """Numbers of the queries since a time, by query, tool or day; by "" all in one."""
        order = "name desc" if by == "day" else "count(*) desc, max(at) desc, name"
        rows = self._c.rows(_COUNTED.format(group=_GROUPS[by], order=order), (since, limit))
        return [dict(zip(("name", *_NUMBERS), row, strict=True)) for row in rows]

    def queries_before(self, at: int) -> int:
        """How many logged queries are older."""
        return int(self._c.value("select count(*) from query_log where at < ?", (at,)))

    def drop_queries(self, before: int) -> int:
        """Removes older queries from the log; how many there were."""
        return self._c.run("delete from query_log where at < ?", (before,))

    def add_failure(self, failure_type: str, entry: Mapping[str, Any]) -> int:
        """Records a search that failed its asker; its id."""
        names = ", ".join(("failure_type", *entry))
        marks = ", ".join("?" * (1 + len(entry)))
        return self._c.insert(
            f"insert into search_failures({names}) values ({marks})",
            (failure_type, *entry.values()),
        )

    def failures(self, failure_type: str, limit: int) -> list[dict[str, Any]]:
        """The failed searches of a type, newest first."""
        rows = self._c.rows(
            f"select {', '.join(_FAILURE)} from search_failures where failure_type = ?"
            " order by id desc limit ?",
            (failure_type, limit),
        )
        return [dict(zip(_FAILURE, row, strict=True)) for row in rows]

    def count_failures(self, failure_type: str) -> int:
        """How many failed searches of a type there are."""
        return int(
            self._c.value(
                "select count(*) from search_failures where failure_type = ?", (failure_type,)
            )
        )
