"""Terminals, colours, hostile text, exit codes: how the command line behaves."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from recairn import store as stores
from recairn.surfaces import cli
from tests.corpus import place

HOSTILE = (
    "red\x1b[31m title\x1b]0;owned\x07 bell\x07 back\x08 c1\x9b2J bidi\u202e del\x7f cr\rover nul"
)


def raw_memory(home, text: str) -> None:
    """Puts a text into the row behind the door's back, as an older database might hold it."""
    store: Any = stores.open(str(place(home / "memories.db")))
    store._c.run("update memories set content = ?, category = ? where id = 1", (text, text))
    store.close()


def controls(text: str) -> list[str]:
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "1"],
        ["show", "1", "--markdown"],
        ["show", "1", "--json"],
        ["list"],
        ["list", "--full"],
        ["recent", "--markdown"],
        ["recent", "--json"],
        ["search", "lens", "--include-superseded"],
        ["search", "lens", "--explain", "--full"],
        ["search", "lens", "--json"],
        ["history", "1"],
        ["graph", "related", "1"],
        ["graph", "orphans"],
        ["forget", "1"],
    ],
)
@pytest.mark.parametrize("tty", [False, True])
def test_hostile_text_never_reaches_the_terminal_raw(lamp, own_home, words, tty):
    raw_memory(own_home, HOSTILE)
    ran = lamp(*words, tty=tty)
    assert ran.status == 0
    assert controls(ran.out) == []
    assert controls(ran.err) == []


def test_hostile_text_is_whole_in_json(lamp, own_home):
    raw_memory(own_home, HOSTILE)
    assert lamp("show", "1", "--json").json["content"] == HOSTILE


def test_hostile_text_in_errors_is_made_safe(recairn):
    ran = recairn("show", "\x1b[31mred")
    assert controls(ran.err) == []
    assert controls(recairn("\x1b[2Jserch").err) == []


def test_marks_of_our_own_in_a_memory_do_not_break_the_snippet(recairn):
    recairn("add", "a \ue000 stray <b>mark</b> \ue001 and \ue000 another lens")
    snippet = recairn("search", "lens", "--json").json["hits"][0]["snippet"]
    assert snippet.count("<mark>") == snippet.count("</mark>")
    assert "&lt;b&gt;mark&lt;/b&gt;" in snippet


@pytest.mark.parametrize(
    ("environment", "words", "coloured"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"TERM": "dumb"}, [], False),
        ({}, ["--no-color"], False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, [], False),
    ],
)
def test_colour_is_for_terminals_that_want_it(lamp, monkeypatch, environment, words, coloured):
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in lamp("show", "1", *words, tty=True).out) is coloured
    assert "\x1b[" not in lamp("show", "1", *words).out or "FORCE_COLOR" in environment


def test_colour_can_be_forced_into_a_pipe(lamp, monkeypatch):
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in lamp("show", "1").out


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_terminal_of_another_encoding_gets_question_marks(recairn, encoding):
    recairn("add", "naïve 漢字 lens")
    assert "?? lens" in recairn("show", "1", encoding=encoding).out
    assert recairn("show", "1", "--json", encoding=encoding).json["content"] == "naïve 漢字 lens"


def test_readable_text_stays_readable_in_json(recairn):
    recairn("add", "naïve 漢字 lens")
    assert "naïve 漢字 lens" in recairn("show", "1", "--json").out


def test_json_is_one_line_in_a_pipe_and_laid_out_on_a_terminal(lamp):
    assert lamp("show", "1", "--json").out.count("\n") == 1
    assert lamp("show", "1", "--json", tty=True).out.count("\n") > 10


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["search", "lens"], 0),
        (["search", "zeppelin"], 0),
        (["show", "99"], 1),
        (["serch"], 2),
        (["search", "x", "--limt", "3"], 2),
        (["search", "x", "-n", "0"], 2),
        (["list", "--db", "/dev/null/x.db"], 1),
    ],
)
def test_exit_status(lamp, words, status):
    ran = lamp(*words)
    assert ran.status == status
    assert (ran.err == "") is (status == 0)


def test_global_options_stand_before_or_after_the_command(lamp, tmp_path):
    other = str(tmp_path / "other.db")
    lamp("--db", other, "--project", "elsewhere", "add", "far away")
    assert (
        lamp("list", "--json", "--project", "elsewhere", "--db", other).json["meta"]["total"] == 1
    )
    everywhere = lamp("--json", "list", "--all-projects", "--db", other)
    assert everywhere.json["memories"][0]["project"] == "elsewhere"


PYTHON = [sys.executable, "-m", "recairn"]


def test_a_whole_process_adds_and_finds():
    added = subprocess.run(
        [*PYTHON, "add", "-"], input="Full jitter", text=True, capture_output=True, check=True
    )
    assert added.stdout == f"Added learning #1 to project {Path.cwd().name}\n"
    found = subprocess.run(
        [*PYTHON, "search", "jitter"], text=True, capture_output=True, check=True
    )
    assert found.stdout.startswith("1 hit:\n")
    assert found.stderr == ""


def test_a_closed_pipe_is_a_silent_success(lamp):
    for number in range(30):
        lamp("add", f"{number} " + "word " * 2000, "--force")
    reader, writer = os.pipe()
    process = subprocess.Popen([*PYTHON, "list", "--full"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    os.read(reader, 10)
    os.close(reader)
    _, err = process.communicate(timeout=50)
    assert (process.returncode, err) == (0, b"")


def test_a_process_with_an_ascii_terminal_does_not_crash():
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    for words in (["add", "漢字 and ☃"], ["recent"]):
        done = subprocess.run([*PYTHON, *words], env=environment, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_under_the_output_is_a_failure_without_a_traceback(lamp):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PYTHON, "show", "1"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    said = "recairn: No space left on device\n  hint: free some space\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_a_closed_output_is_no_failure(lamp):
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *PYTHON, "show", "1"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_inside_the_program_gets_the_remaining_words(monkeypatch):
    monkeypatch.setitem(cli.EARLY, "count-words", "builtins:len")
    assert cli.main(["count-words", "one", "two"]) == 2


def test_an_interrupt_ends_with_130(lamp, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("recairn.engine.Recairn.search", interrupted)
    assert lamp("search", "lens").status == 130
