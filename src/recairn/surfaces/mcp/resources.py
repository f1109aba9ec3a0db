"""What a client can read by address: a memory, and an overview of a project."""

from __future__ import annotations

from recairn.core.errors import NotFound, RecairnError
from recairn.surfaces.mcp import protocol
from recairn.surfaces.mcp.dispatch import explanation, failure
from recairn.surfaces.mcp.protocol import STATELESS, ProtocolError, fitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.mcp.dispatch import Desk
    from recairn.surfaces.mcp.protocol import Message, Request

_SCHEME = "recairn://"
_MEMORY = f"{_SCHEME}memory/"
_PROJECT = f"{_SCHEME}project/"
OVERVIEW = f"{_SCHEME}project"
_JSON = "application/json"
_NEWEST, _RULES = 10, 20

RESOURCES = (
    {
        "uri": OVERVIEW,
        "name": "project",
        "title": "This project's memory",
        "description": "Rules, the last handoff, the newest memories, and how many there are.",
        "mimeType": _JSON,
    },
)
TEMPLATES = (
    {
        "uriTemplate": _MEMORY + "{id}",
        "name": "memory",
        "title": "One memory",
        "description": "A memory by its number, uid or foreign id.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": _PROJECT + "{name}",
        "name": "project",
        "title": "Another project's memory",
        "description": "The same overview of the project of that name.",
        "mimeType": _JSON,
    },
)


def read_resource(uri: str, request: Request, desk: Desk, version: str) -> Message:
    """What stands behind an address."""
    missing = protocol.INVALID_PARAMS if version in STATELESS else protocol.RESOURCE_NOT_FOUND
    try:
        payload = protocol.payload(document(uri, desk.memory(request.session)))
    except NotFound as trouble:
        raise ProtocolError(missing, explanation(trouble), {"uri": uri[:1000]}) from None
    except (RecairnError, OSError) as trouble:
        raise failure(trouble, desk) from None
    content = {"uri": uri, "mimeType": "application/json", "text": payload.json}
    return {"contents": [content]}


def document(uri: str, memory: Recairn) -> dict[str, Any]:
    """What an address stands for; NotFound where there is nothing."""
    from recairn.surfaces.render.json_objects import memory_json

    if uri == OVERVIEW:
        return _overview(memory, memory.project)
    if uri.startswith(_MEMORY):
        record = memory.get(memory.resolve(_plain(uri.removeprefix(_MEMORY))))
        assert record is not None
        memory.expanded(record.id)
        return memory_json(record)
    if uri.startswith(_PROJECT):
        name = _plain(uri.removeprefix(_PROJECT))
        if name in memory.stats()["by"]["project"]:
            return _overview(memory, name)
        raise NotFound(f"there is no project {name[:80]!r} in this memory", f"read {OVERVIEW}")
    raise NotFound(f"nothing is at {uri[:200]!r}", f"{OVERVIEW} and {_MEMORY}42 are addresses")


def _plain(escaped: str) -> str:
    """The part of an address without its percent signs."""
    from urllib.parse import unquote

    return unquote(escaped)


def _overview(memory: Recairn, project: str) -> dict[str, Any]:
    """What somebody new to a project should see first; nothing unverified."""
    from recairn.surfaces.render.json_objects import concise, memory_json

    seen: dict[str, Any] = {"project": project or None, "candidates": False}

    def newest(limit: int, kind: str | None = None) -> list[dict[str, Any]]:
        listing = memory.listing(**seen, kind=kind, limit=limit)
        return [concise(memory_json(record)) for record in listing]

    return fitted(
        {
            "project": project,
            "memories": memory.count(**seen),
            "rules": newest(_RULES, "rule"),
            "handoff": next(iter(newest(1, "handoff")), None),
            "newest": newest(_NEWEST),
        }
    )
