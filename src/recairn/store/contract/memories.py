"""What a store promises about memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Event, Filter, Memory
    from recairn.core.stamps import Stamp
    from recairn.store.memory_rows import Label, NewMemory


class Memories(Protocol):
    """Putting, changing, destroying and reading memories."""

    def put(self, memories: Sequence[NewMemory]) -> list[int]:
        """Stores new memories with their indexes, session links and `created` events; their ids.

        Ids rise in the order of creation and are never used twice.
        """

    def change(
        self, memory: int, changes: Mapping[str, Any], event: Event, stamps: str | None = None
    ) -> None:
        """Changes fields, all that follows from them, and appends the event with before and after.

        NotFound for an unknown memory. Indexes and look-alike keys follow by themselves. The groups
        that change are stamped as said here and now, unless all stamps come from elsewhere.
        """

    def erase(self, memory: int, event: Event, stamp: Stamp | None = None) -> None:
        """Destroys a memory; no index, log or history keeps its text, and its uid is noted.

        `stamp` says when and where it was destroyed, if not here and now.
        """

    def get(self, memory: int) -> Memory | None:
        """The memory of that id, deleted or not."""

    def get_many(self, ids: Sequence[int]) -> dict[int, Memory]:
        """The memories of those ids that exist."""

    def find(self, reference: str) -> list[int]:
        """Ids a person may mean by `#42`, a uid prefix or a foreign id.

        Of several memories with one foreign id, those that hold.
        """

    def listing(self, filter: Filter, *, order: str, limit: int, offset: int = 0) -> list[Memory]:
        """Memories the filter lets through, in a stable order."""

    def newest_of(self, filters: Sequence[Filter], limits: Sequence[int]) -> list[list[Memory]]:
        """The newest memories that each of the filters lets through: one round trip."""

    def count(self, filter: Filter) -> int:
        """How many memories the filter lets through."""

    def visible_ids(self, filter: Filter) -> list[int]:
        """Ids of the memories the filter lets through, in order."""

    def passing(self, ids: Sequence[int], filter: Filter) -> set[int]:
        """Those of the memories that the filter lets through."""

    def predecessors(self, memory: int) -> list[int]:
        """Ids of the memories this one replaced."""

    def from_source(self, source: str) -> list[int]:
        """Ids of the memories that came from a source (reference or type)."""

    def labels(self, ids: Sequence[int]) -> dict[int, Label]:
        """Memories in a few words."""
