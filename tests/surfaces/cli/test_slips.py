"""Slips of the finger: what is said to them, and that it leads on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recairn.core.errors import BadInput


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["SEARCH", "lens"], 2, "unknown command 'SEARCH'\n  hint: did you mean search?"),
        (["show", ""], 1, "there is no memory with an empty id"),
        (["supersede", "1", "1"], 1, "#1 cannot replace itself"),
        pytest.param(
            ["backup", "restore", "monday"],
            1,
            "there is no backup monday",
            marks=pytest.mark.files("a server is backed up by who runs it"),
        ),
        (["ledger", "--by", "week"], 2, "unknown grouping 'week'\n  hint: known: task, memory"),
        (["model", "remove", "static"], 1, "the static model is part of recairn"),
        (
            ["mirror", "pull", "--project", "pier"],
            1,
            "pier has no mirror\n  hint: recairn mirror on FOLDER starts one",
        ),
        (
            ["config", "set", "context.max_tokens", "many"],
            1,
            "'many' is not a number between 0 and 1,000,000\n  hint: for example 2000",
        ),
        (
            ["config", "get", "context.max_tokens"],
            1,
            "context.max_tokens is not set, so its default holds:"
            " tokens a context takes at most (2000)\n"
            "  hint: recairn config set context.max_tokens VALUE sets it",
        ),
    ],
)
def test_a_slip_is_named_and_leads_on(lamp, words, status, said):
    ran = lamp(*words)
    assert (ran.status, ran.out) == (status, "")
    assert ran.err.startswith(f"recairn: {said}")


def test_a_folder_is_no_database(recairn, tmp_path):
    ran = recairn("--db", str(tmp_path), "recent")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        f"recairn: {tmp_path} is a folder, not a database\n"
        "  hint: name a file with --db or RECAIRN_DB\n"
    )


def test_an_empty_question_is_not_answered_with_nothing_relevant(lamp):
    ran = lamp("search", "")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("nothing was asked\n")


def test_signs_that_no_index_holds_are_said_to_find_nothing(lamp):
    ran = lamp("search", "--", "->")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith(
        "\n  signs alone stand in no index: ask for a word; recairn recent shows what is there\n"
    )


def test_what_expires_before_it_begins_is_said(recairn):
    ran = recairn("add", "Light the lamp tonight", "--expires", "2001-01-01")
    assert ran.out == f"Added learning #1 to project {Path.cwd().name}\n"
    assert ran.err == "note: it has expired already; recairn list --expired shows it\n"


def test_a_large_setting_keeps_its_digits(recairn):
    recairn("config", "set", "context.max_chars", "1234567")
    assert recairn("config", "get", "context.max_chars").out == "1234567\n"


def test_without_settings_every_one_is_explained_within_80_columns(recairn):
    lines = recairn("config").err.splitlines()
    assert "  context.max_tokens           tokens a context takes at most (2000)" in lines
    assert max(map(len, lines)) <= 80


def test_a_family_explains_its_commands_a_line_each(recairn):
    ran = recairn("config", "-h")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "recairn config COMMAND\n"
        "  The settings of this database.\n"
        "\n"
        "Commands\n"
        "  config list             the settings of this database\n"
        "  config get              one setting\n"
        "  config set              change a setting\n"
        "  config unset            return a setting to its default\n"
        "\n"
        "recairn config alone means recairn config list.\n"
        "\n"
        "More: recairn config list -h, recairn config --help\n"
    )


@pytest.mark.parametrize(
    "family", ["task", "graph", "session", "stats", "outcome", "review", "doc"]
)
def test_a_family_tells_everything_when_asked_for_all(recairn, family):
    assert recairn(family, "--help").out == recairn("help", family).out
    assert recairn(family, "-h").out.startswith(f"recairn {family} COMMAND\n")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("recairn ledger --by ", ["task", "memory", "moment", "day", "agent", "session"]),
        ("recairn graph export --format m", ["mermaid"]),
        ("recairn task d", ["done", "dep"]),
    ],
)
def test_bash_completes_what_an_option_may_be(recairn, line, offered):
    script = recairn("completion", "bash").out
    words = line.split(" ")
    script += f"COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}'); COMP_CWORD={len(words) - 1}\n"
    script += '_recairn; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("recairn ledger --by ", ["agent", "day", "memory", "moment", "session", "task"]),
        ("recairn export mem", ["memories.jsonl"]),
        ("recairn import me", ["mem0", "memories.jsonl"]),
        ("recairn show mem", []),
    ],
)
def test_fish_completes_what_an_option_or_a_file_may_be(recairn, tmp_path, line, offered):
    (tmp_path / "memories.jsonl").touch()
    (tmp_path / "recairn.fish").write_text(recairn("completion", "fish").out)
    asked = f"source {tmp_path}/recairn.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "-c", asked], capture_output=True, text=True, check=True)
    assert sorted(each.split("\t")[0] for each in done.stdout.splitlines()) == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("graph", "export", "--format"), {"mermaid", "dot", "json"}),
        (("export", "--format"), {"jsonl", "json", "markdown", "csv"}),
        (("export", "memories.out", "--format"), {"jsonl", "json", "markdown", "csv"}),
    ],
)
def test_the_names_offered_are_those_that_the_command_takes(recairn, tmp_path, words, offered):
    script = tmp_path / "completion.bash"
    script.write_text(recairn("completion", "bash").out)
    typed = " ".join(["recairn", *words])
    run = (
        f"source {script}; COMP_WORDS=({typed} ''); COMP_CWORD={len(words) + 1};"
        ' _recairn; echo "${COMPREPLY[@]}"'
    )
    said = subprocess.run(["bash", "-c", run], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == offered
    if "graph" in words:
        for name in offered:
            assert recairn(*words, name).status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("search", "lamp", "-n", "0"),
        ("list", "--limit", "-3"),
        ("add", "Trim the wick", "--importance", "5"),
        ("search", "lamp", "--min-score", "7"),
        ("recent", "-n", "none"),
    ],
)
def test_a_value_that_an_option_cannot_take_is_a_usage_error(recairn, words):
    ran = recairn(*words)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"recairn: {words[-2]} takes ")


def test_piped_text_in_another_encoding_is_read_and_said_to_be(recairn, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    raw = "Le café ouvre à l’aube\n".encode("cp1252") + "Ünïcode stays\n".encode()
    ran = subprocess.run(
        [sys.executable, "-m", "recairn", "add", "-"],
        input=raw,
        capture_output=True,
        env=environment,
        check=True,
    )
    assert ran.stderr.decode() == (
        "note: 1 line of standard input not UTF-8, read as Windows-1252\n"
    )
    content = recairn("show", "1", "--json").json["content"]
    assert content == "Le café ouvre à l’aube\nÜnïcode stays"


def test_a_setting_that_recairn_does_not_know_is_said_to_change_nothing(recairn):
    ran = recairn("config", "set", "encryption", "on")
    assert ran.err == (
        "warning: encryption is not a setting recairn knows: it is kept, and changes nothing\n"
    )


def test_an_equal_name_is_called_that(recairn):
    recairn("add", "-k", "decision", "--title", "Use trunk", "We merge to trunk every day")
    ran = recairn("add", "-k", "decision", "--title", "Use trunk", "Reviews block nobody, ever")
    assert ran.err.startswith("recairn: #1 has the same name: Use trunk\n")


def test_a_search_for_what_was_superseded_names_the_option_that_shows_it(recairn):
    recairn("add", "Quokkas graze by the old weighbridge")
    recairn("supersede", "1", "No pasture is left there")
    ran = recairn("search", "quokkas weighbridge")
    assert ran.out.endswith("  #1 was superseded: --include-superseded\n")
    assert "#1 Quokkas" in recairn("search", "quokkas weighbridge", "--include-superseded").out


def test_a_task_whose_dependencies_are_done_says_when_it_waited(recairn):
    recairn("task", "add", "Dig", "--id", "t-dig")
    recairn("task", "add", "Plant", "--id", "t-plant")
    recairn("task", "dep", "add", "t-plant", "t-dig")
    recairn("task", "done", "t-dig")
    shown = recairn("task", "show", "t-plant").out
    assert "began to wait for t-dig just now" in shown
    assert "waits for" not in shown.lower()


@pytest.mark.parametrize(
    "words",
    [
        ("recent", "--since", "nonsense"),
        ("search", "lamp", "--as-of", "nonsense"),
        ("search", "lamp", "--graph-depth", "7"),
        ("search", "lamp", "--weight", "charm=1"),
        ("list", "--offset", "-1"),
        ("recent", "-n", "99999999"),
        ("context", "--prompt", "lamp", "--max-tokens", "-5"),
    ],
)
def test_a_value_that_only_the_engine_knows_to_be_wrong_is_a_usage_error_too(recairn, words):
    ran = recairn(*words)
    assert (ran.status, ran.out) == (2, "")


def test_a_least_salience_lies_between_0_and_1(memory):
    with pytest.raises(BadInput, match="min_salience must lie between 0 and 1, got 3"):
        memory.search("lamp", min_salience=3)
