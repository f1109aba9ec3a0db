"""Registering recairn with agents: merges, copies, ways back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from recairn.surfaces.install.agents import AGENTS, PROJECT, TOOLSETS, USER, Place, targets
from recairn.surfaces.install.edits import is_ours
from recairn.surfaces.install.plan import make, planned
from tests.repository import ROOT

CLAUDE_SETTINGS: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo tide"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "beep"}]}],
    },
}
# What moves an agent's settings elsewhere.
HOMES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")
# What keeps a hook quiet once its program is gone.
QUIETLY = " 2>/dev/null || true"
CODEX_CONFIG = """\
# my settings
model = "o9"  # the big one

[mcp_servers.tides]
command = "tides"

[projects."/home/keeper/tower"]
trust_level = "trusted"
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    folder = tmp_path / "tower"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name in (*HOMES, "RECAIRN_DB"):
        monkeypatch.delenv(name, raising=False)
    return folder


def read(path) -> dict:
    return json.loads(path.read_text())


def commands(settings: dict) -> list[str]:
    """The commands of all hooks, in Claude Code's shape."""
    return [
        hook["command"]
        for entries in settings["hooks"].values()
        for entry in entries
        for hook in entry["hooks"]
    ]


def everything_below(folder) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_claude_keeps_its_own_settings_and_gains_server_and_hooks(recairn, own_home, checkout):
    (own_home / ".claude").mkdir()
    settings = own_home / ".claude" / "settings.json"
    settings.write_text(json.dumps(CLAUDE_SETTINGS, indent=4))
    (own_home / ".claude.json").write_text('{"numStartups": 7, "mcpServers": {"tides": {}}}')
    ran = recairn("install", "claude")
    assert ran.status == 0
    after = read(settings)
    assert after["model"] == "opus"
    assert after["hooks"]["Notification"] == CLAUDE_SETTINGS["hooks"]["Notification"]
    assert commands(after)[:1] == ["echo tide"]
    ours = [each for each in commands(after) if "recairn hook" in each]
    assert [each.removesuffix(QUIETLY).split()[-1] for each in ours] == [
        "UserPromptSubmit",
        "SessionStart",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
        "Stop",
        "PreCompact",
        "SessionEnd",
    ]
    assert all(each.startswith("/") for each in ours)
    assert settings.read_text().startswith('{\n    "model"')
    servers = read(own_home / ".claude.json")
    assert servers["numStartups"] == 7
    assert servers["mcpServers"]["tides"] == {}
    assert servers["mcpServers"]["recairn"]["args"][-1] == "mcp"
    assert servers["mcpServers"]["recairn"]["command"].startswith("/")


def test_a_second_time_changes_nothing_and_the_way_back_restores_every_byte(
    recairn, own_home, checkout
):
    (own_home / ".claude").mkdir()
    (own_home / ".claude" / "settings.json").write_text(json.dumps(CLAUDE_SETTINGS, indent=2))
    (own_home / ".codex").mkdir()
    (own_home / ".codex" / "config.toml").write_text(CODEX_CONFIG)
    before = everything_below(own_home)
    recairn("install", *AGENTS)
    installed = everything_below(own_home)
    again = recairn("install", *AGENTS)
    assert everything_below(own_home) == installed
    assert {line.split()[0] for line in again.out.splitlines()} == {"Unchanged"}
    recairn("uninstall")
    assert everything_below(own_home) == before


def test_codex_keeps_comments_and_tables(recairn, own_home, checkout):
    (own_home / ".codex").mkdir()
    config = own_home / ".codex" / "config.toml"
    config.write_text(CODEX_CONFIG)
    recairn("install", "codex")
    assert config.read_text().startswith(CODEX_CONFIG)
    found = tomllib.loads(config.read_text())
    assert found["mcp_servers"]["recairn"]["args"][-1] == "mcp"
    assert found["mcp_servers"]["tides"] == {"command": "tides"}
    assert (own_home / ".codex" / "config.toml.before-recairn").read_text() == CODEX_CONFIG
    assert "SessionStart" in read(own_home / ".codex" / "hooks.json")["hooks"]
    recairn("uninstall", "codex")
    assert config.read_text() == CODEX_CONFIG
    assert not (own_home / ".codex" / "hooks.json").exists()


def test_an_outdated_path_is_mended_and_seen(recairn, own_home, checkout):
    recairn("install", "codex")
    config = own_home / ".codex" / "config.toml"
    config.write_text(config.read_text().replace('command = "/', 'command = "/old/'))
    states = recairn("install", "--status", "--json").json["agents"]
    told = {(each["agent"], each["scope"]): each["state"] for each in states}
    assert told["codex", "user"].startswith("outdated")
    assert told["claude", "user"] == "not installed"
    recairn("install", "codex")
    states = recairn("install", "--status", "--json").json["agents"]
    assert ("codex", "user", "installed") in [tuple(each.values()) for each in states]


def test_a_database_that_is_not_the_usual_one_is_named(recairn, own_home, checkout, monkeypatch):
    monkeypatch.setenv("RECAIRN_DB", "~/team.db")
    recairn("install", "codex")
    found = tomllib.loads((own_home / ".codex" / "config.toml").read_text())
    assert found["mcp_servers"]["recairn"]["args"][-3:] == ["mcp", "--db", f"{own_home}/team.db"]
    hooks = read(own_home / ".codex" / "hooks.json")
    database = f" --db {own_home}/team.db"
    assert all(each.removesuffix(QUIETLY).endswith(database) for each in commands(hooks))


def test_a_dry_run_writes_nothing(recairn, own_home, checkout):
    before = everything_below(own_home)
    ran = recairn("install", "claude", "--dry-run")
    assert ran.out.startswith("Would have created ")
    assert everything_below(own_home) == before


def test_a_file_that_is_not_understood_stops_everything_before_anything_is_written(
    recairn, own_home, checkout
):
    (own_home / ".gemini").mkdir()
    (own_home / ".gemini" / "settings.json").write_text("{ // mine\n}")
    before = everything_below(own_home)
    ran = recairn("install", "claude", "gemini")
    assert ran.status == 1
    assert "settings.json: it is not plain JSON" in ran.err
    assert everything_below(own_home) == before


def test_settings_that_are_a_link_stay_one(recairn, own_home, checkout, tmp_path):
    (tmp_path / "dotfiles.json").write_text("{}")
    (own_home / ".claude").mkdir()
    (own_home / ".claude" / "settings.json").symlink_to(tmp_path / "dotfiles.json")
    recairn("install", "claude")
    assert (own_home / ".claude" / "settings.json").is_symlink()
    assert "hooks" in read(tmp_path / "dotfiles.json")


def test_in_a_project_a_link_out_of_it_is_refused(recairn, checkout, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (checkout / ".claude").symlink_to(tmp_path / "elsewhere")
    ran = recairn("install", "claude", "--project")
    assert ran.status == 1
    assert "leads out of the project" in ran.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_project_gets_files_of_its_own(recairn, own_home, checkout):
    recairn("install", *AGENTS, "--project")
    assert sorted(everything_below(checkout)) == [
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".github/hooks/recairn.json",
        ".mcp.json",
        ".opencode/plugins/recairn.js",
        "opencode.json",
    ]
    assert not (own_home / ".claude.json").exists()
    assert "recairn uninstall --project" in recairn("uninstall").err
    recairn("uninstall", "--project")
    assert everything_below(checkout) == {}
    assert "--project" not in recairn("uninstall").err


def test_outside_a_checkout_there_is_no_project_to_install_for(recairn, tmp_path):
    ran = recairn("install", "claude", "--project")
    assert ran.status == 1
    assert "in no project" in ran.err


@pytest.mark.parametrize("agent", AGENTS)
def test_sets_of_tools_are_registered_and_kept_until_others_are_named(tmp_path, agent):
    def install(*tools, program="/opt/recairn"):
        place = Place(USER, str(tmp_path), str(tmp_path), (program,), "", tools)
        make(planned([agent], place))
        return Path(targets(agent, place)[0].path).read_text()

    assert "--tools" not in install()
    assert "default,tx" in install("default", "tx")
    mended = install(program="/opt/new/recairn")
    assert "default,tx" in mended
    assert "/opt/new/recairn" in mended
    assert "default,tx" not in install("ccmemory")
    make(planned([agent], Place(USER, str(tmp_path), str(tmp_path), ("/x",)), remove=True))
    assert everything_below(tmp_path) == {}


def test_the_command_names_sets_of_tools_that_there_are(recairn, own_home, checkout):
    from recairn.surfaces.mcp.dispatch import TOOLSETS as OFFERED

    assert tuple(OFFERED) == TOOLSETS
    assert recairn("install", "claude", "--tools", "default, tx").status == 0
    entry = read(own_home / ".claude.json")["mcpServers"]["recairn"]
    assert entry["args"][-2:] == ["--tools", "default,tx"]
    assert recairn("install", "claude").out.startswith("Unchanged ")
    state = {tuple(line.split()[:3]) for line in recairn("install", "--status").out.splitlines()}
    assert ("claude", "user", "installed") in state
    ran = recairn("install", "claude", "--tools", "brian")
    assert (ran.status, "did you mean 'brain'?" in ran.err) == (1, True)


@pytest.mark.parametrize("scope", [USER, PROJECT])
@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_put_in_can_be_taken_out(tmp_path, agent, scope):
    place = Place(scope, str(tmp_path), str(tmp_path), ("/opt/a path/recairn",))
    make(planned([agent], place))
    assert all(each.verb == "unchanged" for each in planned([agent], place))
    for target in targets(agent, place):
        assert "/opt/a path/recairn" in Path(target.path).read_text()
    make(planned([agent], place, remove=True))
    assert everything_below(tmp_path) == {}


def test_gemini_starts_a_hook_only_where_there_is_something_to_see(
    recairn, own_home, checkout, monkeypatch
):
    monkeypatch.setenv("GEMINI_CLI_HOME", str(own_home / "elsewhere"))
    recairn("install", "gemini")
    hooks = read(own_home / "elsewhere" / ".gemini" / "settings.json")["hooks"]
    assert {event: entries[0].get("matcher") for event, entries in hooks.items()} == {
        "SessionStart": None,
        "BeforeAgent": None,
        "AfterTool": "run_shell_command|read_file|write_file|replace",
        "AfterAgent": None,
        "PreCompress": "manual",
        "SessionEnd": None,
    }


def test_copilot_has_hooks_for_a_user_too(recairn, own_home, checkout, monkeypatch):
    monkeypatch.setenv("COPILOT_HOME", str(own_home / "pilot"))
    recairn("install", "copilot")
    assert sorted(everything_below(own_home / "pilot")) == [
        "hooks/recairn.json",
        "mcp-config.json",
    ]
    assert list(read(own_home / "pilot" / "hooks" / "recairn.json")["hooks"]) == [
        "sessionStart",
        "userPromptSubmitted",
        "postToolUse",
        "agentStop",
        "preCompact",
        "sessionEnd",
    ]


def test_opencode_gets_a_plugin_that_calls_this_very_program(
    recairn, own_home, checkout, monkeypatch
):
    monkeypatch.setenv("RECAIRN_DB", "~/team.db")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own_home / "settings"))
    recairn("install", "opencode")
    plugin = (own_home / "settings" / "opencode" / "plugins" / "recairn.js").read_text()
    server = read(own_home / "settings" / "opencode" / "opencode.json")["mcp"]["recairn"]
    assert f"const HOOK = {json.dumps([*server['command'][:-3], 'hook'])}\n" in plugin
    assert f'const OPTIONS = ["--db", "{own_home}/team.db"]\n' in plugin


def test_a_plugin_of_someone_else_is_left_alone(recairn, own_home, checkout):
    folder = checkout / ".opencode" / "plugins"
    folder.mkdir(parents=True)
    (folder / "recairn.js").write_text("export const Mine = async () => ({})\n")
    before = everything_below(checkout)
    ran = recairn("install", "opencode", "--project")
    assert ran.status == 1
    assert "recairn.js: it is not recairn's own" in ran.err
    recairn("uninstall", "opencode", "--project")
    assert everything_below(checkout) == before


@pytest.mark.parametrize("scope", [USER, PROJECT])
@pytest.mark.parametrize("agent", AGENTS)
def test_no_copy_is_kept_of_what_an_older_recairn_wrote(tmp_path, agent, scope):
    for program in ("/opt/old/recairn", "/opt/new/recairn"):
        place = Place(scope, str(tmp_path), str(tmp_path), (program,))
        make(planned([agent], place))
    assert not [name for name in everything_below(tmp_path) if "before" in name]
    make(planned([agent], place, remove=True))
    assert everything_below(tmp_path) == {}


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/usr/bin/recairn hook stop"}, True),
        ({"bash": "'/opt/a path/recairn' hook sessionStart --agent copilot"}, True),
        ({"hooks": [{"command": "recairn hook Stop"}]}, True),
        ({"hooks": [{"command": "recairn hook Stop"}, {"command": "beep"}]}, False),
        ({"command": "not-recairn hook stop"}, False),
        ({"command": "recairn search hook"}, False),
        ("recairn hook", False),
    ],
)
def test_only_entries_that_run_our_hook_are_ours(entry, ours):
    assert is_ours(entry) is ours


def test_the_plugin_registers_the_same_events_and_names_the_same_version():
    from recairn import __version__

    plugin = ROOT / "plugin"
    place = Place(USER, "/home/keeper", "/home/keeper/tower", ("/opt/recairn",))
    settings = json.loads(targets("claude", place)[1].put(""))
    hooks = read(plugin / "hooks" / "hooks.json")["hooks"]
    shape = {event: entries[0].get("matcher") for event, entries in settings["hooks"].items()}
    assert {event: entries[0].get("matcher") for event, entries in hooks.items()} == shape
    for folder in (".claude-plugin", ".codex-plugin"):
        assert read(plugin / folder / "plugin.json")["version"] == __version__


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_made_anew_for_a_user_is_for_that_user_alone(recairn, own_home, checkout, agent):
    before = set(everything_below(own_home))
    assert recairn("install", agent).status == 0
    made = set(everything_below(own_home)) - before
    settings = [own_home / name for name in made if "/recairn/" not in f"/{name}"]
    assert settings
    assert {stat.S_IMODE(path.stat().st_mode) for path in settings} == {0o600}


def test_a_file_that_was_there_keeps_its_rights(recairn, own_home, checkout):
    path = own_home / ".claude.json"
    path.write_text("{}")
    path.chmod(0o640)
    assert recairn("install", "claude").status == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("agent", AGENTS)
def test_taking_it_out_leaves_nothing_behind(recairn, own_home, checkout, agent):
    before = sorted(own_home.rglob("*"))
    recairn("install", agent)
    recairn("uninstall", agent)
    assert [path for path in sorted(own_home.rglob("*")) if "share" not in path.parts] == before


def test_a_file_that_changed_since_leaves_no_copy_of_its_old_self(recairn, own_home, checkout):
    path = own_home / ".claude.json"
    path.write_text('{"oauthAccount": {"email": "keeper@tower"}}')
    recairn("install", "claude")
    after = read(path)
    path.write_text(json.dumps({**after, "numStartups": 8}))
    recairn("uninstall", "claude")
    assert read(path) == {"oauthAccount": {"email": "keeper@tower"}, "numStartups": 8}
    assert list(own_home.glob(".claude.json?*")) == []


def test_codex_is_asked_for_no_more_patience_than_it_has(recairn, own_home, checkout):
    recairn("install", "codex")
    (ending,) = read(own_home / ".codex" / "hooks.json")["hooks"]["SessionEnd"]
    assert [hook["timeout"] for hook in ending["hooks"]] == [3]


def plugin_hook(event: str, path: Path) -> str:
    """What the plugin's own script says to an event, with this folder alone on the PATH."""
    (path / "env").symlink_to("/usr/bin/env")
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "plugin" / "bin" / "recairn-hook"), event],
        input=json.dumps({"session_id": "s-1", "hook_event_name": event}),
        env={"PATH": str(path)},
        text=True,
        capture_output=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_plugin_says_once_that_its_program_is_missing(tmp_path):
    said = json.loads(plugin_hook("SessionStart", tmp_path))
    assert "recairn on the PATH" in said["systemMessage"]
    (tmp_path / "env").unlink()
    assert plugin_hook("UserPromptSubmit", tmp_path) == ""


def test_the_plugins_script_hands_an_event_on(tmp_path):
    stand_in = tmp_path / "recairn"
    stand_in.write_text('#!/bin/sh\necho "$@"\n')
    stand_in.chmod(0o755)
    assert plugin_hook("Stop", tmp_path) == "hook Stop --plugin\n"


def test_the_plugins_hooks_stand_back_where_others_are_registered(recairn, own_home, checkout):
    recairn("add", "Never touch the tide sensor without gloves", "-k", "rule")

    def said(session: str) -> str:
        started = {"session_id": session, "cwd": str(checkout), "hook_event_name": "SessionStart"}
        return recairn("hook", "SessionStart", "--plugin", stdin=json.dumps(started)).out

    assert "gloves" in said("s-1")
    recairn("install", "claude", "--no-allow")
    assert said("s-2") == ""
    settings = own_home / ".claude" / "settings.json"
    (program,) = {each.split()[0] for each in commands(read(settings))}
    # What is registered and gone does nothing; then the plugin does.
    settings.write_text(settings.read_text().replace(program, "/nowhere/recairn"))
    assert "gloves" in said("s-3")


@pytest.mark.parametrize(
    ("agent", "variables"), [("claude", {"CLAUDE_CODE_SESSION_ID": "s-1"}), ("codex", {})]
)
def test_the_plugins_server_offers_nothing_where_another_is_registered(
    recairn, own_home, checkout, agent, variables
):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "gull"}}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ]

    def answers() -> tuple[str, int]:
        done = subprocess.run(
            [sys.executable, "-m", "recairn", "mcp", "--plugin"],
            input="".join(f"{json.dumps(each)}\n" for each in messages),
            env={**os.environ, **variables},
            text=True,
            capture_output=True,
            check=True,
        )
        first, second = (json.loads(line)["result"] for line in done.stdout.splitlines())
        return first["instructions"], len(second["tools"])

    instructions, tools = answers()
    assert instructions
    assert tools
    recairn("install", agent, "--no-allow")
    assert answers() == ("", 0)


def test_hooks_of_a_recairn_that_is_gone_stay_quiet(tmp_path):
    program = tmp_path / "a folder" / "recairn"
    place = Place(USER, str(tmp_path), "", (str(program),))
    settings = json.loads(targets("claude", place)[1].put(""))

    def ran() -> tuple[int, str, str]:
        done = subprocess.run(
            commands(settings)[0], shell=True, text=True, capture_output=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    assert ran() == (0, "", "")
    program.parent.mkdir()
    program.write_text("#!/nowhere/python\n")
    program.chmod(0o755)
    assert ran() == (0, "", "")
    program.write_text('#!/bin/sh\necho "$@"\n')
    assert ran() == (0, "hook SessionStart\n", "")


def test_the_status_line_is_claimed_where_it_is_wanted_and_nobody_elses(recairn, own_home):
    settings = own_home / ".claude" / "settings.json"
    recairn("install", "claude", "--no-allow")
    assert "statusLine" not in read(settings)
    recairn("install", "claude", "--no-allow", "--status-line")
    line = read(settings)["statusLine"]
    assert line["type"] == "command"
    assert " hook StatusLine" in line["command"]
    recairn("install", "claude", "--no-allow")
    assert read(settings)["statusLine"] == line
    recairn("uninstall", "claude")
    assert not settings.exists()
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"statusLine": {"type": "command", "command": "date"}}')
    recairn("install", "claude", "--no-allow", "--status-line")
    assert read(settings)["statusLine"]["command"] == "date"


@pytest.mark.parametrize("agent", AGENTS)
def test_a_teams_server_is_registered_by_its_address_and_the_name_of_a_variable(
    recairn, own_home, checkout, agent
):
    done = recairn("install", agent, "--project", "--server", "https://memory.example/", "--allow")
    assert done.status == 0, done.err
    assert "RECAIRN_TOKEN" in done.err
    written = [path for path in checkout.rglob("*") if path.is_file()]
    (text,) = [path.read_text() for path in written if "memory.example" in path.read_text()]
    assert "https://memory.example/mcp?project=tower" in text
    assert "RECAIRN_TOKEN" in text
    assert not [path for path in written if " hook " in path.read_text()]
    recairn("uninstall", agent, "--project")
    assert not [
        path for path in checkout.rglob("*") if path.is_file() and "memory.ex" in path.read_text()
    ]


def test_the_address_of_a_server_is_registered_as_it_is_without_its_password(
    recairn, own_home, monkeypatch
):
    monkeypatch.setenv("RECAIRN_DB", "postgresql://app:hunter2@db.example/memories?team=gulls")
    said = recairn("install", "codex", "--no-allow").err
    written = (own_home / ".codex" / "config.toml").read_text()
    written += (own_home / ".codex" / "hooks.json").read_text()
    assert "hunter2" not in written
    assert written.count("postgresql://app@db.example/memories?team=gulls") > 1
    assert "put it into ~/.pgpass" in said
    monkeypatch.setenv("RECAIRN_DB", "postgresql://app@db.example/memories")
    assert "pgpass" not in recairn("install", "codex", "--no-allow").err
