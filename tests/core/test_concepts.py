"""The sector a text speaks of, and the things it names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.derived import MAX_CONCEPTS, concepts, guess_sector
from recairn.core.kinds import SECTORS
from recairn.core.words import mixed_case, words


def named(text):
    return concepts(text, mixed_case(text))


@pytest.mark.parametrize(
    ("text", "sector"),
    [
        ("Ines prefers small commits and hates gridlines", "emotional"),
        ("We decided on PostgreSQL because the office runs it", "reflective"),
        ("The ingest worker crashed yesterday morning", "episodic"),
        ("Run the migrate command first, then restart", "procedural"),
        ("Mean high water at the pier is 3.1 metres", "semantic"),
        ("", "semantic"),
    ],
)
def test_the_sector_is_guessed_from_the_words(text, sector):
    assert guess_sector(words(text)) == sector


def test_a_tie_goes_to_the_sector_named_first():
    assert guess_sector(["run", "yesterday"]) == "episodic"
    assert guess_sector(["run", "love"]) == "emotional"


@given(st.text())
def test_every_text_has_a_sector(text):
    assert guess_sector(words(text)) in SECTORS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call `sync_clock()` early", {"sync_clock()", "sync_clock"}),
        ("see server/clock.py for it", {"server/clock.py"}),
        ("edit clock.py today", {"clock.py"}),
        ("absolute /etc/puffin/buoy.toml too", {"/etc/puffin/buoy.toml"}),
        ("TideModel calls flushUplinkBatch", {"TideModel", "flushUplinkBatch"}),
        ("parseHTTPHeader and IOError", {"parseHTTPHeader", "IOError"}),
        ("max_retry_count is set", {"max_retry_count"}),
        ("a plain sentence. And another one.", set()),
        ("version 3.1 of e.g. the tide", set()),
        ("https://tides.example/primer", set()),
    ],
)
def test_concepts_are_code_paths_and_compound_names(text, expected):
    found = set(named(text))
    if text.startswith("https"):
        assert not any(each.startswith("https") for each in found)
    else:
        assert found == expected


@given(
    st.lists(st.sampled_from(("server/clock.py", "clock.py", "a.b.", "Ebb.", "...", "3.1", "/")))
)
def test_paths_are_the_same_whatever_white_space_parts_them(pieces):
    assert named("\u2009".join(pieces)) == named("\n".join(pieces)) == named(" ".join(pieces))


def test_a_text_names_at_most_twenty_things():
    assert len(named(" ".join(f"name_{number}" for number in range(50)))) == MAX_CONCEPTS == 20


def test_what_is_named_twice_counts_once():
    assert named("`sync_clock` and sync_clock and `sync_clock`") == ("sync_clock",)


@pytest.mark.parametrize(
    "text",
    [
        "a-" * 50_000,
        "." + "a-" * 20_000 + "x",
        "a/" * 50_000,
        "aA" * 50_000,
        "a_" * 50_000,
        "`" * 100_000,
        "." * 100_000,
        "A" * 100_000,
        "x.y" * 30_000,
        "~../" * 25_000,
    ],
    ids=lambda text: text[:8],
)
def test_no_text_takes_long(text):
    started = time.process_time()
    named(text)
    assert time.process_time() - started < 2.0
