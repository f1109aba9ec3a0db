"""The real programs, from `recairn install` to what the model is sent, with a model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import opened

from . import model_api
from .model_api import Call, tool_names
from .programs import RECAIRN

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

REPOSITORY = Path(__file__).resolve().parent.parent.parent
KNOWN = "The tide sensor at pier 4 answers only after two wake-up pings"
PROMPT = "The tide sensor at pier 4 does not answer, what could it be?"
LEARNED = "Gull nests on the mast make the uplink drop every spring"


@pytest.fixture
def model():
    with model_api.serving() as serving:
        yield serving


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "puffin"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path, model=None) as memory:
        memory.remember(KNOWN)
        memory.remember("Never touch the tide sensor without gloves", kind="rule")
        memory.remember("The canteen closes at three")
    return path


@pytest.fixture
def home(tmp_path) -> Path:
    folder = tmp_path / "agent-home"
    folder.mkdir()
    return folder


def environment(home: Path, database: Path, **more: str) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{Path(RECAIRN).parent}:{os.environ['PATH']}",
        "RECAIRN_DB": str(database),
        **more,
    }


def run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"[-4000:]
    return done.stdout


def contents(database: Path) -> list[str]:
    with opened(database) as memory:
        return [each.content for each in memory.listing(all_projects=True)]


class Claude:
    """Claude Code, asked once (`-p`)."""

    def __init__(self, program: str, model: Any, env: dict[str, str], folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.env = {
            **env,
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": "sk-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def ask(self, prompt: str, *words: str) -> str:
        allowed = ["--allowedTools", "mcp__recairn__recairn_add"]
        return run([self.program, "-p", prompt, *allowed, *words], self.folder, self.env)


class Codex:
    """Codex, asked once (`exec`)."""

    def __init__(self, program: str, model: Any, env: dict[str, str], folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.env = {**env, "MOCK_KEY": "none"}
        config = Path(env["HOME"]) / ".codex" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        before = config.read_text() if config.exists() else ""
        config.write_text(
            'model = "mock"\nmodel_provider = "mock"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\n\n'
            f'[model_providers.mock]\nname = "mock"\nbase_url = "{model.address}/v1"\n'
            f'wire_api = "responses"\nenv_key = "MOCK_KEY"\n\n{before}'
        )

    def ask(self, prompt: str, *words: str) -> str:
        trusting = [
            "--dangerously-bypass-hook-trust",
            "-c",
            'mcp_servers.recairn.default_tools_approval_mode="approve"',
        ]
        return run([self.program, "exec", *trusting, *words, prompt], self.folder, self.env)


@pytest.fixture(params=["claude", "codex"])
def agent(request, model, home, database, checkout):
    """An agent for which `recairn install` was run, and nothing else."""
    env = environment(home, database)
    run([RECAIRN, "install", request.param], checkout, env)
    program = request.getfixturevalue(request.param)
    kind = Claude if request.param == "claude" else Codex
    return kind(program, model, env, checkout)


def test_a_prompt_brings_what_is_remembered_into_what_the_model_is_sent(agent, model):
    agent.ask(PROMPT)
    sent = model.sent()
    assert KNOWN in sent
    assert "without gloves" in sent
    assert "canteen" not in sent
    assert "recairn-context" in sent


def test_the_tools_are_there_in_the_first_request_of_the_first_turn(agent, model):
    agent.ask(PROMPT)
    offered = tool_names(model.requests[0])
    for name in ("recairn_context", "recairn_search", "recairn_add"):
        assert any(each.endswith(name) for each in offered), offered


def test_what_the_models_tool_call_stores_the_next_run_finds(agent, model, database):
    model.moves = [Call("recairn_add", {"content": LEARNED}), "Noted."]
    agent.ask("Why does the uplink drop in April?")
    assert LEARNED in contents(database)
    result = json.dumps(model.requests[-1], ensure_ascii=False)
    assert "added" in result
    model.requests.clear()
    agent.ask("The uplink drops again, gull nests on the mast perhaps?")
    assert LEARNED in model.sent()


def test_an_unrelated_prompt_brings_no_memory(agent, model):
    agent.ask("Write a limerick about accountants in Zurich")
    assert KNOWN not in model.sent()


def test_without_a_database_the_agent_works_as_if_recairn_were_not_there(agent, model, database):
    for path in database.parent.glob("memory.db*"):
        path.unlink()
    agent.ask(PROMPT)
    assert model.requests
    assert "recairn-context" not in json.dumps(model.requests[0].get("messages") or [])
    assert not database.exists()


def test_claude_code_accepts_the_plugin_and_runs_it(claude, model, home, database, checkout):
    env = environment(home, database)
    checked = run([claude, "plugin", "validate", "--strict", str(REPOSITORY / "plugin")], home, env)
    assert "Validation passed" in checked
    assert "passed" in run([claude, "plugin", "validate", "--strict", str(REPOSITORY)], home, env)
    run([claude, "plugin", "marketplace", "add", str(REPOSITORY)], home, env)
    run([claude, "plugin", "install", "recairn@recairn"], home, env)
    Claude(claude, model, env, checkout).ask(PROMPT)
    assert KNOWN in model.sent()
    assert any("recairn_search" in each for each in tool_names(model.requests[0]))


def test_codex_accepts_the_plugin_and_lists_its_server(codex, home, database, checkout):
    env = environment(home, database)
    run([codex, "plugin", "marketplace", "add", str(REPOSITORY)], checkout, env)
    run([codex, "plugin", "add", "recairn@recairn"], checkout, env)
    assert "recairn" in run([codex, "mcp", "list"], checkout, env)
