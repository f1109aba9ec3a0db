"""A change that expects another version than there is changes nothing, and shows both texts."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.times import MINUTE


@pytest.fixture
def chart(memory):
    memory.remember("The chart is blue", category="charts")
    return memory


def test_who_expects_what_is_there_may_change_it(chart):
    seen = chart.version(1)
    assert chart.edit(1, expect=seen, content="The chart is green").content == "The chart is green"
    assert chart.version(1) != seen


def test_a_change_in_between_is_shown_and_not_overwritten(chart, clock):
    seen = chart.version(1)
    clock.now += MINUTE
    chart.author = "agent:codex"
    chart.edit(1, content="The chart is red")
    chart.author = "person"
    with pytest.raises(recairn.Conflict) as caught:
        chart.edit(1, expect=seen, content="The chart is green")
    conflict = caught.value
    assert conflict.theirs.content == "The chart is red"
    assert conflict.yours == {"content": "The chart is green"}
    assert conflict.base is not None
    assert conflict.base.content == "The chart is blue"
    assert "The chart is red" in str(conflict)
    assert "The chart is green" in str(conflict)
    assert chart.get(1).content == "The chart is red"
    assert chart.edit(1, expect=conflict.version, content="both").content == "both"


def test_ratings_uses_and_pins_are_no_other_version(chart):
    seen = chart.version(1)
    chart.feedback(1, 1.0)
    chart.search("chart")
    chart.pin(1)
    chart.edit(1, expect=seen, content="The chart is green")


@pytest.mark.parametrize("act", ["forget", "supersede"])
def test_forgetting_and_replacing_can_expect_a_version_too(chart, act):
    seen = chart.version(1)
    chart.edit(1, content="The chart is red")
    arguments = ("The chart is green",) if act == "supersede" else ()
    with pytest.raises(recairn.Conflict):
        getattr(chart, act)(1, *arguments, expect=seen)
    assert chart.count() == 1
    getattr(chart, act)(1, *arguments, expect=chart.version(1))
    assert chart.get(1).superseded_by or chart.get(1).deleted_at


def test_a_version_that_never_was_has_no_base(chart):
    with pytest.raises(recairn.Conflict) as caught:
        chart.edit(1, expect="0" * 16, content="The chart is green")
    assert caught.value.base is None


def test_a_replaced_memory_is_another_version_with_a_base(chart):
    seen = chart.version(1)
    chart.supersede(1, "The chart is red")
    with pytest.raises(recairn.Conflict) as caught:
        chart.forget(1, expect=seen)
    theirs, base = caught.value.theirs, caught.value.base
    assert base is not None
    assert (theirs.superseded_by, base.superseded_by) == (2, None)
