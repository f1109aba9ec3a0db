"""The token estimate, held against what real tokenisers counted (tools/token_counts.py)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.token_estimate import STATED_ERROR, estimate, rounded, weight, word_pieces
from tests.repository import DATA

COUNTED = json.loads((DATA / "token_counts.json").read_text())
# Kinds of text that agents mostly read; a budget should not be wasted on them.
ORDINARY = ("prose", "advice", "markdown", "python", "json", "git log", "diff", "injected context")


@pytest.mark.parametrize("entry", COUNTED, ids=lambda entry: entry["name"])
def test_no_real_tokeniser_counts_more_than_the_stated_error_allows(entry):
    assert set(entry["counts"]) == {"o200k", "cl100k", "claude-2", "llama3"}
    most = max(entry["counts"].values())
    assert estimate(entry["text"]) >= most * (1.0 - STATED_ERROR)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_text_is_not_overcounted_by_more_than_a_third(name):
    (entry,) = (each for each in COUNTED if each["name"] == name)
    assert estimate(entry["text"]) <= 1.34 * min(entry["counts"].values())


def test_the_chars_over_four_rule_would_have_failed():
    """What the estimate is for: the usual rule is half of the truth for hashes and for Chinese."""
    short = {
        entry["name"]: len(entry["text"]) / 4 / max(entry["counts"].values()) for entry in COUNTED
    }
    assert short["hashes and logs"] < 0.5
    assert short["chinese"] < 0.5


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tide", 2), ("the tide turns", 4), ("   ", 1), ("\n", 1), ("42", 2), ("潮汐", 3)],
)
def test_known_estimates(text, tokens):
    assert estimate(text) == tokens


@given(st.lists(st.text(), min_size=1, max_size=6))
def test_a_text_costs_at_most_the_sum_of_its_lines(lines):
    apart = sum(weight(line) for line in lines) + weight("\n") * (len(lines) - 1)
    assert weight("\n".join(lines)) <= apart + 1e-9
    assert estimate("\n".join(lines)) <= rounded(apart + 1e-9)


@given(st.text())
def test_any_text_has_an_estimate(text):
    assert estimate(text) >= 0


def test_the_estimate_of_an_embedding_model_is_near_what_one_counts():
    assert word_pieces("The parser rejects empty titles.") == 9
    assert word_pieces("") == 0


@given(st.lists(st.text(), max_size=8))
def test_the_pieces_of_texts_joined_at_white_space_add_up(texts):
    assert word_pieces(" ".join(texts)) == sum(word_pieces(text) for text in texts)
