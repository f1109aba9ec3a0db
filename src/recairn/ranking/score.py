"""From facts to terms, and from terms to an order."""

from __future__ import annotations

import math
from bisect import insort

from recairn.core.model import Term, added, factor, total
from recairn.core.row import Row
from recairn.ranking.signals import OF_THE_QUESTION, SIGNALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recairn.core.model import Facts
    from recairn.ranking.profiles import Profile
    from recairn.ranking.signals import Context

    Weighed = list[tuple[str, Callable[[Facts, Context], float], float, str]]

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
        return {
            name: Term(self.values[name], weight.weight, weight.effect)
            for name, weight in self.profile.weights.items()
        }

    @property
    def ceiling(self) -> float:
        """What the score is multiplied by to stay within 1, whatever boosts added to it.

        Order is kept: from .99 to the most that the profile can make, scores fill .99 to 1.
        """
        if self.score <= _ROOM_FROM:
            return 1.0
        weights = self.profile.weights.values()
        most = total(
            {str(at): Term(1.0, each.weight, each.effect) for at, each in enumerate(weights)}
        )
        if most <= 1.0:
            return 1.0
        pressed = _ROOM_FROM + (1.0 - _ROOM_FROM) * (self.score - _ROOM_FROM) / (most - _ROOM_FROM)
        # Nine digits, cut off: no rounding leads beyond 1.
        return math.floor(pressed / self.score * 1e9) / 1e9


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
    best: list[float] = []
    scored: list[Scored] = []
    hopes = sorted([(hope + _ROUNDED, memory) for memory, hope in most.items()], reverse=True)
    for hope, memory in hopes:
        bar = best[-wanted] if wanted is not None and len(best) >= wanted else -1.0
        if hope * largest < bar:
            break
        facts = facts_of(memory)
        values = {name: signal(facts, context) for name, signal, _, _ in weighing}
        times = factor(_parts(weighing, values))
        if hope * times < bar:
            continue
        values.update({name: signal(facts, context) for name, signal, _, _ in adding})
        score = added(_parts(adding, values)) * times
        insort(best, score)
        scored.append(Scored._make((score, facts, profile, values)))
    scored.sort(key=lambda entry: (-entry.score, entry.facts.id))
    return scored[:wanted]


def _split(profile: Profile) -> tuple[Weighed, Weighed]:
    """The signals that are added, and those that multiply, with name, weight and effect."""
    weighed = [
        (name, SIGNALS[name], weight.weight, weight.effect)
        for name, weight in profile.weights.items()
    ]
    adding = [signal for signal in weighed if signal[3] == "add"]
    return adding, [signal for signal in weighed if signal[3] != "add"]


def _parts(weighed: Weighed, values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    return [(values[name], weight, effect) for name, _, weight, effect in weighed]


def _largest_factor(profile: Profile, context: Context, ideal: Facts | None) -> float:
    """What the factors of a score make at most: every signal says what it says of the ideal, or 1.

    A weight beyond 0..1 may turn a factor negative, and two of those make a large one. Where one
    says the question word for word, or sectors have boosts of one's own, rows do not tell it.
    """
    steady = not context.wordings and context.sectors is None
    steady &= all(0.0 <= weight.weight <= 1.0 for weight in profile.weights.values())
    parts = []
    for name, weight in profile.weights.items():
        known = ideal if steady and name not in OF_THE_QUESTION else None
        value = 1.0 if known is None else SIGNALS[name](known, context)
        parts.append((value, weight.weight, weight.effect))
    return factor(parts)
