"""The whole at a glance: rules in force, health, and looking from another project."""

from __future__ import annotations

import os

import pytest

import recairn
from recairn.engine.overview import START_CHARS
from recairn.surfaces.hooks.event_memory import HookSettings


@pytest.fixture
def ruled(memory):
    memory.remember("Never push to main", kind="rule", importance=0.9)
    memory.remember("Charts have a legend", kind="rule", scope="charts/*.py")
    memory.remember("Say hello in the morning", kind="rule", importance=0.2)
    return memory


def test_rules_come_in_the_order_in_which_they_get_room_with_what_they_cost(ruled):
    found = ruled.rules_in_force()
    assert [rule.memory.id for rule in found.rules] == [2, 1, 3]
    assert all(rule.fits and rule.tokens > 5 and rule.why == "" for rule in found.rules)
    assert found.tokens == sum(rule.tokens for rule in found.rules)
    assert (found.project, found.characters) == ("puffin", START_CHARS)


def test_rules_that_do_not_fit_say_so_and_cost_nothing(ruled):
    found = ruled.rules_in_force(max_chars=260)
    left = [rule for rule in found.rules if not rule.fits]
    assert left
    assert all(rule.why for rule in left)
    assert found.tokens == sum(rule.tokens for rule in found.rules if rule.fits)
    ruled.set_config("puffin/hooks.start_chars", "500")
    assert ruled.rules_in_force().characters == 500


def test_how_often_a_rule_was_said_is_told_for_one_agent_or_all(ruled):
    ruled.start_session("s-1", agent="codex")
    ruled.context(prompt="hello")
    ruled.start_session("s-2", agent="claude")
    ruled.context(prompt="hello")
    said = {rule.memory.id: rule.times for rule in ruled.rules_in_force().rules}
    assert said == {1: 2, 2: 0, 3: 2}
    codex = {rule.memory.id: rule.times for rule in ruled.rules_in_force(agent="codex").rules}
    assert codex == {1: 1, 2: 0, 3: 1}


def test_the_room_at_a_start_is_the_one_that_hooks_have(memory):
    assert HookSettings(memory).start_chars == START_CHARS


def test_health_knows_hooks_model_backups_and_what_waits(memory, clock):
    memory.remember("Gulls peck at dawn", trust="unverified")
    memory.author = "hook:codex"
    memory.session = "s-1"
    memory.note_turn("prompt", "hello")
    found = memory.health()
    assert [(hook.agent, hook.event, hook.at) for hook in found.hooks] == [
        ("codex", "prompt", clock.now)
    ]
    assert (found.memories, found.waiting, found.misses, found.to_embed) == (1, 1, 0, 0)
    assert (found.backups, found.mirrors, found.findings) == ((), (), ())
    assert found.bytes > 0


def test_a_thorough_look_says_what_doctor_says(tmp_path):
    with recairn.open(tmp_path / "memory.db", project="puffin") as memory:
        memory.remember("Gulls peck at dawn")
        found = memory.health(thorough=True)
    assert found.findings
    assert {finding.level for finding in found.findings} <= {"ok", "warning", "problem"}


def test_who_visits_a_project_works_in_its_folder(tmp_path, monkeypatch):
    bakery, shop = tmp_path / "bakery", tmp_path / "shop"
    for folder in (bakery, shop):
        (folder / ".git").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(bakery)
    with recairn.open(tmp_path / "memory.db") as memory:
        memory.remember("The oven is hot")
    monkeypatch.chdir(shop)
    with recairn.open(tmp_path / "memory.db") as memory:
        memory.remember("The till is open")
        assert os.path.samefile(memory.folder, shop)
        memory.visit("bakery")
        assert os.path.samefile(memory.folder, bakery)
        assert [each.content for each in memory.listing()] == ["The oven is hot"]
        memory.visit(None)
        assert memory.folder == ""
        assert memory.listing() == []
        assert len(memory.listing(all_projects=True)) == 2
        with pytest.raises(recairn.NotFound, match="no folder"):
            memory.check_stale()


def test_a_visit_to_a_project_that_lies_elsewhere_looks_at_no_folder_here(ruled):
    ruled.remember("The oven is hot", project="bakery")
    ruled.visit("bakery")
    assert (ruled.project, ruled.folder) == ("bakery", "")
    assert ruled.context(prompt="is the oven hot?", record=False).hits[0].memory.id == 4
    assert ruled.resume().git is None
