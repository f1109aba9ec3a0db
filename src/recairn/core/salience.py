"""Salience: how it fades with time, and what lifts it again. The one place that knows the formula.

The figures are ccmemory's. `left_sql` says in SQL what `decayed` says in Python, so that a store
can filter and count by it.
"""

from __future__ import annotations

from math import exp, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Facts, Memory

_DAY_MS = 86_400_000.0
# Share of salience lost per day, by sector.
DECAY_PER_DAY = {
    "emotional": 0.003,
    "semantic": 0.005,
    "reflective": 0.008,
    "procedural": 0.01,
    "episodic": 0.02,
}
_USUAL_RATE = DECAY_PER_DAY["semantic"]
# Importance ½ decays at the sector's rate, importance 1 at half of it; use slows it further.
_UNHURRIED, _SLOWED_BY_USE = 1.5, 0.2

# Remembering something again, or saying so, moves salience this share of the way to 1.
REINFORCED = 0.1
# Being found does so by this share.
FOUND = 0.02
# Played down, salience loses this much, but never all.
DEEMPHASIZED = 0.2
LOWEST = 0.05


def decayed(facts: Facts | Memory, now: int) -> float:
    """What is left of salience: s·e^(−rate·days·slowing), from the last decay time on."""
    days = max(0.0, (now - facts.decayed_at) / _DAY_MS)
    use = 1.0 + _SLOWED_BY_USE * log1p(max(0, facts.usage_count))
    slowing = (_UNHURRIED - min(1.0, max(0.0, facts.importance))) / use
    rate = DECAY_PER_DAY.get(facts.sector, _USUAL_RATE)
    return min(1.0, max(0.0, facts.salience)) * exp(-rate * days * slowing)


def lifted(salience: float, share: float = REINFORCED) -> float:
    """Moved towards 1 by a share of what is missing."""
    return salience + share * (1.0 - salience)


def lowered(salience: float, amount: float = DEEMPHASIZED) -> float:
    """Lower by an amount, never to nothing."""
    return max(min(salience, LOWEST), salience - amount)


def left_sql(at: int) -> str:
    """What is left at a time of the salience of `memories m`."""
    rates = " ".join(f"when '{sector}' then {rate}" for sector, rate in DECAY_PER_DAY.items())
    rate = f"case m.sector {rates} else {_USUAL_RATE} end"
    since = f"case when m.decayed_at < {int(at)} then {int(at)} - m.decayed_at else 0 end"
    uses = "case when m.usage_count > 0 then m.usage_count else 0 end"
    slowing = f"({_UNHURRIED} - m.importance) / (1 + {_SLOWED_BY_USE} * ln(1 + {uses}))"
    return f"(m.salience * exp(-({rate}) * ({since} / {_DAY_MS}) * {slowing}))"


def lifted_sql(left: str, share: float) -> str:
    """The same as `lifted`, of an expression of SQL."""
    return f"{left} + {share} * (1 - {left})"
