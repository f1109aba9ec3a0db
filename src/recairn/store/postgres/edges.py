"""Walks along links in one statement a hop."""

from __future__ import annotations

from recairn.store.memory_rows import LinkRow
from recairn.store.statements.base import Statements, marks
from recairn.store.statements.edges import held_when
from recairn.store.statements.memory_table import conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter

# Of each memory only its newest neighbours, so that one hub cannot outweigh all others. The cut is
# made after the filter: what may not be seen takes nobody's place.
_BESIDE = """
select f.id, e.{there}, e.relation, e.weight, {forward}
from (values {listed}) f(id) cross join lateral (
    select distinct x.{there} from edges x join memories m on m.id = x.{there}
    where x.{here} = f.id and {where} order by x.{there} desc limit ?
) n join edges e on e.{here} = f.id and e.{there} = n.{there} where {held}
"""


class EdgeWalks(Statements):
    """The part of the store that follows links."""

    def linked(self, ids: Sequence[int], filter: Filter, per_memory: int) -> list[LinkRow]:
        """The links of memories to visible ones, in both directions."""
        if not ids:
            return []
        where, values = conditions(filter)
        held, at = held_when("e", filter)
        listed = ", ".join(f"({mark})" for mark in marks(ids).split(", "))
        branches = [
            _BESIDE.format(
                here=here, there=there, forward=forward, held=held, where=where, listed=listed
            )
            for here, there, forward in (("source", "target", 1), ("target", "source", 0))
        ]
        bound = (*ids, *values, per_memory, *at)
        rows = self._c.rows(" union all ".join(branches), bound * 2)
        return [LinkRow._make((*row[:4], bool(row[4]))) for row in rows]
