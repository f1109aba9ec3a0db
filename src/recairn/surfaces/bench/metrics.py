"""Retrieval metrics and their uncertainty. Pure functions over ranked lists and judgements."""

from __future__ import annotations

import math
import random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Draws of a bootstrap: the ends of a 95 % interval then vary in the third decimal.
_DRAWS = 2000
_SEED = 20


def ndcg(ranking: Sequence[str], judged: Mapping[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gain, against the best possible order."""
    gained = sum(
        judged.get(document, 0.0) / math.log2(place + 2)
        for place, document in enumerate(ranking[:depth])
    )
    best = sorted(judged.values(), reverse=True)[:depth]
    ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(best))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], judged: Mapping[str, float], depth: int) -> float:
    """The share of the relevant documents among the first `depth`."""
    relevant = {document for document, gain in judged.items() if gain > 0}
    return len(relevant & set(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Mapping[str, float]) -> float:
    """One over the place of the first relevant document."""
    for place, document in enumerate(ranking, start=1):
        if judged.get(document, 0.0) > 0:
            return 1.0 / place
    return 0.0


def calibration_error(said: Sequence[tuple[float, bool]]) -> float:
    """How far chances lie from how often they came true: the mean gap over ten equal ranges, each
    counted by what falls into it."""
    ranges: dict[int, list[tuple[float, bool]]] = {}
    for chance, came_true in said:
        ranges.setdefault(min(9, int(10 * chance)), []).append((chance, came_true))
    gaps = [abs(sum(chance - came_true for chance, came_true in own)) for own in ranges.values()]
    return sum(gaps) / len(said) if said else 0.0


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """A bootstrap 95 % interval of the mean; the same for the same values."""
    if not values:
        return 0.0, 0.0
    draw = random.Random(_SEED)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(_DRAWS))
    return means[int(_DRAWS * 0.025)], means[int(_DRAWS * 0.975)]


def difference(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """A paired comparison: mean difference, its 95 % interval, questions won and lost."""
    deltas = [one - other for one, other in zip(ours, theirs, strict=True)]
    low, high = interval(deltas)
    return {
        "mean": mean(deltas),
        "low": low,
        "high": high,
        "won": sum(delta > 1e-9 for delta in deltas),
        "lost": sum(delta < -1e-9 for delta in deltas),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
