"""What Lore's tool does."""

from __future__ import annotations

from recairn.mcp.lean import fitted, without_empty
from recairn.mcp.tools_lore import KIND_OF
from recairn.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.mcp.tools import Call
    from recairn.model import Hit

_TYPE_OF = {kind: name for name, kind in KIND_OF.items()}


def search(call: Call) -> dict[str, Any]:
    """Hits by Lore's ranking: all projects are searched, and the own one counts more."""
    given = call.given
    options = call.chosen("graph_depth", "project")
    kind = KIND_OF.get(given.get("type", "all"))
    if kind is not None:
        options["kind"] = kind
    result = call.memory.search(
        given["query"],
        profile="lore",
        limit=given.get("limit", 10),
        all_projects="project" not in given,
        trust="verified",
        tool="lore_search",
        **options,
    )
    return fitted({"results": [_result(hit) for hit in result.hits], "total": len(result.hits)})


def _result(hit: Hit) -> dict[str, Any]:
    """A hit as Lore shows it: what it is, how well it fits, whose it is, and since when."""
    memory = hit.memory
    return {
        "id": memory.external_id or str(memory.id),
        "type": _TYPE_OF.get(memory.kind, memory.kind),
        "content": memory.content,
        "score": round(hit.score, 4),
        "project": memory.project,
        "timestamp": iso(memory.created_at),
        **without_empty(
            {
                "title": memory.title,
                "fields": dict(memory.fields),
                "path": hit.path,
                "flags": list(hit.flags),
            }
        ),
    }
