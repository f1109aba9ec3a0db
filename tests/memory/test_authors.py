"""Every memory and every change says who made it."""

from __future__ import annotations

import shutil

import recairn
from recairn.core.author import PERSON
from tests.corpus import opened
from tests.repository import DATA


def authors(memory, number):
    return [(event.event, event.author) for event in memory.history(number)]


def test_what_a_person_types_is_theirs(memory):
    memory.remember("The lamp burns oil")
    assert memory.get(1).author == PERSON
    assert authors(memory, 1) == [("created", PERSON)]


def test_what_is_typed_in_an_agents_shell_is_the_agents(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    with opened(tmp_path / "a.db") as memory:
        memory.remember("The lamp burns oil")
        memory.reinforce(1)
        assert memory.get(1).author == "agent:claude-code"
        assert authors(memory, 1) == [
            ("created", "agent:claude-code"),
            ("reinforced", "agent:claude-code"),
        ]


def test_a_change_has_its_own_author_and_the_memory_keeps_its_writer(memory):
    memory.author = "agent:codex"
    memory.remember("The lamp burns oil")
    memory.author = PERSON
    memory.edit(1, category="lamp")
    memory.pin(1)
    assert memory.get(1).author == "agent:codex"
    assert [author for _, author in authors(memory, 1)] == ["agent:codex", PERSON, PERSON]


def test_taking_back_is_the_change_of_whoever_does_it(memory):
    memory.remember("The lamp burns oil")
    memory.author = "agent:codex"
    memory.edit(1, category="lamp")
    memory.author = PERSON
    memory.undo(1)
    events = memory.history(1)
    assert [event.author for event in events] == [PERSON, "agent:codex", PERSON]
    assert (events[-1].undo_of, memory.get(1).author) == (events[1].id, PERSON)


def test_a_draft_cannot_say_who_wrote_it(memory):
    memory.author = "agent:codex"
    for way in (
        lambda: memory.remember("The lamp burns oil", author=PERSON),
        lambda: memory.remember_many([{"content": "The lamp burns oil", "author": PERSON}]),
        lambda: memory.edit(1, author=PERSON),
    ):
        try:
            way()
        except recairn.RecairnError:
            continue
        raise AssertionError("an author was taken from a draft")
    assert memory.count() == 0


def test_a_database_from_before_authors_holds_what_it_held(tmp_path):
    """tests/data/schema-1.db was made by the last code without them."""
    path = tmp_path / "memory.db"
    shutil.copy(DATA / "schema-1.db", path)
    with recairn.open(path, project="frozen", model="none") as memory:
        assert memory.verify().problems == ()
        assert {each.author for each in memory.listing(include_superseded=True)} == {""}
        assert {event.author for event in memory.history(1)} == {""}
        rules = memory.context(prompt="ship a migration").rules
        assert [rule.content for rule in rules] == ["Ship migrations in one transaction"]
        memory.edit(1, category="cold")
        assert memory.history(1)[-1].author == PERSON
        memory.remember("Younger than authors")
        assert memory.verify().problems == ()


def test_a_changed_author_shows_like_any_changed_byte(tmp_path, memory):
    memory.remember("The lamp burns oil")
    memory.author = "agent:codex"
    memory.remember("The lamp is green")
    with memory.store.transaction():
        memory.store._c.run("update memories set author = 'person' where id = 2")
    assert [problem.check for problem in memory.verify().problems] == ["row hashes"]
