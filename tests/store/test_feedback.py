"""What every store promises about evidence, compactions, and standing memories."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Draft, Event, Filter
from tests.corpus import NOW, PROJECT, logged_search


def keep(store, content, **fields):
    draft = Draft(content=content, **fields)
    ready = prepare(draft, project=PROJECT, session=None, allow=(), now=NOW)
    with store.transaction():
        return store.put([(ready.row, ready.keys)])[0]


@pytest.fixture
def gull(store):
    return keep(store, "a gull")


def say(store, memory, score=1.0, **more):
    event = Event(0, memory, NOW, "rated", "", {}, {}, None, None)
    with store.transaction():
        store.change(memory, {"helpful": score}, event)
        store.add_feedback(memory, {"at": NOW, "score": score, "source": "user", **more})


def test_evidence_is_found_by_memory_and_by_task_in_order(store, gull):
    tern = keep(store, "a tern")
    say(store, gull, 1.0, task_id="t-1", weight=0.5, query="birds", note="seen")
    say(store, gull, 0.0)
    say(store, tern, 0.5, task_id="t-1")
    assert [row.score for row in store.feedback(memory=gull)] == [1.0, 0.0]
    assert [row.memory for row in store.feedback(task="t-1")] == [gull, tern]
    assert len(store.feedback()) == 3
    first = store.feedback(memory=gull)[0]
    assert (first.weight, first.query, first.note) == (0.5, "birds", "seen")
    assert store.feedback(memory=gull)[1].weight == 1.0


def test_evidence_names_the_event_that_counted_it_and_whether_that_was_undone(store, gull):
    say(store, gull)
    (said,) = store.feedback(memory=gull)
    assert (said.event, said.undone) == (store.history(gull)[-1].id, False)
    with store.transaction():
        reverse = Event(0, gull, NOW, "restored", "", {}, {}, None, said.event)
        store.change(gull, {"helpful": 0.0}, reverse)
    assert store.feedback(memory=gull)[0].undone is True


def ask(store, query, results, session=None, at=NOW):
    with store.transaction():
        columns = {"session_id": session, "at": at, "results": len(results)}
        listed = str(results).replace(" ", "")
        store.log_search(logged_search(query, result_ids=listed, **columns), [])


def test_the_last_question_that_found_a_memory(store):
    ask(store, "old", [7], at=NOW - 10)
    ask(store, "gulls", [1, 7, 12])
    ask(store, "others", [17, 71, 2])
    assert store.question_for(7, session=None, since=0) == "gulls"
    assert store.question_for(1, session=None, since=0) == "gulls"
    assert store.question_for(99, session=None, since=0) == ""
    assert store.question_for(7, session=None, since=NOW + 1) == ""


def test_a_question_of_the_same_session_comes_first(store):
    ask(store, "mine", [7], session="s1", at=NOW - 10)
    ask(store, "theirs", [7], session="s2")
    assert store.question_for(7, session="s1", since=0) == "mine"
    assert store.question_for(7, session="s3", since=0) == "theirs"


def test_compactions_are_kept_in_order_with_where_they_were_written_to(store, gull):
    with store.transaction():
        for number in (1, 2):
            store.add_compaction(
                {"at": NOW, "task_ids": [f"t-{number}"], "memories": [number], "summary": "done"}
            )
        store.note_exported([2], "CLAUDE.md")
    assert [(row.task_ids, row.memories, row.exported_to) for row in store.compactions()] == [
        (["t-1"], [1], ""),
        (["t-2"], [2], "CLAUDE.md"),
    ]


def test_a_filter_for_what_stands_shows_rules_and_pinned_memories(store, gull):
    rule = keep(store, "a rule", kind="rule")
    pinned = keep(store, "a pinned note", pinned=True)
    keep(store, "a forgotten rule of old", kind="rule", valid_until=NOW)
    found = store.listing(Filter(project=PROJECT, now=NOW, standing=True), order="id", limit=-1)
    assert [each.id for each in found] == [rule, pinned]
