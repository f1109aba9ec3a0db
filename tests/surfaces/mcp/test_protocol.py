"""The protocol core in both eras: who may ask what, when, and what is answered."""

from __future__ import annotations

import pytest

from recairn import __version__
from recairn.surfaces.mcp.server import Work

from .conftest import HANDSHAKE, STATELESS

SUPPORTED = [STATELESS, HANDSHAKE, "2025-06-18", "2025-03-26", "2024-11-05"]
SERVER = {"name": "recairn", "title": "recairn", "version": __version__}
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


def test_initialize_agrees_on_the_version_the_client_asks_for(connect):
    for version in SUPPORTED[1:]:
        client = connect(version=None)
        found = client.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={})
        assert found["protocolVersion"] == version
        assert found["serverInfo"] == SERVER
        assert found["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}}


@pytest.mark.parametrize("asked", ["1999-01-01", STATELESS, ""])
def test_initialize_offers_its_newest_handshake_version_for_one_it_does_not_know(connect, asked):
    client = connect(version=None)
    found = client.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={})
    assert found["protocolVersion"] == HANDSHAKE


def test_the_instructions_say_when_to_use_the_memory_and_are_short(connect):
    client = connect(version=None)
    found = client.ask("initialize", protocolVersion=HANDSHAKE)
    assert "recairn_search" in found["instructions"]
    assert len(found["instructions"]) < 2000


def test_a_request_before_the_handshake_is_told_what_to_do(connect):
    trouble = connect(version=None).ask("tools/list")
    assert trouble["code"] == -32600
    assert "initialize" in trouble["message"]


def test_ping_is_answered_even_before_the_handshake(connect):
    assert connect(version=None).ask("ping") == {}


def test_the_stateless_era_needs_no_handshake(connect):
    client = connect(version=STATELESS)
    found = client.ask("server/discover")
    assert found["supportedVersions"] == SUPPORTED
    assert found["resultType"] == "complete"
    assert found["cacheScope"] == "public"
    assert found["ttlMs"] > 0
    assert found["_meta"] == {"io.modelcontextprotocol/serverInfo": SERVER}
    hits = client.call("recairn_search", query="tide tables")["hits"]
    assert hits[0]["title"] == "PostgreSQL holds the tide tables"


@pytest.mark.parametrize("method", LISTS)
def test_lists_of_the_stateless_era_say_how_long_they_hold(connect, method):
    found = connect(version=STATELESS).ask(method)
    assert (found["resultType"], found["cacheScope"]) == ("complete", "public")
    assert found["ttlMs"] > 0


@pytest.mark.parametrize("method", LISTS)
def test_lists_of_the_handshake_era_carry_nothing_of_the_later_one(agent, method):
    assert not {"resultType", "ttlMs", "cacheScope", "_meta"} & {*agent.ask(method)}


def test_what_is_read_in_the_stateless_era_is_private_and_stale_at_once(connect):
    found = connect(version=STATELESS).ask("resources/read", uri="recairn://memory/1")
    assert (found["ttlMs"], found["cacheScope"]) == (0, "private")


def test_ping_is_no_method_of_the_stateless_era(connect):
    assert connect(version=STATELESS).ask("ping")["code"] == -32601


def test_discover_without_a_version_sends_the_client_to_the_handshake(connect):
    assert connect(version=None).ask("server/discover")["code"] == -32601


def test_an_unsupported_version_is_refused_with_those_that_are_supported(connect):
    client = connect(version=STATELESS)
    meta = {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    trouble = client.ask("tools/list", _meta=meta)
    assert trouble["code"] == -32022
    assert trouble["data"] == {"supported": SUPPORTED, "requested": "2031-01-01"}


@pytest.mark.parametrize(
    "meta",
    [
        {"io.modelcontextprotocol/protocolVersion": 7},
        {"io.modelcontextprotocol/clientCapabilities": None},
        {"io.modelcontextprotocol/clientCapabilities": "all"},
    ],
)
def test_half_an_envelope_of_the_stateless_era_is_refused(connect, meta):
    assert connect(version=STATELESS).ask("tools/list", _meta=meta)["code"] == -32602


@pytest.mark.parametrize(
    ("message", "code", "id"),
    [
        (7, -32600, None),
        ("tools/list", -32600, None),
        (None, -32600, None),
        ({}, -32600, None),
        ({"jsonrpc": "1.0", "id": 4, "method": "ping"}, -32600, 4),
        ({"jsonrpc": "2.0", "id": 4}, -32600, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": 5}, -32600, 4),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}, -32602, "a"),
        ({"jsonrpc": "2.0", "id": 4, "method": "tools/destroy"}, -32601, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": "tools/call"}, -32602, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": 3}}, -32602, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {"cursor": "x"}}, -32602, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": "prompts/get", "params": {"name": "x"}}, -32602, 4),
    ],
)
def test_a_malformed_message_is_answered_with_the_error_json_rpc_has_for_it(
    agent, message, code, id
):
    answer = agent.connection.handle(message)
    assert isinstance(answer, dict)
    assert (answer["error"]["code"], answer["id"]) == (code, id)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        {"jsonrpc": "2.0", "method": "notifications/of/the/future", "params": {"a": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [4]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": "soon"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "recairn_add"}},
    ],
)
def test_answers_and_notifications_are_never_answered(agent, message):
    assert agent.connection.handle(message) is None


def test_a_batch_is_answered_together_in_the_version_that_has_batches(connect):
    client = connect(version="2025-03-26")
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    listing = client.message("tools/list", {})
    adding = client.message("tools/call", {"name": "recairn_get", "arguments": {"id": "1"}})
    answers = client.connection.handle([listing, notice, adding, 5])
    assert [each["id"] for each in answers] == [listing["id"], adding["id"], None]
    assert client.connection.handle([notice, notice]) is None
    assert client.connection.handle([])["error"]["code"] == -32600


@pytest.mark.parametrize("version", [HANDSHAKE, "2025-06-18", "2024-11-05", STATELESS, None])
def test_a_batch_is_refused_in_every_other_version(connect, version):
    client = connect(version=version)
    answer = client.connection.handle([client.message("ping", {})])
    assert (answer["error"]["code"], answer["id"]) == (-32600, None)


def test_tools_of_an_older_version_have_only_what_it_knows(connect):
    shown = {
        version: {*connect(version=version).ask("tools/list")["tools"][0]}
        for version in ("2024-11-05", "2025-03-26", "2025-06-18")
    }
    plain = {"name", "description", "inputSchema", "_meta"}
    assert shown["2024-11-05"] == plain
    assert shown["2025-03-26"] == plain | {"annotations"}
    assert shown["2025-06-18"] == plain | {"annotations", "title", "outputSchema"}


def test_a_result_of_an_older_version_is_whole_in_its_text(connect):
    old = connect(version="2025-03-26")
    result = old.ask("tools/call", name="recairn_get", arguments={"id": "1"})
    assert "structuredContent" not in result
    assert "authentication module" in result["content"][0]["text"]


def test_an_unknown_tool_is_a_protocol_error_that_names_the_nearest(agent):
    trouble = agent.ask("tools/call", name="recairn_serch", arguments={})
    assert trouble["code"] == -32602
    assert "did you mean 'recairn_search'?" in trouble["message"]


def test_an_id_that_is_still_under_way_cannot_be_used_again(agent):
    request = agent.message("tools/call", {"name": "recairn_get", "arguments": {"id": "1"}})
    waiting = agent.connection.receive(request)
    again = agent.connection.receive(request)
    assert again["error"]["code"] == -32600
    assert waiting.run()["result"]["structuredContent"]["id"] == 1
    assert isinstance(agent.connection.receive(request), Work)


def test_a_cancelled_request_that_waits_is_never_run(agent):
    adding = {"name": "recairn_add", "arguments": {"content": "Never to be stored"}}
    waiting = agent.connection.receive(agent.message("tools/call", adding))
    agent.tell("notifications/cancelled", requestId=waiting.request.id, reason="changed my mind")
    assert waiting.run() is None
    assert agent.call("recairn_search", query="never stored")["hits"] == []


def test_a_request_that_is_cancelled_while_it_runs_is_not_answered(agent):
    request = agent.message("tools/call", {"name": "recairn_get", "arguments": {"id": "1"}})
    running = agent.connection.receive(request)
    open_memory = agent.desk.memory

    def open_and_cancel(*words, **options):
        agent.tell("notifications/cancelled", requestId=running.request.id)
        return open_memory(*words, **options)

    agent.desk.memory = open_and_cancel
    assert running.run() is None


def test_cancelling_tells_a_number_from_the_same_number_as_text(agent):
    request = agent.message("tools/call", {"name": "recairn_get", "arguments": {"id": "1"}})
    waiting = agent.connection.receive(request)
    agent.tell("notifications/cancelled", requestId=str(waiting.request.id))
    assert waiting.run() is not None


def test_a_mistake_of_ours_is_an_answer_and_not_the_end(agent, monkeypatch, capsys):
    monkeypatch.setattr("recairn.surfaces.mcp.calls.default.get", lambda call: 1 / 0)
    monkeypatch.setattr("recairn.surfaces.mcp.resources._overview", lambda *given: 1 / 0)
    assert "failed inside (ZeroDivisionError)" in agent.refused("recairn_get", id="1")
    trouble = agent.ask("resources/read", uri="recairn://project")
    assert trouble["code"] == -32603
    assert "failed inside (ZeroDivisionError)" in trouble["message"]
    assert capsys.readouterr().err.count("ZeroDivisionError: division by zero") == 2
    assert agent.call("recairn_search", query="gulls")["hits"]
