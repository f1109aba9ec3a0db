"""Synthetic memories for the benchmarks: seeded, Zipf-distributed words, 20 to 80 words each."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Any

_SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dro fli gra".split()
)


def vocabulary(size: int, seed: int = 7) -> list[str]:
    """Distinct pronounceable words, commonest first."""
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < size:
        found["".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4)))] = None
    return list(found)


def memories(count: int, *, seed: int = 1, projects: int = 100) -> list[dict[str, Any]]:
    """Drafts with content, kind, category and project; equal for equal arguments."""
    draw = random.Random(seed)
    words = vocabulary(20_000)
    weights = list(accumulate(1.0 / (rank + 10) for rank in range(len(words))))
    kinds = ("learning", "decision", "pattern", "failure", "fact", "note")
    return [
        {
            "content": " ".join(
                draw.choices(words, cum_weights=weights, k=draw.randint(20, 80))
            ).capitalize()
            + ".",
            "kind": draw.choice(kinds),
            "category": draw.choice(words[:50]),
            "project": f"project{draw.randrange(projects)}",
        }
        for _ in range(count)
    ]


def questions(count: int, *, words_each: int = 3, seed: int = 2) -> list[str]:
    """Questions of mid-frequency words, as people ask about something in particular."""
    draw = random.Random(seed)
    middle = vocabulary(20_000)[200:3000]
    return [" ".join(draw.sample(middle, words_each)) for _ in range(count)]
