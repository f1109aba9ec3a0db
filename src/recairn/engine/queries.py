"""The engine's look at what was asked: the query log, and searches that missed."""

from __future__ import annotations

from recairn.engine.base import Base
from recairn.engine.options import limit_from, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.query_log import Missed
    from recairn.store.work_rows import Miss


class Queries(Base):
    """What was asked, how long answers took, and which were none."""

    def query_stats(
        self, *, by: str = "query", days: float = 30, limit: int = 20
    ) -> dict[str, Any]:
        """`totals`, `grouped_by` and `data`: counts and durations by query, tool or day."""
        from recairn.core.errors import BadOption
        from recairn.core.kinds import one_of
        from recairn.core.times import DAY
        from recairn.recall.query_log import GROUPS, statistics

        one_of("grouping", by, GROUPS)
        if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= 36_500:
            raise BadOption(f"days must be a number between 0 and 36500, got {days!r}")
        self.settle()
        since = self._clock() - int(days * DAY)
        return statistics(self.store, by, since, limit_from({"limit": limit}, limit))

    def cleanup_queries(self, before: int | str, *, dry_run: bool = True) -> int:
        """How many queries older than a time, or an age such as 90d, the log loses if asked."""
        self.settle()
        cut = moment(before, self._clock()) or 0
        if dry_run:
            return self.store.queries_before(cut)
        with self.store.transaction():
            return self.store.drop_queries(cut)

    def record_miss(self, query: str, wanted: int | str | None = None, note: str = "") -> Missed:
        """Records that a search did not find what was wanted, with the memory wanted if known."""
        from recairn.recall.query_log import Misses

        self.settle()
        memory = None if wanted is None else self.resolve(wanted)
        return Misses(self.store, self._allowed()).add(
            query, memory, note, project=self.project or None, at=self._clock()
        )

    def drop_miss(self, number: int) -> None:
        """Takes back a miss that was recorded, by its number; NotFound when there is none."""
        from recairn.recall.query_log import Misses

        self.settle()
        Misses(self.store, ()).drop(number)

    def misses(self, limit: int = 20) -> tuple[list[Miss], int]:
        """The newest misses, and how many there are in all."""
        from recairn.recall.query_log import Misses

        recorded = Misses(self.store, ())
        return recorded.newest(limit_from({"limit": limit}, limit)), recorded.count()
