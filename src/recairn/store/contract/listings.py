"""What a store promises about memories in the order of their creation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from recairn.core.model import Filter, Memory
    from recairn.store.memory_rows import Cursor


class Listings(Protocol):
    """Pages that cost the same wherever they begin, and how many memories each day made."""

    def page(
        self, filter: Filter, *, newest: bool, after: Cursor | None, limit: int
    ) -> list[Memory]:
        """So many memories the filter lets through, by creation, after the last one shown.

        No page looks at those before it, nor sorts what comes after.
        """

    def made_by_day(self, filter: Filter) -> dict[int, int]:
        """Day, counted from 1970 in UTC → how many memories the filter lets through it made."""
