"""The chance that a hit answers the question: what percentages show.

A score orders; how high it is depends on the question and on what else was found. Log odds over
what ranking knows say how often hits like this one answered (fitted on question sets by
`tools/fit_chance.py`, decision 0027). They only number the order, they never change it.
"""

from __future__ import annotations

import math

from recairn.core.model import Term
from recairn.core.record import replace
from recairn.ranking.profiles import DEFAULT, assumed, for_model
from recairn.ranking.score import outstanding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Facts, Hit
    from recairn.ranking.profiles import Odds, Profile
    from recairn.ranking.score import Asked, Scored

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
    if profile.shares is None or profile.weights != for_model(DEFAULT, model).weights:
        return None
    return assumed(model).odds


def with_odds(
    hits: Sequence[Hit], offered: Sequence[Scored], question: Asked, model: str | None
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
    hits: Sequence[tuple[float, Facts | None]], odds: Odds, question: Asked, lead: float
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


def odds_of_bearing(bearing: float | None) -> dict[str, Term] | None:
    """The log odds of what nobody asked for: how much it bears on the prompt is just that."""
    return None if bearing is None else {"bearing": Term(bearing, 1.0)}
