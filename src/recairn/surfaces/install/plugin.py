"""What the plugin asks before it does its part: whether `recairn install` does it here already."""

from __future__ import annotations

import os

from recairn.host.project import root_of
from recairn.surfaces.install.agents import PROJECT, USER, Place, targets
from recairn.surfaces.install.edits import NAME, our_commands
from recairn.surfaces.install.registration import program_in, settings_text


def has_hooks_beside(agent: str) -> bool:
    """Whether hooks that run are registered here for an agent."""
    return any(
        os.access(program_in(command), os.X_OK)
        for place in _places()
        for target in targets(agent, place)
        if target.what == "hooks"
        for command in our_commands(settings_text(target.path))
    )


def has_server_beside(agent: str) -> bool:
    """Whether an MCP server is registered here for an agent."""
    for place in _places():
        for target in targets(agent, place):
            text = settings_text(target.path) if target.what == "MCP server" else ""
            if NAME in text and target.take(text) != text:
                return True
    return False


def _places() -> list[Place]:
    """This user and this checkout; what would be registered does not matter here."""
    home, root = os.path.expanduser("~"), root_of(os.getcwd()) or ""
    scopes = (USER, PROJECT) if root else (USER,)
    return [Place(scope, home, root, (NAME,)) for scope in scopes]
