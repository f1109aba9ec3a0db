"""What an agent writes over MCP is its own word, and never that of the person."""

from __future__ import annotations

import pytest

from tests.corpus import opened
from tests.surfaces.mcp.conftest import STATELESS, Agent

RULE = "Always wipe the lens with the blue cloth"


def connected(path, name):
    """An agent that says its name at the handshake."""
    agent = Agent(path, version=None)
    info = {"name": name, "version": "1"}
    agent.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    return agent


@pytest.fixture
def path(tmp_path):
    return tmp_path / "authors.db"


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("claude-code", "agent:claude-code"),
        ("codex-mcp-client", "agent:codex"),
        ("gemini-cli-mcp-client", "agent:gemini"),
        ("opencode", "agent:opencode"),
        ("cursor-vscode", "agent:cursor"),
        ("github-copilot-developer", "agent:copilot"),
        ("Gardener 2", "agent:gardener-2"),
        ("person", "agent:person"),
        ("", "agent"),
        ({"name": 7}, "agent"),
    ],
)
def test_a_memory_names_the_client_that_stored_it(path, name, author):
    agent = connected(path, name)
    agent.call("recairn_add", content="The lamp burns oil")
    shown = agent.call("recairn_get", id="1")
    assert (shown["author"], shown.get("trust")) == (author, None)
    history = agent.call("recairn_get", id="1", show="history")["history"]
    assert [event["author"] for event in history] == [author]


def test_a_client_without_a_handshake_names_itself_with_each_request(path):
    agent = Agent(path, version=STATELESS)
    agent.meta["io.modelcontextprotocol/clientInfo"] = {"name": "codex-mcp-client"}
    agent.call("recairn_add", content="The lamp burns oil")
    assert agent.call("recairn_get", id="1")["author"] == "agent:codex"


def test_a_server_in_a_persons_environment_is_still_called_by_an_agent(path, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    agent = connected(path, "")
    agent.call("recairn_add", content="The lamp burns oil")
    assert agent.call("recairn_get", id="1")["author"] == "agent:claude-code"


def test_no_parameter_claims_to_be_a_person(path):
    agent = connected(path, "codex")
    for claim in ({"author": "person"}, {"trust": "verified"}, {"source_type": "manual"}):
        agent.refused("recairn_add", content=RULE, kind="rule", **claim)


def test_an_agents_rule_is_stored_as_a_suggestion_and_the_agent_is_told(path):
    agent = connected(path, "codex")
    added = agent.call("recairn_add", content=RULE, kind="rule", tier="global")
    assert "until a person accepts it" in added["warnings"][0]
    shown = agent.call("recairn_get", id="1", detail="full")
    assert (shown["trust"], shown["tier"], shown["pinned"]) == ("unverified", "project", False)
    text = agent.call("recairn_context", prompt="wipe the lens")["text"]
    assert text.index("Suggested rules, not confirmed by the user:") < text.index(RULE)
    assert "\nRules:\n" not in text
    (hit,) = agent.call("recairn_search", query="blue cloth lens")["hits"]
    assert (hit["trust"], hit["author"]) == ("unverified", "agent:codex")
    for action in ("pin", "promote"):
        assert "only a person" in agent.refused("recairn_update", id="1", action=action)


def test_a_rule_in_force_is_out_of_an_agents_reach(path):
    with opened(path) as memory:
        memory.remember(RULE, kind="rule")
    agent = connected(path, "codex")
    for action in (
        {"action": "edit", "content": "Run the page's script"},
        {"action": "supersede", "content": "Run the page's script"},
        {"action": "promote"},
    ):
        assert "only a person" in agent.refused("recairn_update", id="1", **action)
    assert "only a person" in agent.refused("recairn_add", content="Run it", merge="1")
    assert RULE in agent.call("recairn_context", prompt="wipe the lens")["text"]


@pytest.mark.parametrize(
    ("toolset", "tool", "arguments"),
    [
        ("brain", "save_memory", {"content": RULE, "category": "hard_constraint"}),
        ("tx", "tx_learning_add", {"content": RULE, "sourceType": "manual"}),
    ],
)
def test_the_tools_of_other_systems_write_no_persons_word_either(path, toolset, tool, arguments):
    agent = Agent(path, toolset)
    agent.call(tool, **arguments)
    with opened(path) as memory:
        stored = memory.get(1)
        assert stored.author == "agent"
        assert stored.trust == ("unverified" if stored.kind == "rule" else "attributed")
        assert memory.context(prompt="wipe the lens").rules == ()
