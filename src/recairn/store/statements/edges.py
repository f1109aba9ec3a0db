"""Links between memories: written, ended rather than deleted, and read with every filter inside.

An ended edge keeps its row, so that `as_of` still sees it and nothing makes it again by itself.
"""

from __future__ import annotations

from recairn.core.model import Edge
from recairn.core.record import as_tuple
from recairn.store.memory_rows import EntityRow, Label, MentionRow
from recairn.store.statements.base import Statements, batches, from_json, marks
from recairn.store.statements.memory_table import AMONG_FEW, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recairn.core.model import Filter

_NAMES = (
    *("source", "target", "relation", "weight", "confidence", "created_by", "created_at"),
    *("valid_from", "valid_until", "changed_at"),
)
ALL_COLUMNS = ", ".join(f"e.{name}" for name in _NAMES)
_ENDS = "source, target, relation"
# Characters of a text that a label or a name needs; the rest stays unread.
_LABEL, _NAME = 300, 100
# The partial index on kinds is used only where its own condition stands in the statement.
_IS_ENTITY = f"{AMONG_FEW} and m.kind = 'entity'"
LIVE = "m.deleted_at is null and m.valid_until is null"


class EdgeStatements(Statements):
    """The part of a store that keeps what is linked to what."""

    def edges_between(self, source: int, target: int, *, ended: bool = False) -> list[Edge]:
        """The edges from one memory to another, by relation; `ended` includes past ones."""
        only = "" if ended else " and e.valid_until is null"
        rows = self._c.rows(
            f"select {ALL_COLUMNS} from edges e where e.source = ? and e.target = ?{only}"
            " order by e.relation",
            (source, target),
        )
        return [Edge(*row) for row in rows]

    def put_edges(self, edges: Iterable[Edge], *, replace: bool) -> None:
        """Writes edges as they are; those known, ended ones too, are replaced or left alone."""
        anew = ", ".join(f"{name} = excluded.{name}" for name in _NAMES[3:])
        conflict = f"{self._c.unique(_ENDS)} do update set {anew}" if replace else "do nothing"
        self._c.run_many(
            f"insert into edges({', '.join(_NAMES)}) values ({marks(_NAMES)})"
            f" on conflict {conflict}",
            [as_tuple(edge) for edge in edges],
        )

    def remove_edge(self, source: int, target: int, relation: str) -> int:
        """Removes an edge without a trace; how many there were."""
        return self._c.run(
            "delete from edges where source = ? and target = ? and relation = ?",
            (source, target, relation),
        )

    def visible_edges(self, filter: Filter) -> list[Edge]:
        """The edges both of whose ends the filter lets through."""
        seen, values = _seen(filter)
        held, at = held_when("e", filter)
        rows = self._c.rows(
            f"{seen} select {ALL_COLUMNS} from edges e where {held}"
            " and e.source in (select id from seen) and e.target in (select id from seen)"
            " order by e.source, e.target, e.relation",
            (*values, *at),
        )
        return [Edge(*row) for row in rows]

    def edges_among(self, ids: Sequence[int], filter: Filter) -> list[Edge]:
        """The edges both of whose ends are among these memories, at the time of the filter."""
        if not ids:
            return []
        held, at = held_when("e", filter)
        rows = self._c.rows(
            f"select {ALL_COLUMNS} from edges e where {held} and e.source in ({marks(ids)})"
            f" and e.target in ({marks(ids)}) order by e.source, e.target, e.relation",
            (*at, *ids, *ids),
        )
        return [Edge(*row) for row in rows]

    def labels(self, ids: Sequence[int]) -> dict[int, Label]:
        """Memories in a few words."""
        rows = [
            row
            for part in batches(ids)
            for row in self._c.rows(
                f"select m.id, m.kind, case when m.title <> '' then m.title"
                f" else substr(m.content, 1, {_LABEL}) end, m.superseded_by,"
                f" case when m.kind = 'pattern' then m.fields else '{{}}' end"
                f" from memories m where m.id in ({marks(part)})",
                part,
            )
        ]
        return {row[0]: Label._make((_kind_of(row), *row[2:-1])) for row in rows}

    def entities(self) -> list[EntityRow]:
        """Every live entity and what it goes by."""
        rows = self._c.rows(
            f"select m.id, m.project, m.tier, m.title, substr(m.content, 1, {_NAME}), m.fields"
            f" from memories m where {_IS_ENTITY} and {LIVE} order by m.id"
        )
        return [
            EntityRow._make((*row[:5], from_json(row[5], {}).get("aliases") or [])) for row in rows
        ]

    def mentions(self, memory: int) -> list[MentionRow]:
        """The edges at a memory that were made because of a mention."""
        rows = self._c.rows(
            "select e.source, e.target, m.title, m.content, m.details"
            " from (select * from edges where source = ? union all"
            " select * from edges where target = ?) e join memories m on m.id = e.source"
            " where e.created_by = 'mention' and e.valid_until is null",
            (memory, memory),
        )
        return [MentionRow(row[0], row[1], "\n".join(row[2:])) for row in rows]

    def alike_groups(self, filter: Filter) -> list[list[int]]:
        """Ids of visible memories that share a look-alike key, group by group."""
        seen, values = _seen(filter)
        rows = self._c.rows(
            f"{seen} select key, memory from {self._ALL_KEYS}"
            " where memory in (select id from seen)"
            " order by key, memory",
            values,
        )
        groups: dict[int, list[int]] = {}
        for key, memory in rows:
            groups.setdefault(key, []).append(memory)
        return [group for group in groups.values() if len(group) > 1]


def _seen(filter: Filter) -> tuple[str, list[Any]]:
    """What begins a statement about the memories that a filter lets through, which are `seen`.

    Those of each part of the readers are listed by its index, not looked for among everybody's.
    """
    parts = readers(filter)
    each = [f"select m.id from memories m where {where}" for where, _ in parts]
    values = [value for _, own in parts for value in own]
    return f"with seen as materialized ({' union all '.join(each)})", values


def held_when(edge: str, filter: Filter) -> tuple[str, list[Any]]:
    """The condition that an edge holds now, or held at `as_of`."""
    if filter.as_of is None:
        return f"{edge}.valid_until is null", []
    held = f"{edge}.valid_from <= ? and ({edge}.valid_until is null or {edge}.valid_until > ?)"
    return held, [filter.as_of, filter.as_of]


def _kind_of(row: Sequence[Any]) -> str:
    """The kind of a label: what not to do is no pattern to follow."""
    avoid = row[-1] != "{}" and from_json(row[-1], {}).get("anti_pattern")
    return "anti-pattern" if avoid else str(row[1])
