"""Where there is no database, an agent's questions make none; its first memory does."""

from __future__ import annotations

import pytest

from .conftest import Agent


@pytest.mark.files("a team on a server is made by its owner, never by asking")
@pytest.mark.parametrize(
    ("tools", "tool", "arguments"),
    [
        ("default", "recairn_search", {"query": "tides"}),
        ("default", "recairn_context", {"prompt": "tides"}),
        ("default", "recairn_timeline", {}),
        ("default", "recairn_handoff", {}),
        ("tx", "tx_learning_search", {"query": "tides"}),
        ("lore", "lore_search", {"query": "tides"}),
        ("brain", "hybrid_search", {"query": "tides"}),
        ("ccmemory", "memory_search", {"query": "tides"}),
    ],
)
def test_a_question_makes_no_database_and_says_where_none_is(tmp_path, tools, tool, arguments):
    path = tmp_path / "new" / "memory.db"
    agent = Agent(path, tools)
    assert agent.call(tool, **arguments)["database"] == f"there is none at {path} yet"
    agent.desk.settle()
    agent.desk.close()
    assert not path.parent.exists()


def test_what_has_nothing_to_change_makes_no_database(tmp_path):
    path = tmp_path / "memory.db"
    assert "there is no memory 5" in Agent(path).refused("recairn_update", id="5", action="forget")
    assert not path.exists()


def test_the_first_memory_makes_it_in_the_same_server(tmp_path):
    path = tmp_path / "memory.db"
    agent = Agent(path)
    agent.call("recairn_search", query="tides")
    added = agent.call("recairn_add", content="The tide gauge drifts when it rains")
    assert added["status"] == "added"
    found = agent.call("recairn_search", query="tide gauge")
    assert [hit["id"] for hit in found["hits"]] == [added["id"]]
    assert "database" not in found
