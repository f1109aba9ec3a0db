"""What a reader must know before following a memory goes wherever the memory goes."""

from __future__ import annotations

import json

import pytest

from recairn.surfaces.mcp.dispatch import Desk
from recairn.surfaces.mcp.server import Connection
from tests.checkouts import Checkout, needs_git
from tests.corpus import Clock, place

RISK = "they are lost with every restart"
FIX = "keep them in redis"
SYMPTOM = "users are logged out, " + "again and again whenever somebody deploys, " * 20


def asked(own_home, tool, toolset="default", **arguments):
    """What an agent is answered over MCP."""
    desk = Desk(str(place(own_home / "memories.db")), None)
    try:
        connection = Connection(desk, (toolset,), lambda message: None)
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        connection.handle({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        params = {"name": tool, "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        answer = connection.handle(call)
        assert isinstance(answer, dict)
        return answer["result"]["structuredContent"]
    finally:
        desk.close()


# An anti-pattern


@pytest.fixture
def avoided(recairn):
    words = ("--anti-pattern", "--symptom", SYMPTOM, "--risk", RISK, "--fix", FIX)
    recairn("add", "Store user sessions in a global dict", *words)
    return recairn


def test_an_anti_pattern_reaches_agents_as_one_with_its_risk_and_its_fix(avoided):
    text = avoided("context", "--prompt", "where to store user sessions", "--text").out
    assert "#1 anti-pattern, " in text
    assert "> Avoid: Store user sessions in a global dict\n" in text
    assert f"> risk: {RISK}\n> fix: {FIX}\n" in text


@pytest.mark.parametrize("tokens", ["200", "230", "260"])
def test_however_short_an_anti_pattern_is_cut_risk_and_fix_stay(avoided, tokens):
    words = ("--prompt", "where to store user sessions", "--max-tokens", tokens)
    text = avoided("context", *words, "--text").out
    assert "[... #1]" in text
    assert f"> risk: {RISK}\n> fix: {FIX}\n" in text


def test_the_context_for_a_prompt_over_mcp_marks_an_anti_pattern(avoided, own_home):
    text = asked(own_home, "recairn_context", prompt="where to store user sessions")["text"]
    assert "#1 anti-pattern, " in text
    assert f"> fix: {FIX}" in text
    (hit,) = asked(own_home, "recairn_search", query="store user sessions")["hits"]
    assert hit["flags"] == ["anti-pattern"]
    assert asked(own_home, "recairn_get", id="1")["flags"] == ["anti-pattern"]


@pytest.mark.parametrize(
    ("toolset", "tool"),
    [("ccmemory", "memory_search"), ("lore", "lore_search"), ("tx", "tx_learning_search")],
)
def test_every_set_of_tools_marks_an_anti_pattern(avoided, own_home, toolset, tool):
    answer = asked(own_home, tool, toolset, query="store user sessions")
    assert "anti-pattern" in json.dumps(answer)


def test_lists_for_people_and_in_markdown_say_the_kind(avoided):
    assert "#1 anti-pattern: Store user" in avoided("context", "--prompt", "user sessions").out
    assert avoided("search", "user sessions", "--markdown").out == (
        "- Store user sessions in a global dict (#1, anti-pattern)\n"
    )
    avoided("add", "-k", "fact", "The harbour is dredged in May")
    assert avoided("list", "-k", "fact", "--markdown").out == (
        "- The harbour is dredged in May (#2, fact)\n"
    )


def test_a_pinned_anti_pattern_says_what_to_do_instead(avoided, tmp_path):
    (tmp_path / ".git").mkdir()
    avoided("pin", "1")
    avoided("pin", "--into", "AGENTS.md")
    line = f"- Avoid: Store user sessions in a global dict; risk: {RISK}; fix: {FIX} (#1)\n"
    assert line in (tmp_path / "AGENTS.md").read_text()


def test_a_way_through_the_graph_calls_an_anti_pattern_by_its_name(avoided):
    avoided("add", "Sessions outlive a deploy", "-k", "decision")
    avoided("link", "1", "2", "contradicts")
    assert "[anti-pattern] Store user" in avoided("graph", "related", "2").out


# A stale memory


@pytest.fixture
def gone(recairn, tmp_path, monkeypatch):
    """A memory about a file that is there no more, and what is the reason to doubt it."""
    checkout = Checkout(tmp_path / "shop", Clock())
    checkout.write("lamp.py", "x")
    checkout.commit("Light it")
    monkeypatch.chdir(checkout.root)
    recairn("add", "lamp.py must be called first", "--category", "lamp")
    checkout.git("rm", "-q", "lamp.py")
    checkout.commit("Blow it out")
    (stale,) = json.loads(recairn("stale", "--check", "--json").out)["memories"]
    return f"may be stale: {stale['detail']}"


@needs_git
@pytest.mark.parametrize(
    "words",
    [
        ("search", "lamp"),
        ("search", "lamp", "--markdown"),
        ("recent",),
        ("list", "--markdown"),
        ("context", "--prompt", "call lamp"),
        ("context", "--prompt", "call lamp", "--text"),
        ("timeline", "1"),
    ],
)
def test_a_stale_memory_is_shown_with_the_reason_everywhere(recairn, gone, words):
    assert "lamp.py was deleted in " in gone
    assert gone in recairn(*words).out


@needs_git
def test_show_and_json_give_the_reason_too(recairn, gone):
    reason = gone.removeprefix("may be stale: ")
    assert f"  May Be Stale: {reason}\n" in recairn("show", "1").out
    assert recairn("show", "1", "--json").json["stale"] == reason
    (hit,) = recairn("search", "lamp", "--json").json["hits"]
    assert (hit["stale"], hit["flags"]) == (reason, [gone])


@needs_git
def test_agents_are_told_why_a_memory_may_be_stale(own_home, gone):
    (hit,) = asked(own_home, "recairn_search", query="lamp")["hits"]
    assert hit["flags"] == [gone]
    assert asked(own_home, "recairn_get", id="1")["flags"] == [gone]
    assert gone in asked(own_home, "recairn_context", prompt="call lamp")["text"]


@needs_git
def test_a_stale_memory_that_was_edited_since_is_doubted_no_longer(recairn, gone):
    recairn("edit", "1", "lantern.py must be called first")
    assert "stale" not in recairn("search", "lantern").out
    assert recairn("show", "1", "--json").json["stale"] == ""
