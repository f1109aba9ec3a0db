"""Events are taken back by their numbers: exactly those that something wrote."""

from __future__ import annotations

import pytest

import recairn


@pytest.fixture
def chart(memory):
    memory.remember("The chart is blue")
    memory.remember("Gulls peck at dawn")
    return memory


def test_an_event_in_the_middle_is_taken_back_and_the_rest_stays(chart):
    chart.edit(1, content="The chart is red")
    chart.edit(1, category="charts")
    event = chart.history(1)[1].id
    (undone,) = chart.undo(event=event)
    assert (undone.event, undone.memory, undone.what) == (event, 1, "updated")
    assert (chart.get(1).content, chart.get(1).category) == ("The chart is blue", "charts")


def test_what_was_taken_back_is_not_taken_back_twice(chart):
    chart.edit(1, content="The chart is red")
    event = chart.history(1)[1].id
    assert [each.event for each in chart.undo(event=event, dry_run=True)] == [event]
    chart.undo(event=event)
    with pytest.raises(recairn.Refused, match="nothing is left to take back of event"):
        chart.undo(event=event)


def test_of_several_events_all_are_taken_back_or_none(chart):
    with chart.journal() as journal:
        chart.forget(1)
        chart.forget(2)
    with pytest.raises(recairn.NotFound, match="no event 999"):
        chart.undo(event=[*journal.events, 999])
    assert chart.count() == 0
    chart.undo(event=journal.events)
    assert chart.count() == 2


def test_a_journal_knows_what_was_written_inside_and_nothing_else(chart):
    chart.edit(1, category="charts")
    with chart.journal() as journal:
        chart.supersede(1, "The chart is green")
    chart.edit(2, category="birds")
    chart.undo(event=journal.events)
    assert chart.get(1).superseded_by is None
    assert chart.get(3).deleted_at is not None
    assert (chart.get(1).category, chart.get(2).category) == ("charts", "birds")


def test_a_journal_that_fails_keeps_nothing(chart):
    journal = chart.journal()

    def forget_both():
        with journal:
            chart.forget(1)
            chart.forget(99)

    with pytest.raises(recairn.NotFound):
        forget_both()
    assert journal.events == ()
    assert chart.get(1).deleted_at is None


def test_a_journal_knows_what_was_done_to_projects(chart):
    with chart.journal() as journal:
        chart.rename_project("harbour")
    assert len(journal.changes) == 1
    chart.undo(change=journal.changes[0])
    assert chart.get(1).project == "puffin"


def test_an_event_of_another_project_is_left_alone(chart):
    chart.remember("The oven is hot", project="bakery")
    event = chart.history(3)[0].id
    with pytest.raises(recairn.Refused, match="bakery"):
        chart.undo(event=event)
    assert chart.undo(event=event, all_projects=True)[0].memory == 3


@pytest.mark.parametrize("event", ["7", [], [1, "2"], 1.5])
def test_what_is_no_number_of_an_event_is_refused(chart, event):
    with pytest.raises(recairn.BadInput, match="number of an event"):
        chart.undo(event=event)
