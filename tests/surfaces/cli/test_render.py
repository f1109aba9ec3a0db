"""Text, JSON and marks as pure functions."""

from __future__ import annotations

import pytest

from recairn.core.model import Term
from recairn.core.words import MARK_OFF, MARK_ON
from recairn.surfaces.render.json_objects import marked_html
from recairn.surfaces.render.tables import columns, formula, term_rows
from recairn.surfaces.render.text import percent


@pytest.mark.parametrize(
    ("snippet", "html"),
    [
        ("plain", "plain"),
        (f"a {MARK_ON}hit{MARK_OFF} b", "a <mark>hit</mark> b"),
        (f'<b>"{MARK_ON}a&b{MARK_OFF}"', "&lt;b&gt;&quot;<mark>a&amp;b</mark>&quot;"),
        (f"{MARK_OFF}stray{MARK_ON} open", "stray open"),
        (f"{MARK_ON}{MARK_ON}twice{MARK_OFF}{MARK_OFF}", "<mark>twice</mark>"),
    ],
)
def test_snippets_are_escaped_before_they_are_marked(snippet, html):
    assert marked_html(snippet) == html


def test_the_formula_shows_sums_and_factors():
    terms = {
        "keyword": Term(0.5, 0.8),
        "semantic": Term(0.25, 0.4),
        "recency": Term(1.0, 0.1, "tilt"),
        "project": Term(1.0, 0.2, "gate"),
        "current": Term(0.0, 0.5, "gate"),
        "graph": Term(0.5, 0.2, "boost"),
    }
    assert formula(terms) == "score 0.2888 = (0.4000 + 0.1000) * 1.0500 * 0.5000 * 1.1000"
    assert term_rows(terms)[0] == ("keyword", "0.5000", "0.8", "add", "+0.4000")
    assert term_rows(terms)[2] == ("recency", "1.0000", "0.1", "tilt", "*1.0500")


@pytest.mark.parametrize(("score", "shown"), [(0.924, "92%"), (0.0, "0%"), (1.7, "100%")])
def test_scores_are_shown_as_whole_per_cents(score, shown):
    assert percent(score) == shown


def test_columns_of_numbers_stand_to_the_right():
    table = columns(("name", "count"), [("a", "1,000"), ("longer", "7")])
    assert table == "name    count\na       1,000\nlonger      7\n"


def test_a_snippet_in_pieces_is_plain_text_with_what_matched():
    from recairn.core.words import MARK_OFF, MARK_ON
    from recairn.surfaces.render.json_objects import marked_spans

    snippet = f"<b>a</b> {MARK_ON}tide{MARK_OFF} & {MARK_ON}fog{MARK_OFF}"
    assert marked_spans(snippet) == [
        {"text": "<b>a</b> ", "mark": False},
        {"text": "tide", "mark": True},
        {"text": " & ", "mark": False},
        {"text": "fog", "mark": True},
    ]
    assert marked_spans(f"a{MARK_OFF}b {MARK_ON}open") == [
        {"text": "ab ", "mark": False},
        {"text": "open", "mark": False},
    ]
