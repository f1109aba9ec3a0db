"""Stores of many sizes, drawn from question sets: of one set each, or of all but one family.

For `tools/fit_chance.py`. A question of a set that is drawn from has its answers in the store; one
of another family has none there. Stores larger than all sets together are filled up with texts of
which nobody asks anything.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from recairn.surfaces.bench.datasets import Dataset, Document, Question

_SEED = 5
# For each size: stores of a set or family, questions of a store with an answer, and without.
SIZES = {
    8: (24, 2, 3),
    30: (12, 4, 5),
    100: (6, 10, 10),
    1000: (2, 30, 25),
    10000: (1, 80, 60),
    100000: (1, 80, 60),
}
# A store of the largest size is made without every second family: each takes a minute to fill.
LARGEST, _EVERY = 100_000, 2


class Case(NamedTuple):
    """A question, and the texts in the store that answer it: none where it is a stranger's."""

    set: str
    question: Question
    answers: frozenset[str]


class Drawn(NamedTuple):
    name: str
    size: int
    documents: list[Document]
    cases: list[Case]


def same_text(text: str) -> str:
    """Texts that recairn keeps as one memory."""
    return " ".join(text.lower().split())


def family(name: str) -> str:
    """Sets of one family are about the same things: `locomo` and `locomo_obs`."""
    return name.partition("_")[0]


class Draw:
    def __init__(self, sets: list[Dataset], fill: list[Document]) -> None:
        """`fill` are documents that no question of the sets is about."""
        self._random = random.Random(_SEED)
        self._fill = fill
        self._sets = {each.name: each for each in sets}
        self._questions = {
            each.name: [one for one in each.questions if one.answerable and one.judged]
            for each in sets
        }
        self._documents = {
            each.name: {(one.scope, one.id): one for one in each.documents} for each in sets
        }

    def stores(self, size: int) -> Iterator[Drawn]:
        """All stores of a size: of each set that is large enough, and without each family."""
        count, _, _ = SIZES[size]
        for name, dataset in self._sets.items():
            others = [other for other in self._sets if family(other) != family(name)]
            for number in range(count if size <= len(dataset.documents) else 0):
                yield self._store(f"one-{size}-{name}-{number}", size, [name], others)
        families = sorted({family(name) for name in self._sets})
        for left_out in families[:: _EVERY if size == LARGEST else 1]:
            inside = [name for name in self._sets if family(name) != left_out]
            outside = [name for name in self._sets if family(name) == left_out]
            for number in range(count if inside else 0):
                yield self._store(f"mixed-{size}-{left_out}-{number}", size, inside, outside)

    def _store(self, name: str, size: int, inside: list[str], outside: list[str]) -> Drawn:
        _, answered, strange = SIZES[size]
        held: dict[tuple[str, str, str], Document] = {}
        chosen: dict[tuple[str, str], Question] = {}
        for _ in range(4 * answered):
            of = self._random.choice(inside)
            question = self._random.choice(self._questions[of])
            if len(chosen) < answered and (of, question.id) not in chosen:
                chosen[of, question.id] = question
                own = [one for one in question.judged if self._answer(of, question, one)]
                for one in own[: max(2, size // 8)]:
                    held[of, question.scope, one] = self._documents[of][question.scope, one]
        pool = self._pool(inside, {question.scope for question in chosen.values()}, size)
        for of, document in pool:
            if len(held) >= size:
                break
            held.setdefault((of, document.scope, document.id), document)
        cases = []
        for (of, _), question in chosen.items():
            found = [held.get((of, question.scope, one)) for one in question.judged]
            texts = [one.text for one in found if one and self._answer(of, question, one.id)]
            cases.append(Case(of, question, frozenset(map(same_text, texts))))
        for of in self._random.choices(outside, k=strange if outside else 0):
            cases.append(Case(of, self._random.choice(self._questions[of]), frozenset()))
        return Drawn(name, size, list(held.values()), cases)

    def _answer(self, of: str, question: Question, document: str) -> bool:
        known = (question.scope, document) in self._documents[of]
        return known and question.judged.get(document, 0.0) > 0

    def _pool(self, inside: list[str], scopes: set[str], size: int) -> list[tuple[str, Document]]:
        """What a store is filled up with: of one set, its own scopes where they are enough."""
        pool = [(name, one) for name in inside for one in self._sets[name].documents]
        own = [(name, one) for name, one in pool if one.scope in scopes]
        pool = own if len(inside) == 1 and len(own) >= size else pool
        if len(pool) < size:
            pool += [("", one) for one in self._fill]
        self._random.shuffle(pool)
        return pool
