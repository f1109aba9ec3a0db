"""A list that goes on where it ended, and how much was made when."""

from __future__ import annotations

import pytest


@pytest.fixture
def shelf(recairn):
    for number in range(5):
        assert recairn("add", f"tide table {number * 7919}", "--force").status == 0
    return recairn


def test_a_list_goes_on_after_a_cursor_until_there_is_nothing_left(shelf):
    found: list[int] = []
    after: list[str] = []
    while True:
        page = shelf("list", "-n", "2", *after, "--json").json
        found += [memory["id"] for memory in page["memories"]]
        if page["meta"]["next"] is None:
            break
        after = ["--after", page["meta"]["next"]]
    assert found == [5, 4, 3, 2, 1]
    assert page["meta"]["total"] is None
    assert shelf("list", "--json").json["meta"]["total"] == 5


def test_forgotten_ones_are_listed_page_by_page_too(shelf):
    for number in ("2", "4"):
        shelf("forget", number)
    page = shelf("list", "--deleted", "-n", "1", "--json").json
    assert ([memory["id"] for memory in page["memories"]], page["meta"]["total"]) == ([4], 2)
    rest = shelf("list", "--deleted", "--after", page["meta"]["next"], "--json").json
    assert [memory["id"] for memory in rest["memories"]] == [2]


def test_a_cursor_and_an_order_that_has_none_do_not_go_together(shelf):
    ran = shelf("list", "--order", "used", "--after", "5-1")
    assert ran.status == 2
    assert "newest" in ran.err


def test_growth_is_drawn_and_told(shelf):
    lines = shelf("stats", "growth").out.splitlines()
    assert len(lines) == 1
    assert lines[0].split()[1:] == ["5", "#" * 40]
    told = shelf("stats", "growth", "--by", "week", "--json").json
    assert (told["by"], told["total"], [each["count"] for each in told["bins"]]) == ("week", 5, [5])


def test_growth_of_nothing_says_what_to_do(recairn):
    assert "recairn add" in recairn("stats", "growth").out
