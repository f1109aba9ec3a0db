"""Memories that hold a phrase, for who has a moment only; and rules, whose scope is asked."""

from __future__ import annotations

from recairn.store.rows import Named
from recairn.store.sqlite.text_index import MEMORY, quote, seen_stretches
from recairn.store.statements.memory_table import AMONG_FEW, conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

# What the rows hold is looked at by the caller: the index does not see letters' case and signs.
_HOLDING = f"""
select * from (
    select m.id, m.kind, m.scope, m.title || char(10) || m.content || char(10) || m.details
    from memories_fts f join memories m on m.id = f.rowid & {MEMORY}
    where f.memories_fts match ? and f.rowid between ? and ? and {{where}}
    order by {{newest}} desc limit ?
)
"""
_RULES = f"""
select m.id, m.kind, m.scope, '' from memories m
where {AMONG_FEW} and m.kind = 'rule' and m.scope <> '' and {{where}} order by m.id desc limit ?
"""


class NamingRows:
    """The part of the store that knows what names a thing."""

    _c: Connection

    def naming(self, phrases: Sequence[str], filter: Filter, limit: int) -> list[Named]:
        """The newest memories that may hold one of the phrases, then rules that have a scope."""
        if not phrases:
            return []
        asked = f"{{title content details}} : ({' OR '.join(map(quote, phrases))})"
        where, values = conditions(filter)
        # Within one stretch places are in the order of numbers: the engine can stop early.
        newest = "m.id" if filter.project is None else "f.rowid"
        holding = _HOLDING.format(where=where, newest=newest)
        named = [
            row
            for low, high in seen_stretches(filter)
            for row in self._c.rows(holding, (asked, low, high, *values, limit))
        ]
        named.sort(reverse=True)
        rules = self._c.rows(_RULES.format(where=where), (*values, limit))
        return list(map(Named._make, [*named[:limit], *rules]))
