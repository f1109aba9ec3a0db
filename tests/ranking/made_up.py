"""Hand-made vectors and facts for tests of ranking."""

from __future__ import annotations

import math
from array import array
from typing import Any

from recairn.core.model import Facts, Term
from recairn.core.record import replace
from recairn.ranking.profiles import PROFILES, Profile
from recairn.ranking.score import Scored, ranked
from recairn.ranking.signals import Context
from tests.ranking.test_signals import PLAIN

DIM = 8


def codes(*values: int) -> bytes:
    """The int8 codes of a vector; what is not given is 0."""
    return array("b", [*values, *([0] * (DIM - len(values)))]).tobytes()


def angled(degrees: float) -> bytes:
    """A direction in the plane of the first two axes."""
    turn = math.radians(degrees)
    return codes(round(127 * math.cos(turn)), round(127 * math.sin(turn)))


def cosine(one: bytes, other: bytes) -> float:
    """The cosine of two vectors of int8 codes, the plain way."""
    a, b = list(memoryview(one).cast("b")), list(memoryview(other).cast("b"))
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def entry(memory: int, score: float, **facts: Any) -> Scored:
    """A ranked candidate with that score."""
    return Scored(score, replace(PLAIN, id=memory, **facts), PROFILES["default"], {})


def ranking(facts: list[Facts], context: Context, profile: Profile) -> list[Scored]:
    """All of the candidates ranked, each given every chance."""
    known = {each.id: each for each in facts}
    return ranked(dict.fromkeys(known, math.inf), known.__getitem__, context, profile)


def terms(facts: Facts, context: Context, profile: Profile) -> dict[str, Term]:
    """The terms of one candidate's score."""
    return ranking([facts], context, profile)[0].terms
