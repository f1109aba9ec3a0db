"""Walks over typed links: who is near, which way leads there, what is central, what stands alone.

Pure functions over links the caller brings; nothing here reads a store. Links are walked in both
directions, and each step passes on a share of the score: relation × the link's own weight × 0.7.
"""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge

    Neighbours = Callable[[Sequence[int]], Iterable["Link"]]

# How much of a score a relation passes on (Lore's figures).
RELATION_WEIGHTS = {
    "implements": 1.0,
    "derived_from": 0.9,
    "learned_from": 0.9,
    "contradicts": 0.8,
    "relates_to": 0.7,
    "affects": 0.7,
    "depends_on": 0.6,
    "produces": 0.6,
    "part_of": 0.6,
    "summarized_by": 0.4,
}
OTHER_RELATIONS = 0.5
PER_HOP = 0.7
DEEPEST = 3

# A way longer than this explains nothing to anybody.
_MOST_HOPS = 6
# Memories a search for a way looks at in each hop, strongest first.
_WAY_FRONTIER = 500


@record
class Link:
    """One step, seen from where it starts; `forward` when the stored edge points the same way."""

    here: int
    there: int
    relation: str
    weight: float
    forward: bool


@record
class Reached:
    """A memory at the end of a way: where that began, its steps, and what is left of the score."""

    id: int
    start: int
    score: float
    way: tuple[Link, ...]


def strength(link: Link) -> float:
    """The share of a score that one step passes on."""
    return RELATION_WEIGHTS.get(link.relation, OTHER_RELATIONS) * link.weight * PER_HOP


def reach(
    starts: Mapping[int, float],
    neighbours: Neighbours,
    *,
    depth: int,
    frontier: int,
    floor: Callable[[list[Reached]], float] | None = None,
) -> list[Reached]:
    """What can be reached from the starts (id → score), each by its best way, strongest first.

    In each hop only the `frontier` strongest memories are followed further, and none that could not
    lead above the `floor` of what was reached already.
    """
    best = {memory: Reached(memory, memory, score, ()) for memory, score in starts.items()}
    following = list(starts)
    best_reached: list[Reached] = []
    for _ in range(depth):
        least = floor(best_reached) if floor is not None else 0.0
        following = [memory for memory in following if best[memory].score * PER_HOP > least]
        if not following:
            break
        following = _hop(best, _strongest(best, following)[:frontier], neighbours)
        reached = [step for memory, step in best.items() if memory not in starts]
        best_reached = sorted(reached, key=lambda node: (-node.score, node.id))
    return best_reached


def best_way(start: int, goal: int, neighbours: Neighbours) -> Reached | None:
    """The way between two memories that keeps most of the score, or None within six hops."""
    best = {start: Reached(start, start, 1.0, ())}
    following = [start]
    for _ in range(_MOST_HOPS):
        arrived = best[goal].score if goal in best else 0.0
        going = [memory for memory in following if best[memory].score > arrived]
        if not going:
            break
        following = _hop(best, _strongest(best, going)[:_WAY_FRONTIER], neighbours)
    return best.get(goal)


def _strongest(best: Mapping[int, Reached], ids: Iterable[int]) -> list[int]:
    return sorted(ids, key=lambda memory: (-best[memory].score, memory))


def _hop(best: dict[int, Reached], following: Sequence[int], neighbours: Neighbours) -> list[int]:
    """Takes one step from all of them; the memories that got a (better) way by it."""
    before = {memory: best[memory] for memory in following}
    changed: dict[int, None] = {}
    for link in neighbours(following):
        origin = before[link.here]
        score = origin.score * strength(link)
        known = best.get(link.there)
        if known is not None and score < known.score:
            continue
        way = (*origin.way, link)
        if known is None or score > known.score or _plainer(way, known.way):
            best[link.there] = Reached(link.there, origin.start, score, way)
            changed[link.there] = None
    return list(changed)


def _plainer(way: Sequence[Link], links: Sequence[Link]) -> bool:
    """Decides between ways of equal strength, so that the answer never depends on their order."""
    return _spelled(way) < _spelled(links)


def _spelled(way: Sequence[Link]) -> tuple[int, list[tuple[int, str, bool]]]:
    return len(way), [(link.here, link.relation, not link.forward) for link in way]


def degrees(edges: Iterable[Edge]) -> dict[int, int]:
    """How many edges each memory has."""
    counted: dict[int, int] = {}
    for edge in edges:
        for memory in (edge.source, edge.target):
            counted[memory] = counted.get(memory, 0) + 1
    return counted


def contradictions(edges: Iterable[Edge]) -> list[tuple[int, int]]:
    """The pairs of which one contradicts the other, each once, those linked last first."""
    opposed = [edge for edge in edges if edge.relation == "contradicts"]
    opposed.sort(key=lambda edge: (-edge.created_at, edge.source, edge.target))
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for edge in opposed:
        pairs.setdefault(frozenset((edge.source, edge.target)), (edge.source, edge.target))
    return list(pairs.values())


def hubs(edges: Iterable[Edge]) -> list[tuple[int, int]]:
    """(memory, number of edges), most linked first."""
    return sorted(degrees(edges).items(), key=lambda pair: (-pair[1], pair[0]))


def orphans(ids: Iterable[int], edges: Iterable[Edge]) -> list[int]:
    """The memories that no edge touches, in the order given."""
    linked = degrees(edges)
    return [memory for memory in ids if memory not in linked]


def clusters(edges: Iterable[Edge]) -> list[list[int]]:
    """Groups of memories that hang together, largest first; each group in order of id."""
    parent: dict[int, int] = {}

    def root(memory: int) -> int:
        parent.setdefault(memory, memory)
        while parent[memory] != memory:
            parent[memory] = parent[parent[memory]]
            memory = parent[memory]
        return memory

    for edge in edges:
        parent[root(edge.source)] = root(edge.target)
    groups: dict[int, list[int]] = {}
    for memory in sorted(parent):
        groups.setdefault(root(memory), []).append(memory)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


def statistics(ids: Sequence[int], edges: Sequence[Edge]) -> dict[str, Any]:
    """Counts that describe a graph: its size, its parts, and its relations, commonest first."""
    relations: dict[str, int] = {}
    for edge in edges:
        relations[edge.relation] = relations.get(edge.relation, 0) + 1
    groups = clusters(edges)
    ordered = sorted(relations.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "memories": len(ids),
        "edges": len(edges),
        "orphans": len(orphans(ids, edges)),
        "clusters": len(groups),
        "largest_cluster": len(groups[0]) if groups else 0,
        "edges_per_memory": round(len(edges) / len(ids), 3) if ids else 0.0,
        "relations": dict(ordered),
    }
