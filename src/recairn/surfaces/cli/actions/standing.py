"""Handler of the command that says where you stand; a bare `recairn` begins with it in short."""

from __future__ import annotations

import os
import sys

from recairn.core.errors import RecairnError
from recairn.core.record import record
from recairn.core.times import age, now_ms
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.install.presence import Presence
    from recairn.surfaces.install.registration import Registration

# Sessions looked through for when each agent was seen last.
_SESSIONS = 500
_MORE = "recairn status says more"


@record
class Standing:
    """What a memory holds for whoever stands here. `trouble` says why it cannot be opened."""

    database: str
    exists: bool
    project: str = ""
    in_project: int = 0
    everywhere: int = 0
    to_review: int = 0
    trouble: str = ""


def standing(call: Call) -> tuple[Standing, Recairn | None]:
    """Where a call stands, and the memory it opened; None where that did not open."""
    try:
        memory = call.open()
    except (RecairnError, OSError) as error:
        return Standing(_shown(call.database()), exists=True, trouble=str(error)), None
    counts = (0, 0, 0)
    if not memory.absent:
        counts = (
            memory.count(candidates=False),
            memory.count(all_projects=True, candidates=False),
            memory.count(trust="unverified"),
        )
    return Standing(memory.database, not memory.absent, memory.project, *counts), memory


def _shown(place: str) -> str:
    """Without a password; what is no address we know is shown by its kind alone."""
    from recairn.store import shown

    try:
        return shown(place)
    except RecairnError:
        return place.partition("://")[0] + "://…"


def brief(call: Call) -> str:
    """The lines that a bare `recairn` begins with: quick, and in no state of things an error."""
    from recairn.surfaces.install.agents import AGENTS, USER, place_for
    from recairn.surfaces.install.registration import mentioned

    here, memory = standing(call)
    if memory is not None:
        memory.close()
    place = place_for(USER, "", sys.argv, call.arguments.get("db"))
    agents = [agent for agent in AGENTS if mentioned(agent, place)]
    who = f"; registered with {', '.join(agents)}" if agents else "; no agent is registered"
    return f"{_summary(here)}{who}\n  {_next_step(here, bool(agents))}\n\n"


def _summary(here: Standing) -> str:
    if here.trouble:
        return f"The memory cannot be opened: {here.trouble}"
    waiting = f", {here.to_review:,} to review" if here.to_review else ""
    if not here.everywhere:
        absent = "" if here.exists else ", and there is no database"
        return f"Nothing is remembered yet{absent or waiting}"
    where = f"project {here.project}" if here.project else "here, outside any project"
    return f"{memories(here.in_project)} for {where}{waiting}, {here.everywhere:,} in all"


def _next_step(here: Standing, registered: bool) -> str:
    """The one command that most likely comes next."""
    if here.trouble:
        return "recairn doctor says what is wrong with it"
    if not registered:
        return "recairn init registers your agents and takes in what is written down already"
    if here.to_review:
        return "recairn review asks you about what was picked up on the way"
    if not here.in_project:
        return "recairn init takes in what is written down already, recairn add what is not"
    return _MORE


def status(call: Call) -> int:
    """The whole of it: the memory, what waits, the model, and how it stands with each agent."""
    here, memory = standing(call)
    seen: dict[str, int] = {}
    model: dict[str, Any] = {}
    merged: list[str] = []
    if memory is not None:
        with memory:
            if not memory.absent:
                seen, model = _last_seen(memory), _model(memory)
                merged = [branch.name for branch in memory.branches() if branch.waits]
    agents = _agents(call, seen)
    registered = any(agent["registered"] for agent in agents)
    step = _next_step(here, registered)
    if step == _MORE:
        step = "recairn search WORDS, recairn add TEXT, recairn last"
    outdated = [agent["agent"] for agent in agents if agent["trouble"]]
    if outdated and not here.trouble and registered and here.everywhere:
        step = f"recairn doctor says what is wrong with {' and '.join(outdated)}"
    if merged and not outdated and not here.to_review and registered:
        step = f"recairn branch promote {merged[0]}: it is merged or gone"
    if call.json:
        call.screen.document(_document(here, model, agents, step))
    else:
        call.screen.write(_text(here, model, agents, merged, step))
    return 1 if here.trouble else 0


def _last_seen(memory: Recairn) -> dict[str, int]:
    """When the hooks of each agent were heard last."""
    seen: dict[str, int] = {}
    for session in memory.sessions(limit=_SESSIONS, all_projects=True):
        seen[session.agent] = max(session.last_seen_at, seen.get(session.agent, 0))
    return seen


def _model(memory: Recairn) -> dict[str, Any]:
    wanted = memory.wanted_model
    left = 0 if wanted == "none" else memory.batch_left()
    troubles = [what for what, _ in memory.model_troubles()]
    return {
        "wanted": wanted,
        "answers": memory.active_model,
        "to_embed": left,
        "trouble": troubles[0] if troubles else None,
    }


def _agents(call: Call, seen: Mapping[str, int]) -> list[dict[str, Any]]:
    """Every agent that is on this machine, registered, or was heard of."""
    from recairn.host.project import root_of
    from recairn.surfaces.install.agents import AGENTS
    from recairn.surfaces.install.presence import presence_of
    from recairn.surfaces.install.registration import registrations

    registered = registrations(root_of(os.getcwd()) or "", sys.argv, call.arguments.get("db"))
    listed = []
    for agent in AGENTS:
        own = [way for way in registered if way.agent == agent]
        presence, last = presence_of(agent), seen.get(agent)
        if presence.sign or last or any(way.exists or way.plugin for way in own):
            listed.append(_agent(presence, own, last))
    return listed


def _agent(presence: Presence, own: list[Registration], last: int | None) -> dict[str, Any]:
    from recairn.core.times import iso
    from recairn.surfaces.cli.actions.install import state_text
    from recairn.surfaces.install.registration import INSTALLED, MISSING

    ways = [way for way in own if way.exists]
    plugin = next((way.plugin for way in own if way.plugin), "")
    ill = [way for way in own if way.twice or way.state not in (INSTALLED, MISSING)]
    return {
        "agent": presence.agent,
        "program": presence.program or None,
        "registered": [way.scope for way in ways] + (["plugin"] if plugin else []),
        "trouble": state_text(ill[0]) if ill else None,
        "last_hook": iso(last),
    }


def _document(
    here: Standing, model: dict[str, Any], agents: list[dict[str, Any]], step: str
) -> dict[str, Any]:
    from recairn import __version__

    return {
        "version": __version__,
        "database": {"path": here.database, "exists": here.exists, "trouble": here.trouble or None},
        "project": here.project or None,
        "memories": {"here": here.in_project, "all": here.everywhere},
        "to_review": here.to_review,
        "model": model or None,
        "agents": agents,
        "next": step,
    }


def _text(
    here: Standing,
    model: dict[str, Any],
    agents: list[dict[str, Any]],
    merged: list[str],
    step: str,
) -> str:
    state = here.trouble or ("" if here.exists else "not made yet")
    lines = [("database", f"{here.database}{f' ({state})' if state else ''}")]
    if not here.trouble:
        where = f"of {memories(here.everywhere)} in all"
        lines.append(("project", f"{here.project or 'none'}: {here.in_project:,} {where}"))
        verb = "waits" if here.to_review == 1 else "wait"
        waiting = (
            f"{here.to_review:,} {verb}: recairn review" if here.to_review else "nothing waits"
        )
        lines.append(("review", waiting))
    if merged:
        lines.append(("branches", f"merged or gone: {', '.join(merged)} (recairn branch)"))
    if model:
        left = f", {memories(model['to_embed'])} to embed" if model["to_embed"] else ""
        trouble = f"; {model['trouble']} (recairn doctor)" if model["trouble"] else ""
        lines.append(("model", f"{model['wanted']}{left}{trouble}"))
    for place, agent in enumerate(agents):
        lines.append(("" if place else "agents", _agent_line(agent)))
    if not agents:
        lines.append(("agents", "none on this machine"))
    lines.append(("next", step))
    return "".join(f"{name:<9} {words}\n" for name, words in lines)


def _agent_line(agent: Mapping[str, Any]) -> str:
    from recairn.core.times import parse

    name, ways = agent["agent"], agent["registered"]
    if not ways:
        return f"{name:<9} not registered: recairn install {name}"
    how = agent["trouble"] or f"registered ({', '.join(ways)})"
    now = now_ms()
    last = agent["last_hook"]
    heard = f"heard {age(parse(last, now), now)}" if last else "not heard yet: restart it"
    return f"{name:<9} {how}, {heard}"
