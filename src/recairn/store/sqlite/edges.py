"""Walks along links in one statement a hop, and texts that may name something."""

from __future__ import annotations

from array import array

import apsw

from recairn.store.memory_rows import LinkRow, Text
from recairn.store.sqlite.text_index import LAST, MEMORY, quote, stretch
from recairn.store.statements.edges import LIVE, held_when
from recairn.store.statements.memory_table import conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

# Of each memory only its newest neighbours, so that one hub cannot outweigh all others. The cut is
# made after the filter: what may not be seen takes nobody's place.
_BESIDE = """
select f.value, e.{there}, e.relation, e.weight, {forward}
from carray(?) f cross join edges e
where e.{here} = f.value and {held} and e.{there} in (
    select x.{there} from edges x join memories m on m.id = x.{there}
    where x.{here} = f.value and {where} order by x.{there} desc limit ?
)
"""


class EdgeWalks:
    """The part of the store that follows links."""

    _c: Connection

    def linked(self, ids: Sequence[int], filter: Filter, per_memory: int) -> list[LinkRow]:
        """The links of memories to visible ones, in both directions."""
        if not ids:
            return []
        where, values = conditions(filter)
        held, at = held_when("e", filter)
        branches = [
            _BESIDE.format(here=here, there=there, forward=forward, held=held, where=where)
            for here, there, forward in (("source", "target", 1), ("target", "source", 0))
        ]
        listed = apsw.carray(array("q", ids))
        bound = (listed, *at, *values, per_memory)
        rows = self._c.rows(" union all ".join(branches), bound * 2)
        return [LinkRow._make((*row[:4], bool(row[4]))) for row in rows]

    def texts_with(self, phrase: str, reach: str | None, limit: int) -> list[Text]:
        """The newest live memories that may hold the phrase; stems count as equal."""
        low, high = (0, LAST) if reach is None else stretch(reach)
        rows = self._c.rows(
            "select m.id, m.title || char(10) || m.content || char(10) || m.details"
            f" from memories_fts f join memories m on m.id = f.rowid & {MEMORY}"
            f" where f.memories_fts match ? and f.rowid between ? and ? and m.kind <> 'chunk'"
            # Within one stretch places are in the order of numbers: the engine can stop early.
            f" and {LIVE} order by {'m.id' if reach is None else 'f.rowid'} desc limit ?",
            (f"{{title content details}} : {quote(phrase)}", low, high, limit),
        )
        return list(map(Text._make, rows))
