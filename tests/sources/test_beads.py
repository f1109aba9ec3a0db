"""Issues of beads become tasks, with what they wait for."""

import json

import pytest

from recairn.sources import sources_of

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
TS = "2026-02-02T02:40:00Z"


def issue(name, title, **more):
    return {"id": name, "title": title, "status": "open", "priority": 2, "issue_type": "task",
            "created_at": TS, "updated_at": TS, **more}  # fmt: skip


def on(other, kind="blocks"):
    return {"issue_id": "x", "depends_on_id": other, "type": kind, "created_at": TS}


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / ".beads"
    folder.mkdir()

    def to(*lines):
        raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
        (folder / "issues.jsonl").write_bytes(b"\n".join(raw))
        return folder

    return to


def test_issues_become_tasks_with_parents_and_dependencies(memory, write):
    path = write(
        issue(
            "bd-2",
            "Caulk the deck",
            description="It leaks",
            design="Oakum",
            priority=1,
            labels=["deck"],
            status="in_progress",
            dependencies=[on("bd-1"), on("bd-0", "parent-child"), on("bd-1", "discovered-from")],
        ),
        issue("bd-1", "Buy oakum", status="closed", closed_at=TS, close_reason="bought"),
        issue("bd-0", "Spring work", issue_type="epic"),
    )
    (done,) = memory.import_from(path)
    assert (done.source, done.besides) == ("beads", {"task": 3, "dependency": 1})
    caulk, oakum = memory.task("bd-2"), memory.task("bd-1")
    assert (caulk.status, caulk.parent, caulk.depends_on, caulk.score) == (
        "active",
        "bd-0",
        ("bd-1",),
        300.0,
    )
    assert caulk.description == "It leaks\n\nDesign:\nOakum"
    assert caulk.metadata["links"] == ["discovered-from bd-1"]
    assert (caulk.metadata["labels"], caulk.metadata["original_status"]) == (
        ["deck"],
        "in_progress",
    )
    assert (oakum.status, oakum.completed_at, oakum.metadata["close_reason"]) == (
        "done",
        T0,
        "bought",
    )
    assert memory.import_from(path)[0].besides == {}


def test_the_latest_state_of_an_issue_holds_and_a_change_is_followed(memory, write):
    later = issue("bd-1", "Buy much oakum", updated_at="2026-03-01T00:00:00Z")
    memory.import_from(write(later, issue("bd-1", "Buy oakum")))
    assert memory.task("bd-1").title == "Buy much oakum"
    memory.import_from(write({**later, "status": "closed"}))
    assert memory.task("bd-1").status == "done"


def test_broken_issues_are_told_and_stop_nothing(memory, write):
    path = write(
        b"{",
        issue("", "nameless"),
        issue("bd-1", ""),
        issue("bd-2", "Odd", priority="high"),
        issue("bd-3", "Odd", dependencies={"a": 1}),
        issue("bd-4", "Odd", status="sunk"),
        issue("bd-5", "Waits for nothing", dependencies=[on("bd-99")]),
        issue("bd-6", "Waits for itself", dependencies=[on("bd-6")]),
        issue("bd-7", "Good"),
    )
    (done,) = memory.import_from(path)
    lines = [int(each.place.rpartition(":")[2]) for each in done.errors]
    assert sorted(lines) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert sorted(task.id for task in memory.tasks()) == ["bd-5", "bd-6", "bd-7"]


def test_the_path_tells_that_it_is_beads(write, tmp_path):
    path = write(issue("bd-1", "x"))
    assert [each.name for each in sources_of(str(path))] == ["beads"]
    assert [each.name for each in sources_of(str(path / "issues.jsonl"))] == ["beads"]


def test_an_issue_that_is_gone_is_told_until_it_is_done_here(memory, write):
    memory.import_from(write(issue("bd-1", "Buy oakum"), issue("bd-2", "Caulk the deck")))
    (done,) = memory.import_from(write(issue("bd-1", "Buy oakum")))
    assert list(done.warnings) == ["task bd-2 is no longer there: Caulk the deck"]
    memory.finish_task("bd-2")
    assert list(memory.import_from(write(issue("bd-1", "Buy oakum")))[0].warnings) == []
