"""Listings that go on where the page before ended, and how many memories were made when."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.core.times import DAY
from recairn.store.statements.base import Statements
from recairn.store.statements.filters import AMONG_FEW, FEW, conditions
from recairn.store.statements.tallies import is_tallied, tallied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Filter, Memory
    from recairn.store.memory_rows import Cursor

# A part of a listing by an index of its own, and all parts together.
_PART = """
select * from (
    select m.created_at, m.id from memories m where {where}
    order by {by} {way}, m.id {way} limit ?
) part
"""
_WHOLE = "select id from ({parts}) listed order by created_at {way}, id {way} limit ?"


class ListingStatements(Statements):
    """The part of a store that lists by the time of creation."""

    if TYPE_CHECKING:  # another part's

        def get_many(self, ids: list[int]) -> dict[int, Memory]: ...

    def page(
        self, filter: Filter, *, newest: bool, after: Cursor | None, limit: int
    ) -> list[Memory]:
        """So many memories the filter lets through, by creation, after the last one shown."""
        sign, way = ("<", "desc") if newest else (">", "asc")
        rest, bound = conditions(replace(filter, project=None, parent=None))
        by = "m.created_at"
        if filter.kinds and all(kind in FEW for kind in filter.kinds):
            rest, by = f"{AMONG_FEW} and {rest}", "+m.created_at"  # few are sorted, not looked for
        if after is not None:
            rest = f"(m.created_at, m.id) {sign} (?, ?) and {rest}"
            bound = [*after, *bound]
        parts, values = [], []
        for where, own in _readers(filter):
            parts.append(_PART.format(where=f"{where} and {rest}", by=by, way=way))
            values += [*own, *bound, limit]
        rows = self._c.rows(
            _WHOLE.format(parts=" union all ".join(parts), way=way), (*values, limit)
        )
        found = self.get_many([row[0] for row in rows])
        return [found[row[0]] for row in rows if row[0] in found]

    def made_by_day(self, filter: Filter) -> dict[int, int]:
        """Day, counted from 1970 in UTC → how many memories the filter lets through it made."""
        if is_tallied(filter) and filter.sector is None and not filter.hidden:
            rows = self._c.rows(*tallied(filter, by_day=True))
            return {int(day): int(count) for day, count in rows if count}
        where, values = conditions(filter)
        rows = self._c.rows(
            f"select m.created_at / {DAY}, count(*) from memories m where {where}"
            " group by 1 order by 1",
            values,
        )
        return dict(rows)


def _readers(filter: Filter) -> list[tuple[str, list[Any]]]:
    """Who may see a memory, as conditions of which at most one holds: each has an index."""
    if filter.project is None:
        return [("1 = 1", [])]
    owners = [filter.project] if filter.parent is None else [filter.project, filter.parent]
    if filter.hidden == "deleted":  # few, with an index for all of them
        own = " or ".join("m.project = ?" for _ in owners)
        return [(f"({own} or m.tier = 'global')", [*owners])]
    kept = "m.tier = 'project'" if not filter.hidden else "m.tier <> 'global'"
    parts: list[tuple[str, list[Any]]] = [
        (f"m.project = ? and {kept}", [owner]) for owner in owners
    ]
    parts.append(("m.tier = 'global'", []))
    if filter.session is not None and not filter.hidden:
        parts.append(("m.tier = 'session' and m.session_id = ?", [filter.session]))
    return parts
