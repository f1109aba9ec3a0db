"""An import that was killed, wherever, and then run again ends as if nothing had happened."""

import json

import pytest

from tests.corpus import Clock, opened, place
from tests.durability.children import start
from tests.repository import ROOT
from tests.sources.killed_import import BEACONS

PROGRAM = (ROOT / "tests" / "sources" / "killed_import.py").read_text()
ISO = "2026-02-02T02:40:00.000Z"
RECORDS = (
    {
        "id": "b-1",
        "text": "Light the north beacon at dusk",
        "links": [["superseded_by", "b-3"], ["relates_to", "b-2"]],
    },
    {"id": "b-2", "text": "Colza oil for the beacons comes by boat", "retired": "archived there"},
    {
        "id": "b-3",
        "text": "The north beacon is electric and lights itself",
        "links": [["depends_on", "b-4"]],
    },
    {"id": "b-4", "text": "The generator needs a run every week", "links": [["relates_to", "b-9"]]},
    {
        "key": "1",
        "shape": "edge",
        "values": {"source": "b-2", "target": "b-4", "relation": "relates_to"},
    },
    {"key": "t-1", "shape": "task", "values": {"id": "t-1", "title": "Paint the north beacon"}},
    {"key": "t-2", "shape": "task", "values": {"id": "t-2", "title": "Buy paint"}},
    {"key": "d", "shape": "dependency", "values": {"task_id": "t-1", "depends_on": "t-2"}},
    {"key": "q", "shape": "query", "values": {"at": ISO, "query": "paint", "tool": "beacons"}},
    {
        "key": "s",
        "shape": "session",
        "values": {"id": "watch-1", "started_at": ISO, "ended_at": ISO, "summary": "Calm"},
    },
)


@pytest.fixture
def beacons(tmp_path):
    path = tmp_path / "beacons.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in RECORDS))
    return path


def killed(database, path, commit):
    """Runs the import to the commit at which it dies; what it printed if it lived on."""
    process = start(PROGRAM, place(database), path, commit)
    out, complaints = process.communicate()
    assert process.returncode in (0, -9), complaints
    return out


def state(memory):
    """Everything an export tells, without the numbers and uids that differ between runs."""
    told = list(memory.export_records())
    names = {each["uid"]: each["external_id"] for each in told if each["type"] == "memory"}
    names[memory.replica()] = "here"  # each database has a name of its own in its stamps

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key != "id"}
        if isinstance(value, list):
            return sorted(str(plain(each)) for each in value)
        return names.get(value, value) if isinstance(value, str) else value

    return sorted(str(plain(each)) for each in told)


def test_wherever_an_import_is_killed_the_next_run_ends_the_same(tmp_path, beacons):
    """Killed at each of its commits in turn, the last batch, the links and the rest included."""
    whole = tmp_path / "whole.db"
    commits = int(killed(whole, beacons, 0))
    with opened(whole, clock=Clock()) as memory:
        wanted = state(memory)
        assert [each["type"] for each in memory.export_records()].count("edge") == 4
    assert commits >= 6
    for commit in range(1, commits + 1):
        database = tmp_path / f"{commit}.db"
        assert killed(database, beacons, commit) == ""
        with opened(database, clock=Clock()) as memory:
            memory.import_from(beacons, BEACONS)
            assert state(memory) == wanted, f"killed at commit {commit}"
            assert memory.verify().problems == ()
            (again,) = memory.import_from(beacons, BEACONS)
            assert (again.added, again.linked, again.besides) == (0, 0, {})
