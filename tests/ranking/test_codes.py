"""Cosines, middles and neighbours, against the same sums in plain Python."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.ranking.codes import Neighbourhood, cosine_rows, cosines, middle
from tests.ranking.made_up import DIM, angled, codes, cosine

CODES = (
    st.lists(st.integers(-127, 127), min_size=DIM, max_size=DIM)
    .filter(any)
    .map(lambda values: array("b", values).tobytes())
)
VECTORS = st.dictionaries(st.integers(1, 99), st.lists(CODES, min_size=1, max_size=3), max_size=8)


@given(CODES, VECTORS)
def test_the_nearest_piece_of_a_memory_counts(asked, vectors):
    found = cosines(asked, vectors)
    assert set(found) == set(vectors)
    for memory, pieces in vectors.items():
        assert found[memory] == pytest.approx(
            max(cosine(asked, piece) for piece in pieces), abs=1e-3
        )


def test_nothing_is_near_to_nothing():
    assert cosines(codes(), {1: [codes(1)]}) == {}
    assert cosines(codes(1), {}) == {}
    assert cosines(codes(1), {1: []}) == {}


def test_memories_without_pieces_have_no_cosine():
    assert cosines(codes(5), {1: [], 2: [codes(5)]}) == {2: pytest.approx(1.0, abs=1e-6)}


def test_the_centre_lies_between_and_nearer_to_the_heavier():
    pool = Neighbourhood({1: [angled(0)], 2: [angled(90)], 3: [angled(45)]})
    even, leaning = pool.to_centre({1: 1.0, 2: 1.0}), pool.to_centre({1: 3.0, 2: 1.0})
    assert even[3] == pytest.approx(1.0, abs=1e-3)
    assert even[1] == pytest.approx(even[2]) == pytest.approx(math.sqrt(0.5), abs=1e-3)
    assert leaning[1] == pytest.approx(3 / math.sqrt(10), abs=1e-3)
    assert leaning[2] == pytest.approx(1 / math.sqrt(10), abs=1e-3)


def test_the_length_of_a_vector_does_not_weigh():
    pool = Neighbourhood({1: [codes(100)], 2: [codes(0, 2)]})
    near = pool.to_centre({1: 1.0, 2: 1.0})
    assert near[1] == pytest.approx(near[2])


def test_opposites_have_no_centre_and_one_alone_is_none():
    pool = Neighbourhood({1: [codes(9, -4)], 2: [codes(-9, 4)], 3: []})
    assert pool.to_centre({1: 1.0, 2: 1.0}) == {}
    assert pool.to_centre({1: 1.0, 3: 1.0}) == {}
    assert Neighbourhood({}).to_centre({}) == {}


@given(VECTORS, st.lists(st.floats(0.01, 1), min_size=8, max_size=8))
def test_near_to_the_centre_is_who_points_like_the_weighted_sum_of_directions(vectors, weights):
    weighed = dict(zip(vectors, weights, strict=False))
    total = [0.0] * DIM
    for memory, weight in weighed.items():
        values = memoryview(vectors[memory][0]).cast("b")
        length = math.sqrt(sum(value * value for value in values))
        total = [t + weight * value / length for t, value in zip(total, values, strict=True)]
    length = math.sqrt(sum(value * value for value in total))
    found = Neighbourhood(vectors).to_centre(weighed)
    if len(vectors) > 1 and length > 0.1:
        assert set(found) == set(vectors)
    for memory, near in found.items() if length > 0.1 else ():
        by_hand = [
            sum(t * value for t, value in zip(total, memoryview(piece).cast("b"), strict=True))
            / (length * math.sqrt(sum(value * value for value in memoryview(piece).cast("b"))))
            for piece in vectors[memory]
        ]
        assert near == pytest.approx(max(by_hand), abs=0.01)


@given(VECTORS.filter(bool))
def test_the_middle_is_the_sum_of_the_first_pieces(vectors):
    first = [memoryview(pieces[0]).cast("b") for pieces in vectors.values()]
    total = [sum(values) for values in zip(*first, strict=True)]
    largest = max(map(abs, total)) or 1
    found = memoryview(middle(vectors)).cast("b")
    for value, code in zip(total, found, strict=True):
        assert code == pytest.approx(127 * value / largest, abs=0.51)


def test_the_middle_of_very_many_is_exact():
    assert middle({number: [codes(-127, 127, 1)] for number in range(3000)}) == codes(-127, 127, 1)


def test_rows_of_cosines():
    rows = cosine_rows([angled(0), angled(90)], [angled(0), angled(60), angled(90)])
    assert rows[0] == pytest.approx([1.0, 0.5, 0.0], abs=0.01)
    assert rows[1] == pytest.approx([0.0, 0.866, 1.0], abs=0.01)


def neighbours(vectors):
    return Neighbourhood(vectors).nearest(list(vectors))


def test_the_three_nearest_others_are_neighbours():
    turned = {number: [angled(10 * number)] for number in range(8)}
    near = neighbours(turned)
    assert {other for other, _ in near[0]} == {1, 2, 3}
    assert {other for other, _ in near[7]} == {6, 5, 4}
    assert dict(near[0])[2] == pytest.approx(math.cos(math.radians(20)), abs=0.01)


def test_a_pool_of_three_has_no_neighbours_to_ask():
    assert neighbours({number: [angled(number)] for number in range(3)}) == {}
    assert neighbours({}) == {}


def test_what_points_away_is_no_neighbour():
    vectors = {1: [codes(9)], 2: [codes(9, 1)], 3: [codes(-9)], 4: [codes(-9, 1)], 5: []}
    near = neighbours(vectors)
    assert {memory: [other for other, _ in each] for memory, each in near.items()} == {
        1: [2],
        2: [1],
        3: [4],
        4: [3],
    }


def test_equally_near_neighbours_all_count_so_that_order_decides_nothing():
    vectors = {0: [codes(9)], **{number: [codes(9, 1)] for number in range(1, 7)}}
    assert {other for other, _ in neighbours(vectors)[0]} == {1, 2, 3, 4, 5, 6}
    backwards = dict(reversed(vectors.items()))
    again = neighbours(backwards)
    assert {memory: sorted(near) for memory, near in again.items()} == {
        memory: sorted(near) for memory, near in neighbours(vectors).items()
    }
