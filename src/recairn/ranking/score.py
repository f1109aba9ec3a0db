"""From facts to terms, and from terms to an order."""

from __future__ import annotations

from recairn.model import Term, total
from recairn.ranking.signals import SIGNALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.model import Facts
    from recairn.ranking.profiles import Profile
    from recairn.ranking.signals import Context

    Scored = tuple[float, Facts, dict[str, Term]]


def terms(facts: Facts, context: Context, profile: Profile) -> dict[str, Term]:
    """The terms of a candidate's score, one per signal the profile weighs."""
    return {
        name: Term(SIGNALS[name](facts, context), weight.weight, weight.effect)
        for name, weight in profile.weights.items()
    }


def ranked(candidates: Sequence[Facts], context: Context, profile: Profile) -> list[Scored]:
    """(score, facts, terms), best first; equal scores in order of id."""
    scored = []
    for facts in candidates:
        parts = terms(facts, context, profile)
        scored.append((total(parts), facts, parts))
    scored.sort(key=lambda entry: (-entry[0], entry[1].id))
    return scored
