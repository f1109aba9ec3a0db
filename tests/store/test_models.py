"""What every store promises about embedding models: one answers, another may be getting ready."""

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Draft, Vectors
from recairn.store.memory_rows import NewMemory
from tests.corpus import NOW, PROJECT

CODES = bytes(range(64))


def model(name):
    return {"fingerprint": f"{name}@1", "name": name, "revision": "1", "dim": 64}


@pytest.fixture
def birds(store):
    """The ids of three memories."""
    rows = []
    for content in ("gull", "tern", "skua"):
        ready = prepare(Draft(content), project=PROJECT, session=None, allow=(), now=NOW)
        rows.append(NewMemory(ready.row, ready.keys))
    with store.transaction():
        return store.put(rows)


def embed(store, number, memory):
    ready = prepare(Draft("x"), project=PROJECT, session=None, allow=(), now=NOW)
    known = store.get(memory)
    vectors = Vectors(memory, ready.row["reach"], known.content_hash, [CODES])
    with store.transaction():
        store.put_vectors(number, [vectors])


def test_the_first_model_answers_at_once_and_later_ones_wait(store):
    assert store.active_model() is None
    with store.transaction():
        first, second = store.add_model(model("one"), at=NOW), store.add_model(model("two"), at=NOW)
        assert store.add_model(model("one"), at=NOW) == first
    assert store.active_model().name == "one"
    states = [(row.id, row.name, row.dim, row.state) for row in store.models()]
    assert states == [(first, "one", 64, "active"), (second, "two", 64, "building")]


def test_a_model_that_takes_over_leaves_nothing_of_the_one_before(store, birds):
    with store.transaction():
        first, second = store.add_model(model("one"), at=NOW), store.add_model(model("two"), at=NOW)
    embed(store, first, birds[0])
    with store.transaction():
        store.activate_model(second)
    assert [row.name for row in store.models()] == ["two"]
    assert store.active_model().id == second
    assert store.codes(first, birds) == {}


def test_what_lacks_a_vector_is_known_page_by_page(store, birds):
    with store.transaction():
        number = store.add_model(model("one"), at=NOW)
    assert store.vector_counts(number) == (0, 3)
    embed(store, number, birds[1])
    assert store.vector_counts(number) == (1, 3)
    assert store.without_vectors(number, 10) == [birds[0], birds[2]]
    assert store.without_vectors(number, 10, birds[0]) == [birds[2]]
    assert store.living(number, 2) == birds[:2]
    assert store.living(number, 2, birds[1]) == [birds[2]]
    assert (store.living(number, -1), store.without_vectors(number, -1)) == (
        birds,
        [birds[0], birds[2]],
    )


def test_a_removed_model_takes_its_vectors_along(store, birds):
    with store.transaction():
        number = store.add_model(model("one"), at=NOW)
    embed(store, number, birds[0])
    with store.transaction():
        store.remove_model(number)
    assert (store.models(), store.active_model()) == ([], None)
    assert store.verify().problems == ()
