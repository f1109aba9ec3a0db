"""MCP over HTTP: both eras, no session, and nothing that a browser or a stranger could use."""

from __future__ import annotations

import json

import pytest

CALL = {"name": "recairn_search", "arguments": {"query": "lamp"}}


def message(method, *, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def hits(answer):
    return [hit["content"] for hit in answer.json["result"]["structuredContent"]["hits"]]


def test_the_era_of_the_handshake_needs_no_session(team):
    begun = team.mcp(
        message(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "claude-code", "version": "2"},
        )
    )
    assert begun.json["result"]["protocolVersion"] == "2025-06-18"
    assert "mcp-session-id" not in begun.headers
    noticed = team.mcp({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (noticed.status, noticed.body) == (202, b"")
    found = team.mcp(message("tools/call", **CALL), mcp_protocol_version="2025-06-18")
    assert hits(found) == ["The lamp turns with a stepper motor"]
    # Who does not know the header is of the version before it; structured answers came later.
    older = team.mcp(message("tools/call", **CALL)).json["result"]
    assert "structuredContent" not in older
    assert "stepper" in older["content"][0]["text"]
    batch = team.mcp([message("ping"), message("tools/list", id=2)])
    assert [each["id"] for each in batch.json] == [1, 2]


def test_the_later_era_says_everything_in_every_request(team):
    told = team.modern("server/discover").json["result"]
    assert told["supportedVersions"][0] == "2026-07-28"
    assert hits(team.modern("tools/call", **CALL)) == ["The lamp turns with a stepper motor"]
    read = team.modern("resources/read", uri="recairn://memory/1")
    assert "stepper" in read.json["result"]["contents"][0]["text"]
    unknown = team.modern("tools/dance")
    assert (unknown.status, unknown.json["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mcp_method": "tools/list"},
        {"mcp_method": ""},
        {"mcp_name": "recairn_add"},
        {"mcp_name": "=?base64?!!?="},
        {"mcp_protocol_version": "2025-11-25"},
    ],
)
def test_a_header_that_differs_from_the_body_is_refused(team, wrong):
    from tests.surfaces.hub.team import META, MODERN

    headers = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": CALL["name"]}
    asked = message("tools/call", **CALL, _meta=META)
    assert team.mcp(asked, **headers).status == 200
    answer = team.mcp(asked, **{**headers, **wrong})
    assert (answer.status, answer.json["error"]["code"]) == (400, -32020)


def test_a_version_nobody_speaks_is_refused_with_those_that_are(team):
    answer = team.mcp(message("tools/list"), mcp_protocol_version="1999-01-01")
    assert (answer.status, answer.json["error"]["code"]) == (400, -32022)
    assert "2025-11-25" in answer.json["error"]["data"]["supported"]


def test_only_post_is_answered_and_only_to_who_has_a_token(team):
    for method in ("GET", "DELETE"):
        assert team.ask(method, "/mcp?project=lantern", token="").status == 401
        assert team.ask(method, "/mcp?project=lantern").status == 405
    stranger = team.ask("POST", "/mcp?project=lantern", message("tools/list"), token="")
    assert (stranger.status, stranger.headers["www-authenticate"]) == (401, "Bearer")
    for path in (
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
    ):
        assert team.ask("GET", path, token="").status == 404
        assert team.ask("GET", f"{path}/mcp", token="").status == 404


def test_other_pages_and_other_names_are_refused(team):
    asked = message("tools/list")
    assert team.mcp(asked, origin="https://evil.example").status == 403
    assert team.mcp(asked, origin=team.url).status == 200
    assert team.mcp(asked, sec_fetch_site="cross-site").status == 403
    body = json.dumps(asked).encode()
    headers = [("Host", "evil.example"), ("Content-Length", str(len(body)))]
    assert team.send("POST", "/mcp?project=lantern", headers, body).status == 421
    assert team.mcp(asked, accept="text/html").status == 406
    assert team.mcp(asked, query="").status == 400


def test_what_an_agent_adds_is_its_own_word_and_a_reader_adds_nothing(team):
    added = {"name": "recairn_add", "arguments": {"content": "Gulls sit on the fog sensor"}}
    told = team.modern("tools/call", **added).json["result"]["structuredContent"]
    shown = team.get(f"/api/memories/{told['id']}?project=lantern")
    assert shown["author"] == "agent:codex"
    refused = team.modern("tools/call", member="rhea", **added).json["result"]
    assert refused["isError"]
    assert hits(team.modern("tools/call", member="rhea", **CALL))


def test_a_token_for_one_project_sees_no_other(team):
    burrows = {"name": "recairn_search", "arguments": {"query": "burrows", "project": "puffin"}}
    assert hits(team.modern("tools/call", **burrows)) == ["Puffins nest in burrows"]
    for project in ("puffin", "*"):
        call = {"name": "recairn_search", "arguments": {"query": "burrows", "project": project}}
        told = team.modern("tools/call", member="cora", **call).json["result"]
        assert told["isError"]
        assert "burrows" not in told["content"][0]["text"]
    for id in ("3", "puffin/3"):
        told = team.modern("tools/call", member="cora", name="recairn_get", arguments={"id": id})
        assert told.json["result"]["isError"]
    listed = message("tools/list")
    assert team.mcp(listed, member="cora", query="?project=puffin").status == 403
    assert team.mcp(listed, member="cora", query="").status == 200
