"""Words of a command line are options with values, flags, and other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.argv import is_option, split, take

PLACEHOLDERS = {"-n": "N", "--limit": "N", "--json": "", "-h": ""}


def items(*words):
    return list(split(words, PLACEHOLDERS))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--limit", "3"], [("--limit", "3")]),
        (["--limit=3"], [("--limit", "3")]),
        (["--limit="], [("--limit", "")]),
        (["--limit", "-3"], [("--limit", "-3")]),
        (["-n3"], [("-n", "3")]),
        (["-n=3"], [("-n", "3")]),
        (["-n", "3"], [("-n", "3")]),
        (["--json", "3"], [("--json", None), ("", "3")]),
        (["--json=yes"], [("--json", "yes")]),
        (["--limit"], [("--limit", None)]),
        (["--limit", "--json"], [("--limit", None), ("--json", None)]),
        (["--limit", "--unknown"], [("--limit", "--unknown")]),
    ],
)
def test_an_option_has_the_value_that_its_placeholder_asks_for(words, expected):
    assert items(*words) == expected


def test_options_and_other_words_keep_their_order():
    assert items("tide", "--json", "tables", "-n", "2", "ebb") == [
        ("", "tide"),
        ("--json", None),
        ("", "tables"),
        ("-n", "2"),
        ("", "ebb"),
    ]


def test_nothing_is_an_option_after_two_dashes():
    assert items("--json", "--", "--json", "--") == [("--json", None), ("", "--json"), ("", "--")]


@pytest.mark.parametrize("word", ["-", "-5", "-0.5", "-- a dash begins this sentence", "- item"])
def test_a_dash_alone_or_before_a_number_or_a_sentence_is_no_option(word):
    assert not is_option(word)
    assert items(word) == [("", word)]


@pytest.mark.parametrize("word", ["--jsn", "--jsn=1", "-x", "-xyz", "-xyz=1"])
def test_an_unknown_option_comes_back_as_typed_and_takes_no_word_with_it(word):
    assert items(word, "tide") == [(word.partition("=")[0], None), ("", "tide")]


def test_taking_leaves_what_follows_the_option():
    rest = ["--limit", "3", "tide", "--json"]
    assert take(rest, PLACEHOLDERS) == ("--limit", "3")
    assert rest == ["tide", "--json"]


@given(st.lists(st.text(alphabet="-=n3 abjsonlimit", max_size=8)))
def test_no_word_is_lost(words):
    found = [text for name, text in split(words, {}) if not name]
    assert found == [
        word
        for position, word in enumerate(words)
        if word in _after_dashes(words, position) or not is_option(word)
    ]


def _after_dashes(words, position):
    """The word itself when "--" stands before it, which is no word itself."""
    first = words.index("--") if "--" in words else len(words)
    return [words[position]] if position > first else []
