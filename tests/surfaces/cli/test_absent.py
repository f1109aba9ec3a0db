"""Where there is no database, looking makes none: it answers as from an empty memory."""

from __future__ import annotations

import shlex

import pytest

from recairn.surfaces.cli.table import commands

# What they write is not the database: files of agents, a report, a model, what a program makes.
ELSEWHERE = {"install", "uninstall", "mcp", "hook", "bench", "model pull", "completion"}
ELSEWHERE |= {"export", "observe", "outcome observe"}
# It runs until it is ended: tests/surfaces/web/test_serve.py looks at it as a process of its own.
ELSEWHERE |= {"serve"}
LOOKING = [
    (name, shlex.split(example.partition(" | ")[0].partition(" > ")[0], comments=True)[1:])
    for name, row in commands().items()
    if not row.creates and name not in ELSEWHERE
    for example in row.examples[:1]
]


@pytest.mark.parametrize(("name", "words"), LOOKING, ids=[name for name, _ in LOOKING])
def test_a_command_that_brings_nothing_in_makes_no_database(
    recairn, own_home, tmp_path, monkeypatch, name, words
):
    monkeypatch.delenv("RECAIRN_DB", raising=False)
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    before = sorted(tmp_path.rglob("*"))
    ran = recairn(*words, *(["--yes"] if name in ("archive", "undo") else []))
    assert "this should not have happened" not in ran.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [
        ("export",),
        ("observe", "--", "true"),
        ("import", "claude-md", "CLAUDE.md", "--dry-run"),
        ("doc", "add", "CLAUDE.md", "--dry-run"),
    ],
    ids=["export", "observe", "import", "doc add"],
)
def test_an_export_an_observed_program_and_a_dry_run_make_no_database(
    recairn, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "CLAUDE.md").write_text("# Lamp\n\n- Wipe the lens after every storm\n")
    assert recairn("--db", "typo/x.db", *words).status == 0
    assert not (tmp_path / "typo").exists()


def test_a_mistyped_path_is_named_and_nothing_is_made_there(recairn, tmp_path):
    path = tmp_path / "typo" / "x.db"
    ran = recairn("--db", str(path), "recent")
    assert (ran.status, ran.err) == (0, f"note: there is no database at {path}\n")
    assert not path.parent.exists()


def test_a_person_at_a_terminal_is_told_where_was_looked(recairn, monkeypatch, own_home):
    monkeypatch.delenv("RECAIRN_DB", raising=False)
    assert "there is no database at" in recairn("recent", tty=True).err


def test_nothing_is_not_said_to_be_healthy_or_to_take_room(recairn, tmp_path):
    path = str(tmp_path / "typo.db")
    assert recairn("--db", path, "verify").status == 1
    assert recairn("--db", path, "stats", "--json").json["bytes"] == 0


@pytest.mark.parametrize("size", [1, 16, 511])
@pytest.mark.parametrize("words", [("recent",), ("add", "Trim the wick")], ids=["recent", "add"])
def test_a_file_too_small_for_a_database_is_refused_and_left_alone(recairn, tmp_path, size, words):
    path = tmp_path / "small.db"
    path.write_bytes(b"x" * size)
    ran = recairn("--db", str(path), *words)
    assert ran.status == 1
    assert f"{path} is not a database" in ran.err.replace(": this is", " is")
    assert path.read_bytes() == b"x" * size


def test_an_empty_file_is_an_empty_memory_until_something_is_kept(recairn, tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    assert recairn("--db", str(path), "recent").status == 0
    assert path.read_bytes() == b""
    assert recairn("--db", str(path), "add", "Trim the wick").status == 0
    assert recairn("--db", str(path), "recent", "--json").json["memories"]
