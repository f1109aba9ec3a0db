"""Commands that bring memories to files."""

from __future__ import annotations

import csv
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest


def test_an_export_holds_every_memory_and_its_history(lamp):
    lamp("forget", "1")
    ran = lamp("export")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert records[0] == {"type": "recairn", "version": 1}
    assert [(r["content"], "deleted_at" in r) for r in records if r["type"] == "memory"] == [
        ("Wipe the lens after every storm", True)
    ]
    assert [r["event"] for r in records if r["type"] == "event"] == ["created", "forgotten"]


def test_a_reader_that_stops_early_hears_nothing_more(lamp, own_home):
    """A real process: what a generator says when it is thrown away goes past every handler."""
    for number in range(400):
        lamp("add", f"Storm number {number} took the weathercock", "--force")
    command = [str(Path(sys.executable).with_name("recairn")), "export"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        writer.stdout.readline()
        writer.stdout.close()
        assert writer.stderr.read() == b""


def test_one_document_holds_the_same_records(lamp, tmp_path):
    lines = lamp("export").out.splitlines()
    lamp("export", "--format", "json", "all.json")
    document = json.loads((tmp_path / "all.json").read_text())
    assert document["records"] == [json.loads(line) for line in lines]


def test_an_exported_file_is_private_and_replaced_whole(lamp, tmp_path):
    target = tmp_path / "all.jsonl"
    target.write_text("something older")
    assert lamp("export", "all.jsonl").status == 0
    assert target.read_text().startswith('{"type": "recairn"')
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*.new")] == []


def test_an_export_never_writes_through_a_link(lamp, tmp_path):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "all.jsonl").symlink_to(tmp_path / "precious")
    ran = lamp("export", "all.jsonl")
    assert ran.status == 1
    assert "all.jsonl is a symbolic link" in ran.err
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_table_marks_formulas_as_text(lamp):
    lamp("add", "=HYPERLINK(evil)", "-k", "note")
    rows = list(csv.DictReader(lamp("export", "--format", "csv", "-k", "note").out.splitlines()))
    assert [(row["id"], row["content"]) for row in rows] == [("2", "'=HYPERLINK(evil)")]


def test_markdown_shows_kinds_fields_and_standing(lamp):
    lamp("add", "Burn rape oil", "-k", "decision", "--rationale", "whales are scarce <soon>")
    lamp("forget", "1")
    text = lamp("export", "--format", "markdown").out
    assert text.startswith("# Memories\n\n## Decision\n\n### Burn rape oil\n")
    assert "**Rationale**: whales are scarce \\<soon\\>\n" in text
    assert "## Learning\n\n### Wipe the lens after every storm\n" in text
    assert " · **forgotten**" in text


def test_a_complete_format_takes_no_choice_of_kinds(lamp):
    ran = lamp("export", "-k", "note")
    assert ran.status == 1
    assert "jsonl is always complete" in ran.err


def test_an_export_is_imported_by_its_name_alone(lamp, tmp_path, monkeypatch):
    lamp("export", "all.jsonl")
    monkeypatch.setenv("RECAIRN_DB", str(tmp_path / "new.db"))
    ran = lamp("import", "all.jsonl")
    assert (ran.status, ran.out) == (0, "all.jsonl: 1 added, 0 unchanged\n")
    assert "Wipe the lens" in lamp("show", "1").out


def test_the_history_tells_what_a_pull_changed_and_nothing_of_its_book_keeping(
    lamp, tmp_path, monkeypatch
):
    monkeypatch.setenv("RECAIRN_PROJECT", "tower")
    memory = str(lamp("add", "Trim the wick", "--json").json["id"])
    lamp("mirror", "on", "memory")
    path = tmp_path / "memory" / "learning.jsonl"
    path.write_text(path.read_text().replace("Trim the wick", "Trim both wicks"))
    lamp("mirror", "pull")
    (change,) = lamp("history", memory, "--json").json["events"][1:]
    assert change["changes"] == {
        "content": {"before": "Trim the wick", "after": "Trim both wicks"},
        "trust": {"before": "verified", "after": "attributed"},
        "author": {"before": "person", "after": "repository:memory"},
    }
    assert "changed_at" not in lamp("history", memory).out


def test_a_mirror_is_written_pulled_and_left(lamp, tmp_path, monkeypatch):
    monkeypatch.setenv("RECAIRN_PROJECT", "tower")
    assert lamp("mirror").out.startswith("no mirrors")
    lamp("add", "Trim the wick")
    ran = lamp("mirror", "on", "memory")
    assert ran.out == f"{tmp_path}/memory is kept in step with tower from now on\n  nothing new\n"
    lamp("add", "Ring the bell", "-k", "rule")
    assert "Ring the bell" in (tmp_path / "memory" / "rule.jsonl").read_text()
    with (tmp_path / "memory" / "rule.jsonl").open("a") as file:
        file.write('{"content": "Never smoke in the lamp room"}\nnonsense\n')
    ran = lamp("mirror", "pull")
    assert ran.status == 1
    assert ran.out == f"Pulled {tmp_path}/memory\n  1 added, 2 unchanged, 1 waiting\n"
    assert ran.err.splitlines() == [
        "note: 1 wait for your word: recairn review",
        "recairn: rule.jsonl:3: not JSON",
    ]
    state = lamp("mirror", "status", "--json").json["mirrors"]
    assert [(each["project"], each["behind"], each["clashes"]) for each in state] == [
        ("tower", 0, [])
    ]
    assert lamp("mirror", "rebuild").status == 1
    assert lamp("mirror", "rebuild", "--yes", "--json").json["forgotten"] == 0
    lamp("mirror", "off", "memory")
    assert lamp("mirror", "status").out.startswith("no mirrors")


@pytest.fixture
def mirrored(recairn, tmp_path):
    """A mirror in the folder `memory` that holds #1."""
    (tmp_path / ".git").mkdir()
    recairn("add", "Wipe the lens after every storm")
    recairn("mirror", "on", "memory")
    return recairn


def test_mirror_status_reads_the_files_and_says_what_a_pull_would_bring(mirrored, tmp_path):
    file = tmp_path / "memory" / "learning.jsonl"
    assert "  in step\n" in mirrored("mirror", "status").out
    line = json.loads(file.read_text())
    other = {**line, "uid": "01hzzzzzzz0000000000000000", "content": "Ring the bell in fog"}
    del other["version"]
    edited = {**line, "content": "Wipe the lens after every gale"}
    file.write_text("".join(json.dumps(each) + "\n" for each in (edited, other)))
    (tmp_path / "memory" / "fact.jsonl").write_text('{"content": "The tower is white"}\n')
    said = mirrored("mirror", "status").out
    assert "a pull would bring 2 new, 1 changed\n" in said
    assert f"recairn mirror pull {tmp_path / 'memory'} takes that in\n" in said
    assert mirrored("recent").out.count("#") == 1
    (state,) = mirrored("mirror", "status", "--json").json["mirrors"]
    assert (state["incoming"]["added"], state["incoming"]["updated"]) == (2, 1)
    mirrored("mirror", "pull")
    assert "  in step\n" in mirrored("mirror", "status").out
    assert "gale" in mirrored("show", "1").out


def test_mirror_status_names_a_line_that_cannot_be_read(mirrored, tmp_path):
    with (tmp_path / "memory" / "learning.jsonl").open("a") as file:
        file.write("nonsense\n")
    ran = mirrored("mirror", "status")
    assert "learning.jsonl:2: not JSON" in ran.err


@pytest.mark.parametrize(
    "words", [("add", "Ring the bell"), ("helpful", "1"), ("stats",), ("forget", "1")]
)
def test_a_mirror_whose_folder_is_gone_is_announced(mirrored, tmp_path, words):
    (tmp_path / "memory").rename(tmp_path / "elsewhere")
    ran = mirrored(*words)
    assert ran.status == 0
    path = tmp_path / "memory"
    assert f"note: the mirror {path} is not there" in ran.err
    assert f"recairn mirror on {path} makes it again" in ran.err
    assert not path.exists()


def test_doctor_and_mirror_status_say_how_to_mend_a_mirror(mirrored, tmp_path):
    (tmp_path / "memory").rename(tmp_path / "elsewhere")
    path = tmp_path / "memory"
    assert f"warning  the mirror {path} is not there\n" in mirrored("doctor").out
    said = mirrored("mirror", "status").out
    assert f"{path}  {tmp_path.name}  not there\n  recairn mirror on {path} makes it again" in said
    mirrored("mirror", "off", str(path))
    assert mirrored("add", "Ring the bell").err == ""


def test_numbers_in_a_second_clone_follow_creation_as_in_the_first(recairn, tmp_path, own_home):
    (tmp_path / ".git").mkdir()
    kinds = ("rule", "fact", "decision", "learning", "fact", "rule")
    for number, kind in enumerate(kinds, start=1):
        recairn("add", f"Memory {number} speaks of jetty{number}", "-k", kind)
    recairn("mirror", "on", "memory")
    there = ("--db", str(own_home / "second.db"))
    assert recairn(*there, "mirror", "on", "memory").status == 0
    for number in range(1, len(kinds) + 1):
        same = recairn(*there, "show", str(number), "--json").json
        assert same["content"] == f"Memory {number} speaks of jetty{number}"
        assert same["uid"] == recairn("show", str(number), "--json").json["uid"]
