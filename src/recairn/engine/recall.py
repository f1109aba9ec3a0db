"""The engine's way out."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.engine.base import Base
from recairn.engine.options import listing_from, reaching, request_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from recairn.core.model import Event, Memory, Report, SearchOptions, SearchResult
    from recairn.recall.search import Request

# So many searches may wait to be logged before one of them does it.
_PENDING_SEARCHES = 64


class Reading(Base):
    """Finding and looking."""

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """The memories that answer a question, best first; `meta` says how they were found."""
        now, config = self._clock(), self.store.config()
        given = reaching(options, config)
        request = request_from(query, given, self._filter(given, now), config)
        return self._answer(request, given, now)

    def _answer(self, request: Request, given: Mapping[str, Any], now: int) -> SearchResult:
        # Here, because who writes reads single memories too, and needs no search for that.
        from recairn.recall.search import search

        result = search(request, self.store, self.meaning, now=now)
        if request.mode == "semantic" and result.meta.model is None:
            notices = (self.meaning.why_not(),)
            result = replace(result, meta=replace(result.meta, notices=notices))
        if given.get("track", True) and not self.store.read_only:
            self._pending.append((result, request, given.get("tool", "python"), now))
            if len(self._pending) >= _PENDING_SEARCHES:
                self.settle()
        return result

    def get(self, reference: int | str) -> Memory | None:
        """The memory `42`, `#42`, a uid (or its beginning) or a foreign id points at, or None."""
        self.settle()
        found = self.store.find(str(reference).strip())
        return self.store.get(found[0]) if len(found) == 1 else None

    def listing(self, **options: Any) -> list[Memory]:
        """Memories by filter instead of by question; `order` is newest, oldest, used, salient."""
        extent = listing_from(options)
        self.settle()
        filter = self._filter(options, self._clock())
        found = self.store.listing(filter, **extent)
        if filter.as_of is None:
            return found
        from recairn.memory.lifecycle import as_of

        past = [as_of(each, self.store.history(each.id), filter.as_of) for each in found]
        return [each for each in past if each is not None]

    def history(self, reference: int | str) -> list[Event]:
        """Every change of a memory, oldest first."""
        self.settle()
        return self.store.history(self.resolve(reference))

    def verify(self) -> Report:
        """Checks the database; `.problems` is empty when it is healthy."""
        self.settle()
        return self.store.verify()
