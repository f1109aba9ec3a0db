"""Which agents are on this machine: by their program, or by the folder of their settings."""

from __future__ import annotations

import os

from recairn.core.record import record

# Agent → its name, its programs, and the folder of its settings: the variable that moves it, and
# where it lies otherwise.
_SIGNS = {
    "claude": ("Claude Code", ("claude",), "CLAUDE_CONFIG_DIR", "~/.claude"),
    "codex": ("Codex", ("codex",), "CODEX_HOME", "~/.codex"),
    "cursor": ("Cursor", ("cursor-agent", "cursor"), "", "~/.cursor"),
    "gemini": ("Gemini CLI", ("gemini",), "", "~/.gemini"),
    "copilot": ("Copilot CLI", ("copilot",), "COPILOT_HOME", "~/.copilot"),
    "opencode": ("opencode", ("opencode",), "", "~/.config/opencode"),
}


@record
class Presence:
    """An agent on this machine: its program's path and its settings' folder, "" for what lacks."""

    agent: str
    name: str
    program: str
    folder: str

    @property
    def sign(self) -> str:
        """How it was noticed."""
        return self.program or self.folder


def present_agents() -> list[Presence]:
    """The agents of this machine, as far as they can be noticed."""
    presences = [presence_of(agent) for agent in _SIGNS]
    return [presence for presence in presences if presence.sign]


def presence_of(agent: str) -> Presence:
    """What is noticed of one agent."""
    name, programs, variable, usual = _SIGNS[agent]
    folder = os.path.expanduser(os.environ.get(variable) or usual)
    paths = [path for path in map(program_path, programs) if path]
    return Presence(agent, name, paths[0] if paths else "", folder if os.path.isdir(folder) else "")


def program_path(name: str) -> str:
    """Where a program of that name is found on the PATH; "" where it is not.

    `shutil.which` says the same, and loads a dozen modules first.
    """
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return ""
