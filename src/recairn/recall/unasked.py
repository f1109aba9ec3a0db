"""What of a ranking an agent should read that has not asked for it: what bears on its prompt."""

from __future__ import annotations

from recairn.ranking.bearing import Prompt, bearings, floor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.words import Plan
    from recairn.embed.index import Meaning
    from recairn.ranking.lexical import Matches
    from recairn.ranking.score import Scored
    from recairn.recall.search import Judged


def bearings_on(
    plan: Plan,
    ranking: Sequence[Scored],
    judged: Judged,
    meaning: Meaning,
    model: str | None,
    said: Mapping[int, float],
) -> tuple[dict[int, float], dict[int, str]]:
    """How much each bears on the prompt, and those that do not enough, with the reason; `said` is
    what our reranker says of those it has read."""
    matches = judged.candidates.matches
    lengths = {} if matches is None else meaning.lengths(_words_by_term(plan, matches))
    prompt = Prompt(plan.text, matches, lengths)
    places = {} if matches is None else matches.places
    scores = {scored.facts.id: scored.score for scored in ranking}
    held = {memory: frozenset(places[memory]) for memory in scores if memory in places}
    known = (model or "", judged.candidates.scope)
    borne = bearings(prompt, scores, held, (judged.cosines, judged.unsaid, said), known)
    return borne, _bearing_little(borne, prompt)


def _bearing_little(borne: Mapping[int, float], prompt: Prompt) -> dict[int, str]:
    floor = floor_of(borne, prompt)
    best = max(borne, key=borne.__getitem__, default=0)
    left_out = {}
    for memory, value in borne.items():
        if value < prompt.floor:
            left_out[memory] = "bears too little on the prompt"
        elif value < floor:
            left_out[memory] = f"bears much less on the prompt than #{best}"
    return left_out


def _words_by_term(plan: Plan, matches: Matches) -> dict[str, str]:
    """How the terms are spelled in the question, where one term is one word."""
    aligned = len(matches.extra) == len(plan.parts)
    parts = zip(matches.extra, plan.parts, strict=True) if aligned else ()
    return {**dict(parts), **{term: word for word, term in matches.spelled.items()}}
