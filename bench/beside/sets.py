"""Samples of question sets: the same for all systems, one scope of each set."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from recairn.surfaces.bench.datasets import Dataset, read

_SEED = 7


class Sample(NamedTuple):
    """`documents` by key; each question with the keys that answer it and how well."""

    name: str
    documents: dict[str, str]
    questions: list[tuple[str, dict[str, float]]]


def sample(folder: str, documents: int, questions: int) -> Sample:
    """So many questions of a set with all that answers them, among other documents of the set."""
    whole = read(folder)
    scope = _largest_scope(whole)
    texts: dict[str, str] = {}
    for document in whole.documents:
        # Equal texts are one memory to some systems and two to others.
        if document.scope == scope and document.text.strip():
            texts.setdefault(" ".join(document.text.split()), document.id)
    kept = {number: text for text, number in texts.items()}
    answered = [
        (question.text, {number: gain for number, gain in question.judged.items() if gain > 0})
        for question in whole.questions
        if question.answerable and question.scope == scope
    ]
    answered = [
        (text, judged) for text, judged in answered if judged and judged.keys() <= kept.keys()
    ]
    draw = random.Random(_SEED)
    chosen = draw.sample(answered, min(questions, len(answered)))
    needed = dict.fromkeys(number for _, judged in chosen for number in judged)
    others = [number for number in kept if number not in needed]
    room = max(0, documents - len(needed))
    numbers = [*needed, *draw.sample(others, min(room, len(others)))]
    draw.shuffle(numbers)
    keys = {number: f"d{place}" for place, number in enumerate(numbers)}
    return Sample(
        whole.name,
        {keys[number]: kept[number] for number in numbers},
        [
            (text, {keys[number]: gain for number, gain in judged.items()})
            for text, judged in chosen
        ],
    )


def _largest_scope(whole: Dataset) -> str:
    """The one with most questions that have an answer."""
    counts = Counter(
        question.scope for question in whole.questions if question.answerable and question.judged
    )
    return counts.most_common(1)[0][0]
