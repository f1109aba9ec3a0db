"""Handlers of the commands that register recairn with agents."""

from __future__ import annotations

import os
import sys

from recairn.core.errors import BadInput
from recairn.core.kinds import one_of
from recairn.core.record import replace
from recairn.host.project import is_address, root_of
from recairn.surfaces.install.agents import AGENTS, ASKING, PROJECT, TOOLSETS, USER, place_for
from recairn.surfaces.install.plan import make, planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.install.agents import Place
    from recairn.surfaces.install.plan import Change
    from recairn.surfaces.install.registration import Registration

_VERBS = {"create": "Created", "change": "Changed", "remove": "Removed", "unchanged": "Unchanged"}
AFTERWARDS = {
    "claude": "restart Claude Code; /mcp shows the server, /hooks the hooks",
    "codex": "restart Codex; it asks once whether you trust the hooks",
    "cursor": "restart Cursor; Settings shows the server and the hooks",
    "gemini": "restart Gemini CLI in a folder it trusts; /mcp shows the server",
    "copilot": "restart Copilot CLI; /mcp shows the server",
    "opencode": "restart opencode; opencode mcp list shows the server",
}


def install(call: Call) -> None:
    if call.arguments.get("status"):
        _status(call)
        return
    agents = _agents(call) or _chosen(call)
    if not agents:
        return
    place = replace(
        _place(call),
        allow=_allowed(call, agents),
        status_line="status_line" in call.arguments,
        remote=_remote(call),
    )
    _carry_out(call, changes_for(agents, place, call))
    if not call.json and not call.arguments.get("dry_run"):
        for agent in agents:
            call.screen.note(f"{agent}: {AFTERWARDS[agent]}")
        if place.database and _typed(call) not in ("", place.database):
            call.screen.note("The password is not written down for them: put it into ~/.pgpass")
        if place.remote:
            from recairn.surfaces.install.remote import VARIABLE

            call.screen.note(f"They find the token of this machine in {VARIABLE}: export it first")


def _remote(call: Call) -> str:
    """Where a team's server answers agents about the project of this folder; "" without one."""
    server = call.arguments.get("server")
    if server is None:
        return ""
    from recairn.surfaces.install.remote import mcp_address

    with call.open() as memory:
        return mcp_address(server, memory.project, tuple(_tools(call)))


def changes_for(agents: Sequence[str], place: Place, call: Call) -> list[Change]:
    """What registering with these would change; a plugin that does the same is left to it."""
    from recairn.surfaces.install.registration import plugin_of

    plugins = {agent: plugin_of(agent, place) for agent in agents}
    changes = planned([agent for agent in agents if not plugins[agent]], place)
    for agent, plugin in plugins.items():
        if plugin:
            call.screen.note(
                f"{agent}: its plugin {plugin} brings server and hooks already;"
                " registered beside it they would come twice"
            )
            changes += planned([agent], replace(place, plugin=True))
    return changes


def uninstall(call: Call) -> None:
    agents = _agents(call) or AGENTS
    _carry_out(call, planned(agents, _place(call), remove=True))
    root = root_of(os.getcwd()) or ""
    if call.json or call.arguments.get("project") or not root:
        return
    here = place_for(PROJECT, root, sys.argv, call.arguments.get("db"))
    if planned(agents, here, remove=True):
        call.screen.note("note: this checkout still has it: recairn uninstall --project")


def _chosen(call: Call) -> tuple[str, ...]:
    """The agents of this machine, where a person agrees to them; BadInput where nobody does."""
    from recairn.surfaces.install.presence import present_agents

    agents = tuple(presence.agent for presence in present_agents())
    if not agents:
        raise BadInput(
            "no agent was named, and none is on this machine",
            f"recairn install {' | '.join(AGENTS)}",
        )
    listed = " ".join(agents)
    if not (call.json or call.arguments.get("dry_run")):
        answer = call.screen.confirmed(f"On this machine: {listed}. Register with them?")
        if answer is not None:
            return agents if answer else ()
    raise BadInput(f"no agent was named; on this machine: {listed}", f"recairn install {listed}")


def _allowed(call: Call, agents: Sequence[str]) -> bool:
    """Whether the agents may call the tools without asking: as typed, or as a person answers."""
    asking = [agent for agent in agents if agent in ASKING]
    if not asking or "allow" in call.arguments or "no_allow" in call.arguments:
        return "allow" in call.arguments
    if call.json or call.arguments.get("dry_run"):
        return False
    names = " and ".join(asking)
    answer = call.screen.confirmed(f"May {names} use recairn's tools without asking each time?")
    if answer is None:
        call.screen.note(
            f"note: {names} will ask before each use of recairn's tools;"
            f" recairn install {' '.join(asking)} --allow lets them go ahead"
        )
    return bool(answer)


def _carry_out(call: Call, changes: list[Change]) -> None:
    edits = changes if call.arguments.get("dry_run") else [*changes]
    if not call.arguments.get("dry_run"):
        make(changes)
    if call.json:
        listed = [
            {"agent": edit.agent, "what": edit.what, "path": edit.path, "change": edit.verb}
            for edit in edits
        ]
        call.screen.document({"dry_run": bool(call.arguments.get("dry_run")), "changes": listed})
        return
    for edit in edits:
        tell(call, edit, dry_run=bool(call.arguments.get("dry_run")))
    if not edits:
        call.say("nothing of recairn is registered here")


def tell(call: Call, edit: Change, *, dry_run: bool) -> None:
    """Says what became of one file, or would."""
    verb = _VERBS[edit.verb]
    would = "Would have " if dry_run and edit.differs else ""
    call.say(f"{would}{verb.lower() if would else verb} {edit.path} ({edit.what})")


def _status(call: Call) -> None:
    """For every agent and scope: is what would be installed there already?"""
    from recairn.surfaces.install.registration import registrations

    root = root_of(os.getcwd()) or ""
    registered = registrations(root, sys.argv, call.arguments.get("db"))
    states = [
        (registration.agent, registration.scope, state_text(registration))
        for registration in registered
    ]
    if call.json:
        names = ("agent", "scope", "state")
        call.screen.document({"agents": [dict(zip(names, state, strict=True)) for state in states]})
        return
    call.screen.table(("agent", "scope", "state"), states)


def state_text(registration: Registration) -> str:
    """How it stands with one agent, and what to type where that is not well."""
    from recairn.surfaces.install.registration import OUTDATED

    agent, scope = registration.agent, registration.scope
    if registration.twice:
        return f"twice, with the plugin {registration.plugin}: recairn uninstall {agent} --{scope}"
    if registration.state == OUTDATED:
        return f"outdated: recairn install {agent} --{scope} mends it"
    if registration.plugin and scope == USER:
        return f"by the plugin {registration.plugin}"
    return registration.state


def _agents(call: Call) -> tuple[str, ...]:
    named = call.arguments.get("agent") or ()
    return tuple(dict.fromkeys(one_of("agent", name, AGENTS) for name in named))


def _typed(call: Call) -> str:
    """The address that was named, as it was; "" for a file."""
    named = call.arguments.get("db") or os.environ.get("RECAIRN_DB") or ""
    return named if is_address(named) else ""


def _place(call: Call) -> Place:
    scope = PROJECT if call.arguments.get("project") else USER
    root, database = root_of(os.getcwd()) or "", call.arguments.get("db")
    return place_for(scope, root, sys.argv, database, _tools(call))


def _tools(call: Call) -> list[str]:
    """The sets of tools that were named, with commas between them."""
    named = [name.strip() for name in call.arguments.get("tools", "").split(",")]
    return list(dict.fromkeys(one_of("set of tools", name, TOOLSETS) for name in named if name))
