"""What comes in beside memories: counts, links told apart, sessions, tasks, uses, queries."""

import pytest

from recairn.core.model import Draft
from recairn.sources.format import Extra, Record, Source

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
ISO = "2026-02-02T02:40:00.000Z"


@pytest.fixture
def bring(memory, tmp_path):
    """Imports what is given as if it stood in one and the same file."""
    path = tmp_path / "log.txt"
    path.write_text("x")

    def run(*items, distinct=False, **options):
        source = Source(
            "keeper",
            "a list",
            lambda path: False,
            lambda folder: [],
            lambda origin: iter(items),
            distinct=distinct,
        )
        return memory.import_from(path, source, **options)[0]

    return run


def said(key, text, **more):
    links = more.pop("links", ())
    earned, retired = more.pop("earned", None), more.pop("retired", "")
    draft = Draft(text, source_type="import", external_id=key, **more)
    return Record(key, draft, f"log.txt:{key}", links, earned, retired)


LAMP = said("lamp", "The lamp needs colza oil twice a week", created_at=T0)
HORN = said("horn", "The fog horn is tested on the first Monday")


def test_counts_are_taken_once_and_kept_from_then_on(memory, bring):
    earned = {"usage_count": 7, "last_used_at": T0, "helpful": 2.0, "outcome_score": 0.75}
    told = said("lamp", LAMP.draft.content, earned=earned)
    bring(told)
    kept = memory.get("lamp")
    assert (kept.usage_count, kept.last_used_at, kept.helpful, kept.outcome_score) == (
        7,
        T0,
        2.0,
        0.75,
    )
    assert bring(said("lamp", LAMP.draft.content, earned={"usage_count": 9})).unchanged == 1
    assert memory.get("lamp").usage_count == 7
    assert memory.verify().problems == ()


def test_what_was_put_away_there_is_archived_here_and_stays_linked(memory, bring):
    done = bring(LAMP, said("old", "Oil came by boat", retired="archived there"), link("lamp"))
    assert (done.added, done.besides) == (2, {"edge": 1})
    assert [each.external_id for each in memory.listing()] == ["lamp"]
    assert memory.history("old")[-1].reason == "archived there"
    again = bring(LAMP, said("old", "Oil came by boat", retired="archived there"), link("lamp"))
    assert (again.unchanged, again.forgotten, again.besides) == (2, 0, {})


def link(source, target="old", relation="relates_to", **more):
    values = {"source": source, "target": target, "relation": relation, **more}
    return Extra(f"{source} {target}", "edge", values, "log.txt:9")


def test_a_link_told_apart_keeps_its_weight_and_time(memory, bring):
    done = bring(LAMP, HORN, link("lamp", "horn", "part_of", weight=0.4, created_at=T0))
    (edge,) = memory.graph()[1]
    assert (edge.relation, edge.weight, edge.created_at) == ("part_of", 0.4, T0)
    assert done.besides == {"edge": 1}


def test_a_link_taken_away_by_hand_does_not_come_back(memory, bring):
    bring(LAMP, HORN, link("lamp", "horn"))
    memory.unlink("lamp", "horn")
    bring(LAMP, HORN, link("lamp", "horn"))
    assert memory.graph()[1] == []


def test_a_link_to_nothing_or_of_no_weight_is_told_and_stops_nothing(memory, bring):
    bad = [link("lamp", "ghost"), link("horn", "lamp", weight=7), link("lamp", "horn", "sings_to")]
    done = bring(LAMP, HORN, *bad[:2], Extra("third", "edge", bad[2].values, "log.txt:11"))
    assert (done.added, done.failed, done.besides) == (2, 3, {})
    assert [each.reason for each in done.errors] == [
        "no record 'ghost' to link",
        "weight must lie between 0 and 1, got 7",
        "unknown relation 'sings_to'",
    ]


def test_the_one_that_was_replaced_may_say_so_itself(memory, bring):
    old = said("old", "Light the lamp at six", links=[("superseded_by", "new")])
    bring(old, said("new", "Light the lamp at sunset"), distinct=True)
    assert memory.get("old").superseded_by == memory.get("new").id


def test_two_that_are_alike_stay_two_where_they_have_ids(memory, bring):
    text = "Wind the clockwork of the third lens every {} hours in the winter months"
    done = bring(said("a", text.format("four")), said("b", text.format("five")), distinct=True)
    assert (done.added, done.known) == (2, 0)


def session(summary="", ended=None):
    values = {"id": "watch-1", "project": "puffin", "started_at": ISO, "summary": summary}
    return Extra("watch-1", "session", {**values, "ended_at": ended}, "log.txt:1")


def test_a_session_keeps_its_times_and_is_not_taken_up_again(memory, bring):
    told = said("lamp", LAMP.draft.content, session="watch-1")
    made = {"session_id": "watch-1", "memory": "lamp", "usage_type": "created", "at": ISO}
    done = bring(
        told, session("Quiet night", "2026-02-02T06:00:00Z"), Extra("1", "use", made, "log.txt:2")
    )
    (kept,) = (each for each in memory.sessions() if each.id == "watch-1")
    assert (kept.started_at, kept.ended_at, kept.state) == (T0, T0 + 12_000_000, "ended")
    assert (kept.summary, kept.memories, done.besides) == (
        "Quiet night",
        1,
        {"session": 1, "use": 1},
    )
    assert memory.get("lamp").session_id == "watch-1"


def test_a_session_that_is_told_more_of_later_gets_its_summary(memory, bring):
    bring(session())
    bring(session("Fog from four on"))
    assert [each.summary for each in memory.sessions() if each.id == "watch-1"] == [
        "Fog from four on"
    ]


def task(name, title, **more):
    return Extra(name, "task", {"id": name, "title": title, **more}, f"log.txt:{name}")


def needs(name, on):
    return Extra(f"{name} {on}", "dependency", {"task_id": name, "depends_on": on}, "log.txt:5")


def test_tasks_keep_status_times_parents_and_dependencies(memory, bring):
    done = bring(
        needs("k-2", "k-1"),
        task("k-2", "Polish the lens", parent="k-0", status="in_progress"),
        task("k-1", "Buy polish", status="done", created_at=T0, completed_at=T0 + 5),
        task("k-0", "Spring cleaning", parent="nowhere"),
    )
    polish, buy = memory.task("k-2"), memory.task("k-1")
    assert (polish.status, polish.parent, polish.depends_on) == ("active", "k-0", ("k-1",))
    assert polish.metadata["original_status"] == "in_progress"
    assert (buy.created_at, buy.completed_at) == (T0, T0 + 5)
    assert memory.task("k-0").metadata == {"original_parent": "nowhere"}
    assert done.besides == {"dependency": 1, "task": 3}


def test_a_changed_task_is_edited_and_an_unchanged_one_left_alone(memory, bring):
    bring(task("k-1", "Buy polish"))
    memory.edit_task("k-1", title="Buy good polish")
    assert bring(task("k-1", "Buy polish")).besides == {}
    assert memory.task("k-1").title == "Buy good polish"
    assert bring(task("k-1", "Buy polish", status="done")).besides == {"task": 1}
    assert memory.task("k-1").status == "done"


def test_a_task_of_somebody_else_under_the_same_id_is_not_touched(memory, bring):
    memory.add_task("Mine", id="k-1")
    done = bring(task("k-1", "Theirs"), task("k-2", "Other"), needs("k-2", "k-9"))
    assert [each.reason for each in done.errors] == [
        "there is a task k-1 already",
        "there is no task k-9",
    ]
    assert (memory.task("k-1").title, memory.task("k-2").title) == ("Mine", "Other")


def test_uses_queries_and_settings_come_along_once(memory, bring):
    items = [
        LAMP,
        Extra("1", "access", {"memory": "lamp", "at": ISO, "source": "keeper"}, "log.txt:1"),
        Extra("2", "query", {"at": ISO, "query": "oil", "tool": "keeper"}, "log.txt:2"),
        Extra("3", "setting", {"key": "keeper.pace", "value": "slow"}, "log.txt:3"),
        Extra("4", "access", {"memory": "ghost", "at": ISO, "source": "keeper"}, "log.txt:4"),
        Extra("5", "query", {"at": "whenever", "query": "oil", "tool": "keeper"}, "log.txt:5"),
    ]
    done = bring(*items)
    assert done.besides == {"access": 1, "query": 1, "setting": 1}
    assert [each.place for each in done.errors] == ["log.txt:4", "log.txt:5"]
    assert memory.config()["keeper.pace"] == "slow"
    assert bring(*items[:4]).besides == {}


def test_no_source_brings_a_setting_that_only_a_person_may_set(memory, bring):
    done = bring(
        Extra("1", "setting", {"key": "keeper.x/hooks.unverified", "value": "on"}, "log.txt:1"),
        Extra("2", "setting", {"key": "redaction.\u200ballow", "value": "re:.*"}, "log.txt:2"),
    )
    assert [each.reason.split(" set ")[0] for each in done.errors] == ["only a person may"] * 2
    assert memory.config() == {}


def test_a_dry_run_counts_them_and_writes_nothing(memory, bring):
    assert bring(LAMP, task("k-1", "Buy polish"), session(), dry_run=True).besides == {
        "task": 1,
        "session": 1,
    }
    assert memory.tasks() == []
    assert memory.count() == 0


def test_what_somebody_wrote_is_not_replaced_because_a_source_says_so(memory, bring):
    mine = memory.remember("Light the lamp at six").id
    old = said("old", "Light the lamp at six", links=[("superseded_by", "new")])
    done = bring(old, said("new", "Light the lamp at sunset"), distinct=True)
    assert (done.known, done.linked) == (1, 0)
    bring(
        said("old", "Light the lamp at six"),
        said("newer", "The lamp lights itself", links=[("supersedes", "old")]),
        link("newer", "old", "supersedes"),
        distinct=True,
    )
    assert memory.get(mine).superseded_by is None
