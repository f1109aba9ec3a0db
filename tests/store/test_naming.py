"""Memories that may name a thing: what hooks ask for at every file that is opened."""

from __future__ import annotations

import pytest

from recairn.core.model import Filter
from recairn.core.record import replace
from recairn.store.glance import may_name
from tests.corpus import NOW, PROJECT
from tests.store.test_edges import keep

HERE = Filter(project=PROJECT, now=NOW)


def named(store, *phrases, filter=HERE, limit=9):
    return [row.memory for row in store.naming(phrases, filter, limit)]


def test_the_newest_that_hold_a_phrase_come_first_then_rules_with_a_scope(store):
    old = keep(store, "lamp.py smokes")
    rule = keep(store, "Trim the wick", kind="rule", scope="src/**")
    keep(store, "Oil is dear", kind="rule")
    new = keep(store, "why lamp.py and draw_chart smoke")
    rows = store.naming(["lamp.py", "draw_chart"], HERE, 9)
    assert [(row.memory, row.scope, bool(row.text)) for row in rows] == [
        (new, "", True),
        (old, "", True),
        (rule, "src/**", False),
    ]
    assert named(store, "lamp.py", limit=1) == [new, rule]


def test_what_the_asker_may_not_see_is_not_named(store):
    keep(store, "lamp.py smokes", project="elsewhere")
    everyones = keep(store, "lamp.py smokes everywhere", tier="global", project="elsewhere")
    assert named(store, "lamp.py") == [everyones]
    assert named(store, "lamp.py", filter=replace(HERE, kinds=("failure",))) == []


@pytest.mark.parametrize("phrase", ['"', "NEAR(", "a* OR", "x : y", "..."])
def test_any_phrase_is_text(store, phrase):
    keep(store, "lamp.py smokes")
    assert named(store, phrase) == []


def test_without_a_phrase_nothing_is_named(store):
    keep(store, "Trim the wick", kind="rule", scope="src/**")
    assert named(store) == []


def test_a_first_look_says_whether_more_are_worth_it(memory):
    memory.remember("lamp.py smokes")
    assert may_name(memory.database, ["gull.py", "lamp.py"])
    assert not may_name(memory.database, ["gull.py"])
    memory.remember("Trim the wick", kind="rule", scope="src/**")
    assert may_name(memory.database, ["gull.py"])


def test_a_file_that_cannot_be_looked_into_may_name_anything(tmp_path):
    (tmp_path / "odd.db").write_bytes(b"no database at all, but long enough to be one" * 30)
    assert may_name(str(tmp_path / "odd.db"), ["gull.py"])
    assert may_name(str(tmp_path / "none.db"), ["gull.py"])
    assert not (tmp_path / "none.db").exists()
