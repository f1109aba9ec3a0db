"""Links, ways and whole graphs as text, JSON, Mermaid and Graphviz."""

from __future__ import annotations

from recairn.core.memory_text import flags_of
from recairn.core.record import as_dict
from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import circumstances, headline, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge
    from recairn.memory.consolidate import Consolidated
    from recairn.recall.graph_search import Neighbourhood, Related, Way
    from recairn.store.memory_rows import Label

    Labels = Mapping[int, Label]

# Characters of a memory in a node of a drawing.
_NODE = 40
_LISTED = 80
_INDENT = "      "
_TIMES = ("created_at", "valid_from", "valid_until")
# Characters that end a quoted label, or begin markup, in Mermaid.
_MERMAID = str.maketrans(
    {'"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;", "#": "#35;", "|": "#124;"}
)


def edge_json(edge: Edge) -> dict[str, Any]:
    """An edge; times are ISO 8601 with Z."""
    names: tuple[str, ...] = edge.__slots__  # type: ignore[attr-defined]
    return {
        name: iso(getattr(edge, name)) if name in _TIMES else getattr(edge, name)
        for name in names
        if name != "changed_at"  # what databases compare; it tells a reader nothing
    }


def edge_text(edge: Edge) -> str:
    """`#1 contradicts #2`, with the weight where it is not 1."""
    weight = "" if edge.weight == 1.0 else f" (weight {edge.weight:g})"
    return f"#{edge.source} {edge.relation} #{edge.target}{weight}"


def related_json(neighbour: Related) -> dict[str, Any]:
    memory = memory_json(neighbour.memory)
    names = ("id", "uid", "kind", "title", "content", "project", "category", "created_at")
    return {
        **{name: memory[name] for name in names},
        "score": round(neighbour.score, 6),
        "hops": neighbour.hops,
        "path": neighbour.path,
        "flags": [*flags_of(neighbour.memory), *neighbour.flags],
        "superseded_by": memory["superseded_by"],
    }


def related_text(neighbour: Related, *, now: int, project: str | None) -> str:
    """`[56%] #4 text`, its circumstances with every warning, and the way to it."""
    score = styled(f"[{round(100 * neighbour.score)}%]", "bold")
    text = f"{score} {styled(f'#{neighbour.memory.id}', 'name')} {headline(neighbour.memory)}\n"
    about = [circumstances(neighbour.memory, now, project)]
    about += [flag for flag in neighbour.flags if not flag.startswith("superseded")]
    text += f"{_INDENT}{styled(', '.join(about), 'dim')}\n"
    return f"{text}{_INDENT}{without_marks(neighbour.path)}\n"


def way_json(way: Way | None) -> dict[str, Any]:
    """A connection of two memories; without one, `found` is false and there are no steps."""
    if way is None:
        return {"found": False, "score": 0.0, "path": "", "steps": []}
    steps = [
        {
            "from": link.here,
            "to": link.there,
            "relation": link.relation,
            "weight": link.weight,
            "forward": link.forward,
        }
        for link in way.steps
    ]
    return {"found": True, "score": round(way.score, 6), "path": way.path, "steps": steps}


def label_line(memory: int, labels: Labels) -> str:
    """`[kind] text` of a memory on one line."""
    kind, text, _ = labels[memory]
    return f"[{kind}] {one_line(without_marks(text), _LISTED)}"


def graph_json(labels: Labels, edges: Sequence[Edge]) -> dict[str, Any]:
    """Nodes and edges."""
    nodes = [
        {"id": memory, "kind": kind, "label": one_line(text, _LISTED), "superseded_by": successor}
        for memory, (kind, text, successor) in sorted(labels.items())
    ]
    return {"nodes": nodes, "edges": [edge_json(edge) for edge in edges]}


def mermaid(labels: Labels, edges: Sequence[Edge]) -> str:
    """A flow chart in Mermaid's language."""
    lines = ["graph LR"]
    for memory, (kind, text, _) in sorted(labels.items()):
        label = f"{kind} {memory}: {one_line(without_marks(text), _NODE)}"
        lines.append(f'  m{memory}["{label.translate(_MERMAID)}"]')
    lines += [f"  m{edge.source} -->|{edge.relation}| m{edge.target}" for edge in edges]
    return "\n".join(lines) + "\n"


def dot(labels: Labels, edges: Sequence[Edge]) -> str:
    """A directed graph in Graphviz' language."""
    lines = ["digraph memories {", "  node [shape=box];"]
    for memory, (kind, text, _) in sorted(labels.items()):
        label = f"{kind} #{memory}: {one_line(without_marks(text), _NODE)}"
        quoted = label.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  m{memory} [label="{quoted}"];')
    lines += [f'  m{edge.source} -> m{edge.target} [label="{edge.relation}"];' for edge in edges]
    return "\n".join([*lines, "}"]) + "\n"


def cluster_json(group: Consolidated) -> dict[str, Any]:
    """A cluster of near-duplicates, and what became of it."""
    cluster = group.cluster
    return {
        "survivor": _member(cluster.survivor, 1.0),
        "others": [_member(memory, share) for memory, share in cluster.others],
        "written": group.written,
        "memory": group.memory,
        "text": group.text,
    }


def _member(memory: Any, likeness: float) -> dict[str, Any]:
    names = ("id", "uid", "kind", "title", "content")
    return {**{name: getattr(memory, name) for name in names}, "similarity": round(likeness, 3)}


def cluster_text(group: Consolidated) -> str:
    """The survivor, and under it what resembles it."""
    cluster = group.cluster
    text = f"{styled(f'#{cluster.survivor.id}', 'name')} {headline(cluster.survivor)}\n"
    for memory, share in cluster.others:
        number = styled(f"#{memory.id}", "name")
        text += f"{_INDENT}{round(100 * share)}%  {number} {headline(memory)}\n"
    return text


def neighbourhood_json(neighbourhood: Neighbourhood) -> dict[str, Any]:
    """What lies around a memory, and the edges between what is shown."""
    return {
        "center": neighbourhood.center,
        "nodes": [as_dict(node) for node in neighbourhood.nodes],
        "edges": [edge_json(edge) for edge in neighbourhood.edges],
        "left_out": neighbourhood.left_out,
    }
