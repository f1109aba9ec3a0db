"""What may be typed, and what is said about what may not."""

from __future__ import annotations

import pytest

from recairn.surfaces.cli.command import Command
from recairn.surfaces.cli.parse import Usage, option_from, parse, resolve, word_from
from recairn.surfaces.cli.synonyms import SYNONYMS
from recairn.surfaces.cli.table import commands, spellings

ROWS = commands()

SAMPLE = Command(
    name="paint",
    group="Sample",
    about="a command for these tests",
    handler="nowhere:nothing",
    examples=("recairn paint wall",),
    arguments=(
        ("WALL", "which wall"),
        ("COLOUR...", "which colours"),
        ("-n, --limit N", "how often"),
        ("--tag NAME...", "may be repeated"),
        ("--dry", "a flag"),
        ("--gloss SCORE", "0 to 1"),
    ),
)


def parsed(*words: str):
    return parse(SAMPLE, list(words))


def test_options_may_stand_between_words():
    assert parsed("north", "-n", "3", "red", "--dry", "blue") == {
        "wall": "north",
        "colour": ["red", "blue"],
        "limit": 3,
        "dry": True,
    }


@pytest.mark.parametrize("spelling", [["-n5"], ["-n", "5"], ["-n=5"], ["--limit=5"]])
def test_a_value_may_be_attached(spelling):
    assert parsed("north", *spelling)["limit"] == 5


def test_a_repeatable_option_collects_and_any_other_keeps_the_last():
    given = parsed("north", "--tag", "a", "--tag=b", "-n1", "-n2")
    assert given["tag"] == ["a", "b"]
    assert given["limit"] == 2


@pytest.mark.parametrize("text", ["-", "-5", "-0.5", "- a list item", "--no such = thing"])
def test_a_dash_before_a_number_or_a_sentence_begins_a_text(text):
    assert parsed("north", text)["colour"] == [text]


def test_after_two_dashes_everything_is_text():
    assert parsed("north", "--", "--dry", "-n")["colour"] == ["--dry", "-n"]


def test_a_value_may_begin_with_a_dash_unless_it_is_an_option():
    assert parsed("north", "--tag", "-x")["tag"] == ["-x"]
    with pytest.raises(Usage, match="--tag needs a value"):
        parsed("north", "--tag", "--dry")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["north", "--dri"], "paint has no option --dri"),
        (["north", "-z"], "paint has no option -z"),
        (["north", "--dry=yes"], "--dry takes no value"),
        (["north", "-n", "many"], "-n takes a whole number, not 'many'"),
        (["north", "--gloss", "7"], "--gloss takes a number between 0 and 1, not '7'"),
        (["north", "--gloss", "nan"], "--gloss takes a number between 0 and 1, not 'nan'"),
        ([], "paint needs WALL: which wall"),
    ],
)
def test_wrong_usage_is_named(words, message):
    with pytest.raises(Usage) as caught:
        parsed(*words)
    assert caught.value.message == message


def test_a_misspelled_option_gets_a_suggestion():
    with pytest.raises(Usage) as caught:
        parsed("north", "--limt", "3")
    assert caught.value.hint.startswith("did you mean --limit? ")


def test_spellings_become_options_and_words():
    assert option_from("-n, --limit N", "").names == ("-n", "--limit")
    assert option_from("--dry-run", "").key == "dry_run"
    assert option_from("--tag NAME...", "").repeated
    assert word_from("[ID]", "").how_many == "?"
    assert word_from("ID+", "").how_many == "+"


@pytest.mark.parametrize(
    ("typed", "name", "rest"),
    [
        ("search a", "search", ["a"]),
        ("recall a", "search", ["a"]),
        ("learning:search a:b", "search", ["a:b"]),
        ("learning search a", "search", ["a"]),
        ("learn x", "add", ["--kind", "pattern", "x"]),
        ("rm 1", "forget", ["1"]),
        ("config", "config list", []),
        ("config --json", "config list", ["--json"]),
        ("config get k", "config get", ["k"]),
        ("config:get k", "config get", ["k"]),
        ("backup restore latest", "backup restore", ["latest"]),
        ("--db x --json search a", "search", ["a"]),
        ("-- search a", "search", ["a"]),
    ],
)
def test_every_spelling_leads_to_its_command(typed, name, rest):
    row, words, _ = resolve(typed.split())
    assert row is not None
    assert (row.name, words) == (name, rest)


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("serch", "unknown command 'serch'", "did you mean search?"),
        ("learning:ad", "learning has no command 'ad'", "did you mean add? known: add, search"),
        ("config gte", "config has no command 'gte'", "did you mean get? known: list, get"),
        ("learning", "learning needs a command", "known: add, search"),
        ("xyzzy", "unknown command 'xyzzy'", "recairn -h lists the commands"),
        ("--jsn search", "recairn has no option --jsn", "did you mean --json?"),
    ],
)
def test_an_unknown_command_gets_a_suggestion(typed, message, hint):
    with pytest.raises(Usage) as caught:
        resolve(typed.split())
    assert caught.value.message == message
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("find", "search"),
        ("Remove", "forget"),
        ("save", "add"),
        ("-V", "--version"),
        ("todo", "task"),
    ],
)
def test_a_word_that_means_a_command_leads_to_it(typed, meant):
    with pytest.raises(Usage) as caught:
        resolve([typed, "lens"])
    assert caught.value.hint.startswith(f"did you mean {meant}?")


def test_a_suggestion_leads_to_a_command_and_is_none_itself():
    accepted = {*spellings(ROWS), *(name.partition(" ")[0] for name in ROWS), "--version", "--help"}
    assert set(SYNONYMS.values()) <= accepted
    assert accepted.isdisjoint(SYNONYMS)


def test_a_command_of_three_words_is_found_however_it_is_spelled():
    for words in (["task", "dep", "add"], ["task:dep", "add"], ["task:dep:add"]):
        row, typed, _ = resolve([*words, "t-1", "t-2"])
        assert row is not None
        assert (row.name, typed) == ("task dep add", ["t-1", "t-2"])
