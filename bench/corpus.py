"""Synthetic memories for the benchmarks: seeded, real English words, 20 to 80 words each.

The words are those of Python's own standard library, comments and names, which every machine has;
how often each is drawn falls with its rank.
"""

from __future__ import annotations

import ast
import os
import random
import re
from collections import Counter
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

VOCABULARY = 20_000
_SHORTEST = 60  # characters of a docstring that says something


@cache
def vocabulary() -> list[str]:
    """The distinct words of the standard library, commonest first."""
    counts: Counter[str] = Counter()
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace").lower()
        counts.update(re.findall(r"[a-z]{2,20}", text))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ranked[:VOCABULARY]]


def memories(count: int, *, seed: int = 1, projects: int = 100) -> list[dict[str, Any]]:
    """Drafts with content, kind, category and project; equal for equal arguments."""
    draw = random.Random(seed)
    words = vocabulary()
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


@cache
def docstrings() -> list[str]:
    """What the standard library says of itself: real prose, some of it said nearly twice."""
    texts: dict[str, None] = {}
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted(Path(os.__file__).parent.rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            text = (ast.get_docstring(node) or "") if isinstance(node, documented) else ""
            if len(text) >= _SHORTEST:
                texts[text] = None
    return list(texts)


def questions(count: int, *, words_each: int = 3, seed: int = 2) -> list[str]:
    """Questions of mid-frequency words, as people ask about something in particular."""
    draw = random.Random(seed)
    middle = vocabulary()[200:3000]
    return [" ".join(draw.sample(middle, words_each)) for _ in range(count)]
