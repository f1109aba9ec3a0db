"""The read path, one pipeline for every surface: read `search` top to bottom, it is all."""

from __future__ import annotations

import time

from recairn.core.errors import RecairnError
from recairn.core.guard import loggable_question
from recairn.core.memory_text import flags_of, whole_text
from recairn.core.model import Facts, Hit, SearchMeta, SearchResult, Term
from recairn.core.record import record, replace
from recairn.core.words import FIELD_MARK, snippet, understand
from recairn.ranking.chance import answers, contenders, floor_for, question_of, with_odds
from recairn.ranking.codes import cosines
from recairn.ranking.fusion import near_meanings, relevance
from recairn.ranking.lexical import INSIDE_WORDS, is_strong, keyword_matches, stands_out, wordings
from recairn.ranking.profiles import READER, asked_of_arms, for_model, reweighted
from recairn.ranking.score import decisive, ranked, reaching, reranked, selected
from recairn.ranking.signals import Context, best_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from recairn.core.model import Filter, Memory
    from recairn.core.words import Plan
    from recairn.embed.index import Meaning
    from recairn.ranking.chance import Floor, Question
    from recairn.ranking.fusion import Arms
    from recairn.ranking.profiles import Profile
    from recairn.ranking.score import Scored
    from recairn.store.contract.base import Store
    from recairn.store.rows import Candidates, QueryVector, Shown

# How many candidates each arm brings; ranking can only lift what recall has found.
_RECALLED = 100
# So many first hits are looked at for a turn of dialogue that asks.
_ASKING = 10
# So many of the best a reranker reads: beyond, there is little to win, and each costs time.
_READ = 20
# Characters a snippet is looked for in.
_SNIPPET_CHARACTERS = 20_000


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
    # Whether what follows a question that was found is lifted: among the turns of conversations.
    replies: bool = False
    # Whether nobody asked: only what bears on the prompt enough to be read unasked is a hit.
    unasked: bool = False
    # Whether an empty answer says among how many memories it looked: that means to count them.
    counted: bool = True
    # The reranker that has a second look at the best, and the seconds it may take.
    reranker: tuple[str, float] | None = None
    # Whether nobody asked for that look: then nothing is said where it fails.
    quiet: bool = False
    # The settings the request was made with, so that they are read once.
    settings: Mapping[str, str] | None = None


@record
class Judged:
    """The candidates, and how well each matches by words and by meaning."""

    candidates: Candidates
    scores: Mapping[int, float]
    coverage: Mapping[int, float]
    cosines: Mapping[int, float]
    unsaid: Mapping[int, float]

    def facts(self, memory: int) -> Facts:
        by_words = self.scores[memory], self.coverage[memory]
        by_meaning = self.cosines.get(memory), self.unsaid.get(memory)
        return Facts._make((*self.candidates.facts[memory], *by_words, *by_meaning))

    @property
    def question(self) -> Question:
        matches = self.candidates.matches
        words = 0 if matches is None else len({*matches.terms, *matches.extra})
        return question_of(self.candidates.scope, words, self.cosines.values())


class ShownRows:
    """What readers see of memories, the reranker and the asker alike: each is read once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._shown: dict[int, Shown] = {}

    def of(self, chosen: Sequence[Scored]) -> Mapping[int, Shown]:
        unread = [one.facts.id for one in chosen if one.facts.id not in self._shown]
        self._shown.update(self.store.shown(unread) if unread else {})
        return self._shown


def search(request: Request, store: Store, meaning: Meaning, *, now: int) -> SearchResult:
    """The memories that answer the question, best first, each with the terms of its score."""
    started = time.perf_counter()
    plan = understand(request.query, asked=not request.unasked)
    asked_with = (request.query, plan.words, request.settings)
    vector = None if request.mode == "keyword" else meaning.question(*asked_with)
    candidates, vector = recall(plan, vector, request, store)
    model = None if vector is None else vector.name
    profile = reweighted(for_model(request.profile, model), request.weights)
    judged, rows = judge(plan, vector, candidates), ShownRows(store)
    arms = relevance(judged.scores, judged.unsaid, candidates.codes, *asked_of_arms(profile))
    context = _context(profile, request, candidates, arms, now)
    question = judged.question
    floor = _floor(profile, model, request, question)
    most = arms.most(profile)
    if not request.below_floor:  # of the others none can be an answer
        most = contenders(most, judged.scores, judged.cosines, floor)
    ranking = _ranking(most, judged, context, profile, request)
    left_out, borne = dict[int, str](), dict[int, dict[str, Term]]()
    notices = [meaning.notice] if meaning.notice and request.mode != "keyword" else []
    best, said = _offered(ranking, request, rows, meaning, model, notices)
    if request.unasked:
        borne, left_out = _bearings(plan, ranking, judged, meaning, model, said)
        good = [scored for scored in ranking if scored.facts.id not in left_out]
    else:
        floor = floor if floor is None or not said else replace(floor, said=said)
        good = answers(ranking, floor, lambda: map(judged.facts, arms.leaders(most)))
    offered = ranking if request.below_floor else good
    answering = {scored.facts.id for scored in good}
    best = [scored for scored in best if request.below_floor or scored.facts.id in answering]
    wanted = max(_RECALLED, request.limit) if request.replies else request.limit
    chosen = selected(reaching(best, request.min_score), candidates.codes, profile, wanted)

    def shown(some: Sequence[Scored]) -> tuple[Hit, ...]:
        return hits_of(some, answering, plan, judged, rows)

    hits = shown(chosen)
    if _has_a_question(hits, request):
        from recairn.recall.replies import with_next_memories

        whole = ranked(most, judged.facts, context, profile)
        hits = with_next_memories(hits, best, whole, shown, request, store)
    hits = _with_odds(surrounded(hits, request, store), offered, question, borne, request, model)
    meta = replace(
        _meta(request, profile, model, candidates, hits, store),
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        notices=tuple(notices),
        left_out=tuple(left_out.items()),
    )
    return SearchResult(hits, meta)


def _meta(
    request: Request,
    profile: Profile,
    model: str | None,
    candidates: Candidates,
    hits: Sequence[Hit],
    store: Store,
) -> SearchMeta:
    searched = candidates.passing if request.counted and not hits else None
    if searched is None and request.counted and not hits:
        searched = store.count(request.filter)
    return SearchMeta(
        query=request.query,
        profile=profile.name,
        mode=request.mode,
        project=request.filter.project,
        candidates=len(candidates.facts),
        returned=len(hits),
        duration_ms=0.0,
        model=model,
        weights={name: weight.weight for name, weight in profile.weights.items()},
        searched=searched,
    )


def _context(
    profile: Profile, request: Request, candidates: Candidates, arms: Arms, now: int
) -> Context:
    at, home = request.filter.as_of, request.filter.project or request.filter.home
    said = _wordings(candidates) if profile.verbatim else {}
    return Context(now if at is None else at, home, arms, said, profile.sectors)


def _with_odds(
    hits: Sequence[Hit],
    offered: Sequence[Scored],
    question: Question,
    borne: Mapping[int, Mapping[str, Term]],
    request: Request,
    model: str | None,
) -> tuple[Hit, ...]:
    """The hits with their log odds: of being the answer, or of helping where nobody asked."""
    if request.unasked:
        return tuple([replace(hit, odds=borne.get(hit.id)) for hit in hits])
    return tuple(hits) if request.mode == "semantic" else with_odds(hits, offered, question, model)


def _ranking(
    most: Mapping[int, float], judged: Judged, context: Context, profile: Profile, request: Request
) -> list[Scored]:
    """The candidates, best first; only the first of them where no more decide on the hits."""
    enough = _enough(profile, request)
    rows = [judged.candidates.facts[memory] for memory in most]
    ideal = best_of(rows, context.now) if rows and enough is not None else None
    return ranked(most, judged.facts, context, profile, enough, ideal)


def _has_a_question(hits: Sequence[Hit], request: Request) -> bool:
    """Whether a hit may be a turn of dialogue that asks: then its answer may stand one further."""
    if request.replies or request.unasked:
        return False
    return any(hit.memory.content.endswith("?") for hit in hits[:_ASKING])


def _enough(profile: Profile, request: Request) -> int | None:
    """How many of the ranking decide on the hits; None: all of them."""
    if request.below_floor or request.replies:
        return None
    read = 0 if request.reranker is None else _READ
    return decisive(profile, max(request.limit, read))


def _offered(
    ranking: list[Scored],
    request: Request,
    rows: ShownRows,
    meaning: Meaning,
    model: str | None,
    notices: list[str],
) -> tuple[list[Scored], Mapping[int, float]]:
    """A ranking after the second look at its best, if there is one: a reranker reads their texts
    together with the question. And its numbers, where it is known what they mean for an answer.

    It may take so many seconds once it is loaded, which a process does once: what it has not read
    by then stays where it is, behind. A reranker that fails changes nothing.
    """
    if request.reranker is None or not ranking:
        return ranking, {}
    (name, patience), best = request.reranker, ranking[:_READ]
    trouble = ""
    try:
        reranker = meaning.reranker(name)
        until = time.monotonic() + patience
        read = map(rows.of(best).get, [scored.facts.id for scored in best])
        # One that another process has erased since has no text to be read.
        texts = ["" if row is None else whole_text(row.memory) for row in read]
        said = reranker.scores(request.query, texts, until)
        if len(said) < min(2, len(best)):
            trouble = f"that would have taken more than {patience:g} s"
    except RecairnError as error:
        trouble = f"{error.message}; {error.hint}" if error.hint else error.message
    if trouble:
        notices += [] if request.quiet else [f"not reranked: {trouble}"]
        return ranking, {}
    numbers = zip([scored.facts.id for scored in best], said, strict=False)
    return (
        [*reranked(best, said, reranker.weight_beside(model)), *ranking[_READ:]],
        dict(numbers) if reranker.revision == READER else {},
    )


def _bearings(
    plan: Plan,
    ranking: Sequence[Scored],
    judged: Judged,
    meaning: Meaning,
    model: str | None,
    said: Mapping[int, float],
) -> tuple[dict[int, dict[str, Term]], dict[int, str]]:
    """How much each bears on the prompt, as odds, and those that do too little, with the reason;
    `said` is what our reranker says of those it has read."""
    from recairn.ranking.bearing import Prompt, bearings, odds_of_bearing, spelled, too_little

    matches = judged.candidates.matches
    lengths = {} if matches is None else meaning.lengths(spelled(plan, matches))
    prompt = Prompt(plan.text, matches, lengths)
    places = {} if matches is None else matches.places
    scores = {scored.facts.id: scored.score for scored in ranking}
    held = {memory: frozenset(places[memory]) for memory in scores if memory in places}
    known = (model or "", judged.candidates.scope)
    borne = bearings(prompt, scores, held, (judged.cosines, judged.unsaid, said), known)
    return odds_of_bearing(borne), too_little(borne, prompt)


def recall(
    plan: Plan, vector: QueryVector | None, request: Request, store: Store
) -> tuple[Candidates, QueryVector | None]:
    """What each arm finds; every filter is applied inside the store, before any cut.

    Where words alone are sure enough for the profile, meaning has no say: neither its candidates
    nor the vector are left.
    """
    wanted = max(_RECALLED, 3 * request.limit)
    words = None if request.mode == "semantic" else plan
    candidates = store.candidates(words, vector, request.filter, wanted)
    if request.profile.strong_signal and _words_are_sure(candidates):
        facts = {memory: candidates.facts[memory] for memory in candidates.by_words}
        return candidates._replace(by_meaning={}, facts=facts, codes={}), None
    return candidates, vector


def _words_are_sure(candidates: Candidates) -> bool:
    """Whether one stands out by its keyword score, or alone says the question word for word.

    By score alone no long question would be: of two high scores none is .15 ahead.
    """
    if is_strong(list(candidates.by_words.values())):
        return True
    said = _wordings(candidates)
    return stands_out([said.get(memory, 0.0) for memory in candidates.by_words])


def _wordings(candidates: Candidates) -> Mapping[int, float]:
    return {} if candidates.matches is None else wordings(candidates.matches)


def judge(plan: Plan, vector: QueryVector | None, candidates: Candidates) -> Judged:
    """How well each candidate matches by both arms, whoever found it."""
    facts, matches = candidates.facts, candidates.matches
    near: dict[int, float] = {}
    unsaid: dict[int, float] = {}
    if matches is None:
        if vector is not None:
            near = cosines(vector.codes, candidates.codes)
        nothing = dict.fromkeys(facts, 0.0)
        return Judged(candidates, nothing, nothing, near, near)
    if vector is not None:
        near, unsaid = near_meanings(
            vector.codes, vector.said, candidates.codes, matches, vector.name
        )
    lengths = {memory: row.words for memory, row in facts.items()}
    scores, coverage = keyword_matches(matches, lengths, plan.numbers)
    if not matches.places:  # then recall went by letters: no term of the question stands anywhere
        inside = [memory for memory in facts if memory in candidates.by_words]
        scores.update(dict.fromkeys(inside, INSIDE_WORDS))
        coverage.update(dict.fromkeys(inside, 1.0))
    return Judged(candidates, scores, coverage, near, unsaid)


def _floor(
    profile: Profile, model: str | None, request: Request, question: Question
) -> Floor | None:
    """Where a hit is still an answer; whoever asks one arm alone wants what it finds, whatever."""
    # Words that were sure enough to skip meaning are an answer.
    if request.mode != "hybrid" or (model is None and profile.strong_signal):
        return None
    return floor_for(profile, model, question)


def hits_of(
    chosen: Sequence[Scored],
    answering: Collection[int],
    plan: Plan,
    judged: Judged,
    rows: ShownRows,
) -> tuple[Hit, ...]:
    """The chosen as hits, with what a reader wants beside the memory itself."""
    shown, terms, matches = rows.of(chosen), rows.store.terms, judged.candidates.matches
    if matches is None:  # nobody has asked for the words
        wanted = {term for _, _, term in terms(" ".join(plan.words + plan.parts))}
    else:
        wanted = {*matches.terms, *matches.extra}
    hits = []
    for scored in chosen:
        row = shown.get(scored.facts.id)
        if row is None:  # another process has erased it since it was found
            continue
        text = snippet_text(row.memory)
        hits.append(
            Hit(
                memory=row.memory,
                terms=scored.bounded_terms,
                match=_match(scored.facts, judged.candidates),
                snippet=snippet(
                    text, terms(text), wanted, plan.prefix, lines=row.memory.kind == "chunk"
                ),
                source_session=row.session,
                superseded_by=row.successor,
                related_count=row.related,
                flags=flags_of(row.memory),
                below_floor=scored.facts.id not in answering,
            )
        )
    return tuple(hits)


def surrounded(hits: tuple[Hit, ...], request: Request, store: Store) -> tuple[Hit, ...]:
    """The hits with what follows, preceded or is linked to them, as far as that was asked for."""
    if request.replies:
        from recairn.recall.replies import with_replies

        hits = with_replies(hits, store)[: request.limit]
    if request.filter.as_of is not None:
        from recairn.recall.past import as_believed

        hits = as_believed(hits, request.filter.as_of, store)
    if request.graph_depth or any(hit.related_count for hit in hits):
        from recairn.recall.graph_search import with_reached

        hits = with_reached(store, hits, request.filter, request.graph_depth)
    return hits


def snippet_text(memory: Memory) -> str:
    """The text a snippet is cut from: the content, then the kind's own fields behind their names.

    The place of a piece of a document is shown beside it anyway.
    """
    parts = [memory.content.strip()]
    for name, value in memory.fields.items() if memory.kind != "chunk" else ():
        text = "; ".join(value) if isinstance(value, list) else value
        if text and isinstance(text, str):
            parts.append(f"{name.replace('_', ' ')}: {text}")
    return FIELD_MARK.join(parts)[:_SNIPPET_CHARACTERS]


def _match(facts: Facts, candidates: Candidates) -> str:
    """Which arm found it."""
    if facts.id not in candidates.by_meaning:
        return "keyword"
    return "both" if facts.keyword > 0.0 or facts.id in candidates.by_words else "semantic"


def log_searches(store: Store, searches: Sequence[tuple[SearchResult, Request, str, int]]) -> None:
    """Logs past searches: (result, request, tool, time) of each; in the caller's transaction."""
    for result, request, tool, at in searches:
        ids = [hit.memory.id for hit in result.hits]
        entry = {
            "at": at,
            "query": loggable_question(request.query),
            "tool": tool,
            "mode": request.mode,
            "profile": request.profile.name,
            "project": request.filter.project,
            "session_id": request.filter.session,
            "results": len(ids),
            "result_ids": "[" + ",".join(map(str, ids)) + "]",
            "duration_ms": result.meta.duration_ms,
        }
        used = [hit.memory.id for hit in result.hits if not hit.below_floor]
        store.log_search(entry, used)
