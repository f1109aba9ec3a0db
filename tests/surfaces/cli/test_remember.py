"""Remembering and changing from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

NEARLY = (
    "Wipe the lens of the lamp after every single storm",
    "Wipe the lens of the lamp after every storm",
)


def test_words_are_joined_and_the_category_is_said(recairn):
    ran = recairn("add", "Wipe", "the", "lens", "-c", "lamp")
    assert ran == (0, f"Added learning #1 to project {Path.cwd().name} (category: lamp)\n", "")


@pytest.mark.parametrize("words", [["-"], []])
def test_text_comes_from_standard_input(recairn, words):
    assert recairn("add", *words, stdin="from a pipe\n").status == 0
    assert recairn("show", "1", "--json").json["content"] == "from a pipe"


def test_nothing_to_remember_is_wrong_usage_on_a_terminal_and_a_refusal_on_a_pipe(recairn):
    assert recairn("add", tty=True).status == 2
    assert recairn("add", stdin="").status == 1


def test_every_option_of_add_reaches_the_memory(recairn):
    recairn(
        *("add", "text", "-k", "rule", "--title", "T", "--keyword", "a", "--tags", "b, c"),
        *("--project", "p", "--sector", "semantic", "--scope", "src/**", "--importance", "0.9"),
        *("--confidence", "0.8", "--pin", "--immutable", "--source-type", "agent"),
        *("--source-ref", "run-7", "--session", "s1", "--external-id", "dec-1"),
        *("--created-at", "2026-01-02", "--expires", "2999-01-01", "--trust", "unverified"),
    )
    found = recairn("show", "dec-1", "--json").json
    expected = {
        "kind": "rule",
        "title": "T",
        "keywords": ["a", "b", "c"],
        "project": "p",
        "tier": "project",
        "sector": "semantic",
        "scope": "src/**",
        "importance": 0.9,
        "confidence": 0.8,
        "pinned": True,
        "immutable": True,
        "source_type": "agent",
        "source_ref": "run-7",
        "session": "s1",
        "external_id": "dec-1",
        "created_at": "2026-01-02T00:00:00.000Z",
        "expires_at": "2999-01-01T00:00:00.000Z",
        "trust": "unverified",
    }
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("options", "kind", "fields"),
    [
        (["--rationale", "r"], "decision", {"rationale": "r"}),
        (
            ["--alternative", "a", "--alternatives", "b,c"],
            "decision",
            {"alternatives": ["a", "b", "c"]},
        ),
        (["--solution", "s", "--anti-pattern"], "pattern", {"solution": "s", "anti_pattern": True}),
        (["--cause", "c", "--fix", "f"], "failure", {"cause": "c", "fix": "f"}),
        (["--next", "a", "--next", "b"], "handoff", {"next_steps": ["a", "b"]}),
        (["--url", "https://x.example"], "resource", {"url": "https://x.example"}),
        (["-k", "anti-pattern"], "pattern", {"anti_pattern": True}),
        (["-k", "resource", "--field", "rating=4"], "resource", {"rating": 4}),
        (["-k", "pattern", "--field", "anti_pattern=yes"], "pattern", {"anti_pattern": True}),
        (
            ["--field", "next_steps=a", "--field", "next-steps=b"],
            "handoff",
            {"next_steps": ["a", "b"]},
        ),
        ([], "learning", {}),
    ],
)
def test_fields_decide_the_kind_when_none_is_named(recairn, options, kind, fields):
    assert recairn("add", "text", *options).status == 0
    found = recairn("show", "1", "--json").json
    assert (found["kind"], found["fields"]) == (kind, fields)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-k", "rule", "--rationale", "x"], "--rationale belongs to a decision, not to a rule"),
        (["--fix", "x"], "--fix may mean a pattern or a failure"),
        (["--fix", "x", "--rationale", "y"], "no kind has all of --fix, --rationale"),
        (["-k", "note", "--field", "colour=red"], "a note has no field 'colour'"),
        (["-k", "entity", "--field", "colour=red"], "an entity has no field 'colour'"),
    ],
)
def test_a_field_of_another_kind_is_refused_by_name(recairn, options, said):
    ran = recairn("add", "text", *options)
    assert ran.status == 1
    assert ran.err.startswith(f"recairn: {said}\n")


@pytest.mark.parametrize(
    "options",
    [
        ["--field", "nonsense"],
        ["--force", "--merge", "1"],
        ["--global", "--tier", "project"],
        ["-k", "lerning"],
        ["--tier", "galaxy"],
        ["-k", "resource", "--field", "rating=many"],
    ],
)
def test_contradictory_or_unreadable_options_are_wrong_usage(recairn, options):
    ran = recairn("add", "text", *options)
    assert ran.status == 2
    assert ran.out == ""


def test_a_near_duplicate_stops_and_says_what_to_type(recairn):
    recairn("add", NEARLY[0])
    ran = recairn("add", NEARLY[1])
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("recairn: similar to #1 (0.")
    assert ran.err.endswith("  use --force, --supersede 1 or --merge 1\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--force"], "Added learning #2 to project {here}\n"),
        (["--supersede", "#1"], "Added learning #2 to project {here} in place of #1\n"),
        (["--merge", "1"], "Merged into learning #1\n"),
    ],
)
def test_the_three_ways_out_of_a_near_duplicate(recairn, options, said):
    recairn("add", NEARLY[0])
    told = said.format(here=Path.cwd().name)
    assert recairn("add", NEARLY[1], *options) == (0, told, "")


def test_the_same_again_reinforces(lamp):
    assert (
        lamp("add", "Wipe the lens after every storm").out
        == "Known already: reinforced learning #1\n"
    )


def test_a_secret_is_redacted_with_a_warning_on_standard_error(recairn):
    ran = recairn("add", "token ghp_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789")
    assert ran.err.startswith("warning: redacted 1 secret")
    assert ran.out == f"Added learning #1 to project {Path.cwd().name}\n"
    assert "aBcDeF" not in recairn("show", "1").out


def test_a_span_of_expiry_lies_ahead(recairn):
    recairn("add", "soon gone", "--expires", "30d")
    assert "  Expires: " in recairn("show", "1").out
    recairn("edit", "1", "--expires", "never")
    assert recairn("show", "1", "--json").json["expires_at"] is None


def test_edit_changes_what_was_named_and_keeps_the_rest(lamp):
    assert (
        lamp("edit", "1", "-c", "glass", "--pin").out == "Edited learning #1 (category, pinned)\n"
    )
    assert lamp("edit", "1", "A", "new", "text").out == "Edited learning #1 (content)\n"
    assert lamp("edit", "1", "-", stdin="piped").status == 0
    found = lamp("show", "1", "--json").json
    assert (found["content"], found["category"], found["pinned"]) == ("piped", "glass", True)
    assert lamp("edit", "1", "--no-pin", "--json").json["pinned"] is False


def test_edit_moves_to_another_project(lamp):
    assert lamp("edit", "1", "--move-to", "elsewhere", "--json").json["project"] == "elsewhere"


def test_edit_without_a_change_is_wrong_usage(lamp):
    assert lamp("edit", "1").status == 2
    assert lamp("edit", "1", "--editor").status == 2


def test_edit_refuses_a_field_of_another_kind(lamp):
    ran = lamp("edit", "1", "--rationale", "x")
    assert ran.err.startswith("recairn: --rationale belongs to a decision, not to a learning")


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("no-such-quill", "cannot start the editor no-such-quill: No such file or directory"),
        ("quill 'unended", "cannot read the editor quill 'unended: No closing quotation"),
        ("false", "false ended with status 1"),
    ],
)
def test_an_editor_that_fails_is_named_and_nothing_changes(lamp, monkeypatch, editor, said):
    monkeypatch.setenv("VISUAL", editor)
    ran = lamp("edit", "1", "--editor", tty=True)
    assert (ran.status, ran.err.splitlines()[0]) == (1, f"recairn: {said}")
    assert len(lamp("history", "1", "--json").json["events"]) == 1


def test_an_editor_that_changes_nothing_leaves_no_event(lamp, monkeypatch):
    monkeypatch.setenv("VISUAL", "true")
    ran = lamp("edit", "1", "--editor", tty=True)
    assert (ran.status, ran.out, ran.err) == (0, "", "left as it was\n")
    assert len(lamp("history", "1", "--json").json["events"]) == 1


def test_an_editor_changes_the_text(lamp, tmp_path, monkeypatch):
    script = tmp_path / "editor.sh"
    script.write_text("#!/bin/sh\nprintf 'edited by hand' > \"$1\"\n")
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    assert lamp("edit", "1", "--editor", tty=True).status == 0
    assert lamp("show", "1", "--json").json["content"] == "edited by hand"


def test_an_immutable_memory_needs_force(recairn):
    recairn("add", "carved in stone", "--immutable")
    ran = recairn("edit", "1", "-c", "x")
    assert ran.err == "recairn: #1 is immutable\n  hint: add --force if you really mean it\n"
    assert recairn("edit", "1", "-c", "x", "--force").status == 0


def test_supersede_by_a_text_and_by_an_id(lamp):
    ran = lamp("supersede", "1", "Rinse", "the", "lens")
    assert ran.out == "#1 is superseded by #2: [lamp] Rinse the lens\n"
    lamp("add", "Let the rain do it")
    assert lamp("supersede", "2", "3", "--json").json["superseded_by"] == 3


def test_supersede_by_an_unknown_number_never_stores_the_number(lamp):
    assert lamp("supersede", "1", "77").status == 1
    assert lamp("list", "--json").json["meta"]["total"] == 1


def test_feedback_says_the_score(lamp):
    assert lamp("helpful", "1").out == "Updated learning #1 outcome score to 1\n"
    assert lamp("unhelpful", "1").out == "Updated learning #1 outcome score to 0\n"
    assert lamp("helpful", "1", "--score", "0.9", "--json").json["outcome_score"] == 0.9


def test_salience_moves_both_ways(lamp):
    assert (
        lamp("deemphasize", "1", "--amount", "0.5").out
        == "Deemphasized learning #1: salience 0.50\n"
    )
    assert (
        lamp("reinforce", "1", "--amount", "0.5").out == "Reinforced learning #1: salience 0.75\n"
    )


def test_forgetting_several_is_all_or_nothing(lamp):
    lamp("add", "Second")
    assert lamp("forget", "1", "2", "99").status == 1
    assert lamp("list", "--json").json["meta"]["total"] == 2
    ran = lamp("forget", "1", "2")
    assert ran.out == (
        "Forgot learning #1 (recairn restore 1 brings it back)\n"
        "Forgot learning #2 (recairn restore 2 brings it back)\n"
    )


def test_restore_brings_back_once(lamp):
    lamp("forget", "1")
    assert lamp("restore", "1") == (0, "Restored learning #1\n", "")
    assert lamp("restore", "1").status == 1


def test_erasing_needs_a_yes(lamp):
    refused = lamp("forget", "1", "--hard")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err == ("recairn: this destroys memory 1 for good\n  hint: add --yes to go on\n")
    assert lamp("forget", "1", "--hard", tty=True, stdin="n\n").err.endswith("left as it was\n")
    assert lamp("show", "1").status == 0
    assert lamp("forget", "1", "--hard", "--yes").out == "Erased learning #1 for good\n"
    assert lamp("show", "1").status == 1


def test_undo_of_one_change_does_not_ask(lamp):
    lamp("forget", "1")
    assert lamp("undo", "1").out == "Took back: #1 forgotten\n"
    assert lamp("show", "1", "--json").json["deleted_at"] is None


def test_undo_of_several_changes_asks_on_a_terminal_and_refuses_elsewhere(recairn):
    for text in ("one thing", "another matter", "something else"):
        recairn("add", text, "--source-ref", "import-7")
    ran = recairn("undo", "--source", "import-7")
    assert ran.err == "recairn: this takes back 3 changes\n  hint: add --yes to go on\n"
    assert recairn("undo", "--source", "import-7", tty=True, stdin="\n").out == ""
    assert recairn("list", "--json").json["meta"]["total"] == 3
    dry = recairn("undo", "--source", "import-7", "--dry-run", "--json").json
    assert (len(dry["undone"]), dry["dry_run"]) == (3, True)
    assert recairn("undo", "--source", "import-7", tty=True, stdin="y\n").status == 0
    assert recairn("list", "--json").json["meta"]["total"] == 0


def test_undo_by_session_and_time_and_nothing(lamp):
    lamp("add", "in a session", "--session", "s1")
    assert lamp("undo", "--session", "s1").out == "Took back: #2 created\n"
    assert lamp("undo", "--since", "1h", "--dry-run").status == 0
    assert lamp("undo", "--source", "nowhere").out == "nothing to take back\n"
    assert lamp("undo").status == 2
    assert lamp("undo", "1", "--since", "1h").status == 2


def test_who_adds_what_agents_are_not_given_is_told_so(recairn):
    ran = recairn("add", "The broker drops at noon", "--source-type", "run")
    assert ran.out == f"Added learning #1 to project {Path.cwd().name}\n"
    assert ran.err == "note: it is unverified; agents are given it after recairn review accept 1\n"
    assert recairn("review", "accept", "1").status == 0
    assert recairn("add", "The broker wakes at one").err == ""


# Merging


def test_merging_says_once_what_both_say(lamp):
    lamp("add", "Retry three times, then page the on-call person")
    said = "Retry three times, then page the on-call engineer"
    assert lamp("add", said, "--merge", "2").out == "Merged into learning #2\n"
    assert lamp("show", "2", "--json").json["content"] == said


def test_merging_joins_what_is_new_as_a_sentence_of_its_own(lamp, tmp_path):
    (tmp_path / ".git").mkdir()
    lamp("add", "Wipe the lens after every storm. Use a soft cloth", "--merge", "1")
    joined = "Wipe the lens after every storm. Use a soft cloth"
    assert lamp("show", "1", "--json").json["content"] == joined
    lamp("pin", "1")
    lamp("pin", "--into", "AGENTS.md")
    assert f"- {joined} (#1)\n" in (tmp_path / "AGENTS.md").read_text()


def test_merging_keeps_sentences_that_differ_in_a_number(lamp):
    lamp("add", "Ring the bell 3 times in fog")
    lamp("add", "Ring the bell 5 times in fog", "--merge", "2")
    content = lamp("show", "2", "--json").json["content"]
    assert content == "Ring the bell 3 times in fog. Ring the bell 5 times in fog"


def test_a_pinned_text_of_several_lines_reads_as_sentences(recairn, tmp_path):
    (tmp_path / ".git").mkdir()
    recairn("add", "Wipe the lens\n\nTrim the wick", "-k", "rule")
    recairn("pin", "--into", "AGENTS.md")
    assert "- Wipe the lens. Trim the wick. (#1)\n" in (tmp_path / "AGENTS.md").read_text()


# Contradictions


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Coverage must be 100 percent before release", "95 percent", "95 against 100"),
        ("Coverage stays above 80% on every branch", "90%", "90 against 80"),
        ("We use Python 3.11 in production", "Python 3.12", "3.12 against 3.11"),
        ("Sessions expire after 30 minutes of silence", "45 minutes", "45 against 30"),
        ("Uploads of charts may have 10 MB and no more", "25 MB", "25 against 10"),
    ],
)
def test_values_that_differ_in_like_sentences_warn(recairn, one, other, why):
    recairn("add", one)
    number = other.removeprefix("Python ").split()[0].rstrip("%")
    ran = recairn("add", one.replace(why.split()[-1], number))
    assert f"warning: may contradict #1 ({why}): {one}" in ran.err


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Step 1 of the launch: open the hatch", "Step 2 of the launch: open the hatch"),
        ("Buoy 12 was painted by Ines", "Buoy 13 was painted by Ines"),
        ("Uploads may have 10 MB and no more", "Backups of buoys may take 25 MB a night"),
    ],
)
def test_numbers_that_only_name_things_do_not_warn(recairn, one, other):
    recairn("add", one)
    assert "contradict" not in recairn("add", other).err


@pytest.fixture
def opposed(recairn):
    recairn("add", "Coverage must be 100 percent before release")
    recairn("add", "Coverage must be 95 percent before release")
    return recairn


def test_a_warned_pair_is_listed_until_it_is_decided(opposed):
    (pair,) = opposed("graph", "conflicts", "--json").json["conflicts"]
    assert [each["id"] for each in pair] == [2, 1]
    said = opposed("graph", "conflicts")
    assert "recairn supersede 1 2 if #2 holds" in said.err
    assert "may contradict #1" in opposed("search", "coverage").out


@pytest.mark.parametrize(
    "decision", [("supersede", "1", "2"), ("forget", "2"), ("unlink", "2", "1")]
)
def test_the_warning_names_the_commands_that_decide(opposed, decision):
    opposed("forget", "2")
    opposed("restore", "2")
    warned = opposed("add", "Coverage must be 85 percent before release").err
    assert "recairn supersede 1 3 if the new one holds" in warned
    opposed("forget", "3")
    assert opposed(*decision).status == 0
    assert opposed("graph", "conflicts").out == "no memory contradicts another one\n"


def test_what_supersedes_is_no_contradiction(opposed):
    opposed("unlink", "2", "1")
    opposed("add", "Coverage must be 90 percent before release", "--supersede", "1")
    pairs = opposed("graph", "conflicts", "--json").json["conflicts"]
    assert [[each["id"] for each in pair] for pair in pairs] == [[3, 2]]


# Moving


def test_project_says_where_a_command_acts_wherever_it_stands(recairn):
    recairn("--project", "quay", "add", "Moor the boats before the storm")
    for words in (
        ("--project", "quay", "edit", "1", "-c", "first"),
        ("edit", "1", "-c", "then", "--project", "quay"),
    ):
        assert recairn(*words).status == 0
    known = recairn("--project", "quay", "show", "1", "--json").json
    assert (known["project"], known["category"]) == ("quay", "then")
    ran = recairn("edit", "1", "--project", "quay")
    assert ran.status == 2
    assert ran.err.endswith("hint: recairn edit 1 --move-to quay moves it there\n")
    recairn("--project", "quay", "edit", "1", "--move-to", "pier")
    assert recairn("--project", "pier", "show", "1", "--json").json["project"] == "pier"


def test_an_event_is_taken_back_by_its_number(recairn):
    recairn("add", "The chart is blue")
    recairn("edit", "1", "The chart is red")
    event = recairn("history", "1", "--json").json["events"][1]["id"]
    ran = recairn("undo", "--event", str(event), "--json")
    assert ran.json["undone"] == [{"event": event, "memory": 1, "what": "updated"}]
    assert recairn("undo", "--event", str(event)).status == 1
    assert recairn("undo", "--event", "999").err.startswith("recairn: there is no event 999")


def test_an_edit_that_expects_another_version_shows_both_texts(recairn):
    recairn("add", "The chart is blue")
    seen = recairn("show", "1", "--json").json["version"]
    recairn("edit", "1", "The chart is red")
    ran = recairn("edit", "1", "The chart is green", "--expect", seen)
    assert ran.status == 1
    assert "The chart is red" in ran.err
    assert "The chart is green" in ran.err
    now = recairn("show", "1", "--json").json["version"]
    assert recairn("edit", "1", "The chart is green", "--expect", now).status == 0
