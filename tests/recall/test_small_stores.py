"""Silence in a store of a few memories, which is what most people have."""

import pytest

from tests.corpus import opened
from tests.small_stores import NAMES, PLAIN, SHOP, STRANGE, WORKSHOP


@pytest.fixture(params=["none", "static"])
def model(request):
    return request.param


def filled(tmp_path, texts, model):
    memory = opened(tmp_path / "m.db", project="workshop", model=model)
    memory.remember_many([{"content": text} for text in texts], on_similar="add")
    return memory


@pytest.fixture
def workshop(tmp_path, model):
    with filled(tmp_path, WORKSHOP, model) as memory:
        yield memory


@pytest.fixture
def shop(tmp_path, model):
    with filled(tmp_path, SHOP, model) as memory:
        yield memory


@pytest.mark.parametrize(("question", "held"), NAMES)
def test_a_name_that_one_of_eight_memories_holds_is_answered(workshop, question, held):
    hits = workshop.search(question, track=False).hits
    assert hits
    assert held in hits[0].memory.content


@pytest.mark.parametrize(("question", "held"), PLAIN)
def test_what_one_of_eight_memories_says_is_found_in_other_words(shop, question, held):
    hits = shop.search(question, track=False).hits
    assert hits
    assert held in hits[0].memory.content


@pytest.mark.parametrize("question", STRANGE)
def test_what_none_of_them_is_about_is_met_with_silence(workshop, question):
    assert workshop.search(question, track=False).hits == ()


def test_both_hold_after_a_second_look(workshop):
    for question, held in NAMES:
        assert any(
            held in hit.memory.content
            for hit in workshop.search(question, track=False, deep=True).hits
        )
    for question in STRANGE:
        assert workshop.search(question, track=False, deep=True).hits == ()
