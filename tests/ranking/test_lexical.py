"""Keyword scores recomputed by hand, and what standing together is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.record import replace
from recairn.ranking.lexical import Matches, keyword_matches, rarity, wordings

TITLE, CONTENT = 0, 1


def matches(places, **changes):
    """Ten memories of some five words, three of them with fog and one with horn."""
    asked = Matches(
        terms=("fog", "horn"),
        extra=(),
        prefix="",
        total=10,
        usual_words=5.0,
        frequencies={"fog": 3, "horn": 1},
        places=places,
        weights=(2.0, 1.0),
        spelled={"fog": "fog", "horn": "horn"},
        names=frozenset(),
    )
    return replace(asked, **changes)


def scored(places, lengths=None, **options):
    return keyword_matches(matches(places, **options), lengths or dict.fromkeys(places, 5))[0]


def at(*positions):
    return {CONTENT: positions}


# ln(1 + (10 − n + ½)/(n + ½)) for n of 3 and 1
FOG = math.log(1 + 7.5 / 3.5)
HORN = math.log(1 + 9.5 / 1.5)


# How rare a word is


def test_rarity_by_hand():
    assert rarity(10, 3) == pytest.approx(FOG)
    assert rarity(10, 0) == pytest.approx(math.log(22))
    assert rarity(1, 1) == pytest.approx(math.log(4 / 3))


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_rarity_is_never_negative_even_when_counts_disagree(total, frequency):
    assert rarity(total, frequency) > 0.0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_commoner_word_is_never_rarer(total, one, other):
    one, other = sorted((one, other))
    assert rarity(total + other, one) >= rarity(total + other, other)


# Scores


def test_one_word_once_in_a_memory_of_usual_length_scores_its_rarity():
    """tf 1, k1 1, length as usual: 1·2/(1 + 1) = 1, times rarity to the power 1.2."""
    assert scored({7: {"horn": at(4)}}) == {7: pytest.approx(HORN**1.2)}


def test_frequency_saturates_and_length_counts():
    """Lengths 4 and 12, usual 8: slack is 0.2 + 0.8·4/8 = 0.6 and 0.2 + 0.8·12/8 = 1.4."""
    places = {1: {"horn": at(0, 3)}, 2: {"horn": at(0)}}
    found = scored(places, {1: 4, 2: 12}, usual_words=8.0)
    assert found[1] == pytest.approx(HORN**1.2 * 2 * 2 / (2 + 0.6))
    assert found[2] == pytest.approx(HORN**1.2 * 1 * 2 / (1 + 1.4))


def test_a_word_in_the_title_counts_as_two():
    found = scored({1: {"horn": {TITLE: (0,)}}, 2: {"horn": at(0)}})
    assert found[1] == pytest.approx(HORN**1.2 * 2 * 2 / (2 + 1))
    assert found[2] == pytest.approx(HORN**1.2)


def test_a_word_asked_twice_counts_twice():
    twice = scored({1: {"horn": at(0)}}, terms=("horn", "fog", "horn"))
    assert twice[1] == pytest.approx(2 * HORN**1.2)


def test_the_part_of_a_name_counts_like_a_word():
    found = scored({1: {"clock": at(0)}}, extra=("clock",), frequencies={"clock": 3})
    assert found[1] == pytest.approx(FOG**1.2)


def test_memories_without_a_word_score_nothing():
    scores, covered = keyword_matches(matches({1: {"fog": at(0)}}), {1: 5, 2: 5})
    assert (scores[2], covered[2]) == (0.0, 0.0)
    assert keyword_matches(matches({}), {}) == ({}, {})


def test_a_memory_without_telling_words_is_no_division_by_zero():
    found = scored({1: {"fog": at(0)}}, {1: 0}, usual_words=0.0)
    assert found[1] == pytest.approx(FOG**1.2 * 2 / 1.2)


# Together


@pytest.mark.parametrize(
    ("fog", "horn", "worth"),
    [
        ((3,), (4,), 0.75),
        ((4,), (3,), 0.25),
        ((0,), (11,), 0.25),
        ((11,), (0,), 0.25),
        ((0,), (12,), 0.0),
        ((0, 40), (20, 41), 0.75),
        ((5,), (0, 6), 0.75),
    ],
)
def test_neighbours_of_the_question_count_when_they_stand_together(fog, horn, worth):
    """½ right after one another and ¼ within eleven places, of the commoner word's rarity."""
    apart = sum(
        rare**1.2 * len(where) * 2 / (len(where) + 1) for rare, where in ((FOG, fog), (HORN, horn))
    )
    found = scored({1: {"fog": at(*fog), "horn": at(*horn)}})
    assert found[1] == pytest.approx(apart + worth * FOG)


def test_words_in_different_columns_do_not_stand_together():
    found = scored({1: {"fog": {TITLE: (0,)}, "horn": at(1)}})
    assert found[1] == pytest.approx(FOG**1.2 * 4 / 3 + HORN**1.2)


def test_only_neighbours_of_the_question_make_a_pair():
    places = {1: {"fog": at(0), "horn": at(1)}}
    counts = {"fog": 3, "horn": 1, "old": 0}
    apart = scored(places, terms=("fog", "old", "horn"), frequencies=counts)
    assert apart[1] == pytest.approx(FOG**1.2 + HORN**1.2)


def test_a_pair_asked_twice_and_a_word_beside_itself_count_once_and_not_at_all():
    places = {1: {"fog": at(0), "horn": at(1)}}
    found = scored(places, terms=("fog", "horn", "fog", "horn"))
    both = 2 * (FOG**1.2 + HORN**1.2)
    # fog-horn stands there word by word, horn-fog only nearby
    assert found[1] == pytest.approx(both + 0.75 * FOG + 0.25 * FOG)
    alone = scored({1: {"fog": at(0, 1)}}, terms=("fog", "fog"))
    assert alone[1] == pytest.approx(2 * FOG**1.2 * 4 / 3)


# Coverage and the unfinished word


def coverage(places, **options):
    return keyword_matches(matches({1: places}, **options), {1: 5})[1][1]


def test_coverage_is_the_share_of_the_questions_rarity_that_occurs():
    terms, counts = ("fog", "horn", "pier", "gull"), {"fog": 3, "horn": 1, "pier": 3, "gull": 3}
    options = {"terms": terms, "frequencies": counts}
    asked = 3 * FOG + HORN
    assert coverage({"fog": at(0)}, **options) == pytest.approx(FOG / asked)
    assert coverage({"horn": at(0)}, **options) == pytest.approx(HORN / asked)
    assert coverage({"fog": at(0), "horn": at(9)}, **options) == pytest.approx((FOG + HORN) / asked)
    assert coverage({term: at(0) for term in terms}, **options) == pytest.approx(1.0)


def test_half_the_words_of_a_short_question_cover_half_of_it_at_least():
    assert coverage({"fog": at(0)}) == 0.5
    assert coverage({"horn": at(0)}) == pytest.approx(HORN / (FOG + HORN))
    assert coverage({"fog": at(0), "horn": at(9)}) == pytest.approx(1.0)


def test_a_word_that_only_begins_alike_counts_half_the_weightiest_and_covers_its_word():
    options = {"terms": ("fog", "horn"), "prefix": "horn*"}
    assert scored({1: {"horn*": at(0)}}, **options)[1] == pytest.approx(0.5 * HORN**1.2)
    assert coverage({"horn*": at(0)}, **options) == pytest.approx(HORN / (FOG + HORN))


WORDS = ("fog", "horn", "pier", "gull")
POSITIONS = st.lists(st.integers(0, 60), min_size=1, max_size=4, unique=True).map(sorted)
PLACES = st.dictionaries(
    st.integers(1, 9),
    st.dictionaries(
        st.sampled_from(WORDS),
        st.dictionaries(st.sampled_from([TITLE, CONTENT]), POSITIONS, min_size=1),
        min_size=1,
    ),
)


@given(PLACES, st.integers(0, 50), st.data())
def test_scores_are_positive_and_coverage_a_share_whatever_stands_where(places, total, data):
    frequencies = {word: data.draw(st.integers(0, 50)) for word in WORDS}
    lengths = {memory: data.draw(st.integers(0, 400)) for memory in places}
    asked = matches(places, terms=WORDS, total=total, frequencies=frequencies)
    scores, covered = keyword_matches(asked, lengths)
    assert set(scores) == set(covered) == set(places)
    assert all(score > 0.0 and math.isfinite(score) for score in scores.values())
    assert all(0.0 < share <= 1.0 for share in covered.values())


def test_a_name_that_hardly_any_memory_holds_covers_half_of_the_question():
    """A name of one memory, or of one in 200; of two in 399 it is as any other word."""
    asked = {"terms": ("fog", "horn", "tide", "marisol"), "names": frozenset({"marisol"})}
    places = {1: {"marisol": at(3)}, 2: {"fog": at(3)}}
    for total, holding, expected in ((8, 1, 0.6), (400, 2, 0.6), (399, 2, None)):
        _, covered = keyword_matches(
            matches(
                places,
                total=total,
                frequencies={"fog": 3, "horn": 0, "tide": 0, "marisol": holding},
                **asked,
            ),
            {1: 5, 2: 5},
        )
        assert covered[2] < 0.3
        assert covered[1] < 0.3 if expected is None else covered[1] == expected


# Numbers with points


def test_a_number_counts_where_its_parts_stand_in_a_row_and_little_elsewhere():
    places = {
        1: {"8": at(4), "1": at(5)},
        2: {"8": at(4), "1": at(1)},
        3: {"8": at(4)},
        4: {"8": {TITLE: (0,)}, "1": at(2)},
    }
    asked = matches(places, terms=("8", "1"), frequencies={"8": 4, "1": 3})
    lengths = dict.fromkeys(places, 5)
    scores, covered = keyword_matches(asked, lengths, [("8", "1")])
    plain, fully = keyword_matches(asked, lengths)
    assert (scores[1], covered[1]) == (plain[1], 1.0)
    assert scores[2] < plain[2] < plain[1]
    assert fully[2] == 1.0
    assert covered[2] == pytest.approx(0.25)
    assert scores[3] == pytest.approx(plain[3] / 4)
    # Of a v8.1 the index has the 8 in another column.
    assert scores[4] == plain[4]


def test_a_part_of_a_number_that_is_asked_for_by_itself_counts_in_full():
    places = {1: {"8": at(4)}}
    asked = matches(places, terms=("8", "8", "1"), frequencies={"8": 1, "1": 1})
    assert keyword_matches(asked, {1: 5}, [("8", "1")]) == keyword_matches(asked, {1: 5})


# Word for word

SOUNDS = ("fog", "horn", "sound", "twice")


def worded(places, terms=SOUNDS):
    frequencies = dict.fromkeys(terms, 1)
    return wordings(matches(places, terms=terms, frequencies=frequencies))


def test_what_holds_the_question_in_its_order_says_it_word_for_word():
    """Stop words of the text stand between the others."""
    said = {term: at(place) for term, place in zip(SOUNDS, (1, 2, 5, 6), strict=True)}
    assert worded({1: said}) == {1: 1.0}


def test_the_same_words_in_another_order_or_far_apart_are_not_its_wording():
    turned = {term: at(place) for term, place in zip(SOUNDS, (9, 7, 3, 1), strict=True)}
    scattered = {term: at(place) for term, place in zip(SOUNDS, (1, 50, 90, 140), strict=True)}
    assert worded({1: turned, 2: scattered}) == {}


def test_one_word_of_eight_may_be_missing():
    terms = tuple("abcdefgh")
    without_e = {term: at(place) for place, term in enumerate(terms) if term != "e"}
    half = {term: at(place) for place, term in enumerate(terms[:4])}
    said = worded({1: without_e, 2: half}, terms)
    assert said == {1: pytest.approx((7 / 8 * 5 / 7 - 0.4) / 0.4)}
    assert said[1] > 0.5


def test_a_single_word_has_no_wording():
    assert worded({1: {"fog": at(1)}}, ("fog",)) == {}


@given(st.dictionaries(st.sampled_from(SOUNDS), st.integers(0, 60), max_size=4))
def test_a_wording_lies_between_nothing_and_all(found):
    said = worded({1: {term: at(place) for term, place in found.items()}})
    assert all(0.0 < value <= 1.0 for value in said.values())
