"""Health: does it work?"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_BACKUPS, _HOOKS, _FINDINGS = 10, 40, 60


def health(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The last hooks, agents registered, model, backups, mirrors, size; `thorough` as doctor."""
    from recairn.surfaces.render.overview import health_json

    document = health_json(memory.health(thorough=parameters.flag("thorough")))
    document["backups"] = document["backups"][:_BACKUPS]
    document["hooks"] = document["hooks"][:_HOOKS]
    document["findings"] = document["findings"][:_FINDINGS]
    return {**document, "agents": _registered()}


def _registered() -> list[dict[str, Any]]:
    """Where recairn stands in the settings of agents; those it is not in are left out."""
    from recairn.host.project import root_of
    from recairn.surfaces.install.registration import registered

    return [
        {
            "agent": registration.agent,
            "scope": registration.scope,
            "state": registration.state,
            "plugin": registration.plugin,
        }
        for registration in registered(root_of(os.getcwd()) or "", sys.argv)
    ]
