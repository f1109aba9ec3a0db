"""Slips of the finger: what is said to them, and that it leads on."""

from __future__ import annotations

import shutil
import subprocess

import pytest


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["SEARCH", "lens"], 2, "unknown command 'SEARCH'\n  hint: did you mean search?"),
        (["show", ""], 1, "there is no memory with an empty id"),
        (["supersede", "1", "1"], 1, "#1 cannot replace itself"),
        (["backup", "restore", "monday"], 1, "there is no backup monday"),
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


def test_what_expires_before_it_begins_is_said(recairn):
    ran = recairn("add", "Light the lamp tonight", "--expires", "2001-01-01")
    assert ran.out == "Added learning #1\n"
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
        ("recairn ledger --by ", ["query", "tool", "day", "task", "memory"]),
        ("recairn graph export --format m", ["mermaid", "markdown"]),
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
        ("recairn ledger --by ", ["memory", "task"]),
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
