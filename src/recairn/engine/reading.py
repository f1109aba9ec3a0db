"""The engine's way out."""

from __future__ import annotations

from recairn.engine.base import Base
from recairn.options import listing_from, request_from
from recairn.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from recairn.model import Event, Memory, Report, SearchOptions, SearchResult

# So many searches may wait to be logged before one of them does it.
_PENDING_SEARCHES = 64


class Reading(Base):
    """Finding and looking."""

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """The memories that answer a question, best first; `meta` says how they were found."""
        given: dict[str, Any] = dict(options)
        now = self._clock()
        request = request_from(query, given, self._filter(given, now))
        result = search(request, self.store, self.meaning, now=now)
        if given.get("track", True) and not self.store.read_only:
            self._pending.append((result, request, given.get("tool", "python"), now))
            if len(self._pending) >= _PENDING_SEARCHES:
                self.settle()
        return result

    def get(self, reference: int | str) -> Memory | None:
        """The memory `42`, `#42`, a uid (or its beginning) or a foreign id points at, or None."""
        self.settle()
        found = self.store.find(str(reference))
        return self.store.get(found[0]) if len(found) == 1 else None

    def listing(self, **options: Any) -> list[Memory]:
        """Memories by filter instead of by question; `order` is newest, oldest, used, salient ..."""
        extent = listing_from(options)
        self.settle()
        return self.store.listing(self._filter(options, self._clock()), **extent)

    def count(self, **options: Any) -> int:
        """How many memories a filter lets through."""
        listing_from(options)
        return self.store.count(self._filter(options, self._clock()))

    def history(self, reference: int | str) -> list[Event]:
        """Every change of a memory, oldest first."""
        self.settle()
        return self.store.history(self.resolve(reference))

    def stats(self) -> dict[str, Any]:
        """Counts of everything."""
        self.settle()
        return self.store.stats(self._clock())

    def verify(self) -> Report:
        """Checks the database; `.problems` is empty when it is healthy."""
        self.settle()
        return self.store.verify()
