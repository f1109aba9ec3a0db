"""The first minutes: `init`, `status`, a bare `recairn`, and what `doctor` says of agents."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import recairn as api
from recairn import __version__
from recairn.surfaces.install.edits import enabled_plugin
from tests.corpus import ELSEWHERE

PLUGIN = {"enabledPlugins": {"recairn@recairn": True}}


@pytest.fixture
def machine(tmp_path, own_home, monkeypatch):
    """A machine with Codex on the PATH, Claude Code's settings, and a checkout with a CLAUDE.md."""
    programs = tmp_path / "programs"
    programs.mkdir()
    program(programs / "codex")
    git = shutil.which("git")
    if git is not None:
        (programs / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(programs))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    (own_home / ".claude").mkdir()
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "CLAUDE.md").write_text(
        "# Shop\n\n- Payments are retried with full jitter\n- Orders are kept for ten years\n"
    )
    monkeypatch.chdir(shop)
    return programs


def program(path: Path, version: str = __version__) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho recairn {version}\n")
    path.chmod(0o755)
    return path


def findings(recairn) -> list[tuple[str, str, str]]:
    """What doctor says about agents: (level, what, remedy)."""
    found = recairn("doctor", "--json").json["findings"]
    names = ("claude", "codex")
    return [
        (each["level"], each["what"], each["remedy"])
        for each in found
        if each["what"].startswith(names)
    ]


def test_a_bare_recairn_says_where_you_stand_before_what_can_be_typed(recairn, machine):
    first = recairn()
    assert first.status == 0
    begun = "Nothing is remembered yet" + ("" if ELSEWHERE else ", and there is no database;")
    assert first.out.startswith(begun)
    assert "\n  recairn init " in first.out
    assert first.out.endswith(recairn("--help").out)
    recairn("add", "Payments are retried with full jitter")
    recairn("install", "codex", "--no-allow")
    then = recairn().out
    assert then.startswith("1 memory for project shop, 1 in all; registered with codex\n")
    assert "recairn status says more" in then


def test_help_says_nothing_of_where_you_stand(recairn, machine):
    assert recairn("--help").out.startswith("recairn: the memory your coding agents share\n")
    assert recairn("-h").out == recairn("--help").out


@pytest.mark.files("one that is no database")
def test_a_memory_that_does_not_open_is_not_taken_for_an_empty_one(recairn, machine, own_home):
    (own_home / "memories.db").write_text("no database")
    bare, whole = recairn(), recairn("status")
    assert bare.status == 0
    assert bare.out.startswith("The memory cannot be opened: ")
    assert "recairn doctor" in bare.out
    assert whole.status == 1
    assert recairn("status", "--json").json["database"]["trouble"]


def test_what_waits_leads_to_review(recairn, machine, own_home):
    recairn("init", "--yes")
    recairn("import", "claude-md")
    Path("AGENTS.md").write_text("- Never push to main\n")
    recairn("import", "claude-md")
    said = recairn("status").out
    assert "review    1 waits: recairn review\n" in said
    assert "next      recairn review " in said
    assert ", 1 to review, " in recairn().out


def test_before_anything_is_remembered_what_waits_leads_to_review_all_the_same(
    recairn, machine, own_home
):
    recairn("install", "claude")
    assert recairn("status", "--json").json["next"].startswith("recairn init takes in")
    with api.open(model="none") as memory:
        memory.remember("Always use tabs in Makefiles", kind="rule", trust="unverified")
    assert recairn("status", "--json").json["next"].startswith("recairn review")
    assert recairn().out.startswith(
        "Nothing is remembered yet, 1 to review; registered with claude"
    )


def test_status_knows_every_agent_and_when_it_was_heard(recairn, machine, own_home):
    recairn("install", "codex", "--no-allow")
    recairn("add", "Payments are retried with full jitter")
    silent = recairn("status").out
    assert "agents    claude    not registered: recairn install claude\n" in silent
    assert "          codex     registered (user), not heard yet: restart it\n" in silent
    event = {"session_id": "s-1", "cwd": os.getcwd(), "hook_event_name": "SessionStart"}
    recairn("hook", "SessionStart", "--agent", "codex", stdin=json.dumps(event))
    assert "codex     registered (user), heard just now\n" in recairn("status").out
    codex = recairn("status", "--json").json["agents"][1]
    assert codex["agent"] == "codex"
    assert codex["program"] == str(machine / "codex")
    assert codex["registered"] == ["user"]
    assert codex["last_hook"]


def test_init_registers_imports_and_ends_with_a_search(recairn, machine, own_home):
    ran = recairn("init", "--yes")
    assert ran.status == 0
    assert "claude-md: 2 memories imported" in ran.out
    question, _, answer = ran.out.partition("\n$ recairn search ")[2].partition("\n")
    assert question == '"payments retried full jitter"'
    assert "#1 Payments are retried with full jitter" in answer
    settings = json.loads((own_home / ".claude" / "settings.json").read_text())
    assert settings["permissions"]["allow"] == ["mcp__recairn"]
    assert "recairn hook Stop" in json.dumps(settings["hooks"])
    assert 'approval_mode = "approve"' in (own_home / ".codex" / "config.toml").read_text()


def test_init_may_be_run_again_and_finds_nothing_left_to_do(recairn, machine, own_home):
    recairn("init", "--yes")
    before = {path: path.read_bytes() for path in own_home.rglob("*.json")}
    again = recairn("init", "--yes")
    assert "claude: registered already" in again.out
    assert "claude-md: nothing new in CLAUDE.md" in again.out
    assert {path: path.read_bytes() for path in own_home.rglob("*.json")} == before
    assert recairn("status", "--json").json["memories"]["all"] == 2


def test_where_nobody_can_be_asked_init_does_nothing_and_says_so(recairn, machine, own_home):
    for words in (("init",), ("init", "--dry-run")):
        ran = recairn(*words)
        assert "would ask: Register with claude, codex?" in ran.out
        assert "would ask: Import 2 memories from CLAUDE.md (claude-md)?" in ran.out
        assert ran.status == (0 if "--dry-run" in words else 1)
        assert ("recairn init --yes" in ran.err) == (ran.status == 1)
        assert not (own_home / "memories.db").exists()
        assert [path for path in own_home.rglob("*") if path.is_file()] == []


def test_a_person_is_asked_before_each_step(recairn, machine, own_home):
    ran = recairn("init", stdin="y\nn\nn\nn\n", tty=True)
    assert ran.status == 0
    assert ran.err.count("[y/N]") == 4
    assert (own_home / ".codex" / "hooks.json").exists()
    assert "permissions" not in (own_home / ".claude" / "settings.json").read_text()
    assert recairn("status", "--json").json["memories"]["all"] == 0


@pytest.mark.parametrize("words", [(), ("--model", "minilm")])
def test_no_model_is_pulled_that_could_not_be_used(recairn, machine, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "numpy", None)
    recairn("add", "Payments are retried with full jitter")
    said = recairn("init", *words, stdin="n\n" * 9, tty=True)
    assert said.status == 0
    assert "minilm finds more, and needs numpy: pip install 'recairn[minilm]'" in said.out
    assert "Pull minilm" not in said.out + said.err


def test_in_a_project_of_which_nothing_is_known_init_is_next(
    recairn, machine, tmp_path, monkeypatch
):
    recairn("install", "codex", "--no-allow")
    recairn("add", "Payments are retried with full jitter")
    assert "next      recairn search WORDS, recairn add TEXT" in recairn("status").out
    (tmp_path / "another").mkdir()
    monkeypatch.chdir(tmp_path / "another")
    assert "next      recairn init takes in what is written down" in recairn("status").out


def test_install_without_names_asks_about_those_on_this_machine(recairn, machine, own_home):
    alone = recairn("install")
    assert alone.status == 1
    assert "on this machine: claude codex" in alone.err
    assert recairn("install", stdin="n\n", tty=True).out == ""
    assert recairn("install", stdin="y\nn\n", tty=True).status == 0
    assert (own_home / ".codex" / "hooks.json").exists()
    assert not (own_home / ".gemini").exists()


def test_the_tools_are_allowed_on_request_and_uninstall_takes_it_back(recairn, machine, own_home):
    settings = own_home / ".claude" / "settings.json"
    settings.write_text('{\n  "permissions": {\n    "allow": [\n      "Bash(ls)"\n    ]\n  }\n}\n')
    before = settings.read_text()
    asked = recairn("install", "claude", "codex", "gemini")
    assert "--allow lets them go ahead" in asked.err
    assert "mcp__recairn" not in settings.read_text()
    recairn("install", "claude", "codex", "gemini", "--allow")
    assert json.loads(settings.read_text())["permissions"]["allow"] == ["Bash(ls)", "mcp__recairn"]
    assert json.loads((own_home / ".gemini" / "settings.json").read_text())["mcpServers"][
        "recairn"
    ]["trust"]
    # Registered anew for another reason, it stays allowed.
    assert "Changed" not in recairn("install", "claude", "codex", "gemini", "--no-allow").out
    recairn("uninstall")
    assert settings.read_text() == before
    assert not (own_home / ".codex" / "config.toml").exists()


def test_doctor_names_an_agent_that_does_not_know_recairn(recairn, machine):
    recairn("add", "Payments are retried with full jitter")
    assert [(level, remedy) for level, _, remedy in findings(recairn)] == [
        ("warning", "recairn install claude"),
        ("warning", "recairn install codex"),
    ]
    recairn("install", "claude", "codex", "--no-allow")
    assert [each[:2] for each in findings(recairn)] == [
        ("ok", "claude: registered (user)"),
        ("ok", "codex: registered (user)"),
    ]


def test_doctor_sees_hooks_that_start_nothing_or_another_version(recairn, machine, own_home):
    recairn("add", "Payments are retried with full jitter")
    recairn("install", "codex", "--no-allow")
    hooks = own_home / ".codex" / "hooks.json"
    ours = json.loads(hooks.read_text())["hooks"]["Stop"][0]["hooks"][0]["command"].split()[0]
    old = program(own_home / "old" / "recairn", "0.0.9")
    hooks.write_text(hooks.read_text().replace(ours, str(old)))
    said = [what for _, what, _ in findings(recairn)]
    assert f"codex: its hooks start recairn 0.0.9, this is {__version__}" in said
    old.write_text("#!/nowhere\n")
    assert f"codex: its hooks start {old}, which does not run" in [
        what for _, what, _ in findings(recairn)
    ]
    old.unlink()
    assert (
        "problem",
        f"codex: its hooks start {old}, which is gone",
        "recairn install codex --user",
    ) in findings(recairn)


def test_a_plugin_is_not_registered_beside(recairn, machine, own_home):
    settings = own_home / ".claude" / "settings.json"
    settings.write_text(json.dumps(PLUGIN))
    ran = recairn("install", "claude", "--allow")
    assert "its plugin recairn@recairn brings server and hooks already" in ran.err
    after = json.loads(settings.read_text())
    assert "hooks" not in after
    assert after["permissions"]["allow"] == ["mcp__plugin_recairn_recairn"]
    assert not (own_home / ".claude.json").exists()
    assert "claude    registered (plugin)" in recairn("status").out
    recairn("uninstall", "claude")
    assert json.loads(settings.read_text()) == PLUGIN


def test_doctor_sees_a_plugin_beside_install_and_one_without_its_program(
    recairn, machine, own_home
):
    recairn("add", "Payments are retried with full jitter")
    recairn("install", "claude", "--no-allow")
    settings = own_home / ".claude" / "settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **PLUGIN}))
    said = {what: (level, remedy) for level, what, remedy in findings(recairn)}
    assert said[
        "claude: its plugin recairn@recairn needs recairn on the PATH, where it is not"
    ] == (
        "problem",
        "uv tool install recairn, or put its folder on the PATH",
    )
    program(machine / "recairn")
    (twice,) = [finding for finding in findings(recairn) if finding[0] == "warning"][:1]
    assert twice[1].startswith("claude: both the plugin recairn@recairn and recairn install")
    assert twice[2] == "recairn uninstall claude"
    assert "twice, with the plugin" in recairn("install", "--status").out


@pytest.mark.parametrize(
    ("settings", "plugin"),
    [
        ('{"enabledPlugins": {"recairn@recairn": true}}', "recairn@recairn"),
        ('{"enabledPlugins": {"recairn@recairn": false}}', ""),
        ('[plugins."recairn@keeper"]\nenabled = true\n', "recairn@keeper"),
        ('[plugins."recairn@keeper"]\nenabled = false\n', ""),
        ('{"note": "recairn@home"}', ""),
        ("recairn@ in no format at all", ""),
        ("", ""),
    ],
)
def test_a_plugin_counts_when_it_is_enabled(settings, plugin):
    assert enabled_plugin(settings) == plugin


def test_demo_and_ui_lead_somewhere(recairn):
    assert recairn("demo", "-h").status == 0
    assert "did you mean status?" in recairn("ui").err
    assert "did you mean init?" in recairn("setup").err
