"""`recairn review`: a person's word on what was captured."""

from __future__ import annotations

import pytest

import recairn as library


@pytest.fixture
def shop(recairn, tmp_path, monkeypatch):
    """Two candidates: #1 a rule, #2 a decision."""
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    with library.open(model="none") as memory:
        said = "no, use pnpm not npm. We decided to keep two replicas because one was down."
        memory.session = "s-7"
        memory.capture([said], source_ref="prompt")
    return recairn


def test_review_lists_candidates_with_their_origin(shop):
    ran = shop("review", "list")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "2 candidates:",
        "",
        "#1 Use pnpm not npm",
        "      rule, just now, unverified",
        "      from hook: prompt, session s-7",
        "",
        "#2 We decided to keep two replicas because one was down",
        "      decision, just now, unverified",
        "      rationale: one was down",
        "      from hook: prompt, session s-7",
    ]
    assert "review accept 1" in ran.err


def test_review_without_a_terminal_lists(shop):
    assert shop("review").out == shop("review", "walk").out == shop("review", "list").out


def test_the_json_of_a_review_holds_whole_memories(shop):
    document = shop("review", "--json").json
    assert document["meta"] == {"returned": 2, "project": "shop"}
    assert [each["trust"] for each in document["candidates"]] == ["unverified"] * 2


def test_accepting_and_dropping_by_number(shop):
    assert shop("review", "accept", "1").out == "Accepted rule #1\n"
    assert shop("review", "drop", "2").out.startswith("Dropped decision #2 (recairn restore 2")
    assert shop("review", "list").out == "nothing to review\n"
    assert shop("show", "1", "--json").json["trust"] == "verified"
    assert shop("review", "accept", "1", "--json").json["id"] == 1


def test_all_candidates_of_a_kind_or_source_are_accepted_at_once(shop):
    shop("add", "The broker drops at noon", "--source-type", "run")
    ran = shop("review", "accept", "--all")
    assert (ran.status, ran.out) == (1, "")
    assert "this verifies 3 candidates" in ran.err
    assert "--yes" in ran.err
    ran = shop("review", "accept", "--all", "--source-type", "run", "--yes")
    assert ran.out == "Accepted 1 candidate\n"
    left = shop("review", "--json").json["candidates"]
    assert [each["id"] for each in left] == [1, 2]
    assert shop("review", "list", "--source-type", "run").out == "nothing to review\n"
    answered = shop("review", "accept", "--all", "--kind", "rule", "--yes", "--json").json
    assert [(each["id"], each["trust"]) for each in answered] == [(1, "verified")]
    assert shop("review", "accept", "--all", "--kind", "rule").out == "Accepted 0 candidates\n"


@pytest.mark.parametrize("words", [(), ("1", "--all"), ("1", "--source-type", "run")])
def test_accepting_needs_numbers_or_all(shop, words):
    ran = shop("review", "accept", *words)
    assert (ran.status, ran.out) == (2, "")
    assert shop("review", "--json").json["meta"]["returned"] == 2


def test_an_unknown_candidate_is_refused(shop):
    ran = shop("review", "accept", "1", "77")
    assert (ran.status, ran.out) == (1, "")
    assert shop("review", "--json").json["meta"]["returned"] == 2


def test_editing_puts_it_into_better_words(shop):
    ran = shop("review", "edit", "1", "Use pnpm,", "never npm", "--kind", "preference")
    assert ran.out == "Accepted preference #1, edited\n"
    assert shop("show", "1", "--json").json["content"] == "Use pnpm, never npm"
    assert shop("review", "edit", "2").status == 2


def test_a_walk_asks_about_each_and_quitting_keeps_what_was_decided(shop):
    ran = shop("review", stdin="x\na\nq\n", tty=True)
    assert "1 of 2" in ran.out
    assert ran.out.endswith("1 accepted, 0 dropped, 1 left\n")
    ran = shop("review", stdin="d\n", tty=True)
    assert ran.out.endswith("0 accepted, 1 dropped, 0 left\n")
    assert shop("review", tty=True).out == "nothing to review\n"


def test_a_walk_ends_with_its_input_and_skipping_decides_nothing(shop):
    assert shop("review", stdin="s\n", tty=True).out.endswith("0 accepted, 0 dropped, 2 left\n")


def test_a_walk_edits_in_the_editor(shop, monkeypatch, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'Use pnpm everywhere' > \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    ran = shop("review", stdin="e\nq\n", tty=True)
    assert ran.out.endswith("1 accepted, 0 dropped, 1 left\n")
    assert shop("show", "1", "--json").json["content"] == "Use pnpm everywhere"


def test_search_shows_candidates_as_unverified(shop):
    assert "unverified" in shop("search", "pnpm").out


def test_a_candidate_cannot_colour_the_terminal(recairn):
    with library.open(model="none") as memory:
        memory.capture(["Remember that the banner says \x1b[31mred\x1b[0m alert"])
    assert "\x1b" not in recairn("review", "list").out


@pytest.fixture
def ended(lamp, tmp_path):
    """#2, a rule that somebody else's export forgets."""
    lamp("add", "Trim the wick before dusk", "-k", "rule")
    with library.open() as memory:
        (rule,) = [each for each in memory.export_records() if each.get("kind") == "rule"]
        stub = {"type": "forgotten", "uid": rule["uid"], "deleted_at": "2099-01-01T00:00:00.000Z"}
        memory.take_records([("theirs.jsonl:1", stub)], author="import:theirs.jsonl")
    return lamp


def test_a_rule_that_others_ended_is_listed_and_holds(ended):
    assert "a rule that still holds, ended by others at 2099-01-01" in ended("review").out
    (listed,) = ended("review", "--json").json["endings"]
    assert (listed["id"], listed["author"]) == (2, "import:theirs.jsonl")
    assert "Trim the wick" in ended("context", "--prompt", "lamps").out


@pytest.mark.parametrize(
    ("verb", "said", "holds"),
    [
        ("accept", "Forgot rule #2, as others did\n", False),
        ("drop", "rule #2 goes on to hold\n", True),
    ],
)
def test_a_person_decides_about_the_end_of_a_rule(ended, verb, said, holds):
    assert ended("review", verb, "2").out == said
    assert ("Trim the wick" in ended("context", "--prompt", "lamps").out) is holds
    assert "nothing to review" in ended("review").out
