"""How recairn is registered with an agent: by `install`, by its plugin, both ways, or not."""

from __future__ import annotations

import os

from recairn.core.errors import RecairnError
from recairn.core.record import record
from recairn.host.plain_file import text_of
from recairn.surfaces.install.agents import (
    AGENTS,
    OPTIONAL,
    PROJECT,
    USER,
    place_for,
    plugin_settings,
    targets,
)
from recairn.surfaces.install.edits import enabled_plugin, our_commands
from recairn.surfaces.install.plan import LARGEST, planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.surfaces.install.agents import Place

INSTALLED, OUTDATED, MISSING = "installed", "outdated", "not installed"


@record
class Registration:
    """One agent for the user or one project. `state` is one of the three above, or what is wrong
    with its files; `commands` are those of its hooks, `plugin` is the plugin that is enabled."""

    agent: str
    scope: str
    state: str
    commands: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def exists(self) -> bool:
        """Whether recairn stands in the agent's settings, whatever its state."""
        return self.state in (INSTALLED, OUTDATED)

    @property
    def twice(self) -> bool:
        return bool(self.plugin) and self.exists


def registrations(
    root: str, argv: Sequence[str], database: str | None, agents: Sequence[str] = AGENTS
) -> list[Registration]:
    """How it stands with agents, for the user and, in a checkout, for that."""
    listed = []
    for scope in (USER, PROJECT) if root else (USER,):
        place = place_for(scope, root, argv, database)
        listed += [registration(agent, place) for agent in agents]
    return listed


def registered(root: str, argv: Sequence[str]) -> list[Registration]:
    """The same for those agents alone whose settings name recairn; others are not looked into."""
    listed = []
    for scope in (USER, PROJECT) if root else (USER,):
        place = place_for(scope, root, argv, None)
        listed += [registration(agent, place) for agent in AGENTS if mentioned(agent, place)]
    return [one for one in listed if one.state != MISSING or one.plugin]


def registration(agent: str, place: Place) -> Registration:
    """How recairn stands in the settings of one agent."""
    try:
        whole = planned([agent], place)
        exists = any(
            target.take(text) != text
            for target in targets(agent, place)
            if target.what not in OPTIONAL and (text := settings_text(target.path))
        )
    except RecairnError as error:
        return Registration(agent, place.scope, error.message)
    except OSError as error:
        return Registration(agent, place.scope, f"{error.filename}: {error.strerror}")
    commands = [command for edit in whole for command in our_commands(edit.before or "")]
    plugin = plugin_of(agent, place)
    if not any(edit.differs for edit in whole):
        state = INSTALLED
    elif exists:
        state = OUTDATED
    else:
        state = MISSING
    return Registration(agent, place.scope, state, tuple(dict.fromkeys(commands)), plugin)


def plugin_of(agent: str, place: Place) -> str:
    """The plugin of recairn that an agent has enabled; "" without one."""
    for path in plugin_settings(agent, place):
        name = enabled_plugin(settings_text(path))
        if name:
            return name
    return ""


def mentioned(agent: str, place: Place) -> bool:
    """Whether an agent's settings name recairn at all: quick, and enough to greet somebody."""
    paths = [target.path for target in targets(agent, place)]
    return any(
        "recairn" in settings_text(path) for path in (*paths, *plugin_settings(agent, place))
    )


def settings_text(path: str) -> str:
    """What a settings file holds; nothing where it cannot be read."""
    return text_of(path, LARGEST)


def program_in(command: str) -> str:
    """The program that a hook's command starts, by its path."""
    from shlex import split

    try:
        words = split(command)
    except ValueError:
        return ""
    return next((word for word in words if os.path.isabs(word)), "")
