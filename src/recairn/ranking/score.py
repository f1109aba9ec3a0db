"""From facts to terms, from terms to an order, and from that to hits.

What only repeats a better one, and what a reranker's word counts, is decided here too.
"""

from __future__ import annotations

import math
from bisect import insort

from recairn.core.model import Term, added, combined, factor, total
from recairn.core.record import Row, replace
from recairn.ranking.chance import LOOKED_AT
from recairn.ranking.codes import cosines
from recairn.ranking.profiles import RERANKER, Weight
from recairn.ranking.signals import OF_THE_QUESTION, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recairn.core.model import Facts
    from recairn.ranking.profiles import Profile
    from recairn.ranking.signals import Context

    # Name, weight and effect of each signal.
    Weighed = list[tuple[str, float, str]]

# Above this a score is pressed into what is left to 1, where its profile can lead beyond 1.
_ROOM_FROM = 0.99
# Signals are rounded to nine digits, so a value may exceed what it was said to be at most.
_ROUNDED = 1e-8


class Scored(Row):
    """A candidate with its score, and the value of each signal the score was computed from."""

    score: float
    facts: Facts
    profile: Profile
    values: Mapping[str, float]

    @property
    def terms(self) -> dict[str, Term]:
        """The terms of the score, one for each signal the profile weighs, in its order."""
        values, weights = self.values, self.profile.weights
        return {
            name: Term._make((values[name], weight.weight, weight.effect))
            for name, weight in weights.items()
        }

    @property
    def bounded_terms(self) -> dict[str, Term]:
        """The same, and the one that keeps the score within 1 where they lead beyond."""
        ceiling = self.ceiling
        return (
            self.terms if ceiling == 1.0 else {**self.terms, "ceiling": Term(ceiling, 1.0, "gate")}
        )

    @property
    def ceiling(self) -> float:
        """What the score is multiplied by to stay within 1, whatever boosts added to it.

        Order is kept: from .99 to the most that the profile can make, scores fill .99 to 1.
        """
        if self.score <= _ROOM_FROM:
            return 1.0
        weights = self.profile.weights.values()
        most = total(
            {str(at): Term(1.0, weight.weight, weight.effect) for at, weight in enumerate(weights)}
        )
        if most <= 1.0:
            return 1.0
        pressed = _ROOM_FROM + (1.0 - _ROOM_FROM) * (self.score - _ROOM_FROM) / (most - _ROOM_FROM)
        # Nine digits, cut off: no rounding leads beyond 1.
        return math.floor(pressed / self.score * 1e9) / 1e9


def reaching(ranking: Sequence[Scored], least: float) -> list[Scored]:
    """What of a ranking scores at least so much."""
    return [scored for scored in ranking if scored.score * scored.ceiling >= least]


def ranked(
    most: Mapping[int, float],
    facts_of: Callable[[int], Facts],
    context: Context,
    profile: Profile,
    wanted: int | None = None,
    ideal: Facts | None = None,
) -> list[Scored]:
    """The `wanted` best, or all, best first; equal scores in order of id.

    `most` gives for each candidate what its added terms make at most. The most promising are scored
    first; whoever cannot reach the last of the best any more is not scored at all: the sooner, the
    better what multiplies is known not to exceed what it makes for `ideal` (see `best_of`).
    """
    adding, weighing = _split(profile)
    largest = _largest_factor(profile, context, ideal)
    factors, addends = [signal[0] for signal in weighing], [signal[0] for signal in adding]
    best: list[float] = []
    scored: list[Scored] = []
    hopes = sorted([(hope + _ROUNDED, memory) for memory, hope in most.items()], reverse=True)
    for hope, memory in hopes:
        bar = best[-wanted] if wanted is not None and len(best) >= wanted else -1.0
        if hope * largest < bar:
            break
        facts = facts_of(memory)
        values = values_of(factors, facts, context)
        times = factor(_parts(weighing, values))
        if hope * times < bar:
            continue
        values.update(values_of(addends, facts, context))
        score = added(_parts(adding, values)) * times
        insort(best, score)
        scored.append(Scored._make((score, facts, profile, values)))
    scored.sort(key=lambda entry: (-entry.score, entry.facts.id))
    return scored[:wanted]


def _split(profile: Profile) -> tuple[Weighed, Weighed]:
    """The signals that are added, and those that multiply."""
    weighed = [(name, weight.weight, weight.effect) for name, weight in profile.weights.items()]
    adding = [signal for signal in weighed if signal[2] == "add"]
    return adding, [signal for signal in weighed if signal[2] != "add"]


def _parts(weighed: Weighed, values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    return [(values[name], weight, effect) for name, weight, effect in weighed]


def _largest_factor(profile: Profile, context: Context, ideal: Facts | None) -> float:
    """What the factors of a score make at most: every signal says what it says of the ideal, or 1.

    A weight beyond 0..1 may turn a factor negative, and two of those make a large one. Where one
    says the question word for word, or sectors have boosts of one's own, rows do not tell it.
    """
    steady = not context.wordings and context.sectors is None
    steady &= all(0.0 <= weight.weight <= 1.0 for weight in profile.weights.values())
    values = dict.fromkeys(profile.weights, 1.0)
    if steady and ideal is not None:
        values.update(values_of(profile.weights.keys() - OF_THE_QUESTION, ideal, context))
    return factor(
        [(values[name], weight.weight, weight.effect) for name, weight in profile.weights.items()]
    )


def decisive(profile: Profile, limit: int) -> int | None:
    """How many of a ranking decide which hits are selected; None: all of them."""
    if profile.fold is None and profile.per_source is None and profile.diversity is None:
        return max(limit, LOOKED_AT)
    return None


def selected(
    ranking: Sequence[Scored],
    vectors: Mapping[int, Sequence[bytes]],
    profile: Profile,
    limit: int,
) -> list[Scored]:
    """The best, without what the profile folds away or caps."""
    if decisive(profile, limit) is not None:
        return list(ranking[:limit])
    chosen: list[Scored] = []
    nearest: dict[int, float] = {}
    sources: dict[str, int] = {}
    left = list(ranking)
    while left and len(chosen) < limit:
        best = max(left, key=lambda one: (_worth(one, nearest, profile.diversity), -one.facts.id))
        left.remove(best)
        facts = best.facts
        if profile.fold is not None and nearest.get(facts.id, 0.0) >= profile.fold:
            continue
        if profile.per_source is not None and facts.source_ref:
            sources[facts.source_ref] = sources.get(facts.source_ref, 0) + 1
            if sources[facts.source_ref] > profile.per_source:
                continue
        chosen.append(best)
        if vectors.get(facts.id):
            for other, cosine in cosines(vectors[facts.id][0], vectors).items():
                nearest[other] = max(nearest.get(other, 0.0), cosine)
    return chosen


def _worth(entry: Scored, nearest: Mapping[int, float], diversity: float | None) -> float:
    """Maximal marginal relevance: λ·score − (1 − λ)·nearness to what was chosen."""
    if diversity is None:
        return entry.score
    return diversity * entry.score - (1.0 - diversity) * nearest.get(entry.facts.id, 0.0)


# A second look at the best

# Fewer have no spread to speak of.
_FEWEST = 2
# Scores nearer to each other than this say nothing: among equals the reranker decides.
_EQUAL_SPREAD = 0.005
_DIGITS = 9


def reranked(ranking: Sequence[Scored], said: Sequence[float], weight: float) -> list[Scored]:
    """The ranking, its first ones lifted by what a reranker said of them, in its order.

    Their order is that of z(score) + weight · z(said). The term's value is 1 for who is best by the
    reranker and 0 for who is worst, its weight what makes of that the spread of the scores: so it
    adds to a score and never takes away, and who was not read stays behind.
    """
    count = min(len(said), len(ranking))
    read = ranking[:count]
    spread = max(_EQUAL_SPREAD, _spread([scored.score for scored in read]))
    deviation = _spread(said[:count])
    if count < _FEWEST or not deviation > 0.0:
        return list(ranking)
    lowest, highest = min(said[:count]), max(said[:count])
    share = round(weight * spread * (highest - lowest) / deviation, _DIGITS)
    profile = read[0].profile
    weighed = replace(profile, weights={**profile.weights, RERANKER: Weight(share)})
    lifted = []
    for scored, value in zip(read, said, strict=False):
        share_of_best = round((value - lowest) / (highest - lowest), _DIGITS)
        lifted.append(_scored(scored.facts, weighed, {**scored.values, RERANKER: share_of_best}))
    lifted.sort(key=lambda scored: (-scored.score, scored.facts.id))
    return [*lifted, *ranking[count:]]


def _scored(facts: Facts, profile: Profile, values: Mapping[str, float]) -> Scored:
    parts = [
        (values[name], weight.weight, weight.effect) for name, weight in profile.weights.items()
    ]
    return Scored._make((combined(parts), facts, profile, values))


def _spread(values: Sequence[float]) -> float:
    """The standard deviation; 0 of nothing, and where a model said no number."""
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return spread if math.isfinite(spread) else 0.0
