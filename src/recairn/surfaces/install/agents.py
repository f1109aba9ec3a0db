"""What is written where for each agent, for a user or for one project."""

from __future__ import annotations

import os

from recairn.core.address import without_password
from recairn.core.errors import BadInput
from recairn.core.record import record
from recairn.host.project import is_address
from recairn.surfaces.install import edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.surfaces.install.edits import Edit

USER, PROJECT = "user", "project"
SERVER, PERMISSION, STATUS_LINE = "MCP server", "permission", "status line"
# What is there only where a person wanted it.
OPTIONAL = (PERMISSION, STATUS_LINE)
# Agents that ask before each call of a tool, unless their settings say otherwise; that it may be
# said there was tried with each of them.
ASKING = ("claude", "codex", "gemini")
# The sets of tools an MCP server can be asked for.
TOOLSETS = ("default", "tx", "lore", "brain", "ccmemory")
# Seconds an agent waits for a hook; hooks end by themselves long before.
_PATIENCE_S = 10
# Codex waits no longer at the end of a session, and warns at every start of who asks for more.
_CODEX_END_S = 3
# What keeps a shell from complaining about a program that is gone.
_QUIETLY = " 2>/dev/null || true"
# The permission for all tools of our server in Claude Code, registered or from the plugin.
_CLAUDE_RULES = (f"mcp__{edits.NAME}", f"mcp__plugin_{edits.NAME}_{edits.NAME}")
# Claude Code's own names, which Codex shares, and the tools whose use is worth a look.
_CLAUDE_EVENTS = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PostToolUse": "Bash|Read|Edit|Write|MultiEdit|NotebookEdit",
    "PostToolUseFailure": "Bash",
    "SubagentStart": None,
    "Stop": None,
    "PreCompact": None,
    "SessionEnd": None,
}
_CODEX_EVENTS = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PostToolUse": "Bash|apply_patch",
    "Stop": None,
    "PreCompact": None,
    "SessionEnd": None,
}
_GEMINI_EVENTS = {
    "SessionStart": None,
    "BeforeAgent": None,
    "AfterTool": "run_shell_command|read_file|write_file|replace",
    "AfterAgent": None,
    "PreCompress": "manual",  # "auto" comes before each answer, compressed or not
    "SessionEnd": None,
}
_CURSOR_EVENTS = (
    "sessionStart beforeSubmitPrompt afterFileEdit afterShellExecution stop sessionEnd".split()
)
_COPILOT_EVENTS = (
    "sessionStart userPromptSubmitted postToolUse agentStop preCompact sessionEnd".split()
)


@record
class Place:
    """For whom: the home folder and the project's, and the program to register.

    `program` is the words that start recairn, the first one an absolute path. `database` is named
    where it is not the usual one: some agents keep the environment from the servers they start.
    `tools` are the sets of tools to offer; without them, those that were registered before.
    `allow` lets the agent call them without asking each time. Where a `plugin` brings server and
    hooks, nothing but that is left to register. `status_line` puts what a session was handed there.
    With a `remote` address agents ask a team's server, and nothing but that is registered.
    """

    scope: str
    home: str
    project: str
    program: tuple[str, ...]
    database: str = ""
    tools: tuple[str, ...] = ()
    allow: bool = False
    plugin: bool = False
    status_line: bool = False
    remote: str = ""

    @property
    def base(self) -> str:
        """The folder of the project or the user."""
        return self.project if self.scope == PROJECT else self.home

    def path(self, in_project: str, in_home: str) -> str:
        return os.path.join(self.base, in_project if self.scope == PROJECT else in_home)

    def hook(self, event: str, agent: str) -> str:
        """The command line of a hook; Claude Code and Codex are known by what they send.

        Agents run it in a shell, and tell the person of one that fails. After recairn was removed
        and its registration was not, this one must stay quiet all the same.
        """
        from shlex import quote

        named = () if agent in ("claude", "codex") else ("--agent", agent)
        words = (*self.program, "hook", event, *named, *self.chosen)
        return " ".join(quote(word) for word in words) + _QUIETLY

    @property
    def chosen(self) -> tuple[str, ...]:
        return ("--db", self.database) if self.database else ()

    @property
    def serving(self) -> list[str]:
        """The words that start the MCP server."""
        sets = (edits.TOOLS, ",".join(self.tools)) if self.tools else ()
        return [*self.program, "mcp", *self.chosen, *sets]

    def entry(self, agent: str, **more: Any) -> dict[str, Any]:
        """What an agent's list of MCP servers holds; `more` stands first there."""
        if self.remote:
            from recairn.surfaces.install.remote import remote_entry

            return remote_entry(agent, self.remote)
        if agent == "opencode":
            return {"type": "local", "command": self.serving, "enabled": True}
        return {**more, "command": self.serving[0], "args": self.serving[1:]}


@record
class Target:
    """A file to edit: what for, how to put recairn in, how to take it out."""

    what: str
    path: str
    put: Edit
    take: Edit


def targets(agent: str, place: Place) -> list[Target]:
    """The files of an agent."""
    listed = _AGENTS[agent](place)
    if place.remote:
        return [target for target in listed if target.what in (SERVER, PERMISSION)]
    return [target for target in listed if target.what in OPTIONAL] if place.plugin else listed


def plugin_settings(agent: str, place: Place) -> list[str]:
    """The files in which an agent says which plugins it uses: what holds for the place."""
    if agent == "claude":
        shared = [
            os.path.join(place.project, ".claude", name)
            for name in ("settings.json", "settings.local.json")
            if place.project
        ]
        return [_claude_settings(place), *shared]
    return [os.path.join(_codex_home(place), "config.toml")] if agent == "codex" else []


def _claude_settings(place: Place) -> str:
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")
    return os.path.join(folder, "settings.json")


def _codex_home(place: Place) -> str:
    return os.environ.get("CODEX_HOME") or os.path.join(place.home, ".codex")


def _claude(place: Place) -> list[Target]:
    user = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")
    project = place.scope == PROJECT
    servers = os.path.join(place.project, ".mcp.json") if project else user
    # The shared settings of a project are for everyone; a path on this machine is not.
    local = os.path.join(place.project, ".claude", "settings.local.json")
    settings = local if project else _claude_settings(place)
    rules = [_CLAUDE_RULES[place.plugin]] if place.allow else []
    return [
        _server(servers, "mcpServers", place.entry("claude", type="stdio")),
        _hooks(settings, _claude_shaped(_CLAUDE_EVENTS, place, "claude")),
        Target(
            PERMISSION,
            settings,
            edits.with_permissions(rules),
            edits.without_permissions(_CLAUDE_RULES),
        ),
        Target(
            STATUS_LINE,
            settings,
            edits.with_status_line(place.hook("StatusLine", "claude"), wanted=place.status_line),
            edits.without_status_line(),
        ),
    ]


def _codex(place: Place) -> list[Target]:
    project = place.scope == PROJECT
    folder = os.path.join(place.project, ".codex") if project else _codex_home(place)
    config, table = os.path.join(folder, "config.toml"), f"mcp_servers.{edits.NAME}"
    entry = {**place.entry("codex"), **(edits.CODEX_TRUST if place.allow else {})}
    return [
        Target(
            SERVER,
            config,
            edits.with_toml_table(table, entry),
            edits.without_toml_table(table),
        ),
        _hooks(os.path.join(folder, "hooks.json"), _claude_shaped(_CODEX_EVENTS, place, "codex")),
    ]


def _cursor(place: Place) -> list[Target]:
    hooks = {event: {"command": place.hook(event, "cursor")} for event in _CURSOR_EVENTS}
    return [
        _server(
            place.path(".cursor/mcp.json", ".cursor/mcp.json"), "mcpServers", place.entry("cursor")
        ),
        _hooks(place.path(".cursor/hooks.json", ".cursor/hooks.json"), hooks, {"version": 1}),
    ]


def _gemini(place: Place) -> list[Target]:
    home = os.environ.get("GEMINI_CLI_HOME") or place.home
    folder = place.project if place.scope == PROJECT else home
    path = os.path.join(folder, ".gemini", "settings.json")
    hooks: dict[str, dict[str, Any]] = {}
    for event, matcher in _GEMINI_EVENTS.items():
        command = {
            "name": edits.NAME,
            "type": "command",
            "command": place.hook(event, "gemini"),
            "timeout": _PATIENCE_S * 1000,  # Gemini counts milliseconds
        }
        hooks[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [command]}
    entry = {**place.entry("gemini"), **(edits.GEMINI_TRUST if place.allow else {})}
    return [_server(path, "mcpServers", entry), _hooks(path, hooks)]


def _copilot(place: Place) -> list[Target]:
    user = os.environ.get("COPILOT_HOME") or os.path.join(place.home, ".copilot")
    project = place.scope == PROJECT
    servers = os.path.join(place.project, ".mcp.json")
    folder = os.path.join(place.project, ".github") if project else user
    entry = {**place.entry("copilot", type="local"), "tools": ["*"]}
    hooks = {
        event: {"type": "command", "bash": place.hook(event, "copilot"), "timeoutSec": _PATIENCE_S}
        for event in _COPILOT_EVENTS
    }
    return [
        _server(servers if project else os.path.join(user, "mcp-config.json"), "mcpServers", entry),
        _hooks(os.path.join(folder, "hooks", "recairn.json"), hooks, {"version": 1}),
    ]


def _opencode(place: Place) -> list[Target]:
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(place.home, ".config")
    user = os.path.join(config, "opencode")
    project = place.scope == PROJECT
    settings = os.path.join(place.project if project else user, "opencode.json")
    folder = os.path.join(place.project, ".opencode") if project else user
    entry = place.entry("opencode")
    plugin = _opencode_plugin(place)
    return [
        _server(settings, "mcp", entry),
        Target(
            "hooks",
            os.path.join(folder, "plugins", "recairn.js"),
            edits.with_file(plugin),
            edits.without_file(plugin),
        ),
    ]


def _opencode_plugin(place: Place) -> str:
    """The plugin, which calls this recairn with this database."""
    from json import dumps

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencode.js")) as file:
        text = file.read()
    for usual, chosen in (
        ('HOOK = ["recairn", "hook"]', f"HOOK = {dumps([*place.program, 'hook'])}"),
        ("OPTIONS = []", f"OPTIONS = {dumps(place.chosen)}"),
    ):
        text = text.replace(usual, chosen, 1)
    return text


_AGENTS = {
    "claude": _claude,
    "codex": _codex,
    "cursor": _cursor,
    "gemini": _gemini,
    "copilot": _copilot,
    "opencode": _opencode,
}
AGENTS = tuple(_AGENTS)


def _server(path: str, key: str, entry: Mapping[str, Any]) -> Target:
    return Target(SERVER, path, edits.with_server(key, entry), edits.without_server(key))


def _hooks(
    path: str, hooks: Mapping[str, Mapping[str, Any]], usual: Mapping[str, Any] | None = None
) -> Target:
    return Target("hooks", path, edits.with_hooks(hooks, usual), edits.without_hooks(usual))


def _claude_shaped(
    events: Mapping[str, str | None], place: Place, agent: str
) -> dict[str, dict[str, Any]]:
    hooks: dict[str, dict[str, Any]] = {}
    for event, matcher in events.items():
        patience_s = _CODEX_END_S if (agent, event) == ("codex", "SessionEnd") else _PATIENCE_S
        command = {"type": "command", "command": place.hook(event, agent), "timeout": patience_s}
        hooks[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [command]}
    return hooks


def place_for(
    scope: str,
    project: str,
    argv: Sequence[str],
    database: str | None,
    tools: Sequence[str] = (),
    *,
    allow: bool = False,
) -> Place:
    """The place of this user and checkout, and the program that runs now, by its whole path."""
    if scope == PROJECT and not project:
        raise BadInput("this folder is in no project", "run it in a checkout, or use --user")
    named = database or os.environ.get("RECAIRN_DB") or ""
    if is_address(named):
        path = without_password(named)  # agents' files are read by many, and so are command lines
    else:
        path = os.path.abspath(os.path.expanduser(named)) if named else ""
    home = os.path.expanduser("~")
    return Place(scope, home, project, program(argv), path, tuple(tools), allow)


def program(argv: Sequence[str]) -> tuple[str, ...]:
    """The words that start this very recairn again, from any folder and with any PATH."""
    import sys

    typed = argv[0] if argv else ""
    beside = os.path.join(os.path.dirname(sys.executable), edits.NAME)
    for path in (typed, beside):
        if os.path.basename(path) == edits.NAME and os.access(path, os.X_OK):
            return (os.path.abspath(path),)
    return (sys.executable, "-m", edits.NAME)
