"""Memories that hold a phrase, for who has a moment only; and rules, whose scope is asked."""

from __future__ import annotations

from recairn.core.visibility import visible_tokens
from recairn.store.rows import Named
from recairn.store.sqlite.text_scope import quote
from recairn.store.statements.filters import AMONG_FEW, conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

# What the rows hold is looked at by the caller: the index does not see letters' case and signs.
_NAMING = """
select * from (
    select m.id, m.kind, m.scope, m.title || char(10) || m.content || char(10) || m.details
    from memories_fts f join memories m on m.id = f.rowid
    where f.memories_fts match ? and {where} order by f.rowid desc limit ?
)
union all select * from (
    select m.id, m.kind, m.scope, '' from memories m
    where {few} and m.kind = 'rule' and m.scope <> '' and {where} order by m.id desc limit ?
)
"""


class NamingRows:
    """The part of the store that knows what names a thing."""

    _c: Connection

    def naming(self, phrases: Sequence[str], filter: Filter, limit: int) -> list[Named]:
        """The newest memories that may hold one of the phrases, then rules that have a scope."""
        if not phrases:
            return []
        asked = f"{{title content details}} : ({' OR '.join(map(quote, phrases))})"
        if filter.project is not None:
            seen = visible_tokens(filter.project, filter.session, filter.parent)
            asked = f"reach : ({' OR '.join(map(quote, seen))}) AND {asked}"
        where, values = conditions(filter)
        rows = self._c.rows(
            _NAMING.format(where=where, few=AMONG_FEW), (asked, *values, limit, *values, limit)
        )
        return list(map(Named._make, rows))
