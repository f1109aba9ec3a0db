"""What a reranker says of the best of a ranking, as a term of their scores."""

from __future__ import annotations

import math

from recairn.core.model import added, factor
from recairn.core.record import replace
from recairn.ranking.profiles import RERANKER, Weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.ranking.score import Scored

# Fewer have no spread to speak of.
_FEWEST = 2
# Scores nearer to each other than this say nothing: among equals the reranker decides.
_LEAST_SPREAD = 0.005
_DIGITS = 9


def reranked(ranking: Sequence[Scored], said: Sequence[float], weight: float) -> list[Scored]:
    """The ranking, its first ones lifted by what a reranker said of them, in its order.

    Their order is that of z(score) + weight · z(said). The term's value is 1 for who is best by the
    reranker and 0 for who is worst, its weight what makes of that the spread of the scores: so it
    adds to a score and never takes away, and who was not read stays behind.
    """
    count = min(len(said), len(ranking))
    read = ranking[:count]
    spread = max(_LEAST_SPREAD, _spread([scored.score for scored in read]))
    deviation = _spread(said[:count])
    if count < _FEWEST or not deviation > 0.0:
        return list(ranking)
    lowest, highest = min(said[:count]), max(said[:count])
    share = round(weight * spread * (highest - lowest) / deviation, _DIGITS)
    lifted = [
        _with_term(scored, round((value - lowest) / (highest - lowest), _DIGITS), share)
        for scored, value in zip(read, said, strict=False)
    ]
    lifted.sort(key=lambda scored: (-scored.score, scored.facts.id))
    return [*lifted, *ranking[count:]]


def _with_term(scored: Scored, value: float, weight: float) -> Scored:
    weights = {**scored.profile.weights, RERANKER: Weight(weight)}
    values = {**scored.values, RERANKER: value}
    parts = [(values[name], each.weight, each.effect) for name, each in weights.items()]
    score = added(parts) * factor(parts)
    return scored._replace(
        score=score, profile=replace(scored.profile, weights=weights), values=values
    )


def _spread(values: Sequence[float]) -> float:
    """The standard deviation; 0 of nothing, and where a model said no number."""
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return spread if math.isfinite(spread) else 0.0
