"""A number reaches into every project: reading says so, and nothing is changed by it alone."""

from __future__ import annotations

import shlex

import pytest


@pytest.fixture
def two(recairn, monkeypatch):
    """#1 belongs to shop, #2 to lamp, #3 to everybody; the person is in lamp."""
    monkeypatch.setenv("RECAIRN_PROJECT", "shop")
    recairn("add", "Gulls nest on the crane")
    monkeypatch.setenv("RECAIRN_PROJECT", "lamp")
    recairn("add", "Wipe the lens after every storm")
    recairn("add", "Write dates as 2026-11-15", "--tier", "global", "--project", "shop")
    return recairn


READING = ["show 1", "history 1", "timeline 1", "graph related 1", "graph path 1 2"]
CHANGING = [
    "forget 1",
    "forget 1 --hard --yes",
    "edit 1 Something else",
    "restore 1",
    "undo 1",
    "helpful 1",
    "unhelpful 1",
    "reinforce 1",
    "deemphasize 1",
    "supersede 1 Something else",
    "supersede 2 1",
    "correct 1 Something else",
    "link 1 2 relates_to",
    "link 2 1 relates_to",
    "unlink 1 2",
    "pin 1",
    "unpin 1",
    "promote 1",
    "expire 1",
    "review accept 1",
    "review drop 1",
    "review edit 1 Something else",
    "add Something else --supersede 1",
    "add Something else --merge 1",
]


@pytest.mark.parametrize("line", READING)
def test_what_reads_another_projects_memory_says_so(two, line):
    words = shlex.split(line)
    assert two(*words).err == "note: #1 belongs to the project shop\n"
    assert two(*words, "--json").json["other_projects"] == {"1": "shop"}
    own = two("--project", "shop", *(["show", "1"] if line.startswith("graph path") else words))
    assert "belongs to" not in own.err


def test_what_everybody_sees_and_the_own_cross_nothing(two):
    assert two("show", "2").err == two("show", "3").err == ""
    assert "other_projects" not in two("show", "3", "--json").json


@pytest.mark.parametrize("line", CHANGING)
def test_what_would_change_another_projects_memory_is_refused_with_the_way(two, line):
    words = shlex.split(line)
    before = two("show", "1", "--json", "--history").out
    ran = two(*words)
    again = shlex.join(["recairn", "--project", "shop", *words])
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        f"recairn: #1 belongs to the project shop\n  hint: {again}, if you mean it\n"
    )
    assert two("show", "1", "--json", "--history").out == before


def test_several_are_changed_all_or_none(two):
    assert two("pin", "2", "1").status == 1
    assert two("helpful", "2", "1").status == 1
    shown = two("show", "2", "--json").json
    assert (shown["pinned"], shown["helpful"]) == (False, 0)


@pytest.mark.parametrize("words", [("--project", "shop", "forget", "1"), ("forget", "shop/1")])
def test_who_names_the_project_may(two, words):
    assert two(*words).out.startswith("Forgot learning #1")


def test_a_project_that_is_not_the_memorys_finds_nothing(two):
    assert "there is no memory lamp/1" in two("forget", "lamp/1").err


@pytest.mark.parametrize("which", [("--since", "1h"), ("--session", "s-1")])
def test_undo_takes_back_what_was_changed_in_this_project_and_names_the_rest(two, which):
    for name in ("shop", "lamp"):
        two("--project", name, "add", f"The {name} opens at nine", "--session", "s-1")
    before = two("show", "1", "4", "--json").out
    ran = two("undo", *which, "--yes")
    assert "#5 created" in ran.out
    assert "#1 " not in ran.out
    assert "#4 " not in ran.out
    left = (
        "2 changes in other projects stay"
        if "--since" in which
        else "1 change in other projects stays"
    )
    assert ran.err == f"note: {left}; --all-projects takes back all\n"
    assert two("show", "1", "4", "--json").out == before
    assert "#4 created" in two("undo", *which, "--all-projects", "--yes").out


def test_undo_of_what_happened_elsewhere_alone_is_refused_with_the_way(two):
    two("--project", "shop", "add", "The shop opens at nine", "--session", "s-1")
    ran = two("undo", "--session", "s-1")
    assert ran.status == 1
    assert "recairn --project shop undo" in ran.err


@pytest.mark.parametrize("verb", ["show", "start", "done", "block"])
def test_a_task_of_another_project_that_is_named_by_its_id_is_said_to_be_one(two, verb):
    two("--project", "shop", "task", "add", "Count the stock", "--id", "st-1")
    assert "note: st-1 belongs to the project shop" in two("task", verb, "st-1").err
    two("task", "add", "Bake", "--id", "bk-1")
    assert "belongs to" not in two("task", verb, "bk-1").err
