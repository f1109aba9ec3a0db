"""Everything around the memories: facts for ranking, use and query logs, feedback, settings."""

from __future__ import annotations

from array import array

import apsw

from recairn.store.sqlite.filters import decayed_salience
from recairn.store.sqlite.sessions import SessionRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# What was checked against the repository before its last change says nothing any more.
_FACTS = """
select m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count,
    m.salience, m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score,
    m.valid_until, m.source_ref, m.words, coalesce(t.value, 0.0)
from carray(?) asked cross join memories m on m.id = asked.value
left join staleness t on t.memory = m.id and t.checked_at >= m.updated_at
"""
# ccmemory's figure: being found moves salience this share of the way to 1.
_FOUND_SALIENCE = 0.02


class Records(SessionRows):
    """The part of the store that logs, counts and configures."""

    def facts(self, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """The first fields of `Facts`, up to `stale`, of each memory, ordered by id."""
        return self._c.rows(_FACTS, (apsw.carray(array("q", sorted(ids))),)) if ids else []

    def around(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """What a hit shows beside the memory: its session, its successor, how many are linked."""
        marks = ", ".join("?" * len(ids))
        rows = self._c.rows(
            f"""
            select m.id, s.id, s.started_at, s.summary, s.project, n.id, n.content, n.created_at,
                (select count(*) from edges e where e.source = m.id and e.valid_until is null)
                    + (select count(*) from edges e where e.target = m.id
                        and e.valid_until is null)
            from memories m
            left join sessions s on s.id = m.session_id
            left join memories n on n.id = m.superseded_by
            where m.id in ({marks})
            """,
            list(ids),
        )
        return {
            row[0]: {
                "session": None
                if row[1] is None
                else dict(zip(("id", "started_at", "summary", "project"), row[1:5], strict=True)),
                "successor": None
                if row[5] is None
                else dict(zip(("id", "content", "created_at"), row[5:8], strict=True)),
                "related": row[8],
            }
            for row in rows
        }

    def record_use(self, ids: Sequence[int], *, at: int, source: str, session: str | None) -> None:
        """Counts a use of each memory, lifts its salience a little, and logs the access."""
        left = decayed_salience(at)
        self._c.run_many(
            "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
            f" salience = {left} + {_FOUND_SALIENCE} * (1 - {left}), decayed_at = ? where id = ?",
            [(at, at, memory) for memory in ids],
        )
        self._c.run_many(
            "insert into access_log(memory, at, source, session_id) values (?, ?, ?, ?)",
            [(memory, at, source, session) for memory in ids],
        )
        if session is not None:
            for memory in ids:
                self.link_session(session, memory, "recalled", at)

    def log_query(self, entry: Mapping[str, Any]) -> None:
        names = ", ".join(entry)
        marks = ", ".join("?" * len(entry))
        self._c.run(f"insert into query_log({names}) values ({marks})", list(entry.values()))

    def remove_edge(self, source: int, target: int, relation: str) -> int:
        """Removes an edge without a trace; how many there were."""
        return self._c.run(
            "delete from edges where source = ? and target = ? and relation = ?",
            (source, target, relation),
        )

    # Settings

    def config(self) -> dict[str, str]:
        return dict(self._c.rows("select key, value from config order by key"))

    def set_config(self, key: str, value: str | None, at: int) -> None:
        """Stores a setting; None removes it."""
        if value is None:
            self._c.run("delete from config where key = ?", (key,))
        else:
            self._c.run(
                "insert into config values (?, ?, ?) on conflict(key) do update set"
                " value = excluded.value, updated_at = excluded.updated_at",
                (key, value, at),
            )

    # Counting

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything, for `stats`."""
        live = "deleted_at is null and (valid_until is null or valid_until > :now)"
        grouped = {
            by: dict(
                self._c.rows(
                    f"select {by}, count(*) from memories where {live} group by 1"
                    " order by 2 desc, 1",
                    {"now": now},
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
        pages = self._c.value(
            "select page_count * page_size from pragma_page_count, pragma_page_size"
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
            "events": counted["history"],
            "queries": self._c.value("select count(*) from query_log"),
            "bytes": pages,
        }
