"""The read path, one pipeline for every surface: read `search` top to bottom, it is all."""

from __future__ import annotations

import time

from recairn.kinds import fields_text
from recairn.model import Hit, SearchMeta, SearchResult
from recairn.ranking.score import ranked
from recairn.ranking.signals import Context
from recairn.record import record
from recairn.text import understand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.meaning import Meaning
    from recairn.model import Facts, Filter, Memory
    from recairn.ranking.profiles import Profile
    from recairn.ranking.score import Scored
    from recairn.store.base import Store
    from recairn.text import Plan

# How many candidates each arm brings; ranking can only lift what recall has found.
_RECALLED = 100
MAX_LIMIT = 1000
# Characters a snippet is looked for in.
_SNIPPET_CHARACTERS = 20_000


@record
class Request:
    """A question, who may see what, and how to rank it."""

    query: str
    filter: Filter
    profile: Profile
    mode: str = "hybrid"
    limit: int = 10
    min_score: float = 0.0


def search(request: Request, store: Store, meaning: Meaning, *, now: int) -> SearchResult:
    """The memories that answer the question, best first, each with the terms of its score."""
    started = time.perf_counter()
    plan = understand(request.query)
    asked = meaning.asked(request.query) if request.mode != "keyword" else None
    found = recall(plan, asked, request, store)
    facts = store.facts(found) if found else []
    context = Context(
        now if request.filter.as_of is None else request.filter.as_of, request.filter.project
    )
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
        model=None if asked is None else asked[1],
        weights={name: weight.weight for name, weight in request.profile.weights.items()},
        searched=None if hits else store.count(request.filter),
        notices=(meaning.notice,) if meaning.notice and request.mode != "keyword" else (),
    )
    return SearchResult(hits, meta)


def recall(
    plan: Plan, asked: tuple[int, str, bytes] | None, request: Request, store: Store
) -> dict[int, tuple[float | None, float | None]]:
    """Candidates as id → (BM25, cosine); every filter is applied inside the store.

    What one arm found is scored by the other one too: an absent score would count as a bad one.
    """
    wanted = max(_RECALLED, 3 * request.limit)
    by_words: dict[int, float] = {}
    if request.mode != "semantic":
        by_words = dict(store.match_text(plan, request.filter, wanted))
    if asked is None:
        return {memory: (score, None) for memory, score in by_words.items()}
    model, _, codes = asked
    by_meaning = dict(store.match_vector(model, codes, request.filter, wanted))
    if request.mode != "semantic":
        by_words |= store.text_scores(plan, [each for each in by_meaning if each not in by_words])
        by_meaning |= store.cosines(
            model, codes, [each for each in by_words if each not in by_meaning]
        )
    return {
        memory: (by_words.get(memory), by_meaning.get(memory))
        for memory in {**by_words, **by_meaning}
    }


def _hits(chosen: Sequence[Scored], plan: Plan, store: Store) -> tuple[Hit, ...]:
    ids = [facts.id for _, facts, _ in chosen]
    if not ids:
        return ()
    memories, around = store.get_many(ids), store.around(ids)
    # Another process may have erased one since it was found.
    chosen = [each for each in chosen if each[1].id in memories and each[1].id in around]
    snippets = store.snippets(
        plan, {facts.id: shown_text(memories[facts.id]) for _, facts, _ in chosen}
    )
    return tuple(
        Hit(
            memory=memories[facts.id],
            terms=terms,
            match=_match(facts),
            snippet=snippets[facts.id],
            source_session=around[facts.id]["session"],
            superseded_by=around[facts.id]["successor"],
            related_count=around[facts.id]["related"],
        )
        for _, facts, terms in chosen
    )


def shown_text(memory: Memory) -> str:
    """The text a snippet is cut from: the content, then the words of the kind's own fields."""
    return f"{memory.content}\n{fields_text(memory.fields)}".strip()[:_SNIPPET_CHARACTERS]


def _match(facts: Facts) -> str:
    """Which arm found it."""
    if facts.keyword is None:
        return "semantic"
    return "keyword" if facts.cosine is None else "both"
