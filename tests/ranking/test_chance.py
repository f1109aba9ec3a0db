"""The chance that a hit answers: log odds that number an order and never change it."""

import math

import pytest

from recairn.core.model import Hit, Memory, Term, total
from recairn.core.record import replace
from recairn.ranking.bearing import odds_of_bearing
from recairn.ranking.chance import (
    Question,
    lead_of,
    log_odds,
    odds_for,
    with_odds,
)
from recairn.ranking.profiles import (
    DEFAULT,
    MODELS,
    PROFILES,
    Odds,
    for_model,
    reweighted,
)
from tests.ranking.made_up import entry
from tests.ranking.test_signals import PLAIN

ODDS = Odds(
    start=-4.0,
    score=10.0,
    behind=-5.0,
    lead=2.0,
    coverage=1.0,
    keyword=0.5,
    keyword_by_size=-0.1,
    outstanding=0.3,
    size=-1.0,
    few=0.5,
)
MEASURED = [
    pytest.param(known.odds, id=name or "words")
    for name, known in MODELS.items()
    if known.odds is not None
]


def among(memories):
    return Question(memories, 5, middle=0.2, spread=0.1)


def hit(number, terms, odds=None):
    memory = Memory.__new__(Memory)
    object.__setattr__(memory, "id", number)
    return Hit(memory, terms, "both", odds=odds)


def chance(odds):
    return hit(1, {"score": Term(1.0, 1.0)}, odds).chance


def test_the_parts_of_log_odds_add_up_to_them():
    facts = replace(PLAIN, cosine=0.4, coverage=0.7, keyword=math.e - 1.0)
    [terms] = log_odds([(0.5, facts)], ODDS, among(1000), 0.1)
    assert total(terms) == pytest.approx(-4.0 + 5.0 + 0.2 + 0.7 + 0.2 + 0.6 - 3.0)
    assert chance(terms) == pytest.approx(1.0 / (1.0 + math.exp(0.3)))


def test_what_a_link_led_to_takes_nothing_from_those_behind_it():
    found = replace(PLAIN, cosine=0.4, coverage=0.7, keyword=9.0)
    hits = [(0.6, found), (0.55, None), (0.5, found)]
    odds = replace(ODDS, coverage=5.0)
    first, linked, last = map(chance, log_odds(hits, odds, among(1000), 0.1))
    assert linked < last < first
    [_, alone] = map(chance, log_odds([hits[0], hits[2]], odds, among(1000), 0.1))
    assert last == alone


def test_among_few_memories_a_part_says_so():
    [terms] = log_odds([(0.5, PLAIN)], ODDS, among(10), 0.1)
    assert terms["few"] == Term(1.0, 0.5)
    [terms] = log_odds([(0.5, PLAIN)], ODDS, among(100), 0.1)
    assert "few" not in terms


def test_who_stands_behind_another_gets_no_higher_chance():
    """The second is nearer by far; what puts it behind is no reason to say it is likelier."""
    hits = [
        (0.6, replace(PLAIN, cosine=0.1)),
        (0.59, replace(PLAIN, cosine=0.9, coverage=1.0)),
        (0.3, None),
    ]
    first, second, third = log_odds(hits, ODDS, among(10), 0.01)
    assert "order" not in first
    assert total(second) == pytest.approx(total(first))
    assert second["order"].value < 0.0
    assert total(third) < total(second)


@pytest.mark.parametrize("odds", MEASURED)
def test_a_better_score_words_and_nearness_speak_for_a_hit_and_many_memories_against(odds):
    def of(score=0.5, memories=100, **facts):
        known = replace(PLAIN, **{"cosine": 0.4, "coverage": 0.4, **facts})
        return total(log_odds([(score, known)], odds, among(memories), 0.05)[0])

    assert of(score=0.6) > of()
    assert of(coverage=0.8, keyword=9.0) > of()
    assert of(cosine=0.6) >= of()
    assert of(memories=10_000) < of()


@pytest.mark.parametrize("odds", MEASURED)
def test_of_two_hits_alike_the_one_behind_is_less_likely(odds):
    ahead, behind = log_odds([(0.6, PLAIN), (0.5, PLAIN)], odds, among(100), 0.1)
    assert total(behind) < total(ahead)


def test_what_cannot_be_told_apart_any_more_is_still_a_number():
    assert chance({"start": Term(-1e6, 1.0)}) == pytest.approx(0.0)
    assert chance({"start": Term(1e6, 1.0)}) == 1.0


def test_only_the_measured_scale_has_odds():
    for name, profile in PROFILES.items():
        usual = for_model(profile, "static")
        assert (odds_for(usual, "static") is None) == (name != "default")
    changed = reweighted(for_model(DEFAULT, "static"), {"recency": 0.5})
    assert odds_for(changed, "static") is None
    assert odds_for(for_model(DEFAULT, "external"), "external") is None


def test_after_a_second_look_the_odds_are_those_of_the_score_before_it():
    usual = for_model(DEFAULT, "static")
    offered = [
        entry(memory, score)._replace(profile=usual) for memory, score in ((1, 0.7), (2, 0.6))
    ]
    hits = [hit(2, {"keyword": Term(0.9, 1.0)}), hit(1, {"keyword": Term(0.8, 1.0)})]
    first, second = [hit.odds or {} for hit in with_odds(hits, offered, among(100), "static")]
    assert (first["score"].value, second["score"].value) == (0.6, 0.7)
    assert first["lead"].value == pytest.approx(0.1)


def test_the_lead_is_over_the_second_or_over_nobody():
    assert lead_of([entry(1, 0.7), entry(2, 0.6), entry(3, 0.1)]) == pytest.approx(0.1)
    assert lead_of([entry(1, 0.7)]) == pytest.approx(0.45)
    assert lead_of([entry(1, 0.1)]) == lead_of([]) == 0.0


def test_what_nobody_asked_for_is_as_likely_to_help_as_its_bearing_says():
    odds = odds_of_bearing({7: 0.0})
    assert chance(odds[7]) == 0.5
    assert odds.keys() == {7}
