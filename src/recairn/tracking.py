"""Book-keeping after the answer is out: uses, session links, the query log."""

from __future__ import annotations

from recairn.guard import clean_text, redact
from recairn.scopes import is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.model import SearchResult
    from recairn.search import Request
    from recairn.store.base import Store

# Characters of a question the log keeps; a pasted file is not a question.
_LOGGED_QUERY = 1000
# A secret is a long word that is not a word, or stands behind one of these.
_SHORTEST_SECRET = 12  # characters
_ASSIGNING = "=:@"


def log_searches(store: Store, searches: Sequence[tuple[SearchResult, Request, str, int]]) -> None:
    """Records past searches, given as (result, request, tool, time), in one transaction."""
    with store.transaction():
        for result, request, tool, at in searches:
            session = request.filter.session
            ids = [hit.id for hit in result.hits]
            used = [hit.id for hit in result.hits if not hit.below_floor]
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
    """Records what was handed out: which memories, in which order, at which cost."""
    query = loggable(entry["query"][:_LOGGED_QUERY])
    store.put_injection({**entry, "query": query}, memories)


def loggable(query: str) -> str:
    """The question without secrets; the rules are loaded only where one could be."""
    clean = clean_text(query)
    plain = clean.isascii() and not any(mark in clean for mark in _ASSIGNING)
    if plain and all(_harmless(word) for word in clean.split()):
        return clean
    return redact(clean)[0]


def _harmless(word: str) -> bool:
    """Too short for a secret, a word, or a path made of such."""
    if len(word) < _SHORTEST_SECRET or word.isalpha():
        return True
    path = word.strip("`'\".,;!?()")
    return is_file_name(path) and all(
        len(part) < _SHORTEST_SECRET or part.isalpha()
        for part in path.replace(".", "/").replace("_", "/").split("/")
    )
