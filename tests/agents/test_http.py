"""A team's server as other people's programs see it: SDK, Claude Code and Codex over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import recairn
from tests.surfaces.hub.team import TeamServer, members

from . import model_api
from .model_api import Call
from .programs import RECAIRN
from .test_end_to_end import Claude, Codex, run

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

LEARNED = "Gull nests on the mast make the uplink drop every spring"


@pytest.fixture
def team(tmp_path) -> Iterator[TeamServer]:
    folder = tmp_path / "server"
    folder.mkdir()
    database = str(folder / "team.db")
    with recairn.open(database, project="puffin", model="none") as memory:
        memory.remember("The tide sensor at pier 4 answers only after two wake-up pings")
    tokens = members(database, ann="admin")
    served = TeamServer(folder, database)
    served.tokens = tokens
    yield served
    served.stop()


@pytest.fixture
def checkout(tmp_path) -> Path:
    folder = tmp_path / "puffin"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.fixture
def env(tmp_path, team) -> dict[str, str]:
    home = tmp_path / "agent-home"
    home.mkdir()
    path = f"{Path(RECAIRN).parent}:{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "RECAIRN_TOKEN": team.tokens["ann"]}


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_official_sdk_connects_and_calls(sdk_python, team, mode, version):
    script = Path(__file__).with_name("sdk_http_client.py")
    address = f"{team.url}/mcp?project=puffin"
    calls = json.dumps([["recairn_search", {"query": "tide sensor"}]])
    done = subprocess.run(
        [sdk_python, str(script), mode, address, team.tokens["ann"]],
        input=calls,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["version"] == version
    assert "recairn_context" in seen["tools"]
    ((failed, structured),) = seen["calls"]
    assert not failed
    assert "wake-up pings" in structured["hits"][0]["content"]


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_an_agent_that_was_installed_for_a_server_adds_there(agent, request, team, checkout, env):
    run([RECAIRN, "install", agent, "--server", team.url, "--allow"], checkout, env)
    program = request.getfixturevalue(agent)
    with model_api.serving() as model:
        kind: type[Claude | Codex] = Claude if agent == "claude" else Codex
        asked = kind(program, model, env, checkout)
        model.moves = [Call("recairn_add", {"content": LEARNED}), "Noted."]
        asked.ask("What did we learn about the uplink?")
        assert "added" in model.sent(), model.sent()[-3000:]
    (added,) = [
        each
        for each in team.get("/api/memories?project=puffin")["memories"]
        if each["content"] == LEARNED
    ]
    assert added["author"] == {"claude": "agent:claude-code", "codex": "agent:codex"}[agent]
