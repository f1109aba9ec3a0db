"""What a store promises about whole records: what export, import and mirror are made of.

Memories and records are named by their numbers in this database; whoever sends them elsewhere
translates (`store.tables` says which columns hold which).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recairn.core.model import Edge
    from recairn.store.tables import Changes, Placement, Position, WholeMemory


class Exchange(Protocol):
    """Records handed to other databases, and theirs taken in."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Inside, everything is read as it was at the first look, whoever writes meanwhile."""

    def uids(self) -> dict[int, str]:
        """The uid of every memory, erased ones too, by number."""

    def all_numbers(self) -> list[int]:
        """The numbers of all memories, forgotten ones too, in their order."""

    def changed_after(self, seen: Position) -> Changes:
        """The memories something happened to after a position; all where it is not of this history.

        The position that comes back is that of the last event.
        """

    def edges_touching(self, ids: Sequence[int]) -> list[Edge]:
        """All edges, past ones too, that begin or end at one of these memories."""

    def edges_created_by(self, maker: str) -> list[Edge]:
        """The edges in force, between living memories, that this maker made."""

    def put_whole(self, memories: Sequence[WholeMemory], *, is_heard: bool = False) -> list[int]:
        """Stores memories with all their columns, but without history; their numbers here.

        Each keeps the number it had where no memory here has or had it, so that a database that
        arrives whole in an empty one looks as it did; the others get numbers nobody had. The
        successor is found by its uid, in the same call or here; a missing one is none. What a
        server told (`is_heard`) does not wait to be sent to it.
        """

    def new_numbers(self, count: int) -> list[int]:
        """Numbers nobody had, for memories of which only the history arrives."""

    def records(self, noun: str) -> Iterator[Mapping[str, Any]]:
        """All records of a noun, by column, in a stable order."""

    def records_about(self, noun: str, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        """The records of a noun that are about one of these memories, in the same order."""

    def names(self, noun: str) -> set[str]:
        """What the records of a noun are called that is known by one name."""

    def add_records(self, noun: str, records: Sequence[Mapping[str, Any]]) -> list[Placement]:
        """Stores those records that are not here yet; where each of them is now.

        A record is here if one with the same key is, of several alike as many as there are; what
        comes twice with the same number and key is one. A new record keeps its number where that
        is free, else it gets one that nobody has. Where it names another record of its noun by
        number, that is the number which an earlier one of this call came with.
        """
