"""A secret in whatever parameter of whatever tool never reaches the disk."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from recairn.surfaces.mcp.dispatch import TOOLSETS, offered
from tests.corpus import kept_at, opened

from .conftest import Agent

# What makes a call run where the parameter of a name is needed, or decides what the tool does.
VALID: dict[str, Any] = {
    "id": "1",
    "ids": ["1"],
    "memory_id": "1",
    "anchor_id": "1",
    "old_memory_id": "1",
    "new_memory_id": "2",
    "taskId": "t-1",
    "query": "tide gauge",
    "content": "The tide gauge drifts when it rains",
    "name": "tide gauge",
    "title": "Tide gauge",
    "key": "team.motto",
    "value": "measure first",
}
# Parameters that are needed to see the others at work.
BESIDE = {
    "recairn_update": [{"action": action} for action in ("edit", "supersede", "forget", "destroy")],
    "recairn_handoff": [{"content": "Stopped at the gauge"}],
}


def token(*names: str) -> str:
    """A secret of its own for each place it is put into."""
    return "ghp_" + sha256("/".join(names).encode()).hexdigest()[:36].upper().replace("0", "x")


def places(schema: Any) -> list[str]:
    """The parameters that take words of the caller's choice."""
    found = []
    for name, one in schema.get("properties", {}).items():
        items = one.get("items", {})
        if (
            one["type"] == "object"
            or (one["type"] == "string" and "enum" not in one)
            or (one["type"] == "array" and "enum" not in items)
        ):
            found.append(name)
    return found


def holding(schema: Any, name: str, secret: str) -> Any:
    """A value for a parameter that holds the secret in the middle of a sentence."""
    said = f"deploys with {secret} since May"
    kind = schema["properties"][name]["type"]
    if kind == "object":
        return {"rationale": said, "solution": said, "fix": said}
    return [said] if kind == "array" else said


TOOLS = {(each, tool.name): tool for each in TOOLSETS for tool in offered([each]).values()}


@pytest.mark.parametrize(("tools", "name"), TOOLS, ids=[tool for _, tool in TOOLS])
def test_no_parameter_of_a_tool_brings_a_secret_to_the_disk(tmp_path, tools, name):
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.remember("Wipe the lens after every storm")
        memory.remember("Trim the wick before dusk")
        memory.add_task("Mend the gauge", id="t-1")
    agent, schema = Agent(path, tools), TOOLS[tools, name].takes
    needed = {each: VALID[each] for each in schema.get("required", ()) if each in VALID}
    tokens = {}
    for place in places(schema):
        tokens[place] = token(tools, name, place)
        told = holding(schema, place, tokens[place])
        for beside in BESIDE.get(name, [{}]):
            arguments = {**needed, **beside, place: told}
            agent.ask("tools/call", name=name, arguments=arguments)
    agent.desk.settle()
    kept = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    agent.desk.close()
    kept += b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    kept += kept_at(path)
    assert [place for place, secret in tokens.items() if secret.encode() in kept] == []


def test_the_canary_is_seen_where_nothing_redacts(tmp_path):
    """What a person declared to be no secret is kept, so the search for it can fail."""
    path, secret = tmp_path / "memory.db", token("allowed")
    with opened(path) as memory:
        memory.set_config("redaction.allow", secret)
    agent = Agent(path)
    agent.call("recairn_add", content=f"deploys with {secret} since May")
    agent.desk.close()
    assert secret.encode() in kept_at(path).replace(b"\0", b"")


@pytest.mark.parametrize("session", ["named", "env"])
def test_a_secret_in_the_name_of_a_session_is_not_kept(tmp_path, monkeypatch, session):
    path, secret = tmp_path / "memory.db", token("session")
    agent, meta = Agent(path), {}
    if session == "named":
        meta = {"_meta": {"sessionId": secret}}
    else:
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", secret)
    arguments = {"content": "The tide gauge drifts when it rains"}
    agent.ask("tools/call", name="recairn_add", arguments=arguments, **meta)
    agent.desk.close()
    assert secret.encode() not in b"".join(each.read_bytes() for each in tmp_path.glob("*.db*"))
