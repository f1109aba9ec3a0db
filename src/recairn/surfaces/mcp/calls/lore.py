"""What Lore's tools do."""

from __future__ import annotations

from recairn.core.times import iso
from recairn.memory.lookup import other_project
from recairn.surfaces.mcp.protocol import fitted
from recairn.surfaces.mcp.toolsets.lore import KIND_OF
from recairn.surfaces.render.json_objects import without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Hit, Memory
    from recairn.surfaces.mcp.dispatch import Call

_TYPE_OF = {kind: name for name, kind in KIND_OF.items()}


def search(call: Call) -> dict[str, Any]:
    """Hits by Lore's ranking: all projects are searched, and the own one counts more."""
    arguments = call.arguments
    options = call.chosen("graph_depth", "project")
    kind = KIND_OF.get(arguments.get("type", "all"))
    if kind is not None:
        options["kind"] = kind
    result = call.memory.search(
        arguments["query"],
        profile="lore",
        limit=arguments.get("limit", 10),
        all_projects="project" not in arguments,
        candidates=False,
        tool="lore_search",
        **options,
    )
    return fitted(
        {
            "results": [_result(hit, call.memory.project) for hit in result.hits],
            "total": len(result.hits),
        }
    )


def show(call: Call) -> dict[str, Any]:
    """A record with all that Lore keeps of one."""
    here = call.memory.project
    memory = call.memory.get(call.memory.resolve(call.arguments["id"]))
    assert memory is not None
    call.memory.expanded(memory.id)
    replaced = None if memory.superseded_by is None else call.memory.get(memory.superseded_by)
    return fitted(
        _record(memory, here)
        | {"importance": round(memory.importance, 4), "confidence": round(memory.confidence, 4)}
        | without_empty(
            {
                "title": memory.title,
                "fields": dict(memory.fields),
                "tags": list(memory.keywords),
                "session": memory.session_id,
                "superseded_by": None if replaced is None else _id(replaced, here),
            }
        )
    )


def graph_traverse(call: Call) -> dict[str, Any]:
    """What lies around a record, in all projects, by the way that leads there."""
    arguments, here = call.arguments, call.memory.project
    memory = call.memory.get(call.memory.resolve(arguments["id"]))
    assert memory is not None
    depth, limit = arguments.get("depth", 1), arguments.get("limit", 20)
    around = call.memory.related(memory.id, depth, limit=limit, all_projects=True)
    related = [
        _record(neighbour.memory, here)
        | {"score": round(neighbour.score, 4), "hops": neighbour.hops, "path": neighbour.path}
        | without_empty({"title": neighbour.memory.title, "flags": list(neighbour.flags)})
        for neighbour in around
        if neighbour.memory.trust != "unverified"
    ]
    return fitted({"id": _id(memory, here), "related": related})


def _result(hit: Hit, here: str) -> dict[str, Any]:
    """A hit as Lore shows it: what it is, how well it fits, whose it is, and since when."""
    memory = hit.memory
    return (
        _record(memory, here)
        | {"score": round(hit.score, 4)}
        | without_empty(
            {
                "title": memory.title,
                "fields": dict(memory.fields),
                "path": hit.path,
                "flags": list(hit.flags),
            }
        )
    )


def _record(memory: Memory, here: str) -> dict[str, Any]:
    return {
        "id": _id(memory, here),
        "type": _TYPE_OF.get(memory.kind, memory.kind),
        "content": memory.content,
        "project": memory.project,
        "timestamp": iso(memory.created_at),
    }


def _id(memory: Memory, here: str) -> str:
    """What the other tools take for it: another project's record is named with its project."""
    name = memory.external_id or str(memory.id)
    elsewhere = other_project(memory, here)
    return f"{elsewhere}/{name}" if elsewhere else name
