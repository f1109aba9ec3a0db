"""Bearing: what of a ranking an agent should read unasked."""

from __future__ import annotations

import pytest

from recairn.ranking.bearing import SCALES, Prompt, bearings, floor_of
from recairn.ranking.lexical import Matches


def matches(*terms, total=30, frequencies=None):
    known = dict.fromkeys(terms, 1) if frequencies is None else frequencies
    spelled = {term: term for term in terms}
    return Matches(terms, (), "", total, 10.0, known, {}, (1.0,), spelled, frozenset())


def borne(prompt, scores, held=None, cosines=None, total=30, model="static"):
    cosines = {} if cosines is None else cosines
    held = {memory: frozenset(terms) for memory, terms in (held or {}).items()}
    return bearings(prompt, scores, held, (cosines, cosines, {}), (model, total))


LENGTHS = {"deploy": 3.8, "kafka": 6.0, "add": 2.0}


@pytest.mark.parametrize("model", ["static", "minilm", "", "another"])
def test_a_better_score_more_words_and_fewer_memories_bear_more(model):
    prompt = Prompt("how do we deploy kafka", matches("deploy", "kafka"), LENGTHS)
    low, high = borne(prompt, {1: 0.3, 2: 0.5}, model=model).values()
    assert low < high
    one = borne(prompt, {1: 0.3, 2: 0.3}, {1: ["deploy"], 2: ["deploy", "kafka"]}, model=model)
    assert one[1] < one[2]
    assert borne(prompt, {1: 0.3}, total=3000, model=model)[1] < low


@pytest.mark.parametrize("model", ["static", "minilm"])
def test_what_a_reranker_says_counts_for_what_it_has_read(model):
    prompt = Prompt("how do we deploy kafka", matches("deploy", "kafka"), LENGTHS)
    said = {1: -4.0, 2: 3.0}
    value = bearings(prompt, dict.fromkeys((1, 2, 3), 0.4), {}, ({}, {}, said), (model, 30))
    assert value[1] < value[2]
    assert value[3] == borne(prompt, {3: 0.4}, model=model)[3]


def test_a_plain_word_is_no_telling_one():
    prompt = Prompt("add kafka", matches("add", "kafka"), LENGTHS)
    assert prompt.telling == {"kafka"}
    assert prompt.weights["add"] < prompt.weights["kafka"]


def test_a_word_that_every_memory_holds_counts_less_but_counts():
    common = {"deploy": 30, "kafka": 1}
    prompt = Prompt("", matches("deploy", "kafka", frequencies=common), dict.fromkeys(common, 4.0))
    assert 0.0 < prompt.weights["deploy"] < prompt.weights["kafka"]


def test_what_stands_out_by_meaning_bears_more():
    prompt = Prompt("shipping", matches("ship"), {})
    near = {1: 0.6, **dict.fromkeys(range(2, 20), 0.1)}
    value = borne(prompt, {1: 0.4, 2: 0.4}, cosines=near)
    assert value[1] > value[2] + 1.0


@pytest.mark.parametrize(
    ("text", "general"),
    [
        ("what is a service mesh", True),
        ("explain optionals in swift", True),
        ("what's the difference between a list and a tuple", True),
        ("how do lifetimes work in rust", True),
        ("explain how our deploys work", False),
        ("how does search work here", False),
        ("explain this function", False),
        ("what is the deploy command", False),
        ("how do we deploy?", False),
        ("explain\nTraceback: boom", False),
        ("", False),
    ],
)
def test_a_question_about_the_world_is_told_from_one_about_the_project(text, general):
    prompt = Prompt(text, None, {})
    assert prompt.is_general is general
    assert prompt.floor > 0.0 if general else prompt.floor == 0.0


def test_who_speaks_of_us_means_what_is_remembered():
    ours = Prompt("how do we deploy", matches("deploy"), LENGTHS)
    work = Prompt("add a deploy", matches("deploy"), LENGTHS)
    held = {1: ["deploy"]}
    assert borne(ours, {1: 0.4}, held)[1] > borne(work, {1: 0.4}, held)[1] + 1.0


def test_what_bears_much_less_than_the_best_is_below_the_floor_unless_it_is_sure():
    prompt = Prompt("deploy", None, {})
    assert floor_of({}, prompt) == 0.0
    assert floor_of({1: 1.0, 2: 0.1}, prompt) == 0.0
    assert floor_of({1: 4.0, 2: 0.1}, prompt) == 1.5
    assert floor_of({1: 40.0, 2: 3.0}, prompt) == 2.0


def test_where_all_memories_are_about_the_same_those_that_say_the_prompt_are_sure():
    prompt = Prompt("kafka deploy", matches("deploy", "kafka"), LENGTHS)
    near = dict.fromkeys(range(1, 40), 0.55)
    scores = dict.fromkeys(near, 0.25)
    value = borne(prompt, scores, dict.fromkeys(near, ("deploy", "kafka")), cosines=near, total=40)
    assert min(value.values()) >= floor_of(value, prompt)
    silent = borne(prompt, scores, {}, cosines=dict.fromkeys(near, 0.1), total=40)
    assert max(silent.values()) < floor_of(silent, prompt)


def test_every_model_that_ships_has_a_scale():
    assert {"static", "minilm", ""} <= set(SCALES)
