"""JSON lines of our own: exports come back whole, drafts come in once."""

from __future__ import annotations

import json

import pytest

import recairn
from recairn.core.errors import BadInput


def write_lines(path, *values) -> None:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


@pytest.fixture
def memory(tmp_path, clock):
    with recairn.open(tmp_path / "tower.db", project="tower", model="none", clock=clock) as opened:
        yield opened


@pytest.fixture
def export(tmp_path, memory):
    """A file that holds everything of a small database."""
    memory.remember("Trim the wick", kind="rule")
    memory.remember("Burn rape oil", kind="decision", supersede=1)
    path = tmp_path / "all.jsonl"
    write_lines(path, *memory.export_records())
    return path


def counts(done) -> tuple[int, int, int, int]:
    (one,) = done
    return one.added, one.changed, one.unchanged, one.failed


def test_an_export_comes_back_whole_and_once(tmp_path, memory, export, clock):
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as other:
        assert counts(other.import_from(export, dry_run=True)) == (2, 0, 0, 0)
        assert other.count() == 0
        assert counts(other.import_from(export, as_mine=True)) == (2, 0, 0, 0)
        assert counts(other.import_from(export)) == (0, 0, 2, 0)
        assert list(other.export_records()) == list(memory.export_records())


def test_one_document_comes_back_like_the_lines(tmp_path, memory, clock):
    memory.remember("Trim the wick", kind="rule")
    lines = ",\n".join(json.dumps(record) for record in memory.export_records())
    path = tmp_path / "all.json"
    path.write_text(f'{{"records": [\n{lines}\n]}}\n')
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as other:
        assert counts(other.import_from(path, as_mine=True)) == (1, 0, 0, 0)
        assert list(other.export_records()) == list(memory.export_records())


def test_a_damaged_export_gives_what_is_sound_and_names_the_rest(tmp_path, export, clock):
    lines = export.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:40] + b"\n"
    lines.insert(3, b'"just text"\n')
    lines.append(b"[" * 100_000 + b"\n")
    lines.append(b'{"type": "memory", "uid": "\xff"}\n')
    export.write_bytes(b"".join(lines))
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as other:
        (done,) = other.import_from(export)
        assert [each.content for each in other.listing()] == ["Burn rape oil"]
        told = [(each.place.rpartition(":")[2], each.reason[:20]) for each in done.errors]
        assert told[:2] == [("2", "not JSON: Unterminat"), ("4", "not an object")]
        assert (str(len(lines) - 1), "nested too deeply") in told
        assert (str(len(lines)), "not UTF-8") in told
        assert other.verify().problems == ()


def test_drafts_come_in_once_and_a_changed_one_supersedes(tmp_path, memory):
    path = tmp_path / "drafts.jsonl"
    first = {"content": "Trim the wick", "external_id": "log-1", "created_at": "2021-03-04"}
    write_lines(path, first, {"content": "The kettle is cracked", "kind": "failure"})
    assert counts(memory.import_from(path)) == (2, 0, 0, 0)
    assert counts(memory.import_from(path)) == (0, 0, 2, 0)
    write_lines(path, {**first, "content": "Trim both wicks at dusk"})
    assert counts(memory.import_from(path)) == (0, 1, 0, 0)
    assert {each.content for each in memory.listing()} == {
        "Trim both wicks at dusk",
        "The kettle is cracked",
    }
    old = memory.get(1)
    assert old is not None
    assert (old.superseded_by, old.created_at) == (3, 1_614_816_000_000)


def test_a_bad_draft_is_named_with_its_line(tmp_path, memory):
    path = tmp_path / "drafts.jsonl"
    write_lines(
        path,
        {"content": "Trim the wick"},
        {"content": 7},
        {"content": "Ring", "colour": "red"},
        {"content": "Ring", "importance": 9},
        ["a list"],
    )
    (done,) = memory.import_from(path)
    assert (done.added, done.failed) == (1, 4)
    assert [each.place.rpartition(":")[2] for each in done.errors] == ["2", "3", "5", "4"]


def test_a_newer_export_is_refused_before_anything_is_written(tmp_path, memory):
    path = tmp_path / "all.jsonl"
    write_lines(path, {"type": "recairn", "version": 9}, {"uid": "x", "content": "y"})
    with pytest.raises(BadInput, match="version 9"):
        memory.import_from(path)
    assert memory.count() == 0
