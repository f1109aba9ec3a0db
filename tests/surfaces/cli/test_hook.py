"""`recairn hook` as a person meets it; tests/surfaces/hooks has its answers."""

from __future__ import annotations


def test_help_says_who_calls_it_and_how_to_switch_it_off(recairn):
    ran = recairn("hook", "--help")
    assert ran.status == 0
    assert "agents call this" in ran.out
    assert "RECAIRN_HOOKS=off" in ran.out


def test_a_project_may_have_switches_of_its_own(recairn):
    assert recairn("config", "set", "hooks.inject", "off", "--project", "shop").status == 0
    assert recairn("config", "get", "hooks.inject", "--project", "shop").out == "off\n"
    assert recairn("config", "get", "hooks.inject").status == 1
    assert recairn("config", "list").out == "shop/hooks.inject = off\n"
    assert recairn("config", "unset", "hooks.inject", "--project", "shop").status == 0
    assert recairn("config", "list", "--json").json == {}


def test_switches_take_only_what_they_understand(recairn):
    assert recairn("config", "set", "hooks.inject", "maybe").status == 1
    assert recairn("config", "set", "hooks.max_chars", "20000", "--project", "shop").status == 1
    assert recairn("config", "set", "hooks.max_chars", "9000").status == 0
