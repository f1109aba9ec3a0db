"""What hangs together: the neighbourhood of one memory, never all of them."""

from __future__ import annotations

from recairn.surfaces.web.answers.brief import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_NODES = 150
_HOPS = 2


def around(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Nodes and edges within one or two hops of a memory."""
    neighbourhood = memory.neighbourhood(
        memory.resolve(parameters.path["id"]),
        depth=parameters.number("hops", 1, _HOPS),
        relations=parameters.words("relation"),
        limit=_NODES,
    )
    return {
        "center": neighbourhood.center,
        "nodes": [
            {
                "id": node.id,
                "kind": node.kind,
                "label": clipped(node.label, 90),
                "project": node.project,
                "hops": node.hops,
                "superseded": node.superseded,
            }
            for node in neighbourhood.nodes
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "relation": edge.relation,
                "weight": edge.weight,
            }
            for edge in neighbourhood.edges
        ],
        "left_out": neighbourhood.left_out,
    }
