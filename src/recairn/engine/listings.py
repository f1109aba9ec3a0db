"""The engine's listings page by page, and its counts, which are kept while nobody writes."""

from __future__ import annotations

from recairn.core.errors import BadOption
from recairn.core.kinds import one_of
from recairn.core.record import replace
from recairn.engine.base import Base
from recairn.engine.options import listing_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from recairn.recall.listings import Histogram, Page

    T = TypeVar("T")

# Milliseconds for which a count holds while nobody writes: memories expire by themselves.
_COUNTED_MS = 60_000
# Counts that are kept at once.
_COUNTS = 100


class Listing(Base):
    """What there is, part by part, and how much of it."""

    def page(self, *, after: str | None = None, **options: Any) -> Page:
        """A listing page by page: `after` is the `next` of the page before.

        `order` is newest or oldest, filters as in `listing`; `hidden` lists deleted or expired ones
        instead. Every page costs the same, whatever lies before it.
        """
        from recairn.recall.listings import page

        hidden = options.pop("hidden", "")
        extent = listing_from(options)
        if extent["order"] not in ("newest", "oldest"):
            raise BadOption(
                f"pages go by creation, not by {extent['order']}", "order is newest or oldest"
            )
        if extent["offset"]:
            raise BadOption("a page begins after a cursor, not at an offset", "leave one out")
        self.settle()
        filter = self._filter(options, self._clock())
        if hidden:
            filter = replace(filter, hidden=one_of("hidden", hidden, ("deleted", "expired")))
        newest, limit = extent["order"] == "newest", extent["limit"]
        return page(self.store, filter, newest=newest, after=after, limit=limit)

    def histogram(self, by: str | None = None, **options: Any) -> Histogram:
        """How many memories each day, week or month made, of those a filter lets through.

        Without `by`, the shortest stretch of time that makes at most 120 bins.
        """
        from recairn.recall.listings import STRETCHES, histogram

        if by is not None:
            one_of("stretch of time", by, tuple(STRETCHES))
        listing_from(options)
        filter = self._filter(options, self._clock())
        return self._counted(
            (by, replace(filter, now=0)), lambda: histogram(self.store, filter, by)
        )

    def count(self, **options: Any) -> int:
        """How many memories a filter lets through."""
        listing_from(options)
        filter = self._filter(options, self._clock())
        return self._counted(replace(filter, now=0), lambda: self.store.count(filter))

    def revision(self) -> str:
        """A text that is another one whenever anybody, this memory too, has written something."""
        return self.store.revision()

    def _counted(self, what: Any, count: Callable[[], T]) -> T:
        """What was counted before, unless something was written since, or time went by."""
        name, state = repr(what), (self.store.revision(), self._clock() // _COUNTED_MS)
        counted = self._counts.get(name)
        if counted is None or counted[0] != state:
            if len(self._counts) >= _COUNTS:
                self._counts.clear()
            counted = self._counts[name] = (state, count())
        return counted[1]

    def stats(self) -> dict[str, Any]:
        """Counts of everything."""
        self.settle()
        return dict(self._counted("stats", lambda: self.store.stats(self._clock())))
