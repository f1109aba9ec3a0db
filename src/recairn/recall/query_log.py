"""What was asked: the query log in numbers, and the searches that missed what was wanted."""

from __future__ import annotations

from recairn.core.draft import MAX_REFERENCE, Cleaner
from recairn.core.errors import BadInput, NotFound
from recairn.core.record import record
from recairn.store.work_rows import Miss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.store.work_rows import QueryCount

GROUPS = ("query", "tool", "day")
# The kind of failure this module records: what was wanted is there, but was not found.
_SEMANTIC_MISS = "semantic_miss"
# One miss is chance; so many say that the model does not fit the questions.
_TELLING_MISSES = 3
_BETTER_MODEL = "minilm"
_NOTHING = {"count": 0, "empty": 0, "mean_results": None, "mean_ms": None, "p95_ms": None}


@record
class Missed:
    """A recorded miss, the number of misses so far, and the commands that may help, if any."""

    miss: Miss
    count: int
    advice: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def statistics(store: Store, by: str, since: int, limit: int) -> dict[str, Any]:
    """Totals, and the same numbers for each query, tool or day (times in milliseconds)."""
    every = store.query_stats("", since, 1)
    totals = _numbers(every[0]) if every else {**_NOTHING, "last_at": None}
    data = [{by: row.name, **_numbers(row)} for row in store.query_stats(by, since, limit)]
    return {"totals": totals, "grouped_by": by, "data": data}


def _numbers(row: QueryCount) -> dict[str, Any]:
    """To the microsecond, beyond which a clock's reading says nothing."""
    return {
        "count": row.searches,
        "empty": row.empty,
        "mean_results": round(row.mean_results, 3),
        "mean_ms": round(row.mean_ms, 3),
        "p95_ms": round(row.p95_ms, 3),
        "last_at": row.last_at,
    }


class Misses:
    """The misses of one database; every text that comes in is cleaned and redacted."""

    def __init__(self, store: Store, allow: Sequence[str]) -> None:
        self._store = store
        self._allow = allow

    def add(
        self, query: str, wanted: int | None, note: str, *, project: str | None, at: int
    ) -> Missed:
        """Records a miss; BadInput for a query without text."""
        clean = Cleaner(self._allow)
        asked = clean.name("query", query, MAX_REFERENCE)
        if not asked:
            raise BadInput("a miss needs the query that failed", "give its words")
        active = self._store.active_model()
        entry: dict[str, Any] = {
            "at": at,
            "query": asked,
            "project": project,
            "wanted": wanted,
            "model": None if active is None else active.name,
            "note": clean.name("note", note, MAX_REFERENCE),
        }
        with self._store.transaction():
            number = self._store.add_failure(_SEMANTIC_MISS, entry)
        miss, count = Miss(number, **entry), self.count()
        return Missed(miss, count, _advice(miss.model, count), clean.warnings())

    def drop(self, number: int) -> None:
        """Takes a miss back; NotFound when there is none of that number."""
        with self._store.transaction():
            if not self._store.drop_failure(number):
                raise NotFound(f"there is no miss {number}", "recairn miss --list shows them")

    def newest(self, limit: int) -> list[Miss]:
        return self._store.failures(_SEMANTIC_MISS, limit)

    def count(self) -> int:
        return self._store.count_failures(_SEMANTIC_MISS)


def _advice(model: str | None, count: int) -> tuple[str, ...]:
    if model == _BETTER_MODEL or count < _TELLING_MISSES:
        return ()
    return (f"recairn model pull {_BETTER_MODEL}", f"recairn model use {_BETTER_MODEL}")
