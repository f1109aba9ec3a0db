"""A store with made-up vectors, and the exhaustive search its answers are compared with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import pytest

import recairn
from recairn.core.kinds import reach_tokens
from recairn.core.model import Filter, Vectors
from tests.corpus import Clock

NOON = Clock()()


def random_codes(rng, dim: int) -> bytes:
    """A random direction as int8 codes."""
    vector = rng.standard_normal(dim)
    return numpy.rint(vector * (127 / numpy.abs(vector).max())).astype("i1").tobytes()


def cosine(one: bytes, other: bytes) -> float:
    a, b = (numpy.frombuffer(each, "i1").astype("f8") for each in (one, other))
    return float(a @ b / numpy.sqrt((a @ a) * (b @ b)))


class Kept(NamedTuple):
    project: str
    category: str
    pieces: list[bytes]


class Shelf:
    """Memories with given vectors, each also remembered in plain Python."""

    def __init__(self, path, dim: int = 64) -> None:
        self.path = path
        self.dim = dim
        self.memory = recairn.open(path, project="", clock=Clock(), model="none")
        self.kept: dict[int, Kept] = {}
        with self.memory.store.transaction():
            self.model = self.memory.store.add_model(
                {"fingerprint": f"made-up@1/{dim}/l2", "name": "made-up", "revision": "1"}
                | {"dim": dim},
                at=NOON,
            )

    def add(self, count: int, *, project: str = "one", category: str = "common") -> list[int]:
        drafts = [
            {
                "content": f"{project} {category} {len(self.kept)} {number}",
                "project": project,
                "category": category,
                "tier": "project",
            }
            for number in range(count)
        ]
        return [each.id for each in self.memory.remember_many(drafts, on_similar="add") if each.id]

    def put(self, ids, pieces_of) -> None:
        """Gives each memory the pieces `pieces_of(id)` makes."""
        known = self.memory.store.get_many(ids)
        made = {memory: pieces_of(memory) for memory in ids}
        with self.memory.store.transaction():
            self.memory.store.put_vectors(
                self.model,
                [
                    Vectors(
                        memory,
                        reach_tokens(each.tier, each.project, each.session_id),
                        each.content_hash,
                        made[memory],
                    )
                    for memory, each in known.items()
                ],
            )
        for memory, each in known.items():
            self.kept[memory] = Kept(each.project, each.category, made[memory])

    def drop(self, ids) -> None:
        with self.memory.store.transaction():
            self.memory.store.drop_vectors(list(ids))
        for memory in ids:
            self.kept.pop(memory, None)

    def found(self, asked: bytes, limit: int, **filter) -> list[Any]:
        wanted = Filter(now=NOON, **filter)
        return self.memory.store.match_vector(self.model, asked, wanted, limit)

    def expected(self, asked: bytes, limit: int, allowed=lambda kept: True):
        """What looking at every vector would answer."""
        scored = [
            (memory, max(cosine(asked, codes) for codes in kept.pieces))
            for memory, kept in self.kept.items()
            if allowed(kept)
        ]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def reopen(self) -> None:
        self.memory.close()
        self.memory = recairn.open(self.path, project="", clock=Clock(), model="none")


def same(found, expected) -> None:
    """Equal ids in equal order, and cosines that differ by rounding alone."""
    assert [memory for memory, _ in found] == [memory for memory, _ in expected]
    for (_, one), (_, other) in zip(found, expected, strict=True):
        assert abs(one - other) < 1e-4


@pytest.fixture
def rng():
    return numpy.random.default_rng(7)


@pytest.fixture
def shelf(address):
    opened = Shelf(address)
    yield opened
    opened.memory.close()
