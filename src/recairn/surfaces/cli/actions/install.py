"""Handlers of the commands that register recairn with agents."""

from __future__ import annotations

import os
import sys

from recairn.core.errors import BadInput
from recairn.core.kinds import one_of
from recairn.host.project import root_of
from recairn.surfaces.install.agents import AGENTS, PROJECT, TOOLSETS, USER, place_for
from recairn.surfaces.install.plan import make, planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.install.agents import Place
    from recairn.surfaces.install.plan import Change

_VERBS = {"create": "Created", "change": "Changed", "remove": "Removed", "unchanged": "Unchanged"}
_AFTERWARDS = {
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
    agents = _agents(call)
    if not agents:
        raise BadInput("no agent was named", f"recairn install {' | '.join(AGENTS)}")
    changes = planned(agents, _place(call))
    _carry_out(call, changes)
    if not call.json and not call.arguments.get("dry_run"):
        for agent in agents:
            call.screen.note(f"{agent}: {_AFTERWARDS[agent]}")


def uninstall(call: Call) -> None:
    changes = planned(_agents(call) or AGENTS, _place(call), remove=True)
    _carry_out(call, changes)


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
        verb = _VERBS[edit.verb]
        would = "Would have " if call.arguments.get("dry_run") and edit.differs else ""
        call.say(f"{would}{verb.lower() if would else verb} {edit.path} ({edit.what})")
    if not edits:
        call.say("nothing of recairn is registered here")


def _status(call: Call) -> None:
    """For every agent and scope: is what would be installed there already?"""
    states = []
    for scope in (USER, PROJECT):
        root = root_of(os.getcwd()) or ""
        if scope == PROJECT and not root:
            continue
        place = place_for(scope, root, sys.argv, call.arguments.get("db"))
        states += [_state(agent, scope, place) for agent in AGENTS]
    if call.json:
        names = ("agent", "scope", "state")
        call.screen.document({"agents": [dict(zip(names, state, strict=True)) for state in states]})
        return
    call.screen.table(("agent", "scope", "state"), states)


def _state(agent: str, scope: str, place: Place) -> tuple[str, str, str]:
    try:
        whole = planned([agent], place)
        rest = planned([agent], place, remove=True)
    except BadInput as error:
        return agent, scope, error.message
    if not any(edit.differs for edit in whole):
        return agent, scope, "installed"
    if any(edit.differs for edit in rest):
        return agent, scope, f"outdated: recairn install {agent} --{scope} mends it"
    return agent, scope, "not installed"


def _agents(call: Call) -> tuple[str, ...]:
    named = call.arguments.get("agent") or ()
    return tuple(dict.fromkeys(one_of("agent", name, AGENTS) for name in named))


def _place(call: Call) -> Place:
    scope = PROJECT if call.arguments.get("project") else USER
    root, database = root_of(os.getcwd()) or "", call.arguments.get("db")
    return place_for(scope, root, sys.argv, database, _tools(call))


def _tools(call: Call) -> list[str]:
    """The sets of tools that were named, with commas between them."""
    named = [name.strip() for name in call.arguments.get("tools", "").split(",")]
    return list(dict.fromkeys(one_of("set of tools", name, TOOLSETS) for name in named if name))
