"""Tasks on the command line."""

from __future__ import annotations

import pytest


@pytest.fixture
def chart(recairn):
    """Two tasks: t-chart, and t-legend, which waits for it."""
    recairn("task", "add", "Draw the tide chart", "-c", "charts", "--id", "t-chart")
    recairn("task", "add", "Draw the legend", "--id", "t-legend", "--dep", "t-chart")
    return recairn


def test_adding_answers_with_the_id(recairn):
    ran = recairn("task", "add", "Draw", "the", "chart", "--score", "5", "--json")
    assert ran.status == 0
    assert ran.json["id"].startswith("t-")
    assert (ran.json["title"], ran.json["score"], ran.json["ready"]) == (
        "Draw the chart",
        5.0,
        True,
    )
    assert recairn("task", "add", "-d", "long", "x").out.startswith("Added t-")


def test_the_bare_word_and_the_colon_list_tasks(chart):
    expected = (
        "t-chart [charts] Draw the tide chart (open)\n"
        "t-legend Draw the legend (open; waits for t-chart)\n"
    )
    assert chart("task").out == expected
    assert chart("task", "list").out == expected
    assert chart("task:list").out == expected
    assert [each["id"] for each in chart("task", "list", "--json").json["tasks"]] == [
        "t-chart",
        "t-legend",
    ]


def test_an_empty_list_says_how_to_begin_and_is_no_failure(recairn):
    ran = recairn("task")
    assert (ran.status, ran.out) == (0, 'nothing to do\n  recairn task add "..." adds a task\n')
    assert recairn("task", "ready").status == 0
    assert recairn("task", "ready", "--json").json == {"tasks": []}


def test_ready_shows_only_what_waits_for_nothing(chart):
    assert chart("task", "ready").out == "t-chart [charts] Draw the tide chart (open)\n"


def test_the_last_step_of_a_task_is_taken_back(chart):
    chart("task", "start", "t-chart")
    chart("task", "done", "t-chart", "--outcome", "success")
    assert chart("undo", "--task", "t-chart").out == (
        "Took back the last step of t-chart [charts] Draw the tide chart (active)\n"
    )
    assert chart("undo", "--task", "t-chart", "--json").json["status"] == "open"
    assert "nothing is left to undo" in chart("undo", "--task", "t-chart").err
    assert chart("undo", "--task", "t-chart", "--dry-run").status == 2
    assert chart("undo", "7", "--task", "t-chart").status == 2


def test_done_says_what_is_ready_now(chart):
    ran = chart("task", "done", "t-chart", "--outcome", "success", "--note", "it draws")
    assert ran.out == (
        "Done with t-chart [charts] Draw the tide chart (done, success)\n"
        "Ready now: t-legend Draw the legend (open)\n"
    )
    assert chart("task", "show", "t-chart", "--json").json["outcome_note"] == "it draws"
    assert "  Outcome: success (it draws)\n" in chart("task", "show", "t-chart").out


def test_done_and_show_mean_the_current_task(chart):
    assert chart("task", "done").status == 1
    assert chart("task", "start", "t-chart").out.startswith("Started t-chart")
    assert chart("task", "show").out.startswith("Task t-chart\n")
    assert chart("task", "done", "--outcome", "partial").out.startswith("Done with t-chart")
    assert "no task was started here" in chart("task", "show").err


def test_show_tells_everything(chart):
    chart("task", "edit", "t-legend", "--description", "under\nthe axis", "--parent", "t-chart")
    ran = chart("task", "show", "t-chart")
    assert "  Children:\n    t-legend Draw the legend" in ran.out
    assert "  Blocks:\n    t-legend Draw the legend" in ran.out
    shown = chart("task", "show", "t-legend", "--json").json
    assert (shown["parent"], shown["depends_on"]) == ("t-chart", ["t-chart"])
    assert (shown["children"], shown["blocks"]) == ([], [])
    assert [each["event"] for each in shown["events"]] == ["created", "waits for", "edited"]
    assert shown["events"][2]["before"] == {"description": "", "parent_id": None}
    assert "edited just now" in chart("task", "show", "t-legend").out


def test_a_circle_is_refused_with_its_name(chart):
    ran = chart("task", "dep", "add", "t-chart", "t-legend")
    assert ran.status == 1
    assert "(t-chart -> t-legend -> t-chart)" in ran.err
    assert "recairn task dep rm t-legend t-chart" in ran.err
    assert chart("task", "dep", "rm", "t-legend", "t-chart").out == (
        "Changed t-legend Draw the legend (open)\n"
    )
    assert chart("task:dep", "add", "t-chart", "t-legend").status == 0
    assert chart("task:dep:rm", "t-chart", "t-legend").status == 0


def test_block_takes_a_reason(chart):
    ran = chart("task", "block", "t-chart", "--reason", "no licence")
    assert ran.out == "Blocked t-chart [charts] Draw the tide chart (blocked)\n"
    assert "blocked just now: no licence" in chart("task", "show", "t-chart").out


def test_what_cannot_be_understood_is_a_usage_error(chart):
    assert chart("task", "edit", "t-chart").status == 2
    assert chart("task", "done", "t-chart", "--outcome", "meh").status == 2
    assert chart("task", "dep").status == 2
    assert chart("task", "dep", "ad").status == 2
    assert chart("task", "add", "x", "--score", "high").status == 2


def test_an_unknown_task_is_a_failure_that_says_what_to_do(chart):
    ran = chart("task", "start", "t-nobody")
    assert (ran.status, ran.out) == (1, "")
    assert "there is no task t-nobody" in ran.err
    assert "recairn task list" in ran.err


def test_text_of_a_task_reaches_no_terminal_unescaped(recairn):
    recairn("task", "add", "Draw \x1b]0;owned\x07 it", "--id", "t-1")
    assert "\x1b" not in recairn("task", tty=True).out.replace("\x1b[", "")
