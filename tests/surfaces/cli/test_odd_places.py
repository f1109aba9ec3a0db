"""Folders, names and bytes that nobody plans for: an error with a way out, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NO_TEXT = os.fsdecode(b"caf\xe9")


def test_a_folder_that_was_removed_under_ones_feet_is_named(recairn, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = recairn("recent")
    said = "recairn: the folder you are in is not there any more\n  hint: cd to another one\n"
    assert (ran.status, ran.out, ran.err) == (1, "", said)


def test_a_database_path_that_is_no_text_is_refused_and_no_file_made(recairn, tmp_path):
    ran = recairn("--db", str(tmp_path / NO_TEXT), "add", "Trim the wick")
    assert ran.status == 1
    assert "the path of the database is not UTF-8" in ran.err
    assert ran.err.endswith("hint: name another file with --db or RECAIRN_DB\n")
    assert sorted(os.listdir(tmp_path)) == ["home"]


def test_looking_into_a_database_that_is_not_there_is_told(recairn, tmp_path):
    path = tmp_path / "mistyped.db"
    ran = recairn("--db", str(path), "search", "wick")
    assert (ran.status, ran.err) == (0, f"note: there is no database at {path}\n")
    assert recairn("--db", str(path), "search", "wick").err == ran.err
    assert not path.exists()
    assert recairn("--db", str(tmp_path / "new.db"), "add", "Trim the wick").err == ""


def test_a_project_named_by_bytes_that_are_no_text_can_be_used(recairn):
    assert recairn("--project", NO_TEXT, "add", "Trim the wick").status == 0
    ran = recairn("--project", NO_TEXT, "recent", "--json")
    assert [each["project"] for each in ran.json["memories"]] == ["café"]


def test_a_project_name_is_one_line(recairn):
    recairn("--project", " north\nlight ", "add", "Trim the wick")
    ran = recairn("--project", "north light", "recent", "--json")
    assert [each["project"] for each in ran.json["memories"]] == ["north light"]


def test_a_project_name_has_the_length_a_folder_may_have(recairn):
    assert recairn("--project", "p" * 255, "add", "Trim the wick").status == 0
    ran = recairn("--project", "p" * 256, "add", "Oil the hinges")
    said = "recairn: project has 256 characters, 255 at most\n  hint: shorten it\n"
    assert (ran.status, ran.out, ran.err) == (1, "", said)


def test_words_in_another_encoding_are_read_as_what_they_are(recairn):
    recairn("add", NO_TEXT, "opens at dawn", "-c", NO_TEXT)
    known = recairn("show", "1", "--json").json
    assert (known["content"], known["category"]) == ("café opens at dawn", "café")
    assert len(recairn("list", "-c", NO_TEXT, "--json").json["memories"]) == 1


def test_a_text_is_kept_under_a_locale_that_cannot_read_it(recairn):
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    typed = [sys.executable, "-m", "recairn", "add", "Öl für die Lampe", "--title", "Größe"]
    subprocess.run(typed, env={**os.environ, **ascii_only}, check=True, capture_output=True)
    known = recairn("show", "1", "--json").json
    assert (known["content"], known["title"]) == ("Öl für die Lampe", "Größe")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["session", "list", "-n", "9" * 20], f"limit must be between 1 and 1000, got {'9' * 20}"),
        (
            ["list", "--offset", "9" * 20],
            f"offset must be between 0 and 1,000,000,000, got {'9' * 20}",
        ),
        (["add", "Oil", "--expires", "9999999999d"], "9999999999d leads out of the calendar"),
    ],
)
def test_numbers_beyond_all_measure_are_refused(lamp, words, said):
    ran = lamp(*words)
    assert ran.status == 2
    assert ran.err.splitlines()[0] == f"recairn: {said}"


def test_a_file_that_cannot_be_written_is_called_by_the_name_that_was_typed(lamp, tmp_path):
    nowhere = tmp_path / "nowhere"
    ran = lamp("export", str(nowhere / "memories.jsonl"))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"recairn: {nowhere}: No such file or directory\n  hint: check the path\n"
    long = f"{'m' * 300}.jsonl"
    ran = lamp("export", long)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"recairn: {long}: File name too long\n  hint: use a shorter name\n"


BROKEN = """
import sys
import recairn.engine
from recairn.surfaces.cli import main

def broken(*words, **options):
    raise RuntimeError("the \\x1b[31mlamp is out")

recairn.engine.open_as_allowed = broken
sys.argv = ["recairn", "recent"]
main()
"""


@pytest.mark.unmeasured
def test_what_nobody_foresaw_is_one_line_and_a_way_out():
    quiet = {name: value for name, value in os.environ.items() if name != "RECAIRN_DEBUG"}
    done = subprocess.run([sys.executable, "-c", BROKEN], env=quiet, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "recairn: this should not have happened: RuntimeError: the lamp is out (<string>:7)",
        "  hint: recairn doctor checks the database;"
        " RECAIRN_DEBUG=1 shows the whole trace to report",
    ]


def test_the_whole_trace_is_there_for_who_asks():
    done = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")


def on_windows(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import sys; sys.platform = 'win32'; {code}"]
    return subprocess.run(command, capture_output=True, text=True)


def test_windows_is_refused_with_the_reason_and_a_way_out():
    main = "from recairn.surfaces.cli import main; sys.exit(main({}))"
    ran = on_windows(main.format(["search", "wick"]))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("recairn: recairn does not run on Windows itself: ")
    assert "\n  hint: inside WSL 2 it is at home" in ran.stderr
    ran = on_windows(main.format(["hook", "SessionStart"]))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    ran = on_windows("import recairn; recairn.open()")
    assert "ImportError: recairn does not run on Windows itself" in ran.stderr
