"""Meaning beside words: what the memory holds counts less, what it lacks more."""

import math

import pytest

from recairn.core.model import Said
from recairn.core.record import replace
from recairn.ranking.fusion import near_meanings
from recairn.ranking.lexical import Matches, rarity
from tests.ranking.made_up import angled, codes, cosine

FOG, HORN = codes(127), codes(0, 127)
# Two words of the same size that point apart; their sum has length one.
SAID = [Said("fog", FOG, math.sqrt(0.5), 0.5), Said("horn", HORN, math.sqrt(0.5), 0.5)]
ASKED = codes(127, 127)


def matches(places, **frequencies):
    return Matches(
        terms=("fog", "horn"),
        extra=(),
        prefix="",
        total=10,
        usual_words=5.0,
        frequencies={"fog": 2, "horn": 2, **frequencies},
        places=places,
        weights=(1.0,),
        spelled={"fog": "fog", "horn": "horn"},
        names=frozenset(),
    )


def near(vectors, places=None, said=SAID, **frequencies):
    """(cosine, nearness to what was left unsaid) of each memory."""
    found = near_meanings(ASKED, said, vectors, matches(places or {}, **frequencies))
    return {memory: (found[0][memory], found[1][memory]) for memory in found[0]}


def test_without_a_word_in_common_it_is_the_cosine():
    vector = angled(20)
    found = near({7: [vector]})[7]
    assert found == pytest.approx((cosine(ASKED, vector), cosine(ASKED, vector)), abs=1e-3)


def test_a_held_word_counts_four_tenths():
    """√½ · (0.4·cos to fog + cos to horn) / (0.4·½ + ½), and the cosine beside it as it is."""
    vector = angled(30)
    whole, unsaid = near({7: [vector]}, {7: {"fog": {0: (3,)}}})[7]
    by_hand = math.sqrt(0.5) * (0.4 * cosine(FOG, vector) + cosine(HORN, vector)) / 0.7
    assert unsaid == pytest.approx(by_hand, abs=1e-3)
    assert whole == pytest.approx(cosine(ASKED, vector), abs=1e-3)


def test_of_two_that_hold_a_word_the_one_that_means_the_other_is_nearer():
    held = {"fog": {0: (1,)}}
    vectors = {1: [angled(10)], 2: [angled(80)]}
    found = near(vectors, {1: held, 2: held})
    assert found[1][0] == pytest.approx(found[2][0], abs=1e-3)
    assert found[1][1] < found[2][1]


def test_two_words_of_one_term_are_both_held():
    vector = angled(30)
    asked = matches({7: {"fog": {0: (1,)}}})
    asked = replace(asked, spelled={"fog": "fog", "horn": "fog"})
    _, unsaid = near_meanings(ASKED, SAID, {7: [vector]}, asked)
    assert unsaid[7] == pytest.approx(cosine(ASKED, vector), abs=1e-3)


def test_a_rare_word_asks_more():
    vector = angled(90)
    even, rarer = near({1: [vector]})[1], near({1: [vector]}, fog=9)[1]
    root = {word: math.sqrt(rarity(10, n)) for word, n in (("fog", 9), ("horn", 2))}
    by_hand = math.sqrt(0.5) * root["horn"] / (0.5 * (root["fog"] + root["horn"]))
    assert rarer[1] == pytest.approx(by_hand, abs=1e-3)
    assert rarer[1] > even[1]


def test_what_is_no_telling_word_counts_seven_tenths():
    vector = angled(30)
    said = [Said("", FOG, math.sqrt(0.5), 0.5), SAID[1]]
    by_hand = math.sqrt(0.5) * (0.7 * cosine(FOG, vector) + cosine(HORN, vector)) / 0.85
    assert near({7: [vector]}, said=said)[7][1] == pytest.approx(by_hand, abs=1e-3)


def test_the_nearest_of_many_pieces_is_nearer_by_chance():
    """The best piece counts, less 0.1 · ln of how many there are; the cosine stays as it is."""
    whole, unsaid = near({7: [angled(90), angled(40), angled(-20)]})[7]
    assert whole == pytest.approx(cosine(ASKED, angled(40)), abs=1e-3)
    assert whole - unsaid == pytest.approx(0.1 * math.log(3), abs=1e-6)


def test_a_model_that_cannot_tell_words_apart_gives_the_cosine():
    whole, unsaid = near({7: [angled(30)]}, {7: {"fog": {0: (1,)}}}, said=[])[7]
    assert whole == unsaid


def test_nothing_is_near_to_nothing():
    assert near({}) == {}
    assert near({1: []}) == {}
    assert near_meanings(codes(), [], {1: [FOG]}, matches({})) == ({}, {})
