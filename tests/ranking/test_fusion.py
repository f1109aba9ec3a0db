"""Two arms on one scale: bounds, small pools, echo and agreement on hand-made vectors."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.ranking.fusion import on_scale, relevance
from tests.ranking.made_up import angled, codes, cosine

SCORES = st.dictionaries(st.integers(1, 60), st.floats(0, 1e4), max_size=40)


@given(SCORES, st.floats(-1, 0))
def test_values_on_the_scale_lie_in_0_to_1_and_keep_their_order(values, strange):
    found = on_scale(values, strange)
    assert set(found) == set(values)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    for one in values:
        for other in values:
            if values[one] > values[other]:
                assert found[one] >= found[other]
            if values[one] == values[other]:
                assert found[one] == found[other]


def test_a_full_pool_sets_its_own_scale():
    """Twelve of 0 and twelve of 2: mean 1, spread 1, so z is -1 and 1: 3/16 and 5/16."""
    values = {number: 2.0 * (number % 2) for number in range(24)}
    found = on_scale(values, -99.0)
    assert found[0] == pytest.approx(3 / 16)
    assert found[1] == pytest.approx(5 / 16)


def test_a_small_pool_is_measured_against_strangers():
    """One memory and 23 strangers of 0: its z is the root of 23 whatever its score."""
    expected = (math.sqrt(23) + 4) / 16
    assert on_scale({7: 3.0}, 0.0) == {7: pytest.approx(expected)}
    assert on_scale({7: 90.0}, 0.0) == {7: pytest.approx(expected)}


def test_what_is_as_a_stranger_lies_at_a_quarter():
    assert on_scale({1: 0.0, 2: 0.0}, 0.0) == {1: 0.25, 2: 0.25}
    assert on_scale({}, 0.0) == {}


def test_the_far_ends_are_cut():
    many = dict.fromkeys(range(400), 0.0)
    assert on_scale({**many, 1000: 1.0}, 0.0)[1000] == 1.0
    assert on_scale({**many, 1000: -1.0}, 0.0)[1000] == 0.0


# Both arms


def test_without_meaning_words_stand_alone():
    found = relevance({1: 4.0, 2: 0.0, 3: 4.0}, {}, {}, 0.5)
    assert found[1].keyword == found[1].agreement == found[3].keyword
    assert [found[each].semantic for each in (1, 2, 3)] == [0.0, 0.0, 0.0]
    assert [found[each].keyword_place for each in (1, 2, 3)] == [0, None, 1]
    assert [found[each].semantic_place for each in (1, 2, 3)] == [None, None, None]


def test_nothing_to_rank_is_nothing():
    assert len(relevance({}, {}, {}, 0.5)) == 0


def test_places_count_from_the_best_and_ties_go_by_id():
    words, meaning = {1: 1.0, 2: 9.0, 3: 1.0}, {3: 0.9, 1: 0.2}
    found = relevance(words, meaning, {}, 0.5)
    assert [found[each].keyword_place for each in (1, 2, 3)] == [1, 0, 2]
    assert [found[each].semantic_place for each in (1, 2, 3)] == [1, None, 0]


def test_a_memory_without_a_vector_means_as_little_as_the_farthest_that_has_one():
    found = relevance({1: 0.0, 2: 0.0, 3: 0.0}, {1: 0.8, 2: 0.1}, {}, 0.5)
    assert found[3].semantic == found[2].semantic < found[1].semantic


def test_where_everything_points_away_strangers_lie_with_the_farthest():
    meaning = {1: -0.1, 2: -0.4}
    found = relevance(dict.fromkeys(meaning, 0.0), meaning, {}, 0.5)
    expected = on_scale(meaning, -0.4)
    assert [found[1].semantic, found[2].semantic] == pytest.approx(
        [expected[1], expected[2]], abs=1e-8
    )
    assert found[1].semantic > 0.5


def test_without_vectors_to_echo_the_semantic_value_is_the_scaled_cosine():
    meaning = {1: 0.8, 2: 0.5, 3: 0.1}
    found = relevance(dict.fromkeys(meaning, 0.0), meaning, {}, 0.5)
    scaled = on_scale(meaning, 0.0)
    assert [found[each].semantic for each in meaning] == pytest.approx(
        [scaled[each] for each in meaning], abs=1e-8
    )
    base = {each: 0.5 * 0.25 + 0.5 * scaled[each] for each in meaning}
    assert [found[each].agreement for each in meaning] == pytest.approx(
        [base[each] for each in meaning], abs=1e-8
    )


def test_what_lies_near_the_best_is_lifted_above_its_equal_in_cosine():
    """2 and 3 are as near to the question as each other, but 2 lies beside the best, 1."""
    asked = angled(0)
    vectors = {1: [codes(120, 40)], 2: [codes(100, 75)], 3: [codes(100, 0, 75)]}
    meaning = {each: cosine(asked, pieces[0]) for each, pieces in vectors.items()}
    assert meaning[2] == meaning[3] < meaning[1]
    found = relevance(dict.fromkeys(vectors, 0.0), meaning, vectors, 0.5)
    assert found[2].semantic > found[3].semantic


def test_the_echo_by_hand():
    """Two memories: the centre leans to the better one by e^(-32/0.3 · the gap of their bases)."""
    vectors = {1: [codes(127)], 2: [codes(0, 127)]}
    words, meaning = {1: 0.0, 2: 0.0}, {1: 0.5, 2: 0.48}
    scaled = on_scale(meaning, 0.0)
    gap = 0.5 * (scaled[1] - scaled[2])
    lean = math.exp(-32 / 0.3 * gap)
    length = math.sqrt(1 + lean**2)
    to_centre = {1: 1 / length, 2: lean / length}
    blended = {each: 0.7 * meaning[each] + 0.3 * to_centre[each] for each in vectors}
    expected = on_scale(blended, 0.0)
    found = relevance(words, meaning, vectors, 0.5)
    assert [found[each].semantic for each in (1, 2)] == pytest.approx(
        [expected[each] for each in (1, 2)], abs=1e-6
    )


def test_what_all_candidates_share_is_taken_off():
    """2 and 3 are as near to the question and to the best, 1; with 2 lie thirty others."""
    crowd = {number: [codes(40, 120)] for number in range(10, 40)}
    few = {1: [codes(127)], 2: [codes(80, 90)], 3: [codes(80, -90)]}
    for vectors in (few, {**few, **crowd}):
        meaning = {each: cosine(codes(127), pieces[0]) for each, pieces in vectors.items()}
        found = relevance(dict.fromkeys(vectors, 0.0), meaning, vectors, 0.5)
        assert (found[3].semantic > found[2].semantic) is (len(vectors) > 24)


def test_agreement_is_the_weighted_mean_of_the_neighbours_bases():
    vectors = {1: [angled(0)], 2: [angled(10)], 3: [angled(30)], 4: [angled(60)]}
    words = {1: 8.0, 2: 0.0, 3: 4.0, 4: 2.0}
    found = relevance(words, dict.fromkeys(vectors, 0.5), vectors, 0.0)
    base = {each: found[each].keyword for each in words}
    for each in words:
        near = [(other, cosine(vectors[each][0], vectors[other][0]) ** 2) for other in words]
        others = [(other, weight) for other, weight in near if other != each]
        expected = sum(base[other] * weight for other, weight in others) / sum(
            weight for _, weight in others
        )
        assert found[each].agreement == pytest.approx(expected, abs=1e-3)


def test_a_memory_among_good_ones_is_agreed_with_more_than_one_among_bad_ones():
    vectors = {
        **{number: [angled(number)] for number in range(1, 5)},
        **{number: [angled(90 + number)] for number in range(5, 9)},
    }
    words = {1: 9.0, 2: 9.0, 3: 9.0, 4: 3.0, 5: 3.0, 6: 0.0, 7: 0.0, 8: 0.0}
    found = relevance(words, dict.fromkeys(vectors, 0.3), vectors, 0.4)
    assert found[4].keyword == found[5].keyword
    assert found[4].agreement > found[5].agreement + 0.1


def test_equal_memories_get_equal_values():
    twin = [codes(90, 30, -20)]
    vectors = dict.fromkeys(range(1, 7), twin) | {
        9: [codes(10, 90, 4)],
        10: [codes(3, 0, 9)],
    }
    words = {**dict.fromkeys(range(1, 7), 3.3), 9: 5.1, 10: 0.0}
    meaning = {each: cosine(codes(50, 50), pieces[0]) for each, pieces in vectors.items()}
    found = relevance(words, meaning, vectors, 0.55)
    values = {
        (found[each].keyword, found[each].semantic, found[each].agreement) for each in range(1, 7)
    }
    assert len(values) == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_arrival_changes_nothing(seed):
    draw = random.Random(seed)
    ids = list(range(1, draw.choice((3, 5, 12, 40))))
    vectors = {each: [codes(*draw.choices(range(-127, 128), k=8))] for each in ids}
    words = {each: draw.choice((0.0, 1.5, draw.random() * 20)) for each in ids}
    asked = codes(*draw.choices(range(-127, 128), k=8))
    meaning = {each: cosine(asked, pieces[0]) for each, pieces in vectors.items()}
    straight = relevance(words, meaning, vectors, 0.5)
    draw.shuffle(ids)
    shuffled = relevance(
        {each: words[each] for each in ids},
        {each: meaning[each] for each in reversed(ids)},
        {each: vectors[each] for each in ids},
        0.5,
    )
    for memory in ids:
        each = straight[memory]
        assert shuffled[memory] == each
        assert all(0.0 <= value <= 1.0 for value in (each.keyword, each.semantic, each.agreement))
