"""Weights fitted to preferences: of two answers to one question, this one was the better. Pure.

A pair is won by the better answer's score. With m the difference of the logarithms of both scores,
the loss of a pair is ln(1 + e^(−8·m)); the mean over all questions, and a pull towards the
profile's own weights that fades as questions come in, are minimised together.
"""

from __future__ import annotations

import math

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Term

    Terms = Mapping[str, Term]
    Weights = Mapping[str, float]

# A score a tenth higher (m = 0.095) wins its pair with probability 0.68.
_SHARPNESS = 8.0
# Questions that pull as hard as the profile itself.
_PRIOR_QUESTIONS = 8.0
# A weight may become at most so many times what the profile says, and never more than 1: what tilts
# a score by a few per cent must not come to decide it.
_MOST_TIMES = 2.5
# A weight moves in units of itself, small ones in units of this.
_SMALLEST_UNIT = 0.05
_STEPS = 200
_STRIDE = 0.2
# A step that moves every weight by less than this share of itself is the last one.
_STILL = 1e-4
# Scores and factors are positive; this stands in where one would vanish.
_LEAST = 1e-9


@record
class Question:
    """The answers to a question as their terms, and (better, worse, weight) by place among them."""

    query: str
    answers: Sequence[Terms]
    pairs: Sequence[tuple[int, int, float]]


def fitted(questions: Sequence[Question], prior: Weights, tuned: Sequence[str]) -> dict[str, float]:
    """All weights, those named in `tuned` fitted to the questions; equal for equal arguments."""
    weights = dict(prior)
    most = {name: min(1.0, _MOST_TIMES * prior[name]) for name in tuned}
    units = {name: max(prior[name], _SMALLEST_UNIT) for name in tuned}
    pull = _PRIOR_QUESTIONS / (_PRIOR_QUESTIONS + len(questions))
    for step in range(_STEPS):
        slopes = _slopes(questions, weights, tuned)
        stride = _STRIDE / (1.0 + step / _STEPS)
        furthest = 0.0
        for name in tuned:
            away = (weights[name] - prior[name]) / units[name]
            slope = slopes[name] * units[name] + pull * away
            moved = min(most[name], max(0.0, weights[name] - stride * units[name] * slope))
            furthest = max(furthest, abs(moved - weights[name]) / units[name])
            weights[name] = moved
        if furthest < _STILL:
            break
    return _same_sum(weights, prior, _effects(questions))


def _effects(questions: Sequence[Question]) -> dict[str, str]:
    """How each term enters a score."""
    for question in questions:
        return {name: term.effect for name, term in question.answers[0].items()}
    return {}


def _same_sum(
    weights: dict[str, float], prior: Weights, effects: Mapping[str, str]
) -> dict[str, float]:
    """The added weights sum up as they did, so that scores keep their scale."""
    added = [name for name in weights if effects.get(name) == "add"]
    before, after = sum(prior[name] for name in added), sum(weights[name] for name in added)
    scale = before / after if after else 1.0
    return {
        name: round(weight * scale if name in added else weight, 4)
        for name, weight in weights.items()
    }


def _slopes(
    questions: Sequence[Question], weights: Weights, tuned: Sequence[str]
) -> dict[str, float]:
    """The slope of the mean loss along each weight."""
    slopes = dict.fromkeys(tuned, 0.0)
    for question in questions:
        scores = [log_score(terms, weights) for terms in question.answers]
        gained = [0.0] * len(scores)
        whole = len(questions) * sum(weight for _, _, weight in question.pairs)
        for better, worse, weight in question.pairs:
            margin = _SHARPNESS * (scores[better] - scores[worse])
            lost = weight / whole * _SHARPNESS / (1.0 + math.exp(min(50.0, margin)))
            gained[better] += lost
            gained[worse] -= lost
        for terms, share in zip(question.answers, gained, strict=True):
            if share:
                for name, gain in _gains(terms, weights, tuned).items():
                    slopes[name] -= share * gain
    return slopes


def log_score(terms: Terms, weights: Weights) -> float:
    """The logarithm of the score that the terms would have with these weights."""
    product = 1.0
    for name, term in terms.items():
        if term.effect != "add":
            product *= max(_LEAST, _factor(term, weights[name]))
    return math.log(_added(terms, weights) * product)


def _added(terms: Terms, weights: Weights) -> float:
    added = [weights[name] * term.value for name, term in terms.items() if term.effect == "add"]
    return max(_LEAST, sum(added))


def _factor(term: Term, weight: float) -> float:
    if term.effect == "gate":
        return 1.0 - weight * (1.0 - term.value)
    if term.effect == "boost":
        return 1.0 + weight * term.value
    return 1.0 + weight * (term.value - 0.5)


def _gains(terms: Terms, weights: Weights, tuned: Sequence[str]) -> dict[str, float]:
    """How fast the logarithm of a score grows with each weight."""
    added = _added(terms, weights)
    gains = {}
    for name in tuned:
        term = terms[name]
        if term.effect == "add":
            gains[name] = term.value / added
        else:
            slope = term.value if term.effect == "boost" else term.value - 0.5
            slope = term.value - 1.0 if term.effect == "gate" else slope
            gains[name] = slope / max(_LEAST, _factor(term, weights[name]))
    return gains


def won(questions: Sequence[Question], weights: Weights) -> float:
    """The share of pairs, each question counting the same, whose better answer scores higher."""
    if not questions:
        return 0.0
    shares = []
    for question in questions:
        scores = [log_score(terms, weights) for terms in question.answers]
        whole = sum(weight for _, _, weight in question.pairs)
        right = [
            weight * _wins(scores[better] - scores[worse])
            for better, worse, weight in question.pairs
        ]
        shares.append(sum(right) / whole)
    return sum(shares) / len(shares)


def _wins(margin: float) -> float:
    return 0.5 if abs(margin) < 1e-12 else float(margin > 0.0)
