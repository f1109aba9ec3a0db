"""What a store promises about whole records: what export, import and mirror are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recairn.core.model import Edge
    from recairn.store.tables import Shape


class Exchange(Protocol):
    """Rows handed to other databases, and theirs taken in."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Inside, everything is read as it was at the first look."""

    def uids(self) -> dict[int, str]:
        """The uid of every memory, erased ones too, by number."""

    def all_numbers(self) -> list[int]:
        """The numbers of all memories, forgotten ones too, in their order."""

    def changed_after(self, seen: tuple[int, int]) -> tuple[tuple[int, int], list[int]]:
        """The last event (number, time), and memories changed after the one seen; else all."""

    def edges_touching(self, ids: Sequence[int]) -> list[Edge]:
        """All edges, past ones too, that begin or end at one of these memories."""

    def edges_created_by(self, maker: str) -> list[Edge]:
        """The edges in force, between living memories, that this maker made."""

    def free_numbers(self, wanted: Sequence[int | None]) -> list[int]:
        """A number for each new memory, the one wanted where it never was another's."""

    def put_whole(self, memories: Sequence[tuple[int, Mapping[str, Any], Sequence[int]]]) -> None:
        """Inserts rows with all their columns under their numbers; without history."""

    def records(self, shape: Shape) -> Iterator[tuple[Any, ...]]:
        """All rows of a shape's table, in a stable order."""

    def known_records(self, shape: Shape) -> dict[tuple[Any, ...], list[int]]:
        """The key of every record that is there, and the numbers (or 0) of those that have it."""

    def put_records(self, shape: Shape, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts rows as they are."""
