"""verify() sees every way in which vectors can be wrong, and rebuilding mends what can be."""

from __future__ import annotations

import pytest

import recairn
from tests.corpus import PROJECT

TEXTS = ("Wipe the lens after every storm", "Oil the hinge of the door", "Count the gulls")


@pytest.fixture
def memory(tmp_path, clock):
    path = tmp_path / "verify.db"
    with recairn.open(path, project=PROJECT, clock=clock, model="static") as opened:
        opened.remember_many([{"content": text} for text in TEXTS])
        yield opened


def tamper(memory, *statements):
    memory.store._c.rows("pragma foreign_keys=off")
    for statement in statements:
        memory.store._c.run(statement)
    memory.store._c.rows("pragma foreign_keys=on")


def findings(memory):
    return [each.detail for each in memory.verify().problems if each.check == "vectors"]


FAULTS = {
    "a changed byte": (
        "update vectors set codes = zeroblob(256) where memory = 2",
        "vectors of 1 memories fail their checksum (#2)",
    ),
    "text instead of bytes": (
        "update vectors set codes = 'lens' where memory = 2",
        "vectors of 1 memories fail their checksum (#2)",
    ),
    "a block of text": (
        "update vector_blocks set members = 'gulls', bits = 'doors'",
        "1 blocks hold what no memory has",
    ),
    "another length": (
        "update vectors set codes = zeroblob(128), crc = 3265854093 where memory = 2",
        "vectors of 1 memories have not the dimensions of their model (#2)",
    ),
    "a missing piece": (
        "update vectors set piece = 1 where memory = 2",
        "vectors of 1 memories lack a piece (#2)",
    ),
    "a wrong number": (
        "update vectors set id = 7 where memory = 2",
        "vectors of 1 memories are filed under a wrong number (#2)",
    ),
    "an older text": (
        "update vectors set source_hash = 'x' where memory = 2",
        "vectors of 1 memories are of an older text (#2)",
    ),
    "a wrong slot": (
        "update vectors set slot = 7 where memory = 2",
        "vectors of 1 memories are not where their block has them (#2)",
    ),
    "a shared slot": (
        "update vectors set slot = 0 where memory = 2",
        "vectors of 1 memories share a place in their block (#2)",
    ),
    "a wrong block": (
        "update vectors set block = 99 where memory = 2",
        "vectors of 1 memories are not where their block has them (#2)",
    ),
    "wrong bits": (
        "update vector_blocks set bits = zeroblob(192)",
        "vectors of 3 memories are not where their block has them (#1, #2, #3)",
    ),
    "wrong members": (
        "update vector_blocks set members = zeroblob(24)",
        "1 blocks hold what no memory has",
    ),
    "a wrong count": ("update vector_blocks set count = 2", "1 blocks hold what no memory has"),
    "a left-over member": (
        "delete from vectors where memory = 2",
        "1 blocks hold what no memory has",
    ),
    "a wrong reach": (
        "update vector_blocks set reach = 'p1'",
        "vectors of 3 memories lie where others may see them (#1, #2, #3)",
    ),
    "an unknown model": (
        "update vectors set model = 77 where memory = 2",
        "1 rows of vectors are of no known model",
    ),
}


@pytest.mark.parametrize(("statement", "finding"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_and_mended(memory, statement, finding):
    assert findings(memory) == []
    tamper(memory, statement)
    assert finding in findings(memory)
    memory.store.rebuild_indexes()
    memory.embed()
    assert memory.verify().problems == ()
    assert memory.semantic_search("hinge", limit=1).hits[0].id == 2


def test_two_active_models_are_found_and_mended(memory):
    tamper(
        memory,
        "insert into models select 2, 'x', 'x', 'x', 256, 'l2', 'active', 0",
    )
    assert findings(memory) == ["2 models claim to be the active one"]
    memory.store.rebuild_indexes()
    assert findings(memory) == []


def test_a_missing_vector_is_no_fault(memory):
    with memory.store.transaction():
        memory.store.drop_vectors([2])
    assert memory.verify().problems == ()
    assert memory.embed() == 1


def test_rebuilding_makes_dense_blocks_with_the_same_answers(memory):
    before = [(hit.id, hit.score) for hit in memory.semantic_search("storm door").hits]
    with memory.store.transaction():
        memory.store.drop_vectors([1])
    memory.store.rebuild_indexes()
    assert memory.store._c.rows("select count, length(members) from vector_blocks") == [(2, 16)]
    after = [(hit.id, hit.score) for hit in memory.semantic_search("storm door").hits]
    assert after == [pair for pair in before if pair[0] != 1]
    memory.embed()
    assert [(hit.id, hit.score) for hit in memory.semantic_search("storm door").hits] == before
