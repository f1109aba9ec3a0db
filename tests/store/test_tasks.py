"""What every store promises about tasks and about what was handed out."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Act, Draft, TaskFilter
from tests.corpus import NOW, PROJECT

ACT = Act(NOW, "s1", "")


def put(store, *names, **columns):
    with store.transaction():
        for name in names:
            row = {"id": name, "title": f"title of {name}", "project": PROJECT}
            store.put_task({**row, "created_at": NOW, "updated_at": NOW, **columns}, ACT)


def ids(store, **filter):
    return [row.id for row in store.tasks(TaskFilter(**filter))]


def depend(store, task, on):
    with store.transaction():
        return store.add_dependency(task, on, ACT)


def remembered(store, *contents):
    ready = [
        prepare(Draft(content=each), project=PROJECT, session=None, allow=(), now=NOW)
        for each in contents
    ]
    with store.transaction():
        return store.put([(each.row, each.keys) for each in ready])


def handed(store, memories, *, at=NOW, **columns):
    entry = {"at": at, "surface": "test", "tokens": 30, "characters": 120, **columns}
    with store.transaction():
        return store.put_injection(entry, [(each, 10, 0.5) for each in memories])


def test_a_task_comes_back_with_its_columns(store):
    put(store, "t-1", description="long", score=2.0, metadata={"labels": ["sea"]})
    (row,) = store.tasks(TaskFilter(ids=("t-1",)))
    assert row._asdict() == {
        "id": "t-1",
        "title": "title of t-1",
        "description": "long",
        "category": "",
        "project": PROJECT,
        "status": "open",
        "score": 2.0,
        "parent": None,
        "outcome": None,
        "outcome_note": "",
        "source_type": "manual",
        "source_ref": "",
        "session_id": None,
        "metadata": {"labels": ["sea"]},
        "created_at": NOW,
        "updated_at": NOW,
        "started_at": None,
        "completed_at": None,
        "depends_on": (),
        "waits_for": (),
    }


def test_tasks_come_by_status_then_score_then_age(store):
    put(store, "d", status="done", score=9.0)
    put(store, "b", status="blocked", score=9.0)
    put(store, "low", score=1.0)
    put(store, "young", score=3.0, created_at=NOW + 1)
    put(store, "old", score=3.0)
    put(store, "a", status="active")
    assert ids(store) == ["a", "old", "young", "low", "b", "d"]
    assert ids(store, limit=2) == ["a", "old"]


def test_a_listing_is_filtered_by_every_column_it_offers(store):
    put(store, "p")
    put(store, "k", project="kestrel", category="wings", parent_id="p", status="active")
    assert ids(store, project="kestrel") == ["k"]
    assert ids(store, category="wings") == ["k"]
    assert ids(store, parent="p") == ["k"]
    assert ids(store, statuses=("active", "done")) == ["k"]
    assert ids(store, ids=()) == []


def test_ready_is_open_with_all_dependencies_done(store):
    put(store, "first", "second", "third")
    put(store, "busy", status="active")
    depend(store, "second", "first")
    depend(store, "third", "second")
    assert ids(store, ready=True) == ["first"]
    with store.transaction():
        store.change_task("first", {"status": "done"}, "done", ACT)
    assert ids(store, ready=True) == ["second"]
    second, third = store.tasks(TaskFilter(ids=("second", "third")))
    assert (second.depends_on, second.waits_for) == (("first",), ())
    assert third.waits_for == ("second",)


def test_a_dependency_is_added_and_removed_once(store):
    put(store, "a", "b")
    assert depend(store, "a", "b") is True
    assert depend(store, "a", "b") is False
    assert store.dependents("b") == ["a"]
    with store.transaction():
        assert store.remove_dependency("a", "b", ACT) is True
        assert store.remove_dependency("a", "b", ACT) is False
    assert [each.event for each in store.task_events("a")] == [
        "created",
        "waits for",
        "waits no more for",
    ]


def test_an_exact_id_is_found_before_its_continuations_and_other_cases(store):
    put(store, "bd-1", "bd-12", "BD-12", "tx-12ab")
    assert store.find_tasks("bd-1") == ["bd-1"]
    assert store.find_tasks("bd-12") == ["bd-12"]
    assert store.find_tasks("bD-12") == ["BD-12", "bd-12"]
    assert store.find_tasks("tx-1") == ["tx-12ab"]
    assert store.find_tasks("12a") == ["tx-12ab"]
    assert store.find_tasks("%") == []


def test_namesakes_of_a_task_differ_in_case_alone(store):
    put(store, "bd-12", "BD-12", "bd-123")
    assert store.task_namesakes("bd-12") == ["bd-12", "BD-12"]
    assert store.task_namesakes("Bd-12") == ["BD-12", "bd-12"]
    assert store.task_namesakes("bd-1") == []


def test_a_change_keeps_what_was_there_before(store):
    put(store, "a")
    with store.transaction():
        changes = {"title": "new", "category": "", "updated_at": NOW + 5}
        store.change_task("a", changes, "edited", Act(NOW + 5, "s2", "typo"))
    assert store.task_events("a")[1]._asdict() == {
        "at": NOW + 5,
        "event": "edited",
        "reason": "typo",
        "before": {"title": "title of a"},
        "session_id": "s2",
        "author": "person",
    }


def test_a_place_is_at_work_on_one_task_until_it_leaves_it(store):
    put(store, "a", "b")
    with store.transaction():
        store.set_current_task("desk", "a")
        store.set_current_task("desk", "b")
        store.set_current_task("boat", "b")
    assert store.current_task("desk") == "b"
    assert store.current_task("pier") is None
    with store.transaction():
        store.leave_task("b")
    assert (store.current_task("desk"), store.current_task("boat")) == (None, None)


# What was handed out


def test_what_was_handed_out_comes_back_in_order(store):
    gull, tern = remembered(store, "one gull", "two terns")
    first = handed(store, [tern, gull], task_id="t-1", session_id="s1")
    handed(store, [gull], at=NOW + 1)
    (only,) = store.injections(task="t-1")
    assert (only.id, only.surface, only.tokens) == (first, "test", 30)
    assert [each.memory for each in only.memories] == [tern, gull]
    assert [each.position for each in only.memories] == [1, 2]
    assert len(store.injections()) == 2
    assert len(store.injections(since=NOW + 1)) == 1
    assert len(store.injections(session="s1")) == 1


def test_a_memory_erased_meanwhile_is_left_out_of_the_ledger(store):
    (gull,) = remembered(store, "one gull")
    handed(store, [gull, 999])
    assert [each.memory for each in store.injections()[0].memories] == [gull]


def test_an_outcome_reaches_all_that_was_handed_out_for_the_task(store):
    handed(store, [], task_id="t-1")
    handed(store, [], task_id="t-1")
    handed(store, [], task_id="t-2")
    with store.transaction():
        assert store.note_outcome("t-1", "success", NOW + 9) == 2
    assert [each.outcome for each in store.injections()] == ["success", "success", None]
    assert store.injections()[0].outcome_at == NOW + 9
    with store.transaction():
        store.note_outcome("t-1", None, NOW + 10)
    assert {(each.outcome, each.outcome_at) for each in store.injections()} == {(None, None)}


def test_an_outcome_is_written_once_to_injections_that_have_none(store):
    handed(store, [], task_id="t-1")
    handed(store, [])
    with store.transaction():
        store.note_outcome("t-1", "success", NOW + 9)
        store.settle_injections([each.id for each in store.injections()], "failure", NOW + 10)
    assert [(each.outcome, each.outcome_at) for each in store.injections()] == [
        ("success", NOW + 9),
        ("failure", NOW + 10),
    ]


def used(store):
    return [[each.used for each in one.memories] for one in store.injections()]


def mark(store, memories, how, *, session=None, since=0, at=NOW + 10):
    with store.transaction():
        return store.note_used(memories, how, session=session, since=since, at=at)


def test_a_use_is_marked_where_the_memory_was_handed_out_last(store):
    (gull,) = remembered(store, "one gull")
    handed(store, [gull])
    handed(store, [gull], at=NOW + 1)
    assert mark(store, [gull, 999], "expanded") == 1
    assert used(store) == [[None], ["expanded"]]


def test_a_use_is_marked_in_the_own_session_first(store):
    (gull,) = remembered(store, "one gull")
    handed(store, [gull], session_id="s1")
    handed(store, [gull], at=NOW + 1, session_id="s2")
    mark(store, [gull], "cited", session="s1")
    assert used(store) == [["cited"], [None]]


def test_a_stronger_mark_stays(store):
    (gull,) = remembered(store, "one gull")
    handed(store, [gull])
    assert mark(store, [gull], "cited") == 1
    assert mark(store, [gull], "expanded") == 0
    assert used(store) == [["cited"]]
    assert mark(store, [gull], "helpful") == 1


def test_what_was_handed_out_too_long_ago_or_later_is_not_marked(store):
    (gull,) = remembered(store, "one gull")
    handed(store, [gull])
    assert mark(store, [gull], "cited", since=NOW + 1) == 0
    assert mark(store, [gull], "cited", at=NOW - 1) == 0


@pytest.fixture
def ledger(store):
    gull, tern = remembered(store, "one gull", "two terns")
    handed(store, [gull, tern], task_id="t-1", project=PROJECT)
    handed(store, [gull], task_id="t-1", project=PROJECT, at=NOW + 1)
    handed(store, [], project="kestrel", at=NOW + 2)
    mark(store, [gull], "helpful")
    with store.transaction():
        store.note_outcome("t-1", "partial", NOW + 3)
    return store


def test_the_ledger_counts_by_task(ledger):
    assert [row._asdict() for row in ledger.ledger("task", 0, None)] == [
        {
            "name": "t-1",
            "times": 2,
            "memories": 2,
            "tokens": 60,
            "cited": 0,
            "expanded": 0,
            "helpful": 1,
            "success": 0,
            "partial": 2,
            "failure": 0,
            "last_at": NOW + 1,
        },
        {
            "name": "",
            "times": 1,
            "memories": 0,
            "tokens": 30,
            "cited": 0,
            "expanded": 0,
            "helpful": 0,
            "success": 0,
            "partial": 0,
            "failure": 0,
            "last_at": NOW + 2,
        },
    ]


def test_the_ledger_counts_by_moment_or_else_by_surface(ledger):
    first = ledger.injections()[0]
    with ledger.transaction():
        turn = {"at": NOW, "session_id": "s1", "event": "prompt", "injection": first.id}
        ledger.put_turn(turn)
    rows = ledger.ledger("moment", 0, None)
    assert [(row.name, row.times, row.tokens) for row in rows] == [
        (first.surface, 2, 60),
        ("prompt", 1, 30),
    ]


def test_the_ledger_counts_by_memory(ledger):
    rows = ledger.ledger("memory", 0, PROJECT)
    assert [(row.times, row.tokens, row.helpful) for row in rows] == [
        (2, 20, 1),
        (1, 10, 0),
    ]
    assert ledger.ledger("memory", NOW + 2, PROJECT) == []
    assert ledger.handed_out(0, PROJECT) == (2, 60)
    assert ledger.handed_out(NOW + 2, None) == (1, 30)


def test_two_contexts_under_one_number_are_both_kept(store):
    (memory,) = remembered(store, "one tern")
    assert handed(store, [memory], id=77) == 77
    assert handed(store, [memory], id=77) == 78
    assert [each.id for each in store.injections()] == [77, 78]
