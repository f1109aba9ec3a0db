"""What a store promises about links between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.model import Edge, Filter
    from recairn.store.memory_rows import EntityRow, LinkRow, MentionRow


class Edges(Protocol):
    """Typed links: ended rather than deleted, walked with every filter inside."""

    def edges_between(self, source: int, target: int, *, ended: bool = False) -> list[Edge]:
        """The edges from one memory to another, by relation; `ended` includes past ones."""

    def put_edges(self, edges: Iterable[Edge], *, replace: bool) -> None:
        """Writes edges as they are; those known, ended ones too, are replaced or left alone."""

    def remove_edge(self, source: int, target: int, relation: str) -> int:
        """Removes an edge without a trace, as only one that makes itself may be; how many."""

    def linked(self, ids: Sequence[int], filter: Filter, per_memory: int) -> list[LinkRow]:
        """The links of memories to those the filter lets through, in both directions.

        Of each memory and direction at most so many, after the filter.
        """

    def visible_edges(self, filter: Filter) -> list[Edge]:
        """The edges both of whose ends the filter lets through."""

    def edges_among(self, ids: Sequence[int], filter: Filter) -> list[Edge]:
        """The edges both of whose ends are among these memories, at the time of the filter."""

    def entities(self) -> list[EntityRow]:
        """Every live entity and what it goes by."""

    def mentions(self, memory: int) -> list[MentionRow]:
        """The edges at a memory that were made because of a mention."""
