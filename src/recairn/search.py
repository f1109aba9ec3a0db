"""The read path. One pipeline for every surface; read `search` top to bottom, it is all there is."""

from __future__ import annotations

import time

from recairn.model import Hit, SearchMeta, SearchResult
from recairn.ranking.score import ranked
from recairn.ranking.signals import Context
from recairn.record import record
from recairn.text import understand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.model import Filter
    from recairn.ranking.profiles import Profile
    from recairn.ranking.score import Scored
    from recairn.store.base import Store
    from recairn.text import Plan

# How many candidates each arm brings; ranking can only lift what recall has found.
_RECALLED = 100
MAX_LIMIT = 1000


@record
class Request:
    """A question, who may see what, and how to rank it."""

    query: str
    filter: Filter
    profile: Profile
    mode: str = "hybrid"
    limit: int = 10
    min_score: float = 0.0


def search(request: Request, store: Store, *, now: int) -> SearchResult:
    """The memories that answer the question, best first, each with the terms of its score."""
    started = time.perf_counter()
    plan = understand(request.query)
    found = recall(plan, request, store)
    facts = store.facts(found) if found else []
    context = Context(now, request.filter.project)
    scored = ranked(facts, context, request.profile)
    chosen = [each for each in scored if each[0] >= request.min_score][: request.limit]
    hits = _hits(chosen, plan, store)
    meta = SearchMeta(
        query=request.query,
        profile=request.profile.name,
        mode=request.mode,
        project=request.filter.project,
        candidates=len(scored),
        returned=len(hits),
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        model=None,
        weights={name: weight.weight for name, weight in request.profile.weights.items()},
        searched=None if hits else store.count(request.filter),
    )
    return SearchResult(hits, meta)


def recall(
    plan: Plan, request: Request, store: Store
) -> dict[int, tuple[float | None, float | None]]:
    """Candidates as id → (BM25, cosine); every filter is applied inside the store."""
    wanted = max(_RECALLED, 3 * request.limit)
    return {
        memory: (score, None)
        for memory, score in store.match_text(plan, request.filter, wanted)
    }


def _hits(chosen: Sequence[Scored], plan: Plan, store: Store) -> tuple[Hit, ...]:
    ids = [facts.id for _, facts, _ in chosen]
    if not ids:
        return ()
    memories, around, snippets = store.get_many(ids), store.around(ids), store.snippets(plan, ids)
    return tuple(
        Hit(
            memory=memories[facts.id],
            terms=terms,
            match="keyword",
            snippet=snippets.get(facts.id, ""),
            source_session=around[facts.id]["session"],
            superseded_by=around[facts.id]["successor"],
            related_count=around[facts.id]["related"],
        )
        for _, facts, terms in chosen
    )
