"""Whether a hit answers the question at all, and the chance that it does: what percentages show.

A score orders; how high it is depends on the question and on what else was found. What a question
asks of its best hits is its floor. Log odds over what ranking knows say how often hits like this
one answered (fitted on question sets by `tools/fit_chance.py`, decision 0027). They only number the
order, they never change it.
"""

from __future__ import annotations

import math

from recairn.core.model import Term
from recairn.core.record import record, replace
from recairn.ranking.profiles import DEFAULT, assumed, weights_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from recairn.core.model import Facts, Hit
    from recairn.ranking.profiles import Line, Odds, Profile
    from recairn.ranking.score import Scored

# Memories in a scope from which on the calibrated floor holds as it is.
_MANY = 3000
# Cosines hardly ever lie closer together than this.
_LEAST_SPREAD = 0.03
# One of so many best must be a clear answer; otherwise there is none.
LOOKED_AT = 3


@record
class Question:
    """What the floor of a question depends on: how many memories there are, how many different
    words it has, and the mean and the spread of the candidates' cosines."""

    memories: int
    words: int
    middle: float
    spread: float


NOTHING_SAID: Mapping[int, float] = {}


@record
class Floor:
    """Where something is still an answer to a question.

    `near` is the cosine from which on what shares no word with the question is no stranger. One of
    the best has to be clear: on the `line` that chance alone does not reach, less `ease`; those of
    whom a reranker `said` something on the line `read`.
    """

    near: float
    line: Line
    question: Question
    ease: float = 0.0
    read: Line | None = None
    said: Mapping[int, float] = NOTHING_SAID


def question_of(memories: int, words: int, cosines: Collection[float]) -> Question:
    count = len(cosines) or 1
    middle = sum(cosines) / count
    square = sum([(value - middle) ** 2 for value in cosines]) / count
    return Question(memories, words, middle, math.sqrt(square) + _LEAST_SPREAD)


def floor_for(profile: Profile, model: str | None, question: Question) -> Floor | None:
    """The floor for a question; None where the profile has none for the model."""
    assumptions = assumed(model)
    usual = assumptions.floor or 0.0
    floor = 0.0 if profile.floors is None else profile.floors.get(model or "", usual)
    if profile.floors is None or assumptions.line is None or (model is not None and not floor):
        return None
    tenfolds = math.log10(max(1, question.memories))
    near = floor * min(1.0, 0.5 + 0.5 * tenfolds / math.log10(_MANY))
    ease = assumptions.line.cosine * (usual - floor)
    return Floor(near, assumptions.line, question, ease, assumptions.read)


def answers(
    ranking: Sequence[Scored], floor: Floor | None, leaders: Callable[[], Iterable[Facts]] = tuple
) -> list[Scored]:
    """What is left of a ranking when strangers are taken out; nothing when no best one is clear.

    A stranger shares no word with the question and is not near in meaning. The best are those of
    the ranking, and where age or use put others first, the most relevant ones: `leaders`.
    """
    related = [
        scored
        for scored in ranking
        if scored.facts.keyword > 0.0 or _near(scored.facts.cosine, floor)
    ]
    if any(_is_clear(scored.facts, floor) for scored in related[:LOOKED_AT]):
        return related
    return related if any(_is_clear(facts, floor) for facts in leaders()) else []


def _is_clear(facts: Facts, floor: Floor | None) -> bool:
    return floor is None or clearness(facts, floor) >= 0.0


def clearness(facts: Facts, floor: Floor) -> float:
    """How far a memory lies above the line of a clear answer, in log odds."""
    question, said = floor.question, floor.said.get(facts.id)
    plain, read = floor.line, floor.read
    if facts.cosine is None:  # it has no vector yet: then words decide, as they do without a model
        plain, read = assumed(None).line or plain, assumed(None).read
    line = plain if said is None or read is None else read
    cosine = question.middle if facts.cosine is None else facts.cosine
    tenfolds = math.log10(max(1, question.memories))
    value = line.start + floor.ease + line.size * tenfolds
    value += line.few * max(0.0, 2.0 - tenfolds) + line.many * max(0.0, tenfolds - 4.0)
    value += (line.cosine + line.cosine_by_size * tenfolds) * cosine
    value += line.coverage * facts.coverage + line.keyword * math.log1p(facts.keyword)
    value += line.outstanding * outstanding(facts, question)
    value += line.asked * math.log(max(1, question.words))
    return value + line.reranker * (said or 0.0)


def outstanding(facts: Facts | None, question: Question) -> float:
    """How far a cosine lies above those of all candidates, in their spread; 0 without a vector."""
    if facts is None or facts.cosine is None:
        return 0.0
    return (facts.cosine - question.middle) / question.spread


def contenders(
    most: Mapping[int, float],
    scores: Mapping[int, float],
    cosines: Mapping[int, float],
    floor: Floor | None,
) -> dict[int, float]:
    """Those of the candidates, with what they can reach, that are no strangers to the question.

    A stranger, by its keyword score and cosine, is no answer however it ranks.
    """
    return {
        memory: hope
        for memory, hope in most.items()
        if scores[memory] > 0.0 or _near(cosines.get(memory), floor)
    }


def _near(cosine: float | None, floor: Floor | None) -> bool:
    return cosine is not None and cosine >= (0.0 if floor is None else floor.near)


# How likely it is

# Tenfolds of memories below which a store is small.
_FEW = 2.0
# What being led to from a hit is worth, in log odds: with it the chances of turns that a link from
# the turn before or after had brought were right on average (LoCoMo, decision 0027).
_LINKED = 1.7
# The score of somebody in the middle of the candidates: what a lone hit is ahead of.
_NOBODY = 0.25


def odds_for(profile: Profile, model: str | None) -> Odds | None:
    """How log odds are made of a score; None where nobody has measured it.

    The formulas of other systems have a scale of their own, and so has whoever changes a weight.
    """
    if profile.shares is None or profile.weights != weights_for(DEFAULT, model):
        return None
    return assumed(model).odds


def with_odds(
    hits: Sequence[Hit], offered: Sequence[Scored], question: Question, model: str | None
) -> tuple[Hit, ...]:
    """The hits, best first, with what their log odds are made of.

    `offered` is the ranking they are of, as it was before a second look: that is what log odds were
    measured on. A hit that is not in it was led to.
    """
    odds = odds_for(offered[0].profile, model) if offered else None
    if odds is None:
        return tuple(hits)
    by_memory = {scored.facts.id: scored for scored in offered}
    scores: list[tuple[float, Facts | None]] = []
    for hit in hits:
        scored = by_memory.get(hit.memory.id)
        scores.append((hit.score, None) if scored is None else (scored.score, scored.facts))
    made = log_odds(scores, odds, question, lead_of(offered))
    return tuple([replace(hit, odds=terms) for hit, terms in zip(hits, made, strict=True)])


def lead_of(ranking: Sequence[Scored]) -> float:
    """How far the best score is ahead of the second."""
    if not ranking:
        return 0.0
    second = ranking[1].score if len(ranking) > 1 else _NOBODY
    return max(0.0, ranking[0].score - second)


def log_odds(
    hits: Sequence[tuple[float, Facts | None]], odds: Odds, question: Question, lead: float
) -> list[dict[str, Term]]:
    """What the log odds of each hit are made of; hits are scores, best first, with their facts.

    Who stands behind another is not given more: the term `order` takes away what would be. What has
    no facts was not found but led to, by a link or a question before it, and takes nothing away
    from those behind it.
    """
    size = math.log10(max(1, question.memories))
    best = max([score for score, _ in hits], default=0.0)
    most = math.inf
    made = []
    for score, facts in hits:
        words = 0.0 if facts is None else math.log1p(facts.keyword)
        parts = {
            "start": (1.0, odds.start),
            "score": (score, odds.score),
            "behind": (best - score, odds.behind),
            "lead": (lead, odds.lead),
            "coverage": (0.0 if facts is None else facts.coverage, odds.coverage),
            "keyword": (words, odds.keyword + odds.keyword_by_size * size),
            "outstanding": (outstanding(facts, question), odds.outstanding),
            "size": (size, odds.size),
        }
        if size < _FEW:
            parts["few"] = (_FEW - size, odds.few)
        if facts is None:
            parts["linked"] = (1.0, _LINKED)
        value = 0.0
        for amount, weight in parts.values():
            value += weight * amount
        if value > most:
            parts["order"] = (most - value, 1.0)
        terms = {name: Term._make((*part, "add")) for name, part in parts.items()}
        most = min(most, value) if facts is not None else most
        made.append(terms)
    return made
