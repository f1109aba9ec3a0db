"""Edges: links between memories, walked with every filter inside, ended rather than deleted.

An ended edge keeps its row, so that `as_of` still sees it and nothing makes it again by itself.
"""

from __future__ import annotations

from array import array

import apsw

from recairn.core.model import Edge
from recairn.core.record import as_tuple
from recairn.core.words import quote
from recairn.store.sqlite.filters import AMONG_FEW, conditions
from recairn.store.sqlite.rows import from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.store.sqlite.connection import Connection

_COLUMNS = (
    "e.source, e.target, e.relation, e.weight, e.confidence, e.created_by, e.created_at,"
    " e.valid_from, e.valid_until, e.changed_at"
)
_MARKS = ", ".join("?" * (_COLUMNS.count(",") + 1))
# Characters of a text that a label needs; the rest stays unread.
_LABEL = 300
# The partial index on kinds is used only where its own condition stands in the statement.
_IS_ENTITY = f"{AMONG_FEW} and m.kind = 'entity'"
_LIVE = "m.deleted_at is null and m.valid_until is null"
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


class EdgeRows:
    """The part of the store that keeps what is linked to what."""

    _c: Connection

    def edges_between(self, source: int, target: int, *, ended: bool = False) -> list[Edge]:
        """The edges from one memory to another, by relation; `ended` includes past ones."""
        only = "" if ended else " and e.valid_until is null"
        rows = self._c.rows(
            f"select {_COLUMNS} from edges e where e.source = ? and e.target = ?{only}"
            " order by e.relation",
            (source, target),
        )
        return [Edge(*row) for row in rows]

    def put_edges(self, edges: Iterable[Edge], *, replace: bool) -> None:
        """Writes edges as they are; those known, ended ones too, are replaced or left alone."""
        verb = "replace" if replace else "ignore"
        self._c.run_many(
            f"insert or {verb} into edges values ({_MARKS})",
            [as_tuple(edge) for edge in edges],
        )

    # Walking

    def linked(
        self, ids: Sequence[int], filter: Filter, per_memory: int
    ) -> list[tuple[int, int, str, float, int]]:
        """(here, there, relation, weight, forward) of the links of memories to visible ones."""
        if not ids:
            return []
        where, values = conditions(filter)
        held, at = _held("e", filter)
        branches = [
            _BESIDE.format(here=here, there=there, forward=forward, held=held, where=where)
            for here, there, forward in (("source", "target", 1), ("target", "source", 0))
        ]
        listed = apsw.carray(array("q", ids))
        bound = (listed, *at, *values, per_memory)
        return self._c.rows(" union all ".join(branches), bound * 2)

    def passing(self, ids: Sequence[int], filter: Filter) -> set[int]:
        """Those of the memories that the filter lets through."""
        where, values = conditions(filter)
        rows = (
            self._c.rows(
                "select m.id from memories m where m.id in (select value from carray(?))"
                f" and {where}",
                (apsw.carray(array("q", ids)), *values),
            )
            if ids
            else []
        )
        return {row[0] for row in rows}

    def visible_edges(self, filter: Filter) -> list[Edge]:
        """The edges both of whose ends the filter lets through."""
        where, values = conditions(filter)
        held, at = _held("e", filter)
        rows = self._c.rows(
            f"with seen as materialized (select m.id from memories m where {where})"
            f" select {_COLUMNS} from edges e where {held} and e.source in seen"
            " and e.target in seen order by e.source, e.target, e.relation",
            (*values, *at),
        )
        return [Edge(*row) for row in rows]

    def visible_ids(self, filter: Filter) -> list[int]:
        """Ids of the memories the filter lets through, in order."""
        where, values = conditions(filter)
        rows = self._c.rows(f"select m.id from memories m where {where} order by m.id", values)
        return [row[0] for row in rows]

    def labels(self, ids: Sequence[int]) -> dict[int, tuple[str, str, int | None]]:
        """(kind, title or the beginning of the content, successor) of memories."""
        rows = (
            self._c.rows(
                f"select m.id, m.kind, case when m.title <> '' then m.title"
                f" else substr(m.content, 1, {_LABEL}) end, m.superseded_by"
                " from memories m where m.id in (select value from carray(?))",
                (apsw.carray(array("q", ids)),),
            )
            if ids
            else []
        )
        return {row[0]: row[1:] for row in rows}

    # Entities

    def entities(self) -> list[tuple[int, str, str, str, str, list[str]]]:
        """(id, project, tier, title, content, aliases) of every live entity."""
        rows = self._c.rows(
            "select m.id, m.project, m.tier, m.title, substr(m.content, 1, 100),"
            f" json_extract(m.fields, '$.aliases') from memories m where {_IS_ENTITY} and {_LIVE}"
        )
        return [(*row[:5], from_json(row[5]) if row[5] else []) for row in rows]

    def texts_with(self, phrase: str, reach: str | None, limit: int) -> list[tuple[int, str]]:
        """(id, text) of the newest live memories that may hold the phrase; stems count as equal."""
        asked = f"{{title content details}} : {quote(phrase)}"
        if reach is not None:
            asked = f"reach : {quote(reach)} AND {asked}"
        return self._c.rows(
            "select m.id, m.title || char(10) || m.content || char(10) || m.details"
            " from memories_fts f join memories m on m.id = f.rowid"
            f" where f.memories_fts match ? and m.kind <> 'chunk' and {_LIVE}"
            " order by f.rowid desc limit ?",
            (asked, limit),
        )

    def mentions(self, memory: int) -> list[tuple[int, int, str]]:
        """(source, target, the source's text) of edges that were made because of a mention."""
        return self._c.rows(
            "select e.source, e.target, m.title || char(10) || m.content || char(10) || m.details"
            " from (select * from edges where source = ? union all"
            " select * from edges where target = ?) e join memories m on m.id = e.source"
            " where e.created_by = 'mention' and e.valid_until is null",
            (memory, memory),
        )

    # Look-alikes

    def alike_groups(self, filter: Filter) -> list[list[int]]:
        """Ids of visible memories that share a look-alike key, group by group."""
        where, values = conditions(filter)
        rows = self._c.rows(
            f"with seen as materialized (select m.id from memories m where {where})"
            " select key, memory from look_alikes where memory in seen order by key, memory",
            values,
        )
        groups: dict[int, list[int]] = {}
        for key, memory in rows:
            groups.setdefault(key, []).append(memory)
        return [group for group in groups.values() if len(group) > 1]


def _held(edge: str, filter: Filter) -> tuple[str, list[Any]]:
    """The condition that an edge holds now, or held at `as_of`."""
    if filter.as_of is None:
        return f"{edge}.valid_until is null", []
    held = f"{edge}.valid_from <= ? and ({edge}.valid_until is null or {edge}.valid_until > ?)"
    return held, [filter.as_of, filter.as_of]
