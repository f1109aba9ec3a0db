"""Book-keeping after the answer is out: uses, session links, the query log."""

from __future__ import annotations

from recairn.core.guard.log_text import loggable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import SearchResult
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store

# Characters of a question the log keeps; a pasted file is not a question.
_LOGGED_QUERY = 1000


def log_searches(store: Store, searches: Sequence[tuple[SearchResult, Request, str, int]]) -> None:
    """Records past searches, given as (result, request, tool, time), in one transaction."""
    with store.transaction():
        for result, request, tool, at in searches:
            session = request.filter.session
            ids = [hit.memory.id for hit in result.hits]
            used = [hit.memory.id for hit in result.hits if not hit.below_floor]
            if used:
                store.record_use(used, at=at, source=tool, session=session)
            store.log_query(
                {
                    "at": at,
                    "query": loggable(request.query[:_LOGGED_QUERY]),
                    "tool": tool,
                    "mode": request.mode,
                    "profile": request.profile.name,
                    "project": request.filter.project,
                    "session_id": session,
                    "results": len(ids),
                    "result_ids": "[" + ",".join(map(str, ids)) + "]",
                    "duration_ms": result.meta.duration_ms,
                }
            )


def log_injection(
    store: Store, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
) -> None:
    """Records an injection: which memories, in which order, at which cost."""
    query = loggable(entry["query"][:_LOGGED_QUERY])
    store.put_injection({**entry, "query": query}, memories)
