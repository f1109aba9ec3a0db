"""The metrics by hand, and intervals that come out the same every time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.surfaces.bench.metrics import (
    calibration_error,
    difference,
    interval,
    mean,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
)

JUDGED = {"a": 2.0, "b": 1.0, "c": 0.0}
VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["a", "b"], 1.0),
        (["b", "a"], (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        (["x", "a", "y", "b"], (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3))),
        (["a"], 2 / (2 + 1 / math.log2(3))),
        (["c", "x"], 0.0),
        ([], 0.0),
    ],
)
def test_ndcg_gains_linearly_and_discounts_by_place(ranking, expected):
    assert ndcg(ranking, JUDGED) == pytest.approx(expected)


def test_ndcg_looks_at_the_first_ten_alone():
    others = [f"x{number}" for number in range(10)]
    assert ndcg([*others, "a"], JUDGED) == 0.0
    assert ndcg([*others[:9], "a"], {"a": 1.0}) == pytest.approx(1 / math.log2(11))
    many = {str(number): 1.0 for number in range(30)}
    assert ndcg([str(number) for number in range(10)], many) == pytest.approx(1.0)


def test_a_question_without_relevant_documents_gains_nothing():
    assert ndcg(["a"], {}) == recall(["a"], {}, 5) == reciprocal_rank(["a"], {}) == 0.0
    assert ndcg(["c"], {"c": 0.0}) == recall(["c"], {"c": 0.0}, 5) == 0.0


def test_recall_is_the_share_of_relevant_documents_found():
    assert recall(["x", "a", "b"], JUDGED, 2) == 0.5
    assert recall(["x", "a", "b"], JUDGED, 3) == 1.0
    assert recall(["c"], JUDGED, 3) == 0.0
    assert recall(["a", "a"], JUDGED, 5) == 0.5


def test_the_reciprocal_rank_is_that_of_the_first_relevant_document():
    assert reciprocal_rank(["b", "a"], JUDGED) == 1.0
    assert reciprocal_rank(["c", "x", "b"], JUDGED) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], JUDGED) == 0.0


# Uncertainty


@given(VALUES)
def test_an_interval_holds_its_mean_stays_within_the_values_and_repeats(values):
    low, high = interval(values)
    assert (low, high) == interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_an_interval_of_equal_values_has_no_width():
    assert interval([0.5] * 9) == (0.5, 0.5)
    assert interval([]) == (0.0, 0.0)


def test_more_questions_make_a_narrower_interval():
    few, many = interval([0.0, 1.0] * 10), interval([0.0, 1.0] * 500)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert many[1] - many[0] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.1)


def test_a_difference_is_taken_question_by_question():
    found = difference([0.9, 0.5, 0.2, 0.4], [0.4, 0.5, 0.3, 0.0])
    assert found["mean"] == pytest.approx(0.2)
    assert (found["won"], found["lost"]) == (2, 1)
    assert found["low"] <= found["mean"] <= found["high"]


def test_a_steady_gain_on_uneven_questions_is_certain():
    theirs = [0.0, 0.9, 0.1, 0.8, 0.3, 0.6]
    found = difference([value + 0.05 for value in theirs], theirs)
    assert [found["low"], found["high"]] == pytest.approx([0.05, 0.05])
    assert (found["won"], found["lost"]) == (6, 0)


def test_only_the_same_questions_can_be_compared():
    with pytest.raises(ValueError, match="zip"):
        difference([0.1, 0.2], [0.1])


def test_the_mean_and_percentiles_of_nothing_are_nothing():
    assert mean([]) == percentile([], 0.5) == 0.0
    assert mean([1.0, 2.0, 6.0]) == 3.0


def test_percentiles_are_values_that_occurred():
    values = [float(number) for number in range(100, 0, -1)]
    assert percentile(values, 0.5) == 51.0
    assert percentile(values, 0.95) == 96.0
    assert percentile([7.0], 0.95) == 7.0


def test_chances_are_compared_with_how_often_they_came_true():
    """Two at 75 % of which one came true are 25 points off, and so is each of them."""
    assert calibration_error([]) == 0.0
    assert calibration_error([(0.75, True), (0.75, False)]) == pytest.approx(0.25)
    assert calibration_error([(1.0, True), (0.0, False)]) == 0.0
    assert calibration_error([(0.9, True)] * 9 + [(0.9, False)]) == pytest.approx(0.0)
