"""Every signal: one pure function from the facts about a candidate to a number in 0..1."""

from __future__ import annotations

import math

from recairn.core.model import Facts, decayed
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from recairn.ranking.fusion import Relevance

_DAY_MS = 86_400_000
_HALF_LIFE_DAYS = 90.0
_FRESHNESS_DAYS = 30.0
_TX_DAYS = 30.0
_CCMEMORY_RATE = 0.05
_MANY_USES = 30
# Used so lately, a memory is a little fresher than one never used.
_FRESH_DAYS = 20
# A keyword score that counts half: one rare word of the question, well placed.
_HALF_SCORE = 6.0
_RRF_K = 60
# Nobody says the question word for word.
_NOBODY: Mapping[int, float] = {}
# How much of what a signal lacks the wording makes up for: of two that say it the newer is first.
_MADE_UP = 0.95
_TX_RRF_WEIGHTS = (2.0, 1.0)
# The value at which a term moves no score, by its effect; on the scale of the arms, (z + 4)/16,
# that of an average candidate.
_NEUTRAL = {"gate": 1.0, "tilt": 0.5}
_AVERAGE = {"keyword": 0.25, "semantic": 0.25, "agreement": 0.25}

# ccmemory's boosts 1.2, 1.1, 1.0, 0.9, 0.8 as places on a tilt of weight 0.4.
_SECTOR_TILT = {
    "reflective": 1.0,
    "semantic": 0.75,
    "procedural": 0.5,
    "emotional": 0.25,
    "episodic": 0.0,
}


@record
class Context:
    """What a signal may know besides the facts: the time of asking, the asker, and the arms.

    `wordings` says how nearly a memory says the question word for word, where a profile lets that
    count: neither age nor sector counts against such a memory.
    """

    now: int
    project: str | None
    relevance: Mapping[int, Relevance]
    wordings: Mapping[int, float] = _NOBODY
    sectors: Mapping[str, float] | None = None

    def or_said(self, memory: int, value: float) -> float:
        """The value of a signal; what says the question word for word lacks next to nothing."""
        if not self.wordings:
            return value
        return value + _MADE_UP * self.wordings.get(memory, 0.0) * (1.0 - value)


def neutral(signal: str, effect: str) -> float:
    """The value of a signal that speaks neither for nor against a memory."""
    return _NEUTRAL.get(effect, 0.0) if effect != "add" else _AVERAGE.get(signal, 0.0)


def keyword(facts: Facts, context: Context) -> float:
    """How well the words match, among the candidates: (z + 4)/16 of the keyword score."""
    return context.relevance[facts.id].keyword


def semantic(facts: Facts, context: Context) -> float:
    """How near in meaning, among the candidates: (z + 4)/16 of the cosine, echo included."""
    return context.relevance[facts.id].semantic


def agreement(facts: Facts, context: Context) -> float:
    """How well its three nearest neighbours among the candidates fit the question."""
    return context.relevance[facts.id].agreement


def matched(facts: Facts, context: Context) -> float:
    """How well the words match on a scale no other candidate moves: s/(s + 6), s the score."""
    return facts.keyword / (facts.keyword + _HALF_SCORE)


def cosine(facts: Facts, context: Context) -> float:
    """The cosine itself; what points away counts as nothing."""
    return 0.0 if facts.cosine is None else _unit(facts.cosine)


def fused_rank(facts: Facts, context: Context) -> float:
    """Reciprocal ranks, 2/(61 + place by words) + 1/(61 + place by meaning), of the best (tx).

    Where words alone were asked, or sure enough, the best is the first by words.
    """
    relevance = context.relevance[facts.id]
    places = (relevance.keyword_place, relevance.semantic_place)
    most = _TX_RRF_WEIGHTS[0] if relevance.words_alone else sum(_TX_RRF_WEIGHTS)
    best = most / (_RRF_K + 1)
    score = sum(
        weight / (_RRF_K + place + 1)
        for weight, place in zip(_TX_RRF_WEIGHTS, places, strict=True)
        if place is not None
    )
    return _unit(score / best)


def top_place(facts: Facts, context: Context) -> float:
    """First in either list 1, second or third 0.4 (tx's bonuses .05 and .02)."""
    relevance = context.relevance[facts.id]
    places = [at for at in (relevance.keyword_place, relevance.semantic_place) if at is not None]
    best = min(places, default=99)
    return 1.0 if best == 0 else 0.4 if best <= 2 else 0.0


def recency(facts: Facts, context: Context) -> float:
    """How new: halves every 90 days since creation. No age is ever zero."""
    return math.pow(0.5, _days(facts.created_at, context.now) / _HALF_LIFE_DAYS)


def month(facts: Facts, context: Context) -> float:
    """How new within the last 30 days: max(0, 1 − days/30) (tx)."""
    new = max(0.0, 1.0 - _days(facts.created_at, context.now) / _TX_DAYS)
    return context.or_said(facts.id, new)


def fading(facts: Facts, context: Context) -> float:
    """How new: e^(−0.05·days) (ccmemory)."""
    new = math.exp(-_CCMEMORY_RATE * _days(facts.created_at, context.now))
    return context.or_said(facts.id, new)


def decay(facts: Facts, context: Context) -> float:
    """How new: 1/(1 + days/30) (Lore)."""
    new = 1.0 / (1.0 + _days(facts.created_at, context.now) / 30.0)
    return context.or_said(facts.id, new)


def freshness(facts: Facts, context: Context) -> float:
    """How lately used: e^(−days/30) since the last use (Lore), ½ when never used."""
    if facts.last_used_at is None:
        return 0.5
    return math.exp(-_days(facts.last_used_at, context.now) / _FRESHNESS_DAYS)


def last_access(facts: Facts, context: Context) -> float:
    """How lately used, 0 when never used (Lore's own reading)."""
    return 0.0 if facts.last_used_at is None else freshness(facts, context)


def frequency(facts: Facts, context: Context) -> float:
    """How often used: ln(1+n) scaled to reach 1 at 30 uses, and capped there (Lore's was not)."""
    return min(1.0, math.log1p(max(0, facts.usage_count)) / math.log1p(_MANY_USES))


def salience(facts: Facts, context: Context) -> float:
    """What is left of its salience after decay up to now."""
    return context.or_said(facts.id, decayed(facts, context.now))


def vividness(facts: Facts, context: Context) -> float:
    """How new, and how much use has kept it alive: the mean of recency and salience (Brain)."""
    alive = 0.5 * (recency(facts, context) + decayed(facts, context.now))
    return context.or_said(facts.id, alive)


def importance(facts: Facts, context: Context) -> float:
    """As set by who wrote it."""
    return _unit(facts.importance)


def confidence(facts: Facts, context: Context) -> float:
    """How sure its source was."""
    return _unit(facts.confidence)


def outcome(facts: Facts, context: Context) -> float:
    """Did it help: Bayesian (helpful+1)/(helpful+harmful+2), ½ without evidence (tx)."""
    helpful, harmful = max(0.0, facts.helpful), max(0.0, facts.harmful)
    return (helpful + 1.0) / (helpful + harmful + 2.0)


def sector(facts: Facts, context: Context) -> float:
    """How much its sector is worth, insights most and events least (ccmemory)."""
    places = context.sectors or _SECTOR_TILT
    return context.or_said(facts.id, places.get(facts.sector, 0.5))


def project_match(facts: Facts, context: Context) -> float:
    """1 in the asker's own project or the global tier, 0 elsewhere; 1 for an asker without one."""
    if context.project is None:
        return 1.0
    return 1.0 if facts.tier == "global" or facts.project == context.project else 0.0


def current(facts: Facts, context: Context) -> float:
    """0 once superseded, 1 while it holds."""
    return 0.0 if facts.valid_until is not None and facts.valid_until <= context.now else 1.0


def standing(facts: Facts, context: Context) -> float:
    """How much of what it names still stands in the repository: 1 − stale."""
    return 1.0 - _unit(facts.stale)


def _days(since: int, now: int) -> float:
    return max(0.0, (now - since) / _DAY_MS)


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


SIGNALS: dict[str, Callable[[Facts, Context], float]] = {
    "keyword": keyword,
    "semantic": semantic,
    "agreement": agreement,
    "matched": matched,
    "cosine": cosine,
    "fused_rank": fused_rank,
    "top_place": top_place,
    "recency": recency,
    "month": month,
    "fading": fading,
    "decay": decay,
    "freshness": freshness,
    "last_access": last_access,
    "frequency": frequency,
    "salience": salience,
    "vividness": vividness,
    "importance": importance,
    "confidence": confidence,
    "outcome": outcome,
    "sector": sector,
    "project": project_match,
    "current": current,
    "standing": standing,
}


def values_of(names: Iterable[str], facts: Facts, context: Context) -> dict[str, float]:
    """What the signals of these names say of a candidate."""
    return {name: SIGNALS[name](facts, context) for name in names}


# What these say is not in a memory's row: it depends on the question.
OF_THE_QUESTION = frozenset(
    ("keyword", "semantic", "agreement", "matched", "cosine", "fused_rank", "top_place")
)


def best_of(rows: Iterable[Sequence[Any]], now: int) -> Facts:
    """A made-up memory that none of these exceeds in any signal, those of the question aside.

    Each row holds the first fields of `Facts`, up to `stale`; there is at least one.
    """
    columns = dict(zip(Facts.__match_args__, zip(*rows, strict=True), strict=False))
    used = [at for at in columns["last_used_at"] if at is not None]
    return Facts(
        id=0,
        kind="",
        project="",
        tier="global",
        sector=max(_SECTOR_TILT, key=_SECTOR_TILT.__getitem__),
        created_at=max(columns["created_at"]),
        last_used_at=max(*used, now - _FRESH_DAYS * _DAY_MS) if used else None,
        usage_count=max(columns["usage_count"]),
        salience=max(columns["salience"]),
        decayed_at=now,
        importance=max(columns["importance"]),
        confidence=max(columns["confidence"]),
        helpful=max(columns["helpful"]),
        harmful=min(columns["harmful"]),
        outcome_score=None,
        valid_until=None,
        source_ref="",
        words=0,
        stale=_least(columns["stale"]),
    )


def _least(values: Sequence[float]) -> float:
    """The least of them; 0 where one is no number, which counts as that (`_unit`)."""
    whole = sum(values)
    return min(values) if whole == whole else 0.0
