"""`recairn mcp` as other people's programs see it: SDK, Inspector, Claude Code, Codex."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import Any

import pytest

from recairn.surfaces.mcp.dispatch import TOOLSETS, offered
from tests.corpus import MEMORIES, opened

from .programs import RECAIRN

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

ALL = ",".join(TOOLSETS)
# One call of every tool, in an order in which each finds what it needs.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("recairn_context", {"prompt": "gulls at the sensor", "max_tokens": 500}),
    ("recairn_search", {"query": "gulls at the sensor", "limit": 2}),
    ("recairn_add", {"content": "The pier lamp needs 12 volts", "kind": "fact"}),
    ("recairn_get", {"id": "1"}),
    ("recairn_feedback", {"ids": ["1", "2"], "score": 1}),
    ("recairn_update", {"id": "1", "action": "link", "target": "2", "relation": "relates_to"}),
    ("recairn_timeline", {"id": "3", "before": 2}),
    ("recairn_handoff", {"content": "Lamp wired, switch missing", "next_steps": ["a switch"]}),
    ("tx_learning_add", {"content": "Lamps dislike rain", "keywords": ["lamp"]}),
    ("tx_learning_search", {"query": "lamps", "limit": 3}),
    ("tx_context", {"taskId": "tx-4f2a91"}),
    ("tx_learning_helpful", {"id": 1, "score": 0.5}),
    ("lore_search", {"query": "uplink", "type": "all", "graph_depth": 1}),
    ("lore_show", {"id": "1"}),
    ("lore_graph_traverse", {"id": "1", "depth": 2}),
    ("batch_embed", {"limit": 1000}),
    ("hybrid_search", {"query": "gulls", "weights": {"vector": 0.5}}),
    ("semantic_search", {"query": "birds", "types": ["memory"]}),
    ("set_config", {"key": "retrieval.fts_weight", "value": "0.4"}),
    ("get_config", {"key": "retrieval.fts_weight"}),
    ("get_query_stats", {"group_by": "tool"}),
    ("save_memory", {"content": "Rope is 40 m long", "category": "fact", "importance": 2}),
    ("create_entity", {"name": "Pier watch", "type": "organization"}),
    ("save_note", {"title": "Rope", "content": "Bought in Bergen", "key_points": ["Bergen"]}),
    ("save_resource", {"title": "Knots", "url": "https://example.org/knots"}),
    ("memory_search", {"query": "rope", "mode": "keyword"}),
    ("memory_add", {"content": "The rope dries on the rail", "tags": ["rope"]}),
    ("memory_reinforce", {"memory_id": "1"}),
    ("memory_deemphasize", {"memory_id": "1", "amount": 0.1}),
    ("memory_timeline", {"anchor_id": "2"}),
    ("memory_supersede", {"old_memory_id": "6", "new_memory_id": "5"}),
    ("memory_delete", {"memory_id": "7"}),
    (
        "relationship_add",
        {"source_memory_id": "1", "target_memory_id": "3", "relationship_type": "BUILDS_ON"},
    ),
    ("create_link", {"source_id": "2", "target_id": "3", "relationship": "depends_on"}),
    ("docs_search", {"query": "rope"}),
]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "puffin.db"
    with opened(path, model=None) as memory:
        memory.remember_many(MEMORIES)
        memory.add_task("Keep gulls off the sensor", id="tx-4f2a91")
    return path


@pytest.fixture
def server(database):
    return [RECAIRN, "mcp", "--db", str(database), "--project", "puffin", "--tools", ALL]


def run(command, *, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=300, env=env, check=False
    )


def test_every_tool_is_called_somewhere_below():
    assert sorted(name for name, _ in CALLS) == sorted(offered([*TOOLSETS]))


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_official_sdk_connects_lists_and_calls_every_tool(sdk_python, server, mode, version):
    script = os.path.join(os.path.dirname(__file__), "sdk_client.py")
    wrong = [("recairn_get", {"id": "404"}), ("recairn_search", {"qurey": "x"})]
    done = run([sdk_python, script, mode, *server], stdin=json.dumps([*CALLS, *wrong]))
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["version"] == version
    assert sorted(seen["tools"]) == sorted(offered([*TOOLSETS]))
    assert seen["resources"] == ["recairn://project"]
    assert seen["templates"] == ["recairn://memory/{id}", "recairn://project/{name}"]
    assert seen["prompts"] == ["recall", "handoff"]
    for tool, failed, structured, text in seen["calls"][:-2]:
        assert not failed, (tool, text)
        assert json.loads(text) == structured
    assert [(each[1], each[2]) for each in seen["calls"][-2:]] == [(True, None)] * 2
    assert "did you mean 'query'?" in seen["calls"][-1][3]
    assert seen["overview"]["project"] == "puffin"
    assert "Gulls peck" in seen["recalled"]


def test_the_sdk_hears_of_progress(sdk_python, server, database):
    with opened(database, model="none") as memory:
        drafts = [{"content": f"Reading {number} of buoy {number * 3}"} for number in range(400)]
        memory.remember_many(drafts, on_similar="add")
    script = os.path.join(os.path.dirname(__file__), "sdk_client.py")
    embed = json.dumps([["batch_embed", {"limit": 300}]])
    done = run([sdk_python, script, "auto", *server], stdin=embed)
    assert done.returncode == 0, done.stderr
    progress = json.loads(done.stdout)["progress"]
    assert len(progress) == 3
    assert progress == sorted(progress)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_finds_nothing_to_complain_about(inspector, server, era):
    done = run([*inspector, *server, "--method", "tools/list", "--strict", "--protocol-era", era])
    assert done.returncode == 0, done.stderr
    assert "problem" not in done.stderr.lower()
    for name in offered([*TOOLSETS]):
        assert f'"{name}"' in done.stdout


def test_the_inspector_calls_every_tool_and_reads_what_is_offered(inspector, server):
    for name, arguments in CALLS:
        given = []
        for parameter, value in arguments.items():
            spelled = value if isinstance(value, str) else json.dumps(value)
            given += ["--tool-arg", f"{parameter}={spelled}"]
        done = run([*inspector, *server, "--method", "tools/call", "--tool-name", name, *given])
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    for method, option, value in (
        ("resources/read", "--uri", "recairn://memory/1"),
        ("prompts/get", "--prompt-name", "handoff"),
    ):
        done = run([*inspector, *server, "--method", method, option, value])
        assert done.returncode == 0, (method, done.stderr)


def test_claude_code_connects(claude, server, own_home, tmp_path):
    clean = ["env", "-i", f"HOME={own_home}", "PATH=/usr/bin:/bin"]
    added = run([*clean, claude, "mcp", "add", "recairn", "--", *server])
    assert added.returncode == 0, added.stdout + added.stderr
    listed = run([*clean, claude, "mcp", "list"])
    assert "Connected" in listed.stdout, listed.stdout + listed.stderr
    assert "recairn" in listed.stdout


CODEX_CONFIG = """
model = "nobody"
model_provider = "nowhere"
[model_providers.nowhere]
name = "nowhere"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
"""


def test_codex_registers_it_connects_and_lists_its_tools(codex, server, own_home, tmp_path):
    """There is no model behind it, so Codex never gets further than that."""
    said = tmp_path / "said.jsonl"
    recording = ["sh", "-c", f"{' '.join(server)} | tee {said}"]
    (own_home / "codex").mkdir()
    (own_home / "codex" / "config.toml").write_text(CODEX_CONFIG)
    clean = ["env", "-i", f"HOME={own_home}", "PATH=/usr/bin:/bin", "OPENAI_API_KEY=none"]
    clean.append(f"CODEX_HOME={own_home / 'codex'}")
    added = run([*clean, codex, "mcp", "add", "recairn", "--", *recording])
    assert added.returncode == 0, added.stdout + added.stderr
    assert "enabled" in run([*clean, codex, "mcp", "list"]).stdout
    asking = [*clean, codex, "exec", "--skip-git-repo-check", "hello"]
    nothing = subprocess.DEVNULL
    child = subprocess.Popen(asking, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        deadline = time.monotonic() + 120
        while not (said.exists() and said.read_text().count("\n") >= 2):
            assert time.monotonic() < deadline, "Codex did not connect within two minutes"
            time.sleep(0.1)
    finally:
        child.kill()
        child.wait()
    hello, listed = [json.loads(line) for line in said.read_text().splitlines()[:2]]
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert {each["name"] for each in listed["result"]["tools"]} == {*offered([*TOOLSETS])}
