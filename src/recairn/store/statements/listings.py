"""Listings that go on where the page before ended, and how many memories were made when."""

from __future__ import annotations

from recairn.core.times import DAY
from recairn.store.statements.base import Statements
from recairn.store.statements.memory_table import of_the_few, readers
from recairn.store.statements.tallies import is_tallied, tallied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Filter, Memory
    from recairn.store.memory_rows import Cursor

# A part of a listing by an index of its own, and all parts together.
_PART = """
select * from (
    select m.created_at, m.id from memories m where {where}
    order by {by} {way}, m.id {way} limit ?
) part
"""
_AFTER = "(m.created_at, m.id) {sign} (?, ?)"
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
        beyond, start = ("1 = 1", ()) if after is None else (_AFTER.format(sign=sign), (*after,))
        by = "+m.created_at" if of_the_few(filter) else "m.created_at"
        parts, values = [], []
        for where, own in readers(filter):
            parts.append(_PART.format(where=f"{beyond} and {where}", by=by, way=way))
            values += [*start, *own, limit]
        rows = self._c.rows(
            _WHOLE.format(parts=" union all ".join(parts), way=way), (*values, limit)
        )
        memories = self.get_many([row[0] for row in rows])
        return [memories[row[0]] for row in rows if row[0] in memories]

    def made_by_day(self, filter: Filter) -> dict[int, int]:
        """Day, counted from 1970 in UTC → how many memories the filter lets through it made."""
        if is_tallied(filter) and filter.sector is None and not filter.hidden:
            rows = self._c.rows(*tallied(filter, by_day=True))
            return {int(day): int(count) for day, count in rows if count}
        days: dict[int, int] = {}
        for where, values in readers(filter):
            rows = self._c.rows(
                f"select m.created_at / {DAY}, count(*) from memories m where {where} group by 1",
                values,
            )
            for day, count in rows:
                days[day] = days.get(day, 0) + count
        return dict(sorted(days.items()))
