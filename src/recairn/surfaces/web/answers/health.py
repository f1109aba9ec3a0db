"""Health: does it work?"""

from __future__ import annotations

from recairn.core.record import as_dict
from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.web.asked import Asked

    Recairn = Any  # until the engine has all of what is asked here

_BACKUPS = 10


def health(memory: Recairn, asked: Asked) -> dict[str, Any]:
    """Findings, the last hooks, agents registered, model, backups, mirrors, size."""
    found = memory.health()
    return {
        "database": found.database,
        "engine": found.engine,
        "bytes": found.bytes,
        "schema": found.schema,
        "findings": [as_dict(each) for each in found.findings],
        "hooks": [{**as_dict(each), "at": iso(each.at)} for each in found.hooks],
        "agents": _registered(),
        "model": found.model,
        "unembedded": found.unembedded,
        "backups": [_backup(each) for each in found.backups[:_BACKUPS]],
        "mirrors": [as_dict(each) for each in found.mirrors],
        "waiting": found.waiting,
        "misses": found.misses,
    }


def _backup(backup: Any) -> dict[str, Any]:
    times = ("at", "made_at", "created_at")
    return {
        name: iso(value) if name in times and isinstance(value, int) else value
        for name, value in as_dict(backup).items()
    }


def _registered() -> list[dict[str, Any]]:
    """Where recairn stands in the settings of agents."""
    from recairn.surfaces import install

    registered = getattr(install, "registered", None)
    return [] if registered is None else [_registration(each) for each in registered()]


def _registration(each: Any) -> dict[str, Any]:
    found = as_dict(each)
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in found.items()
    }
