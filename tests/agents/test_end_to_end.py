"""The real programs, from `recairn install` to what the model is sent, with a model on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import opened
from tests.repository import ROOT as REPOSITORY

from . import model_api
from .model_api import Call, tool_names
from .programs import RECAIRN

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

KNOWN = "The tide sensor at pier 4 answers only after two wake-up pings"
PROMPT = "The tide sensor at pier 4 does not answer, what could it be?"
EVENTS = ("--include-hook-events",)
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


class Opencode:
    """opencode, asked once (`run`), with a provider that speaks Anthropic's API."""

    def __init__(self, program: str, model: Any, env: dict[str, str], folder: Path) -> None:
        self.program = program
        self.folder = folder
        provider = {
            "npm": "@ai-sdk/anthropic",
            "options": {"baseURL": f"{model.address}/v1", "apiKey": "none"},
            "models": {"mock": {"name": "mock", "tool_call": True}},
        }
        config = {"model": "mock/mock", "autoupdate": False, "provider": {"mock": provider}}
        self.env = {
            **env,
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        }

    def ask(self, prompt: str, *words: str) -> str:
        return run([self.program, "run", *words, prompt], self.folder, self.env)


class Gemini:
    """Gemini CLI, asked once (`-p`), in a folder it was told to trust."""

    def __init__(self, program: list[str], model: Any, env: dict[str, str], folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.env = {
            **env,
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": model.address,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        path = Path(env["HOME"]) / ".gemini" / "settings.json"
        settings = {
            **json.loads(path.read_text()),
            # With an address of its own it guesses a way to log in that it then refuses.
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        path.write_text(json.dumps(settings))

    def ask(self, prompt: str, *words: str) -> str:
        told = ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", *words]
        return run([*self.program, *told, "-p", prompt], self.folder, self.env)


class Copilot:
    """Copilot CLI, asked once (`-p`), offline and with a provider that speaks Anthropic's API."""

    def __init__(self, program: str, model: Any, env: dict[str, str], folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.env = {
            **env,
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": model.address,
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "mock",
        }

    def ask(self, prompt: str, *words: str) -> str:
        told = ["--allow-all-tools", "--allow-all-paths", *words, "-p", prompt]
        return run([self.program, *told], self.folder, self.env)


KINDS = {
    "claude": Claude,
    "codex": Codex,
    "opencode": Opencode,
    "gemini": Gemini,
    "copilot": Copilot,
}


@pytest.fixture(params=[*KINDS])
def agent(request, model, home, database, checkout):
    """An agent for which `recairn install` was run, and nothing else."""
    return installed(request.param, request, model)


def installed(name: str, request: pytest.FixtureRequest, model: Any) -> Any:
    program, home, database, checkout = (
        request.getfixturevalue(each) for each in (name, "home", "database", "checkout")
    )
    env = environment(home, database)
    run([RECAIRN, "install", name], checkout, env)
    return KINDS[name](program, model, env, checkout)


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


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_what_was_said_in_a_session_is_imported_and_found(request, model, checkout, name):
    agent = installed(name, request, model)
    model.moves = ["A flat battery: ping it twice."]
    agent.ask(PROMPT)
    run([RECAIRN, "import", "transcripts"], checkout, agent.env)
    found = run([RECAIRN, "search", "--transcripts", "flat battery"], checkout, agent.env)
    assert "said by the agent" in found
    assert "A flat battery: ping it twice." in found
    asked = run([RECAIRN, "search", "--transcripts", PROMPT], checkout, agent.env)
    assert "said by the person" in asked


@pytest.mark.parametrize(("kind", "held"), [("Explore", False), ("general-purpose", True)])
def test_a_subagent_of_claude_code_is_told_what_its_program_does_not_give_it(
    request, model, checkout, database, kind, held
):
    rule = "Never paint the buoys in heliotrope"
    (checkout / "CLAUDE.md").write_text(f"- {rule}\n")
    agent = installed("claude", request, model)
    agent.env["IS_SANDBOX"] = "1"
    run([RECAIRN, "import", "CLAUDE.md"], checkout, agent.env)
    run([RECAIRN, "review", "accept", "--all", "--yes"], checkout, agent.env)
    look = {"description": "look", "prompt": "Find the gauge", "subagent_type": kind}
    model.moves = [Call("Agent", look), "Under way.", "Nothing.", "So it is."]
    agent.ask("Draw the chart of the harbour", "--dangerously-skip-permissions")
    own = [
        sent
        for sent in (json.dumps(each["messages"]) for each in model.requests)
        if "Find the gauge" in sent and "Draw the chart" not in sent
    ]
    assert "without gloves" in own[0]
    assert own[0].count(rule) == 1
    assert (f"> {rule}" in own[0]) == (not held)


def test_an_unrelated_prompt_brings_no_memory(agent, model):
    agent.ask("Write a limerick about accountants in Zurich")
    assert KNOWN not in model.sent()


def test_without_a_database_the_agent_works_as_if_recairn_were_not_there(agent, model, database):
    for path in database.parent.glob("memory.db*"):
        path.unlink()
    agent.ask(PROMPT)
    assert model.requests
    first = model.requests[0]
    said = first.get("messages") or first.get("contents") or []
    assert "recairn-context" not in json.dumps(said)
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


def test_with_plugin_and_install_nothing_comes_to_claude_twice(
    claude, model, home, database, checkout
):
    env = environment(home, database)
    run([claude, "plugin", "marketplace", "add", str(REPOSITORY)], home, env)
    run([RECAIRN, "install", "claude", "--no-allow"], checkout, env)
    run([claude, "plugin", "install", "recairn@recairn"], home, env)
    Claude(claude, model, env, checkout).ask(PROMPT)
    assert model.sent().count(KNOWN) == 1
    names = tool_names(model.requests[0])
    assert [name for name in names if name.endswith("recairn_search")] == [
        "mcp__recairn__recairn_search"
    ]


def test_a_plugin_without_its_program_says_so(claude, model, home, database, checkout):
    env = environment(home, database)
    run([claude, "plugin", "marketplace", "add", str(REPOSITORY)], home, env)
    run([claude, "plugin", "install", "recairn@recairn"], home, env)
    agent = Claude(claude, model, {**env, "PATH": "/usr/bin:/bin"}, checkout)
    said = agent.ask(PROMPT, "--output-format", "stream-json", "--verbose", *EVENTS)
    assert "needs the program recairn on the PATH" in said


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_agent_that_was_allowed_to_calls_tools_without_asking(
    name, request, model, home, database, checkout
):
    env = environment(home, database)
    run([RECAIRN, "install", name, "--allow"], checkout, env)
    # Codex lets a tool that only adds go ahead in any case; Claude Code has that one at hand alone.
    calls = {
        "claude": Call("recairn_add", {"content": LEARNED}),
        "codex": Call("recairn_update", {"id": "3", "action": "edit", "content": LEARNED}),
    }
    model.moves = [calls[name], "Done."]
    program = request.getfixturevalue(name)
    if name == "claude":
        agent = Claude(program, model, env, checkout)
        run([program, "-p", PROMPT], checkout, agent.env)
    else:
        codex = Codex(program, model, env, checkout)
        words = ["--dangerously-bypass-hook-trust", "--sandbox", "workspace-write", PROMPT]
        run([program, "exec", *words], checkout, codex.env)
    assert LEARNED in contents(database)


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_agent_whose_recairn_was_removed_hears_of_no_failed_hook(
    name, request, model, home, database, checkout
):
    env = environment(home, database)
    run([RECAIRN, "install", name, "--no-allow"], checkout, env)
    for path in home.rglob("*"):
        if path.suffix in (".json", ".toml"):
            path.write_text(path.read_text().replace(RECAIRN, "/nowhere/bin/recairn"))
    program = request.getfixturevalue(name)
    if name == "claude":
        agent = Claude(program, model, env, checkout)
        said = agent.ask(PROMPT, "--output-format", "stream-json", "--verbose", *EVENTS)
        ends = [json.loads(line) for line in said.splitlines() if "hook_response" in line]
        assert {each["outcome"] for each in ends} == {"success"}
        assert "not found" not in said
    else:
        codex = Codex(program, model, env, checkout)
        words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT]
        done = subprocess.run(
            [program, *words], cwd=checkout, env=codex.env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=240, check=True,
        )  # fmt: skip
        assert "hook: Stop Completed" in done.stderr
        assert "Failed" not in done.stderr
    assert model.requests


def test_codex_accepts_the_plugin_and_lists_its_server(codex, home, database, checkout):
    env = environment(home, database)
    run([codex, "plugin", "marketplace", "add", str(REPOSITORY)], checkout, env)
    run([codex, "plugin", "add", "recairn@recairn"], checkout, env)
    assert "recairn" in run([codex, "mcp", "list"], checkout, env)


def test_opencode_lists_the_server_as_connected(request, model):
    agent = installed("opencode", request, model)
    listed = run([agent.program, "mcp", "list"], agent.folder, agent.env)
    assert re.search(r"✓ recairn \S*connected", listed), listed


RUN = {"command": "python3 -m unittest nowhere", "description": "Run the tests"}
# Agent → its tools that run a command and write a file, and how the latter calls path and content.
TOOLS = {
    "opencode": ("bash", "write", ("filePath", "content")),
    "gemini": ("run_shell_command", "write_file", ("file_path", "content")),
    "copilot": ("bash", "create", ("path", "file_text")),
}


@pytest.mark.parametrize("name", TOOLS)
def test_edits_and_test_runs_are_noted_and_the_session_ends(
    request, model, database, checkout, name
):
    agent = installed(name, request, model)
    shell, writer, (path, content) = TOOLS[name]
    lamp = {path: str(checkout / "lamp.py"), content: "VOLTS = 12\n"}
    model.moves = [Call(shell, RUN), Call(writer, lamp), "Done."]
    agent.ask(PROMPT)
    with opened(database) as memory:
        session = memory.sessions(all_projects=True)[0]
        notes = memory.store.session_notes(session.id)
    assert (session.agent, session.state) == (name, "ended")
    assert notes["files"] == ["lamp.py"]
    assert notes["tests"] == ["python3 -m unittest nowhere: failed"]


# Agent → its tool that shows a file, and how it calls the path.
READERS = {
    "claude": ("Read", "file_path"),
    "codex": ("exec_command", "cmd"),
    "opencode": ("read", "filePath"),
    "gemini": ("read_file", "file_path"),
    "copilot": ("view", "path"),
}


@pytest.mark.parametrize("name", READERS)
def test_who_opens_a_file_is_told_what_names_it(request, model, database, checkout, name):
    (checkout / "lamp.py").write_text("VOLTS = 12\n")
    agent = installed(name, request, model)
    with opened(database) as memory:
        memory.remember("Never feed lamp.py 24 volts, it burns")
    tool, path = READERS[name]
    file = f"cat {checkout}/lamp.py" if path == "cmd" else str(checkout / "lamp.py")
    model.moves = [Call(tool, {path: file}), "So it is."]
    agent.ask("Look around, please")
    first, last = (json.dumps(each) for each in (model.requests[0], model.requests[-1]))
    assert "it burns" not in first
    assert "it burns" in last


@pytest.mark.parametrize("name", ["gemini", "copilot"])
def test_who_stops_while_a_task_is_open_is_asked_once_what_was_learned(
    request, model, database, name
):
    agent = installed(name, request, model)
    with opened(database) as memory:
        memory.add_task("Mend the tide sensor", id="t-tide")
    start = f"RECAIRN_DB={database} {RECAIRN} task start t-tide"
    model.moves = [Call(TOOLS[name][0], {"command": start, "description": "Begin"}), "Fine.", "So."]
    agent.ask(PROMPT)
    assert len(model.requests) == 3
    assert "the task t-tide finished?" in json.dumps(model.requests[-1])


def test_copilot_leaves_a_handoff_before_a_compaction_and_is_told_again_after_it(
    request, model, database
):
    agent = installed("copilot", request, model)
    session = "0d9f2c1e-5b7a-4c1d-8e5f-6a7b8c9d0e1f"
    agent.ask(PROMPT, "--session-id", session)
    agent.ask("/compact", "--resume", session)
    with opened(database) as memory:
        (left,) = memory.listing(kind="handoff", all_projects=True)
    assert PROMPT in left.content
    model.requests.clear()
    agent.ask(PROMPT, "--resume", session)
    assert KNOWN in model.sent()


def test_opencode_leaves_a_handoff_before_a_compaction_and_is_told_again_after_it(
    request, model, database
):
    agent = installed("opencode", request, model)
    command = [agent.program, "serve", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=agent.folder,
        env=agent.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            lines = iter(server.stdout or ())
            address = next(line.split()[-1] for line in lines if "listening on" in line)
            session = posted(f"{address}/session", {})["id"]
            ask = {"parts": [{"type": "text", "text": PROMPT}]}
            posted(f"{address}/session/{session}/message", ask)
            chosen = {"providerID": "mock", "modelID": "mock"}
            assert posted(f"{address}/session/{session}/summarize", chosen) is True
            model.requests.clear()
            posted(f"{address}/session/{session}/message", ask)
        finally:
            server.terminate()
    with opened(database) as memory:
        (left,) = memory.listing(kind="handoff", all_projects=True)
    assert PROMPT in left.content
    assert KNOWN in model.sent()


def posted(address: str, body: dict[str, Any]) -> Any:
    """What a server answers to a document."""
    wanted = {"content-type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), wanted)
    with urllib.request.urlopen(request, timeout=240) as answer:
        return json.load(answer)


def test_gemini_lists_the_server_as_connected(request, model):
    agent = installed("gemini", request, model)
    done = subprocess.run(
        [*agent.program, "mcp", "list"],
        cwd=agent.folder,
        env=agent.env,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert re.search(r"✓ recairn: .* - Connected", done.stdout + done.stderr)


def test_gemini_keeps_a_persons_words_alone_and_leaves_no_handoff_of_a_single_question(
    request, model, database
):
    agent = installed("gemini", request, model)
    agent.ask(PROMPT)
    with opened(database) as memory:
        session = memory.sessions(all_projects=True)[0]
        notes = memory.store.session_notes(session.id)
    assert notes["prompts"] == [PROMPT]
    assert len(contents(database)) == 3


def test_what_one_agent_of_opencode_asks_another_is_not_taken_for_a_persons_prompt(
    request, model, database
):
    agent = installed("opencode", request, model)
    asked = "Remember: the tide sensor at pier 4 hates blue paint"
    wanted = {"description": "look", "prompt": asked, "subagent_type": "general"}
    model.moves = [Call("task", wanted), "It is painted.", "Done."]
    agent.ask("Ask someone about accountants in Zurich")
    requests = [json.dumps(each["messages"], ensure_ascii=False) for each in model.requests]
    assert any(asked in each for each in requests)
    assert KNOWN not in "".join(requests)
    assert len(contents(database)) == 3
