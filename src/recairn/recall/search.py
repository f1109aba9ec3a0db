"""The read path, one pipeline for every surface: read `search` top to bottom, it is all."""

from __future__ import annotations

import time

from recairn.core.kinds import fields_text
from recairn.core.model import Facts, Hit, SearchMeta, SearchResult
from recairn.core.record import record, replace
from recairn.core.words import understand
from recairn.ranking.cosine import cosines
from recairn.ranking.fusion import relevance
from recairn.ranking.lexical import INSIDE_WORDS, keyword_matches
from recairn.ranking.profiles import for_model, reweighted, share_of
from recairn.ranking.residual import near_meanings
from recairn.ranking.score import ranked, terms
from recairn.ranking.selection import answers, decisive, floor_for, is_stranger, selected
from recairn.ranking.signals import Context, best_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter, Memory, Said, Term
    from recairn.core.words import Plan
    from recairn.embed.index import Meaning
    from recairn.ranking.profiles import Profile
    from recairn.store.contract.base import Store

    Asked = tuple[int, str, bytes, Sequence[Said]]

# How many candidates each arm brings; ranking can only lift what recall has found.
_RECALLED = 100
# Characters a snippet is looked for in.
_SNIPPET_CHARACTERS = 20_000
# tx: words alone are sure when the first is this good and this far ahead of the second.
_STRONG, _AHEAD = 0.85, 0.15
_WORDS_AT = Facts.__match_args__.index("words")


@record
class Request:
    """A question, who may see what, and how to rank it."""

    query: str
    filter: Filter
    profile: Profile
    weights: Mapping[str, float]
    mode: str = "hybrid"
    limit: int = 10
    min_score: float = 0.0
    below_floor: bool = False
    graph_depth: int = 0
    # Whether an empty answer says among how many memories it looked: that means to count them.
    counted: bool = True


@record
class Pool:
    """The candidates of both arms: who found them, and the vectors of those that have one."""

    by_words: Mapping[int, float]
    by_meaning: Mapping[int, float]
    asked: Asked | None

    @property
    def ids(self) -> list[int]:
        return sorted({*self.by_words, *self.by_meaning})


@record
class Known:
    """What is known of the candidates: their rows, their vectors, and how well each matches."""

    rows: Mapping[int, tuple[Any, ...]]
    vectors: Mapping[int, Sequence[bytes]]
    scores: Mapping[int, float]
    coverage: Mapping[int, float]
    cosines: Mapping[int, float]
    unsaid: Mapping[int, float]

    def facts(self, memory: int) -> Facts:
        said = (self.scores[memory], self.coverage[memory])
        return Facts(
            *(*self.rows[memory], *said, self.cosines.get(memory), self.unsaid.get(memory))
        )


def search(request: Request, store: Store, meaning: Meaning, *, now: int) -> SearchResult:
    """The memories that answer the question, best first, each with the terms of its score."""
    started = time.perf_counter()
    plan = understand(request.query)
    pool = recall(plan, request, store, meaning)
    profile = weighed(request, pool)
    known = second_look(plan, pool, request, store)
    arms = relevance(known.scores, known.unsaid, known.vectors, share_of(profile))
    context = Context(
        now if request.filter.as_of is None else request.filter.as_of,
        request.filter.project or request.filter.home,
        arms,
    )
    floor = _floor(profile, pool, request, store)
    most = contenders(arms.most(profile), known, request, floor)
    enough = None if request.below_floor else decisive(profile, request.limit)
    ideal = None
    if most and enough is not None:
        ideal = best_of([known.rows[memory] for memory in most], context.now)
    ranking = ranked(most, known.facts, context, profile, enough, ideal)
    good = answers(ranking, floor)
    shown = ranking if request.below_floor else good
    shown = [each for each in shown if each[0] >= request.min_score]
    chosen = [
        (facts, terms(facts, context, profile))
        for _, facts in selected(shown, known.vectors, profile, request.limit)
    ]
    hits = hits_of(chosen, {facts.id for _, facts in good}, plan, pool, store)
    if request.filter.as_of is not None:
        hits = as_believed(hits, request.filter.as_of, store)
    if request.graph_depth or any(hit.related_count for hit in hits):
        from recairn.recall.graph_search import with_reached

        hits = with_reached(store, hits, request.filter, request.graph_depth)
    meta = SearchMeta(
        query=request.query,
        profile=profile.name,
        mode=request.mode,
        project=request.filter.project,
        candidates=len(known.rows),
        returned=len(hits),
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        model=None if pool.asked is None else pool.asked[1],
        weights={name: weight.weight for name, weight in profile.weights.items()},
        searched=store.count(request.filter) if request.counted and not hits else None,
        notices=(meaning.notice,) if meaning.notice and request.mode != "keyword" else (),
    )
    return SearchResult(hits, meta)


def recall(plan: Plan, request: Request, store: Store, meaning: Meaning) -> Pool:
    """What each arm finds; every filter is applied inside the store, before any cut."""
    wanted = max(_RECALLED, 3 * request.limit)
    by_words: dict[int, float] = {}
    if request.mode != "semantic":
        by_words = dict(store.match_text(plan, request.filter, wanted))
    sure = request.profile.strong_signal and is_strong(list(by_words.values()))
    if request.mode == "keyword" or sure:
        return Pool(by_words, {}, None)
    asked = meaning.asked(request.query, plan.words)
    if asked is None:
        return Pool(by_words, {}, None)
    by_meaning = dict(store.match_vector(asked[0], asked[2], request.filter, wanted))
    return Pool(by_words, by_meaning, asked)


def is_strong(scores: Sequence[float]) -> bool:
    """Whether the best of at least two keyword scores s stands out, on the scale s/(1 + s)."""
    if len(scores) < 2:
        return False
    first, second = (score / (1.0 + score) for score in sorted(scores, reverse=True)[:2])
    return first >= _STRONG and first - second >= _AHEAD


def weighed(request: Request, pool: Pool) -> Profile:
    """The profile as this search uses it: for the model that answers, then as configured."""
    model = None if pool.asked is None else pool.asked[1]
    return reweighted(for_model(request.profile, model), request.weights)


def second_look(plan: Plan, pool: Pool, request: Request, store: Store) -> Known:
    """The pool, scored by both arms whoever found each: the last I/O before ranking."""
    rows = {row[0]: row for row in store.facts(pool.ids)}
    ids = list(rows)
    vectors = store.codes(pool.asked[0], ids) if pool.asked else {}
    if request.mode == "semantic" or not ids:
        near = cosines(pool.asked[2], vectors) if pool.asked else {}
        nothing = dict.fromkeys(ids, 0.0)
        return Known(rows, vectors, nothing, nothing, near, near)
    places = store.places(plan, request.filter, ids)
    lengths = {memory: row[_WORDS_AT] for memory, row in rows.items()}
    near, unsaid = near_meanings(*pool.asked[2:], vectors, places) if pool.asked else ({}, {})
    scores, coverage = keyword_matches(places, lengths)
    if not places.places:  # then recall went by letters: no term of the question stands anywhere
        inside = [memory for memory in ids if memory in pool.by_words]
        scores.update(dict.fromkeys(inside, INSIDE_WORDS))
        coverage.update(dict.fromkeys(inside, 1.0))
    return Known(rows, vectors, scores, coverage, near, unsaid)


def contenders(
    most: dict[int, float], known: Known, request: Request, floor: float | None
) -> dict[int, float]:
    """Those of the candidates, with what they can reach, that are worth scoring."""
    if request.below_floor:
        return most
    scores, near = known.scores, known.cosines
    return {
        memory: hope
        for memory, hope in most.items()
        if not is_stranger(scores[memory], near.get(memory), floor)
    }


def _floor(profile: Profile, pool: Pool, request: Request, store: Store) -> float | None:
    """Where a hit is still an answer; whoever asks by meaning alone wants the nearest, whatever."""
    if pool.asked is None or profile.floors is None or request.mode == "semantic":
        return None
    floor = profile.floors.get(pool.asked[1])
    return None if floor is None else floor_for(floor, store.scope_size(request.filter))


def hits_of(
    chosen: Sequence[tuple[Facts, Mapping[str, Term]]],
    answering: Collection[int],
    plan: Plan,
    pool: Pool,
    store: Store,
) -> tuple[Hit, ...]:
    """The chosen as hits, with what a reader wants beside the memory itself."""
    ids = [facts.id for facts, _ in chosen]
    if not ids:
        return ()
    memories, around = store.get_many(ids), store.around(ids)
    # Another process may have erased one since it was found.
    chosen = [each for each in chosen if each[0].id in memories and each[0].id in around]
    texts = {facts.id: shown_text(memories[facts.id]) for facts, _ in chosen}
    snippets = store.snippets(plan, texts)
    return tuple(
        Hit(
            memory=memories[facts.id],
            terms=terms,
            match=_match(facts, pool),
            snippet=snippets[facts.id],
            source_session=around[facts.id]["session"],
            superseded_by=around[facts.id]["successor"],
            related_count=around[facts.id]["related"],
            below_floor=facts.id not in answering,
        )
        for facts, terms in chosen
    )


def as_believed(hits: Sequence[Hit], at: int, store: Store) -> tuple[Hit, ...]:
    """The hits with the words of that time."""
    from recairn.memory.lifecycle import as_of

    past = [(hit, as_of(hit.memory, store.history(hit.id), at)) for hit in hits]
    return tuple(replace(hit, memory=memory) for hit, memory in past if memory is not None)


def shown_text(memory: Memory) -> str:
    """The text a snippet is cut from: the content, then the words of the kind's own fields."""
    return f"{memory.content}\n{fields_text(memory.fields)}".strip()[:_SNIPPET_CHARACTERS]


def _match(facts: Facts, pool: Pool) -> str:
    """Which arm found it."""
    if facts.id not in pool.by_meaning:
        return "keyword"
    return "both" if facts.keyword > 0.0 or facts.id in pool.by_words else "semantic"
