"""An agent reaches another project's memory only where it names that project."""

from __future__ import annotations

import pytest

from recairn.surfaces.mcp.dispatch import Desk
from tests.corpus import opened

from .conftest import Agent

SECRET = "Gulls nest on the crane"


@pytest.fixture
def path(tmp_path):
    """#1 belongs to another project, #2 to the agent's."""
    path = tmp_path / "memory.db"
    with opened(path, project="shop") as memory:
        memory.remember(SECRET, external_id="dec-1")
    with opened(path) as memory:
        memory.remember("Wipe the lens after every storm")
    return path


CALLS = [
    ("default", "recairn_get", {"id": "1"}),
    ("default", "recairn_get", {"id": "1", "show": "history"}),
    ("default", "recairn_get", {"id": "1", "show": "links"}),
    ("default", "recairn_timeline", {"id": "1"}),
    ("default", "recairn_feedback", {"ids": ["1"]}),
    ("default", "recairn_update", {"id": "1", "action": "edit", "content": "x"}),
    ("default", "recairn_update", {"id": "1", "action": "forget"}),
    ("default", "recairn_update", {"id": "1", "action": "pin"}),
    ("default", "recairn_update", {"id": "1", "action": "promote"}),
    ("default", "recairn_update", {"id": "1", "action": "reinforce"}),
    ("default", "recairn_update", {"id": "2", "action": "link", "target": "1"}),
    ("default", "recairn_update", {"id": "2", "action": "supersede", "target": "1"}),
    ("default", "recairn_add", {"content": "x y", "supersede": "1"}),
    ("lore", "lore_show", {"id": "dec-1"}),
    ("lore", "lore_graph_traverse", {"id": "1"}),
    ("ccmemory", "memory_timeline", {"anchor_id": "1"}),
    ("ccmemory", "memory_reinforce", {"memory_id": "1"}),
    ("ccmemory", "memory_deemphasize", {"memory_id": "1"}),
    ("ccmemory", "memory_delete", {"memory_id": "1"}),
    ("ccmemory", "memory_supersede", {"old_memory_id": "2", "new_memory_id": "1"}),
]


@pytest.mark.parametrize(("tools", "tool", "arguments"), CALLS)
def test_a_number_alone_is_refused_with_the_way(path, tools, tool, arguments):
    said = Agent(path, tools).refused(tool, **arguments)
    assert said.splitlines()[0] == "#1 belongs to the project shop"
    assert "shop/1" in said
    assert SECRET not in said


@pytest.mark.parametrize(("tools", "tool", "arguments"), CALLS)
def test_with_its_project_it_is_reached(path, tools, tool, arguments):
    named = {
        key: f"shop/{value}" if value in ("1", "dec-1") else ["shop/1"] if key == "ids" else value
        for key, value in arguments.items()
    }
    Agent(path, tools).call(tool, **named)


def test_naming_it_once_opens_nothing_for_the_next_call(path):
    agent = Agent(path)
    agent.call("recairn_get", id="shop/1")
    agent.refused("recairn_get", id="1")


def test_tx_which_numbers_its_learnings_is_told_without_a_way_it_does_not_have(path):
    said = Agent(path, "tx").refused("tx_learning_helpful", id=1)
    assert said.startswith("#1 belongs to the project shop")
    assert "shop/1" not in said


def test_lore_which_searches_all_projects_names_records_so_that_they_are_found(path):
    agent = Agent(path, "lore")
    (hit,) = agent.call("lore_search", query="gulls crane")["results"]
    assert hit["id"] == "shop/dec-1"
    assert agent.call("lore_show", id=hit["id"])["content"] == SECRET


def test_the_address_of_another_projects_memory_is_refused(path):
    agent = Agent(path)
    assert (
        "belongs to the project shop"
        in agent.ask("resources/read", uri="recairn://memory/1")["message"]
    )
    read = agent.ask("resources/read", uri="recairn://memory/shop%2F1")
    assert SECRET in read["contents"][0]["text"]


def test_what_is_added_says_where_it_went(path, tmp_path, monkeypatch):
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path / "notes")
    agent = Agent(path)
    agent.desk = agent.connection.desk = Desk(str(path))
    added = agent.call("recairn_add", content="Never feed the gulls", kind="rule")
    assert (added["project"], added["tier"]) == ("notes", "project")
    with opened(path) as memory:
        assert "Never feed the gulls" not in memory.context(prompt="feed the gulls").text
