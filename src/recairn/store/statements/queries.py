"""The query log, counted and cleaned up, and the searches that failed."""

from __future__ import annotations

from recairn.core.times import DAY, iso
from recairn.store.statements.base import Statements, insertion, limit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.work_rows import Miss, QueryCount, SearchRow


_GROUPS = {"query": "query", "tool": "tool", "day": f"at / {DAY}", "": "''"}
# p95 by nearest rank: the smallest duration that at least 95 of 100 searches did not exceed.
_COUNTED = """
with logged as (
    select {group} as name, at, results, duration_ms,
        row_number() over (partition by {group} order by duration_ms) as place,
        count(*) over (partition by {group}) as many
    from query_log where at >= ?
)
select name, count(*), count(*) filter (where results = 0),
    avg(cast(results as double precision)), avg(duration_ms),
    min(duration_ms) filter (where place * 100 >= many * 95), max(at)
from logged group by name order by {order} limit ?
"""
# Newest questions that are looked through.
_NEWEST = 500


class QueryStatements(Statements):
    """The part of a store that knows what was asked."""

    def question_for(self, memory: int, *, session: str | None, since: int) -> str:
        """The last logged question that found a memory, of this session if one did."""
        rows = self._c.rows(
            "select query, session_id from (select * from query_log where at >= ?"
            " order by at desc, id desc limit ?) q"
            " where replace(replace(result_ids, '[', ','), ']', ',') like ?",
            (since, _NEWEST, f"%,{memory},%"),
        )
        own = [query for query, asked_in in rows if asked_in == session]
        return str((own or [row[0] for row in rows] or [""])[0])

    def searches_in(self, session: str, since: int, until: int) -> list[SearchRow]:
        """The searches of a session between two times, oldest first."""
        from recairn.store.statements.base import from_json
        from recairn.store.work_rows import SearchRow

        rows = self._c.rows(
            "select id, at, query, tool, result_ids from query_log"
            " where at between ? and ? and session_id = ? order by at, id",
            (since, until, session),
        )
        return [SearchRow._make((*row[:-1], from_json(row[-1], []))) for row in rows]

    def query_stats(self, by: str, since: int, limit: int) -> list[QueryCount]:
        """Numbers of the queries since a time, by query, tool or day; by "" all in one."""
        from recairn.store.work_rows import QueryCount

        order = "name desc" if by == "day" else "count(*) desc, max(at) desc, name"
        rows = self._c.rows(
            _COUNTED.format(group=_GROUPS[by], order=order), (since, limit_of(limit))
        )
        counts = list(map(QueryCount._make, rows))
        if by != "day":
            return counts
        return [row._replace(name=str(iso(int(row.name) * DAY))[:10]) for row in counts]

    def queries_before(self, at: int) -> int:
        """How many logged queries are older."""
        return int(self._c.value("select count(*) from query_log where at < ?", (at,)))

    def drop_queries(self, before: int) -> int:
        """Removes older queries from the log; how many there were."""
        return self._c.run("delete from query_log where at < ?", (before,))

    def add_failure(self, failure_type: str, entry: Mapping[str, Any]) -> int:
        """Records a search that failed its asker; its id."""
        row = {"failure_type": failure_type, **entry}
        return self._c.insert(*insertion("search_failures", row))

    def failures(self, failure_type: str, limit: int) -> list[Miss]:
        """The failed searches of a type, newest first."""
        from recairn.store.work_rows import Miss

        columns = ", ".join(Miss._fields)
        rows = self._c.rows(
            f"select {columns} from search_failures where failure_type = ?"
            " order by id desc limit ?",
            (failure_type, limit_of(limit)),
        )
        return list(map(Miss._make, rows))

    def drop_failure(self, failure: int) -> bool:
        """Removes a failed search; whether there was one of that id."""
        return self._c.run("delete from search_failures where id = ?", (failure,)) > 0

    def count_failures(self, failure_type: str) -> int:
        """How many failed searches of a type there are."""
        return int(
            self._c.value(
                "select count(*) from search_failures where failure_type = ?", (failure_type,)
            )
        )
