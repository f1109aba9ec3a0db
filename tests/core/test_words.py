"""Words, identifiers and the plan of a question."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.words import (
    MAX_QUERY_WORDS,
    counted,
    identifier_words,
    mixed_case,
    normalised,
    one_line,
    split_identifier,
    telling_count,
    understand,
    words,
)

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)
# What the language itself takes for white space.
SPACES = [sign for sign in map(chr, range(sys.maxunicode)) if sign.isspace()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Tide tables, 37 of them.", ["tide", "tables", "37", "of", "them"]),
        ("sync_clock in server/clock.py", ["sync", "clock", "in", "server", "clock", "py"]),
        ("don't", ["don", "t"]),
        ("Größe ÄÖÜ", ["größe", "äöü"]),
        ("東京 tower", ["東京", "tower"]),
        ("\ud800 gull", ["gull"]),
    ],
)
def test_words_are_the_letters_and_digits_between_everything_else(text, expected):
    assert words(text) == expected


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_text_gives_the_same_words_as_the_general_way(text):
    assert words(text) == words(text + " é")[:-1]


@given(ANY_TEXT)
def test_words_of_any_text_are_its_runs_of_letters_and_digits(text):
    assert words(text) == re.findall(r"[^\W_]+", text.lower())


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_kind_of_white_space_parts_names(space):
    assert mixed_case(f"read{space}utf8{space}of the sync_clock{space}") == "utf8 sync_clock"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("parseHTTPHeader", ["parse", "http", "header"]),
        ("flushUplinkBatch", ["flush", "uplink", "batch"]),
        ("TideModel", ["tide", "model"]),
        ("utf8", ["utf", "8"]),
        ("getX2Value", ["get", "x", "2", "value"]),
        ("IOError", ["io", "error"]),
        ("plain", ["plain"]),
        ("", []),
    ],
)
def test_identifiers_split_at_their_humps(name, parts):
    assert split_identifier(name) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("parseHTTPHeader calls TideModel", "parse http header tide model"),
        ("max_retry_count", "max retry count"),
        ("IOError in utf8 files", "io error utf 8"),
        ("x2 and 3d", "x 2 3 d"),
        ("Harbour, NASA and plain words, 37 of them", ""),
        ("", ""),
    ],
)
def test_identifier_words_are_the_parts_of_names_alone(text, parts):
    assert identifier_words(text) == parts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("all lower and Title Words, 37 of them", ""),
        ("See parseHTTPHeader in the server", "parseHTTPHeader"),
        ("call sync_clock first", "sync_clock"),
        ("read utf8 and X2", "utf8 X2"),
        ("port 7331 of the NASA buoy", ""),
        ("the\tsync_clock\u00a0of\nTideModel", "sync_clock TideModel"),
        ("die\u3000große\u00a0utf8_uhr und getUhr", "utf8_uhr getUhr"),
    ],
)
def test_only_pieces_that_look_like_names_are_looked_at(text, kept):
    assert mixed_case(text) == kept


NAMES = (
    "gull",
    "Tern",
    "parseHTTPHeader",
    "IOError",
    "x",
    "sync_clock",
    "utf8",
    "8bit",
    "X2",
    "37",
)


@given(st.lists(st.sampled_from(NAMES)))
def test_looking_only_at_mixed_pieces_loses_no_identifier(pieces):
    text = " ".join(pieces)
    assert identifier_words(mixed_case(text)) == identifier_words(text)


# The plan of a question


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what is the tide?", ("tide",)),
        ("tide tide", ("tide", "tide")),
        ("who are you", ()),
        ("for each", ("for", "each")),
        ("who", ("who",)),
        ("parseHTTPHeader", ("parsehttpheader",)),
        ("C++ foo-bar", ("c", "foo", "bar")),
        ("", ()),
        ("?!", ()),
    ],
)
def test_telling_words_stay_in_order_and_stop_words_leave(query, expected):
    assert understand(query).words == expected


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("parseHTTPHeader", ("parse", "http", "header")),
        ("where is sync_clock called?", ("sync", "clock")),
        ("utf8 paths", ("utf", "8")),
        ("isA of doX", ("x",)),
        ("harbour tide", ()),
    ],
)
def test_the_parts_of_names_are_asked_for_beside_the_words(query, parts):
    assert understand(query).parts == parts


def test_words_written_with_a_capital_are_names():
    plan = understand("When did Ines call the harbour Master of Kestrel?")
    assert plan.names == {"ines", "master", "kestrel"}
    assert understand("Tides of Kestrel").names == {"kestrel"}
    assert understand("QueueFull at dawn").names == {"queuefull"}


def test_the_telling_length_leaves_stop_words_out():
    assert telling_count(["the", "tide", "of", "the", "harbour", "tide"]) == 3
    assert telling_count([]) == 0


@pytest.mark.parametrize(
    ("query", "prefix"),
    [
        ("auth", "auth"),
        ("the harbour mast", "mast"),
        ("auth ", ""),
        ("au", ""),
        ("harbour the", ""),
        ("where does the harbour mast", ""),
        ("", ""),
    ],
)
def test_only_an_unfinished_last_word_is_a_prefix(query, prefix):
    assert understand(query).prefix == prefix


def test_quoted_words_are_phrases():
    assert understand('find "busy loop" and "Harbour Master" "one"').phrases == (
        "busy loop",
        "harbour master",
    )


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("VAT of 8.1 %?", (("8", "1"),)),
        ("from 3.11 to 3.12.1, not 3.11.", (("3", "11"), ("3", "12", "1"))),
        ("v3.11 or 3.x or 7", ()),
    ],
)
def test_a_number_with_points_is_known_as_one(query, numbers):
    assert understand(query).numbers == numbers


def test_signs_are_asked_for_where_they_are_all_of_a_question():
    assert understand("🚀").words == ("🚀",)
    assert understand("❤️ ✨").words == ("❤", "✨")
    assert understand("🚀 release").words == ("release",)
    assert understand("->").words == ()
    assert understand("👍", asked=False).words == ()


def test_a_pasted_file_is_cut_to_a_question():
    plan = understand("anchor " * 100_000)
    assert len(plan.words) == MAX_QUERY_WORDS


@given(ANY_TEXT)
def test_any_text_has_a_plan_of_plain_words(text):
    plan = understand(text)
    for word in (*plan.words, *plan.parts, plan.prefix, *plan.phrases, *plan.names):
        assert '"' not in word
        assert "\x00" not in word
        assert word == word.lower()
        word.encode()


# Showing


def test_one_line_cuts_at_a_word_end():
    assert one_line("short text", 20) == "short text"
    assert one_line("  many\n\n spaces\there ", 40) == "many spaces here"
    assert one_line("the fog horn sounds twice", 16) == "the fog horn…"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


@given(st.text(max_size=300), st.integers(4, 80))
def test_one_line_is_never_longer_than_asked(text, length):
    line = one_line(text, length)
    assert len(line) <= length
    assert "\n" not in line


@given(st.text())
def test_normalising_ignores_case_and_white_space(text):
    assert normalised(f"  {text}\n\t") == normalised(text)
    assert normalised(normalised(text)) == normalised(text)


def test_different_texts_stay_different():
    assert normalised("Fog  Horn") == "fog horn"
    assert normalised("fog horn") != normalised("foghorn")


@pytest.mark.parametrize(
    ("count", "noun", "spelled"),
    [
        (0, "rule", "0 rules"),
        (1, "rule", "1 rule"),
        (1, "memory", "1 memory"),
        (1234, "memory", "1,234 memories"),
        (3, "day", "3 days"),
    ],
)
def test_a_count_stands_with_its_noun_for_one_or_many(count, noun, spelled):
    assert counted(count, noun) == spelled
