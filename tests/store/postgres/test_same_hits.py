"""A server answers what a file answers: the same memories, the same best one."""

from __future__ import annotations

import random

import pytest

import recairn
from recairn.core.words import words
from tests.corpus import MEMORIES

pytestmark = pytest.mark.thorough


def drafts(count):
    """Texts made of the words that the makers of puffin use, in three projects."""
    draw = random.Random(11)
    known = [word for memory in MEMORIES for word in words(memory["content"])]
    for number in range(count):
        yield {
            "content": " ".join(draw.choices(known, k=draw.randint(6, 40))) + f" {number}",
            "project": draw.choice(("one", "one", "two")),
            "tier": draw.choice(("project", "project", "project", "global")),
            "kind": draw.choice(("learning", "note")),
        }


def questions(count):
    draw = random.Random(5)
    known = sorted({word for memory in MEMORIES for word in words(memory["content"])})
    for _ in range(count):
        asked = " ".join(draw.choices(known, k=draw.choice((1, 2, 3, 5, 9))))
        yield draw.choice((asked, asked + " ", asked[:-1])), draw.choice(({}, {}, {"kind": "note"}))


@pytest.fixture(scope="module")
def stores_of_both(postgres, tmp_path_factory):
    """The same 300 memories in a file and on a server, each seen from the project one."""
    places = (str(tmp_path_factory.mktemp("hits") / "m.db"), postgres.new_team())
    memories = [recairn.open(place, project="one", model="static") for place in places]
    for memory in memories:
        memory.remember_many(list(drafts(300)), on_similar="add")
    yield memories
    for memory in memories:
        memory.close()


def test_the_hits_are_the_same_and_so_is_the_first(stores_of_both):
    shares, firsts = [], []
    for question, options in questions(50):
        here, there = (
            [hit.memory.content for hit in memory.search(question, track=False, **options).hits]
            for memory in stores_of_both
        )
        if here or there:
            shares.append(len({*here} & {*there}) / max(len(here), len(there)))
            firsts.append(here[:1] == there[:1])
    assert len(shares) > 35
    assert sum(shares) / len(shares) >= 0.98
    assert sum(firsts) / len(firsts) >= 0.99
