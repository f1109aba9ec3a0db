"""Near-duplicates and contradictions."""

import random
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.derived import (
    NEAR_DUPLICATE,
    contradiction,
    least_shared,
    look_alike_keys,
    near_duplicate,
    overlap,
    subject_words,
)
from recairn.core.words import words

WORDS = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=12), max_size=20)


def test_overlap_is_shared_words_over_all_words():
    assert overlap({"a", "b", "c"}, {"b", "c", "d"}) == 0.5
    assert overlap({"a"}, {"b"}) == 0.0
    assert overlap(set(), set()) == 1.0


@given(WORDS, WORDS)
def test_overlap_is_symmetric_and_between_0_and_1(one, other):
    share = overlap(set(one), set(other))
    assert 0.0 <= share <= 1.0
    assert share == overlap(set(other), set(one))
    assert (share == 1.0) == (set(one) == set(other))


def test_a_reworded_text_is_a_near_duplicate():
    share = near_duplicate(
        "Always run the database migrations inside one transaction",
        "always run database migrations inside one transaction.",
    )
    assert share >= NEAR_DUPLICATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the request timeout is 30 seconds", "the request timeout is 60 seconds"),
        (
            "the harbour server runs python3 on the pier",
            "the harbour server runs python4 on the pier",
        ),
        ("release v2 of the tide model is out now", "release v3 of the tide model is out now"),
    ],
)
def test_texts_that_differ_in_a_number_say_different_things(one, other):
    assert near_duplicate(one, other) == 0.0


def test_a_text_and_its_denial_are_no_near_duplicates():
    assert (
        near_duplicate(
            "The response cache is invalidated on every deploy of the public gateway service",
            "The response cache is not invalidated on every deploy of the public gateway service",
        )
        < NEAR_DUPLICATE
    )


# Contradictions


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("always use tabs in makefiles", "never use tabs in makefiles", "'always' against 'never'"),
        ("enable the query cache", "disable the query cache", "'enable' against 'disable'"),
        ("the buoy radio is reliable", "the buoy radio is not reliable", "one of them denies it"),
        ("the radio port is 7331", "the radio port is 7332", "7331 against 7332"),
        ("the timeout of the gate is 30 s", "the timeout of the gate is 60 s", "30 against 60"),
    ],
)
def test_opposed_statements_about_one_subject_contradict(one, other, why):
    assert contradiction(one, other) == why
    assert contradiction(other, one) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("always use tabs in makefiles", "always use tabs in makefiles"),
        ("always oil the winch", "never paint the antenna"),
        ("the buoy has 3 batteries", "the harbour has 4 piers"),
        ("charts without gridlines please ines", "ines prefers small commits"),
    ],
)
def test_other_statements_do_not(one, other):
    assert contradiction(one, other) == ""


# Keys


def test_keys_do_not_depend_on_order_case_or_stop_words():
    one = look_alike_keys(words("The buoy radio listens on the harbour frequency"), 1)
    other = look_alike_keys(words("harbour FREQUENCY: buoy listens, radio"), 1)
    assert set(one) == set(other)


def test_keys_of_different_projects_differ():
    text = words("the buoy radio listens")
    assert not set(look_alike_keys(text, 1)) & set(look_alike_keys(text, 2))


@given(WORDS, st.integers(0, 2**32 - 1))
def test_keys_are_few_unsigned_and_there_for_every_word(found, salt):
    keys = look_alike_keys(found, salt)
    assert bool(keys) == bool(found)
    assert len(keys) <= 9
    assert all(0 <= key < 2**32 for key in keys)


def shared(one, other):
    """Whether two texts have so many keys in common that they are compared."""
    return len(set(one) & set(other)) >= least_shared(len(one))


def test_near_duplicates_nearly_always_share_enough_keys():
    draw = random.Random(15)
    vocabulary = [
        "".join(draw.choices(string.ascii_lowercase, k=draw.randint(4, 11))) for _ in range(900)
    ]
    missed = tried = 0
    while tried < 500:
        one = draw.sample(vocabulary, 20)
        other = [word if draw.random() > 0.08 else draw.choice(vocabulary) for word in one]
        if overlap(set(one), set(other)) < NEAR_DUPLICATE:
            continue
        tried += 1
        missed += not shared(look_alike_keys(one, 0), look_alike_keys(other, 0))
    assert missed <= 10  # 2 %


def test_strangers_hardly_ever_share_enough_keys():
    draw = random.Random(16)
    vocabulary = [
        "".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 11))) for _ in range(6000)
    ]
    holders: dict[int, list[int]] = {}
    met = 0
    for number in range(2000):
        own = look_alike_keys(draw.sample(vocabulary, 15), 0)
        counts = Counter(other for key in own for other in holders.get(key, ()))
        met += any(count >= least_shared(len(own)) for count in counts.values())
        for key in own:
            holders.setdefault(key, []).append(number)
    assert met <= 4


def test_subject_words_leave_out_what_says_nothing_and_what_denies():
    assert subject_words(set(words("do not use the buoy radio without a licence"))) == {
        "buoy",
        "radio",
        "licence",
    }
