"""Every signal alone: its bounds, its direction, its worked values."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recairn.core.model import DECAY_PER_DAY, Facts, decayed
from recairn.core.record import replace
from recairn.core.times import DAY
from recairn.ranking.fusion import Relevance
from recairn.ranking.profiles import OF_PLACES, PROFILES
from recairn.ranking.signals import OF_THE_QUESTION, SIGNALS, Context, best_of
from tests.corpus import NOW

PLAIN = Facts(
    id=1,
    kind="learning",
    project="puffin",
    tier="project",
    sector="semantic",
    created_at=NOW,
    last_used_at=None,
    usage_count=0,
    salience=1.0,
    decayed_at=NOW,
    importance=0.5,
    confidence=0.5,
    helpful=0.0,
    harmful=0.0,
    outcome_score=None,
    valid_until=None,
    source_ref="",
    words=10,
)


class Arms(dict[int, Relevance]):
    """What the arms said about some memories; about any other, that neither found it."""

    def __missing__(self, memory: int) -> Relevance:
        return Relevance(0.0, 0.0, 0.0, None, None)


ASKED = Context(NOW, "puffin", Arms())

TIMES = st.integers(-62135596800000, 253402300799999)
UNIT = st.floats(0, 1)
FACTS = st.builds(
    Facts,
    id=st.integers(1, 10**9),
    kind=st.sampled_from(["learning", "rule", "chunk"]),
    project=st.sampled_from(["puffin", "kestrel", ""]),
    tier=st.sampled_from(["session", "project", "global"]),
    sector=st.sampled_from([*DECAY_PER_DAY, "unheard-of"]),
    created_at=TIMES,
    last_used_at=st.none() | TIMES,
    usage_count=st.integers(-1, 10**12),
    salience=UNIT,
    decayed_at=TIMES,
    importance=UNIT,
    confidence=UNIT,
    helpful=st.floats(0, 1e9),
    harmful=st.floats(0, 1e9),
    outcome_score=st.none() | UNIT,
    valid_until=st.none() | TIMES,
    source_ref=st.just(""),
    words=st.integers(0, 10**6),
    keyword=st.floats(0, 1e6),
    coverage=UNIT,
    cosine=st.none() | st.floats(-1.001, 1.001),
)
PLACES = st.none() | st.integers(0, 3000)
ARMS = st.builds(Relevance, UNIT, UNIT, UNIT, PLACES, PLACES)


class SameForAll(Arms):
    """The arms said the same about every memory."""

    def __init__(self, said: Relevance) -> None:
        self.said = said

    def __missing__(self, memory: int) -> Relevance:
        return self.said


CONTEXTS = st.builds(
    Context, TIMES, st.sampled_from(["puffin", "", None]), st.builds(SameForAll, ARMS)
)


def value(name, context=ASKED, **facts):
    return SIGNALS[name](replace(PLAIN, **facts), context)


@given(FACTS, CONTEXTS)
def test_a_signal_lies_between_0_and_1_whatever_the_facts(facts, context):
    for name, signal in SIGNALS.items():
        found = signal(facts, context)
        assert math.isfinite(found), name
        assert 0.0 <= found <= 1.0, name


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_says_what_it_claims(name):
    assert SIGNALS[name].__doc__


def test_every_weighed_signal_exists():
    for profile in PROFILES.values():
        assert set(profile.weights) <= set(SIGNALS), profile.name


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_keyword_score_never_counts_less(low, high):
    low, high = sorted((low, high))
    assert value("matched", keyword=low) <= value("matched", keyword=high)


def test_a_keyword_score_of_six_counts_half_whoever_else_is_there():
    assert value("matched") == 0.0
    assert value("matched", keyword=6.0) == 0.5
    assert value("matched", keyword=18.0) == 0.75


def test_what_no_arm_found_counts_nothing():
    assert value("keyword") == value("semantic") == value("agreement") == 0.0
    assert value("fused_rank") == value("top_place") == 0.0
    assert value("cosine") == 0.0
    assert value("cosine", cosine=-0.5) == 0.0
    assert value("cosine", cosine=0.5) == 0.5


def test_the_arms_are_taken_as_the_pool_scaled_them():
    said = Context(NOW, "puffin", {1: Relevance(0.3, 0.4, 0.35, 0, 2)})
    assert [value(name, said) for name in ("keyword", "semantic", "agreement")] == [0.3, 0.4, 0.35]


def placed(by_words, by_meaning):
    return Context(NOW, "puffin", {1: Relevance(0.0, 0.0, 0.0, by_words, by_meaning)})


@pytest.mark.parametrize(
    ("by_words", "by_meaning", "expected"),
    [
        (0, 0, 1.0),
        (0, None, 2 / 3),
        (None, 0, 1 / 3),
        (1, 2, (2 / 62 + 1 / 63) / (3 / 61)),
        (9, 99, (2 / 70 + 1 / 160) / (3 / 61)),
    ],
)
def test_reciprocal_ranks_count_words_twice_and_are_scaled_to_1(by_words, by_meaning, expected):
    assert value("fused_rank", placed(by_words, by_meaning)) == pytest.approx(expected)


@pytest.mark.parametrize("name", SIGNALS)
def test_places_are_asked_for_by_those_signals_alone_that_say_so(name):
    values = {value(name, placed(*each)) for each in ((0, 0), (5, 40), (None, None))}
    assert (len(values) > 1) == (name in OF_PLACES)


@pytest.mark.parametrize(("place", "expected"), [(0, 1.0), (1, 61 / 62), (9, 61 / 70), (None, 0)])
def test_where_meaning_was_not_asked_the_first_by_words_is_the_best(place, expected):
    said = Relevance(0.0, 0.0, 0.0, place, None, words_alone=True)
    context = Context(NOW, "puffin", {1: said})
    assert value("fused_rank", context) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("by_words", "by_meaning", "expected"),
    [(0, 50, 1.0), (None, 0, 1.0), (1, None, 0.4), (7, 2, 0.4), (3, 3, 0.0), (3, None, 0.0)],
)
def test_the_best_places_of_either_list_have_a_bonus(by_words, by_meaning, expected):
    assert value("top_place", placed(by_words, by_meaning)) == expected


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (90, 0.5), (180, 0.25), (-5, 1.0)])
def test_recency_halves_every_ninety_days(days, expected):
    assert value("recency", created_at=NOW - days * DAY) == pytest.approx(expected)


def test_no_age_is_zero():
    assert value("recency", created_at=NOW - 36500 * DAY) > 0.0


def test_freshness_is_neutral_without_use_and_fades_after_it():
    assert value("freshness") == 0.5
    assert value("freshness", last_used_at=NOW) == 1.0
    assert value("freshness", last_used_at=NOW - 30 * DAY) == pytest.approx(math.exp(-1))


@pytest.mark.parametrize(
    ("name", "days", "expected"),
    [
        ("month", 0, 1.0),
        ("month", 15, 0.5),
        ("month", 30, 0.0),
        ("month", 400, 0.0),
        ("fading", 20, math.exp(-1)),
        ("decay", 30, 0.5),
        ("decay", 90, 0.25),
    ],
)
def test_the_seeds_measure_age_in_their_own_ways(name, days, expected):
    assert value(name, created_at=NOW - days * DAY) == pytest.approx(expected)


def test_a_memory_never_used_was_never_accessed():
    assert value("last_access") == 0.0
    assert value("last_access", last_used_at=NOW - 30 * DAY) == pytest.approx(math.exp(-1))


@pytest.mark.parametrize(("uses", "expected"), [(0, 0.0), (30, 1.0), (10**9, 1.0), (-1, 0.0)])
def test_frequency_is_capped(uses, expected):
    assert value("frequency", usage_count=uses) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("helpful", "harmful", "expected"), [(0, 0, 0.5), (1, 0, 2 / 3), (0, 1, 1 / 3), (98, 0, 0.99)]
)
def test_outcome_is_bayesian(helpful, harmful, expected):
    found = value("outcome", helpful=float(helpful), harmful=float(harmful))
    assert found == pytest.approx(expected)


def test_the_own_project_and_the_global_tier_match():
    assert value("project") == 1.0
    assert value("project", project="kestrel") == 0.0
    assert value("project", project="kestrel", tier="global") == 1.0


def test_a_superseded_memory_is_not_current_from_that_moment_on():
    assert value("current") == 1.0
    assert value("current", valid_until=NOW + 1) == 1.0
    assert value("current", valid_until=NOW) == 0.0


def test_salience_decays_by_sector_slower_with_importance_and_use():
    left = {
        sector: decayed(replace(PLAIN, sector=sector, decayed_at=NOW - 100 * DAY), NOW)
        for sector in DECAY_PER_DAY
    }
    assert left["semantic"] == pytest.approx(math.exp(-0.5))
    assert sorted(left, key=lambda sector: -left[sector]) == list(DECAY_PER_DAY)
    old = replace(PLAIN, decayed_at=NOW - 100 * DAY)
    assert decayed(replace(old, importance=1.0), NOW) > decayed(old, NOW)
    assert decayed(replace(old, usage_count=20), NOW) > decayed(old, NOW)


@given(UNIT, st.integers(0, 5000), st.integers(0, 5000))
def test_decaying_in_two_steps_is_decaying_in_one(salience, first, second):
    whole = decayed(replace(PLAIN, salience=salience), NOW + (first + second) * DAY)
    half = decayed(replace(PLAIN, salience=salience), NOW + first * DAY)
    then = replace(PLAIN, salience=half, decayed_at=NOW + first * DAY)
    assert decayed(then, NOW + (first + second) * DAY) == pytest.approx(whole)


# The best that a pool could have


@given(st.lists(FACTS, min_size=1, max_size=6), CONTEXTS)
@example([replace(PLAIN, stale=1.0), replace(PLAIN, stale=math.nan)], ASKED)
def test_no_memory_of_a_pool_exceeds_the_best_made_of_it(facts, context):
    ideal = best_of([row(each) for each in facts], context.now)
    for name in SIGNALS.keys() - OF_THE_QUESTION:
        most = SIGNALS[name](ideal, context)
        for each in facts:
            assert SIGNALS[name](each, context) <= most + 1e-12, name


def row(facts):
    """The facts as the store gives them: up to `stale`."""
    names = Facts.__match_args__[: Facts.__match_args__.index("stale") + 1]
    return tuple(getattr(facts, name) for name in names)


def test_the_best_of_a_pool_without_merits_is_no_better_than_the_pool():
    twins = [replace(PLAIN, id=number, created_at=NOW - 90 * DAY) for number in (1, 2)]
    ideal = best_of([row(each) for each in twins], NOW)
    said = {name: SIGNALS[name](ideal, ASKED) for name in ("recency", "outcome", "importance")}
    assert said == {"recency": 0.5, "outcome": 0.5, "importance": 0.5}
    assert SIGNALS["freshness"](ideal, ASKED) == 0.5
    assert SIGNALS["frequency"](ideal, ASKED) == 0.0
