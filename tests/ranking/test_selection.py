"""What is an answer at all, and what only repeats a better one."""

import pytest

from recairn.core.record import replace
from recairn.ranking.chance import (
    Floor,
    Question,
    answers,
    clearness,
    floor_for,
    question_of,
)
from recairn.ranking.profiles import MODELS, PROFILES, Line
from recairn.ranking.score import selected
from tests.ranking.made_up import angled, entry

DEFAULT = PROFILES["default"]
# A cosine of .3 is near; clear is one of .4, or all of the words, or some of both.
LINE = Line(
    start=-0.4,
    cosine=1.0,
    cosine_by_size=0.0,
    coverage=0.4,
    keyword=0.0,
    outstanding=0.0,
    asked=0.0,
    size=0.0,
    few=0.0,
)
FLOOR = Floor(near=0.3, line=LINE, question=Question(memories=1, words=1, middle=0.0, spread=1.0))


def ids(ranking):
    return [scored.facts.id for scored in ranking]


# Answers


def test_strangers_are_taken_out():
    """A stranger has no word of the question and lies below the floor in meaning."""
    ranking = [
        entry(1, 0.9, keyword=5.0, cosine=0.5, coverage=0.3),
        entry(2, 0.8, keyword=0.0, cosine=0.29),
        entry(3, 0.7, keyword=0.0, cosine=0.3),
        entry(4, 0.6, keyword=0.1, cosine=-0.4),
        entry(5, 0.5, keyword=0.1, cosine=None),
        entry(6, 0.4, keyword=0.0, cosine=None),
    ]
    assert ids(answers(ranking, FLOOR)) == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("facts", "answered"),
    [
        ({"keyword": 1.0, "coverage": 0.49, "cosine": 0.2}, False),
        ({"keyword": 1.0, "coverage": 0.51, "cosine": 0.2}, True),
        ({"keyword": 1.0, "coverage": 0.99, "cosine": 0.0}, False),
        ({"keyword": 1.0, "coverage": 1.0, "cosine": 0.0}, True),
        ({"keyword": 0.0, "coverage": 0.0, "cosine": 0.39}, False),
        ({"keyword": 0.0, "coverage": 0.0, "cosine": 0.41}, True),
        ({"keyword": 0.0, "coverage": 0.0, "cosine": None}, False),
    ],
)
def test_a_best_one_is_an_answer_where_meaning_and_words_together_reach_the_floor(facts, answered):
    assert ids(answers([entry(1, 0.9, **facts)], FLOOR)) == ([1] if answered else [])


def test_a_clear_answer_must_be_among_the_three_best():
    vague = [entry(number, 1.0 - number / 10, keyword=1.0, cosine=0.1) for number in (1, 2, 3)]
    clear = {"keyword": 1.0, "cosine": 0.9}
    assert answers([*vague, entry(4, 0.1, **clear)], FLOOR) == []
    assert ids(answers([*vague[:2], entry(4, 0.1, **clear), vague[2]], FLOOR)) == [1, 2, 4, 3]


def test_a_clear_answer_among_the_most_relevant_is_enough_wherever_age_has_put_it():
    vague = [entry(number, 1.0 - number / 10, keyword=1.0, cosine=0.1) for number in (1, 2, 3)]
    clear, dim = entry(4, 0.1, keyword=1.0, cosine=0.9), entry(5, 0.1, keyword=1.0, cosine=0.2)
    assert ids(answers([*vague, clear], FLOOR, lambda: [clear.facts])) == [1, 2, 3, 4]
    assert answers([*vague, dim], FLOOR, lambda: [dim.facts]) == []


def test_strangers_do_not_take_the_place_of_a_clear_answer():
    strangers = [entry(number, 0.9, cosine=0.1) for number in (1, 2, 3, 4)]
    assert ids(answers([*strangers, entry(5, 0.1, cosine=0.5)], FLOOR)) == [5]


def test_without_a_floor_any_word_is_an_answer_and_what_points_away_is_not():
    ranking = [
        entry(1, 0.5, keyword=0.1),
        entry(2, 0.4, cosine=0.0),
        entry(3, 0.3, cosine=-0.1),
        entry(4, 0.2),
    ]
    assert ids(answers(ranking, None)) == [1, 2]
    assert answers([], None) == answers([], FLOOR) == []


def test_what_is_kept_keeps_its_order_and_terms():
    ranking = [entry(number, 1.0 / number, keyword=1.0, coverage=1.0) for number in range(1, 6)]
    assert answers(ranking, FLOOR) == ranking


def floor_in(memories, model="static", profile=DEFAULT):
    found = floor_for(profile, model, question_of(memories, 5, [0.1, 0.2, 0.3]))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("memories", "expected"),
    [(0, 0.21), (1, 0.21), (3000, 0.42), (10**6, 0.42), (55, 0.3152)],
)
def test_who_shares_no_word_must_be_the_nearer_the_more_memories_there_are(memories, expected):
    """Half of the floor for one; at 55, about the root of 3,000, three quarters; then all of it."""
    assert floor_in(memories).near == pytest.approx(expected, abs=0.0005)


def above(memories=100, model="static", **facts):
    known = entry(1, 0.5, **{"keyword": 8.0, "coverage": 0.4, "cosine": 0.4, **facts}).facts
    return clearness(known, floor_in(memories, model))


@pytest.mark.parametrize("model", ["static", "minilm", None])
def test_a_clear_answer_needs_the_more_the_more_memories_there_are(model):
    """What chance reaches grows with every tenfold."""
    lying = [above(10**tenfolds, model) for tenfolds in range(6)]
    assert lying == sorted(lying, reverse=True)
    assert lying[0] - lying[-1] > 0.2


@pytest.mark.parametrize("model", ["static", "minilm", None])
def test_more_of_the_words_and_nearness_make_an_answer_clearer(model):
    assert above(model=model, coverage=0.8) > above(model=model)
    assert above(model=model, keyword=20.0) >= above(model=model)
    assert above(model=model, cosine=0.6) > above(model=model) or model is None


def test_where_all_candidates_are_about_the_question_less_has_to_stand_out():
    """One near text among strangers is near by chance; in a store about the matter it is not."""
    known = entry(1, 0.5, keyword=8.0, coverage=0.4, cosine=0.4).facts
    strangers, kin = (
        question_of(100, 5, [0.0, 0.1, 0.4]),
        question_of(100, 5, [0.3, 0.35, 0.4]),
    )
    line = MODELS["static"].line
    assert line is not None
    assert clearness(known, Floor(0.3, line, kin)) > clearness(known, Floor(0.3, line, strangers))


def test_of_what_a_reranker_has_read_its_word_decides_too():
    read = replace(LINE, start=1.0, reranker=0.5)
    one, other = (entry(n, 0.9, keyword=1.0, coverage=0.5, cosine=0.2) for n in (1, 2))
    for number, answered in ((-3.5, []), (-2.0, [1])):
        floor = replace(FLOOR, read=read, said={1: number})
        assert ids(answers([one], floor)) == answered
    # Of one that was not read nothing is known but the plain line.
    assert ids(answers([other], replace(FLOOR, read=read, said={1: -9.0}))) == [2]


@pytest.mark.parametrize("model", [name for name in MODELS if MODELS[name].read])
def test_what_a_reranker_read_and_did_not_like_needs_more_to_be_an_answer(model):
    floor = floor_in(10_000, model or None)
    known = entry(1, 0.5, keyword=8.0, coverage=0.4, cosine=0.4 if model else None).facts
    liked, disliked = (clearness(known, replace(floor, said={1: said})) for said in (2.0, -8.0))
    assert liked - disliked > 1.0


def test_of_what_has_no_vector_yet_words_decide():
    """A memory that was stored while its model failed is found by its words all the same."""
    held, hardly = (
        entry(1, 0.9, keyword=9.0, coverage=share, cosine=None) for share in (1.0, 0.05)
    )
    assert ids(answers([held], floor_in(1000))) == [1]
    assert answers([hardly], floor_in(1000)) == []


def test_a_profile_with_lower_floors_asks_less_of_a_clear_answer():
    ours, lower = (floor_in(1000, profile=PROFILES[name]) for name in ("default", "lore"))
    assert lower.ease == pytest.approx(0.08 * ours.line.cosine)
    assert ours.ease == 0.0
    assert lower.near < ours.near


@pytest.mark.parametrize(
    ("profile", "model"), [("ccmemory", "static"), ("ccmemory", None), ("default", "external")]
)
def test_no_floor_where_the_profile_wants_none_or_nobody_knows_the_cosines_of_a_model(
    profile, model
):
    assert floor_for(PROFILES[profile], model, question_of(100, 5, [0.1])) is None


# Selection

FAR_APART = {1: [angled(0)], 2: [angled(45)], 3: [angled(90)], 4: [angled(135)]}
FOUR = [entry(number, 1.0 - number / 10) for number in (1, 2, 3, 4)]


def test_by_itself_a_profile_takes_the_best():
    assert ids(selected(FOUR, FAR_APART, DEFAULT, 2)) == [1, 2]
    assert ids(selected(FOUR, {}, DEFAULT, 9)) == [1, 2, 3, 4]


def test_near_duplicates_of_a_better_one_are_folded():
    near = {1: [angled(0)], 2: [angled(2)], 3: [angled(90)], 4: [angled(91)]}
    folding = replace(DEFAULT, fold=0.99)
    assert ids(selected(FOUR, near, folding, 9)) == [1, 3]
    assert ids(selected(FOUR, FAR_APART, folding, 9)) == [1, 2, 3, 4]
    assert ids(selected(FOUR, {}, folding, 9)) == [1, 2, 3, 4]


def test_a_folded_hit_does_not_use_up_the_limit():
    near = {1: [angled(0)], 2: [angled(1)], 3: [angled(90)], 4: [angled(180)]}
    assert ids(selected(FOUR, near, replace(DEFAULT, fold=0.99), 3)) == [1, 3, 4]


def test_one_source_is_capped_and_no_source_is_not():
    ranking = [entry(n, 1.0 - n / 10, source_ref="run-1" if n < 5 else "") for n in range(1, 9)]
    assert ids(selected(ranking, {}, replace(DEFAULT, per_source=2), 9)) == [1, 2, 5, 6, 7, 8]


def test_diversity_prefers_what_says_something_else():
    """λ ½: 2 is worth .45 - ½·cos 5° < 0, 3 is worth .35 - ½·cos 90° = .35."""
    vectors = {1: [angled(0)], 2: [angled(5)], 3: [angled(90)]}
    ranking = [entry(1, 1.0), entry(2, 0.9), entry(3, 0.7)]
    assert ids(selected(ranking, vectors, replace(DEFAULT, diversity=0.5), 3)) == [1, 3, 2]
    assert ids(selected(ranking, vectors, replace(DEFAULT, diversity=1.0), 3)) == [1, 2, 3]


def test_equals_are_taken_in_order_of_id():
    twins = [entry(number, 0.5) for number in (3, 1, 2)]
    assert ids(selected(twins, {}, replace(DEFAULT, diversity=0.7), 3)) == [1, 2, 3]
