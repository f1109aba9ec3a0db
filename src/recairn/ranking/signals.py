"""Every signal: one pure function from the facts about a candidate to a number in 0..1."""

from __future__ import annotations

import math

from recairn.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recairn.model import Facts, Memory

_DAY_MS = 86_400_000

# Where BM25 counts half: about what one rare word of the question found once is worth.
_KEYWORD_HALF = 6.0
_RECENCY_HALF_LIFE_DAYS = 90.0
_FRESHNESS_DAYS = 30.0
_MANY_USES = 30

# Share of salience lost per day (ccmemory's sector rates).
DECAY_PER_DAY = {
    "emotional": 0.003,
    "semantic": 0.005,
    "reflective": 0.008,
    "procedural": 0.01,
    "episodic": 0.02,
}


@record
class Context:
    """What a signal may know besides the facts: the time of asking and the asker's project."""

    now: int
    project: str | None


def keyword(facts: Facts, context: Context) -> float:
    """How well the words match: b/(b + 6) for BM25 b, a scale that no other candidate moves."""
    if facts.keyword is None:
        return 0.0
    return facts.keyword / (facts.keyword + _KEYWORD_HALF)


def semantic(facts: Facts, context: Context) -> float:
    """How near in meaning: the cosine, what points away counting as nothing."""
    return 0.0 if facts.cosine is None else max(0.0, facts.cosine)


def recency(facts: Facts, context: Context) -> float:
    """How new: halves every 90 days since creation. No age is ever zero."""
    return math.pow(0.5, _days(facts.created_at, context.now) / _RECENCY_HALF_LIFE_DAYS)


def freshness(facts: Facts, context: Context) -> float:
    """How lately used: e^(-days/30) since the last use (Lore's), ½ when never used."""
    if facts.last_used_at is None:
        return 0.5
    return math.exp(-_days(facts.last_used_at, context.now) / _FRESHNESS_DAYS)


def frequency(facts: Facts, context: Context) -> float:
    """How often used: ln(1+n) scaled to reach 1 at 30 uses, and capped there (Lore's was not)."""
    return min(1.0, math.log1p(max(0, facts.usage_count)) / math.log1p(_MANY_USES))


def salience(facts: Facts, context: Context) -> float:
    """What is left of its salience after decay up to now."""
    return decayed(facts, context.now)


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


def project_match(facts: Facts, context: Context) -> float:
    """1 in the asker's own project or the global tier, 0 elsewhere."""
    return 1.0 if facts.tier == "global" or facts.project == context.project else 0.0


def current(facts: Facts, context: Context) -> float:
    """0 once superseded, 1 while it holds."""
    return 0.0 if facts.valid_until is not None and facts.valid_until <= context.now else 1.0


def decayed(facts: Facts | Memory, now: int) -> float:
    """Salience s·e^(-rate·days·slowing): the sector's rate from the last decay time on.

    Importance ½ decays at the sector's rate, importance 1 at half of it; use slows it further.
    """
    days = _days(facts.decayed_at, now)
    slowing = (1.5 - _unit(facts.importance)) / (1.0 + 0.2 * math.log1p(max(0, facts.usage_count)))
    rate = DECAY_PER_DAY.get(facts.sector, DECAY_PER_DAY["semantic"])
    return _unit(facts.salience) * math.exp(-rate * days * slowing)


def _days(since: int, now: int) -> float:
    return max(0.0, (now - since) / _DAY_MS)


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


SIGNALS: dict[str, Callable[[Facts, Context], float]] = {
    "keyword": keyword,
    "semantic": semantic,
    "recency": recency,
    "freshness": freshness,
    "frequency": frequency,
    "salience": salience,
    "importance": importance,
    "confidence": confidence,
    "outcome": outcome,
    "project": project_match,
    "current": current,
}
