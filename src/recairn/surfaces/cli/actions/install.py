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
    if call.given.get("status"):
        _status(call)
        return
    agents = _agents(call)
    if not agents:
        raise BadInput("no agent was named", f"recairn install {' | '.join(AGENTS)}")
    changes = planned(agents, _place(call))
    _carry_out(call, changes)
    if not call.json and not call.given.get("dry_run"):
        for agent in agents:
            call.screen.note(f"{agent}: {_AFTERWARDS[agent]}")


def uninstall(call: Call) -> None:
    changes = planned(_agents(call) or AGENTS, _place(call), remove=True)
    _carry_out(call, changes)


def _carry_out(call: Call, changes: list[Change]) -> None:
    done = changes if call.given.get("dry_run") else [*changes]
    if not call.given.get("dry_run"):
        make(changes)
    if call.json:
        listed = [
            {"agent": each.agent, "what": each.what, "path": each.path, "change": each.verb}
            for each in done
        ]
        call.screen.document({"dry_run": bool(call.given.get("dry_run")), "changes": listed})
        return
    for each in done:
        verb = _VERBS[each.verb]
        would = "Would have " if call.given.get("dry_run") and each.differs else ""
        call.say(f"{would}{verb.lower() if would else verb} {each.path} ({each.what})")
    if not done:
        call.say("nothing of recairn is registered here")


def _status(call: Call) -> None:
    """For every agent and scope: is what would be installed there already?"""
    found = []
    for scope in (USER, PROJECT):
        root = root_of(os.getcwd()) or ""
        if scope == PROJECT and not root:
            continue
        place = place_for(scope, root, sys.argv, call.given.get("db"))
        found += [_state(agent, scope, place) for agent in AGENTS]
    if call.json:
        names = ("agent", "scope", "state")
        call.screen.document({"agents": [dict(zip(names, each, strict=True)) for each in found]})
        return
    call.screen.table(("agent", "scope", "state"), found)


def _state(agent: str, scope: str, place: Place) -> tuple[str, str, str]:
    try:
        whole = planned([agent], place)
        rest = planned([agent], place, remove=True)
    except BadInput as error:
        return agent, scope, error.message
    if not any(each.differs for each in whole):
        return agent, scope, "installed"
    if any(each.differs for each in rest):
        return agent, scope, f"outdated: recairn install {agent} --{scope} mends it"
    return agent, scope, "not installed"


def _agents(call: Call) -> tuple[str, ...]:
    named = call.given.get("agent") or ()
    return tuple(dict.fromkeys(one_of("agent", each, AGENTS) for each in named))


def _place(call: Call) -> Place:
    scope = PROJECT if call.given.get("project") else USER
    root, database = root_of(os.getcwd()) or "", call.given.get("db")
    return place_for(scope, root, sys.argv, database, _tools(call))


def _tools(call: Call) -> list[str]:
    """The sets of tools that were named, with commas between them."""
    named = [each.strip() for each in call.given.get("tools", "").split(",")]
    return list(dict.fromkeys(one_of("set of tools", each, TOOLSETS) for each in named if each))
