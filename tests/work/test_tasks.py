"""Tasks through the engine."""

from __future__ import annotations

import pytest

from recairn.core.errors import Ambiguous, BadInput, NotFound, Refused
from tests.corpus import NOW, PROJECT, opened

SECRET = "ghp_" + "x8Kd02mQpLw9ZrT5vB7nYc3sJf6hGa1eUiOo"


def ids(tasks):
    return [each.id for each in tasks]


def test_a_new_task_is_open_and_belongs_to_the_project(memory):
    task = memory.add_task("Draw the tide chart", category="charts", score=2)
    assert task.id.startswith("t-")
    assert len(task.id) == 10
    assert (task.status, task.project, task.score, task.ready) == ("open", PROJECT, 2.0, True)
    assert (task.created_at, task.started_at, task.completed_at) == (NOW, None, None)
    assert memory.task(task.id) == task


@pytest.mark.parametrize(
    "name", ["tx-a1b2c3d4", "bd-12", "bd-a3f8.1", "ENG-7", "shop#9", "a/b:c_d"]
)
def test_the_id_of_another_tracker_is_kept(memory, name):
    assert memory.add_task("Same work", id=name).id == name
    assert memory.task(name).title == "Same work"


@pytest.mark.parametrize("name", ["", "-x", "a b", "../up", "a\nb", "x" * 101, SECRET])
def test_what_cannot_be_an_id_is_refused(memory, name):
    with pytest.raises(BadInput):
        memory.add_task("Work", id=name)
    assert memory.tasks() == []


def test_an_id_is_taken_once_whatever_its_case(memory):
    memory.add_task("Work", id="BD-12")
    with pytest.raises(Refused, match="there is a task BD-12 already"):
        memory.add_task("Other work", id="bd-12")


def test_the_beginning_of_an_id_is_enough_when_only_one_begins_so(memory):
    memory.add_task("One", id="tx-a1b2c3d4")
    memory.add_task("Two", id="tx-a1ffffff")
    assert memory.task("tx-a1b").title == "One"
    assert memory.task("a1f").title == "Two"
    with pytest.raises(Ambiguous, match="tx-a1b2c3d4, tx-a1ffffff"):
        memory.task("tx-a1")
    for nobody in ("tx-zz", "", "%"):
        with pytest.raises(NotFound):
            memory.task(nobody)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("backlog", "open"),
        ("ready", "open"),
        ("planning", "open"),
        ("in_progress", "active"),
        ("review", "active"),
        ("human_needs_to_review", "active"),
        ("deferred", "blocked"),
        ("closed", "done"),
    ],
)
def test_the_status_of_another_tracker_is_mapped_and_kept(memory, theirs, ours):
    task = memory.add_task("Work", status=theirs)
    assert (task.status, dict(task.metadata)) == (ours, {"original_status": theirs})


def test_an_own_status_leaves_no_trace_in_the_metadata(memory):
    assert dict(memory.add_task("Work", status="blocked").metadata) == {}


def test_an_unknown_status_or_field_names_the_known_ones(memory):
    with pytest.raises(BadInput, match="known: open, active, blocked, done"):
        memory.add_task("Work", status="someday")
    with pytest.raises(BadInput, match="did you mean 'category'"):
        memory.add_task("Work", categry="x")
    with pytest.raises(BadInput, match="needs a title"):
        memory.add_task("  ")


def test_every_text_is_cleaned_and_redacted(memory):
    task = memory.add_task(
        f"Use {SECRET}\x1b[2J now",
        description=f"key={SECRET}",
        metadata={"notes": [f"token {SECRET}"]},
    )
    memory.finish_task(task.id, "failure", f"because {SECRET}")
    memory.block_task(memory.add_task("Other").id, f"no {SECRET}")
    known = repr(
        [*memory.tasks(all=True), *(memory.task_events(each.id) for each in memory.tasks(all=True))]
    )
    assert SECRET not in known
    assert "\x1b" not in known


def test_ready_are_open_tasks_that_wait_for_nothing_by_score(memory):
    low = memory.add_task("Low", score=1).id
    high = memory.add_task("High", score=9).id
    later = memory.add_task("Later", score=99, depends_on=[high]).id
    assert ids(memory.ready_tasks()) == [high, low]
    assert memory.task(later).waits_for == (high,)
    memory.finish_task(high)
    assert ids(memory.ready_tasks()) == [later, low]
    assert ids(memory.ready_tasks(limit=1)) == [later]


def test_a_circle_of_dependencies_is_refused_and_named(memory):
    for name in ("a", "b", "c"):
        memory.add_task(name, id=name)
    memory.add_dependency("a", "b")
    memory.add_dependency("b", "c")
    with pytest.raises(Refused, match=r"c cannot depend on a.*\(c -> a -> b -> c\)"):
        memory.add_dependency("c", "a")
    with pytest.raises(Refused, match=r"\(a -> a\)"):
        memory.add_dependency("a", "a")
    assert memory.task("c").depends_on == ()


def test_the_hint_of_a_refused_circle_is_a_command_that_opens_it(memory):
    for name in ("a", "b", "c"):
        memory.add_task(name, id=name)
    memory.add_dependency("a", "b")
    memory.add_dependency("b", "c")
    with pytest.raises(Refused) as refused:
        memory.add_dependency("c", "a")
    assert refused.value.hint == "recairn task dep rm b c"
    memory.remove_dependency("b", "c")
    assert memory.add_dependency("c", "a").depends_on == ("a",)


def test_a_task_cannot_be_its_own_ancestor(memory):
    memory.add_task("a", id="a")
    memory.add_task("b", id="b", parent="a")
    memory.add_task("c", id="c", parent="b")
    with pytest.raises(Refused, match=r"\(a -> c -> b -> a\)"):
        memory.edit_task("a", parent="c")
    assert ids(memory.tasks(parent="a")) == ["b"]
    assert memory.edit_task("c", parent=None).parent is None


def test_removing_a_dependency_that_is_not_there_says_so(memory):
    memory.add_task("a", id="a")
    memory.add_task("b", id="b")
    with pytest.raises(NotFound, match="a does not depend on b"):
        memory.remove_dependency("a", "b")


def test_starting_makes_a_task_active_and_current_until_it_is_done(memory, clock):
    task = memory.add_task("Work")
    assert memory.current_task() is None
    clock.advance(1000)
    assert memory.start_task(task.id).started_at == NOW + 1000
    assert memory.current_task().id == task.id
    clock.advance(1000)
    done = memory.finish_task(task.id, "success", "it draws")
    assert (done.status, done.outcome, done.outcome_note) == ("done", "success", "it draws")
    assert (done.started_at, done.completed_at) == (NOW + 1000, NOW + 2000)
    assert memory.current_task() is None


def test_a_session_knows_its_task_better_than_the_checkout(memory, tmp_path, clock):
    mine, theirs = memory.add_task("Mine").id, memory.add_task("Theirs").id
    memory.session = "s1"
    memory.start_task(mine)
    with opened(tmp_path / "puffin.db", session="s2", clock=clock) as other:
        other.start_task(theirs)
        assert other.current_task().id == theirs
    assert memory.current_task().id == mine
    memory.session = None
    assert memory.current_task().id == theirs


def test_what_is_done_or_waits_is_begun_only_by_force(memory):
    first = memory.add_task("First").id
    second = memory.add_task("Second", depends_on=[first]).id
    with pytest.raises(Refused, match=f"{second} waits for {first}"):
        memory.start_task(second)
    assert memory.start_task(second, force=True).status == "active"
    memory.finish_task(second)
    with pytest.raises(Refused, match="is done"):
        memory.start_task(second)
    assert memory.start_task(second, force=True).completed_at is None


def test_a_finished_task_takes_a_later_outcome_and_nothing_else(memory, clock):
    task = memory.add_task("Work").id
    finished = memory.finish_task(task)
    clock.advance(50)
    assert memory.finish_task(task).updated_at == finished.updated_at
    later = memory.finish_task(task, "partial")
    assert (later.outcome, later.completed_at) == ("partial", NOW)
    with pytest.raises(BadInput, match="known: success, partial, failure"):
        memory.finish_task(task, "meh")


def test_the_outcome_reaches_what_was_handed_out_for_the_task(memory):
    task = memory.add_task("Work").id
    with memory.store.transaction():
        entry = {"at": NOW, "surface": "test", "tokens": 1, "characters": 4, "task_id": task}
        memory.store.put_injection(entry, [])
    memory.finish_task(task, "success")
    assert [each.outcome for each in memory.store.injections(task=task)] == ["success"]


def test_an_edit_keeps_what_was_there_before(memory, clock):
    task = memory.add_task("Draw", description="the old way", metadata={"labels": ["sea"]}).id
    clock.advance(5)
    edited = memory.edit_task(task, description="the new way", metadata={"points": 3})
    assert edited.description == "the new way"
    assert dict(edited.metadata) == {"labels": ["sea"], "points": 3}
    created, changed = memory.task_events(task)
    assert created["event"] == "created"
    assert (changed["event"], changed["at"]) == ("edited", NOW + 5)
    assert changed["before"]["description"] == "the old way"
    assert changed["before"]["metadata"] == '{"labels":["sea"]}'


def test_every_event_of_a_task_has_its_author(memory):
    task, other = (memory.add_task(title).id for title in ("Draw", "Buy ink"))
    memory.author = "agent:codex"
    memory.add_dependency(task, other)
    memory.block_task(task, "no ink")
    memory.author = "person"
    memory.edit_task(task, status="open")
    authors = [(each["event"], each["author"]) for each in memory.task_events(task)]
    assert authors == [
        ("created", "person"),
        ("waits for", "agent:codex"),
        ("blocked", "agent:codex"),
        ("edited", "person"),
    ]


def test_a_blocked_task_is_nobodys_current_one_and_keeps_the_reason(memory):
    task = memory.add_task("Work").id
    memory.start_task(task)
    assert memory.block_task(task, "no map licence").status == "blocked"
    assert memory.current_task() is None
    assert memory.task_events(task)[-1]["reason"] == "no map licence"
    assert memory.edit_task(task, status="open").ready


def test_a_listing_shows_this_project_without_what_is_done(memory):
    memory.add_task("Mine", id="mine")
    memory.add_task("Theirs", id="theirs", project="kestrel")
    memory.add_task("Old", id="old", status="done")
    assert ids(memory.tasks()) == ["mine"]
    assert ids(memory.tasks(all=True)) == ["mine", "old"]
    assert ids(memory.tasks(status="closed")) == ["old"]
    assert ids(memory.tasks(all_projects=True)) == ["mine", "theirs"]
    assert ids(memory.tasks(project="kestrel")) == ["theirs"]


def test_a_refused_task_leaves_nothing_behind(memory):
    with pytest.raises(NotFound):
        memory.add_task("Work", depends_on=["nobody"])
    assert memory.tasks(all=True) == []
    with pytest.raises(BadInput, match="score"):
        memory.add_task("Work", score=float("nan"))


def test_a_database_with_tasks_is_healthy(memory):
    first = memory.add_task("First").id
    memory.start_task(memory.add_task("Second", parent=first, depends_on=[]).id)
    assert memory.verify().problems == ()
    assert memory.stats()["tasks"] == 2
