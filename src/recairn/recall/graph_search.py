"""Graph search: what the best hits of a search lead to, by which way, and what to beware of.

One statement for each hop, with every filter inside it; what it brings is capped in each hop, for
each hit, and in all, so that a well-linked memory costs no more than a lonely one.
"""

from __future__ import annotations

from recairn.core.errors import BadOption
from recairn.core.memory_text import flags_of
from recairn.core.model import Filter, Hit, Term
from recairn.core.record import record, replace
from recairn.core.words import one_line
from recairn.recall.walks import DEEPEST, Link, best_way, reach, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recairn.core.model import Edge, Memory
    from recairn.recall.walks import Neighbours, Reached
    from recairn.store.contract.base import Store
    from recairn.store.memory_rows import Label

    Labels = Mapping[int, Label]

# The best hits, from which edges are followed.
_STARTS = 10
# Memories followed further in each hop, strongest first.
_FRONTIER = 64
_AROUND = 500  # of one memory, where nobody waits for an answer to a search
# Neighbours looked at of one memory in one direction, newest first.
_PER_MEMORY = 32
# Memories that one hit may bring, and all hits together.
_PER_HIT = 5
_IN_ALL = 20
# Warnings shown with one hit, and characters of a memory that a way shows.
_FLAGS = 3
_SHOWN = 60
_SNIPPET = 200  # characters

# Whoever is linked so stands on the other one, and should know when that was replaced.
_STANDS_ON = ("depends_on", "derived_from", "learned_from", "implements", "builds_on", "part_of")


@record
class Arrival:
    """A memory that a hit leads to: score = score of the hit × factor.

    `path` spells the way, `flags` what a reader should know before believing it.
    """

    id: int
    hit: int
    factor: float
    path: str
    flags: tuple[str, ...] = ()


def depth_of(value: object) -> int:
    """A depth in 0..3; BadOption otherwise."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= DEEPEST:
        raise BadOption(f"the depth must be between 0 and {DEEPEST}, got {value!r}")
    return value


def expand(
    store: Store, hits: Sequence[tuple[int, float]], filter: Filter, depth: int
) -> list[Arrival]:
    """What the hits, given as (id, score) best first, lead to within so many hops; best first.

    The ways lead through everything the asker may see; what is returned passes the whole filter.
    """
    if depth == 0 or not hits:
        return []
    seen = _visibility(filter)
    looked_at = {memory for memory, _ in hits}
    wanted: set[int] = set()

    def room(ends: list[Reached]) -> list[Reached]:
        """Those of them that will be returned, if nothing better comes."""
        fresh = [end.id for end in ends if end.id not in looked_at]
        looked_at.update(fresh)
        wanted.update(fresh if filter == seen else store.passing(fresh, filter))
        return _capped(end for end in ends if end.id in wanted)

    def floor(ends: list[Reached]) -> float:
        """The score of the last one there is room for; below it nothing needs to be looked for."""
        kept = room(ends) if ends else []
        return kept[-1].score if len(kept) == _IN_ALL else 0.0

    starts = dict(hits[:_STARTS])
    ends = reach(
        starts, walker(store, seen), depth=depth_of(depth), frontier=_FRONTIER, floor=floor
    )
    chosen = room(ends)
    labels = _labels(store, chosen)
    return [
        Arrival(end.id, end.start, _factor(end), spelled(end.way, labels), _flags(end, labels))
        for end in chosen
        if _still_there(end, labels)
    ]


def with_reached(store: Store, hits: Sequence[Hit], filter: Filter, depth: int) -> tuple[Hit, ...]:
    """The hits with their warnings, and what they lead to, best first.

    A memory that was reached has one term: the score of its hit × what the way passes on.
    """
    linked = [hit for hit in hits if hit.related_count or filter.as_of is not None]
    links = _links_of(store, [hit.id for hit in linked], filter)
    warnings = _warnings(store, links)
    ways = _ways_between(store, hits, links) if depth else {}
    arrivals = expand(store, [(hit.id, hit.score) for hit in hits], filter, depth) if linked else []
    shown = store.shown([arrival.id for arrival in arrivals])
    scores = {hit.id: hit.score for hit in hits}
    below = {hit.id for hit in hits if hit.below_floor}
    reached = [
        Hit(
            memory=shown[arrival.id].memory,
            terms={"graph": Term(arrival.factor, scores[arrival.hit])},
            match="graph",
            snippet=one_line(shown[arrival.id].memory.content, _SNIPPET),
            source_session=shown[arrival.id].session,
            superseded_by=shown[arrival.id].successor,
            related_count=shown[arrival.id].related,
            path=arrival.path,
            flags=(*flags_of(shown[arrival.id].memory), *arrival.flags),
            below_floor=arrival.hit in below,
        )
        for arrival in arrivals
        if arrival.id in shown
    ]
    ordinary = [
        replace(
            hit,
            flags=(*flags_of(hit.memory), *warnings.get(hit.id, ())),
            path=ways.get(hit.id, ""),
        )
        for hit in hits
    ]
    return tuple(sorted([*ordinary, *reached], key=lambda hit: (-hit.score, hit.id)))


def _links_of(store: Store, ids: Sequence[int], filter: Filter) -> list[Link]:
    """The links of these memories, also to what was superseded."""
    seen = replace(_visibility(filter), include_superseded=True)
    links = walker(store, seen)(ids)
    return sorted(links, key=lambda link: (link.here, link.there, link.relation))


def _warnings(store: Store, links: Sequence[Link]) -> dict[int, tuple[str, ...]]:
    labels = store.labels(sorted({link.there for link in links}))
    by_memory: dict[int, list[str]] = {}
    for link in links:
        flag = _warning(link, labels) if link.there in labels else ""
        if flag and flag not in by_memory.setdefault(link.here, []):
            by_memory[link.here].append(flag)
    return {memory: tuple(flags[:_FLAGS]) for memory, flags in by_memory.items() if flags}


def _ways_between(store: Store, hits: Sequence[Hit], links: Sequence[Link]) -> dict[int, str]:
    """How a better hit leads to one that was found by itself, by the strongest link."""
    places = {hit.id: place for place, hit in enumerate(hits)}
    best: dict[int, Link] = {}
    for link in links:
        place = places.get(link.there)
        if place is None or place <= places[link.here]:
            continue
        known = best.get(link.there)
        if known is None or _passes_on(link, hits, places) > _passes_on(known, hits, places):
            best[link.there] = link
    if not best:
        return {}
    labels = store.labels(sorted({end for way in best.values() for end in (way.here, way.there)}))
    return {
        memory: spelled((way,), labels)
        for memory, way in best.items()
        if way.here in labels and way.there in labels
    }


def _passes_on(link: Link, hits: Sequence[Hit], places: Mapping[int, int]) -> float:
    return hits[places[link.here]].score * strength(link)


def walker(store: Store, filter: Filter) -> Neighbours:
    """The neighbours of memories that the filter lets through."""

    def neighbours(ids: Sequence[int]) -> list[Link]:
        return [Link(*row) for row in store.linked(ids, filter, _PER_MEMORY)]

    return neighbours


def spelled(way: Sequence[Link], labels: Labels) -> str:
    """`[pattern] X → contradicts → [decision] Y`; ← where the stored edge points back."""
    if not way:
        return ""
    text = _label(way[0].here, labels)
    for link in way:
        arrow = "→" if link.forward else "←"
        text += f" {arrow} {link.relation} {arrow} {_label(link.there, labels)}"
    return text


def _label(memory: int, labels: Labels) -> str:
    label = labels[memory]
    return f"[{label.kind}] {one_line(label.text, _SHOWN)}"


def _visibility(filter: Filter) -> Filter:
    """The filter without what narrows a search by subject."""
    return Filter(
        project=filter.project,
        session=filter.session,
        as_of=filter.as_of,
        include_superseded=filter.include_superseded,
        include_deleted=filter.include_deleted,
        include_documents=filter.include_documents,
        now=filter.now,
    )


def _capped(ends: Iterable[Reached]) -> list[Reached]:
    counted: dict[int, int] = {}
    kept = []
    for end in ends:
        counted[end.start] = counted.get(end.start, 0) + 1
        if counted[end.start] <= _PER_HIT:
            kept.append(end)
    return kept[:_IN_ALL]


def _on_way(end: Reached) -> list[int]:
    return [end.start, *(link.there for link in end.way)]


def _labels(store: Store, ends: Iterable[Reached]) -> Labels:
    return store.labels(sorted({memory for end in ends for memory in _on_way(end)}))


def _still_there(end: Reached, labels: Labels) -> bool:
    """Another process may have erased a memory on the way since it was walked."""
    return all(memory in labels for memory in _on_way(end))


def _factor(end: Reached) -> float:
    factor = 1.0
    for link in end.way:
        factor *= strength(link)
    return factor


def _flags(end: Reached, labels: Labels) -> tuple[str, ...]:
    last = end.way[-1]
    flags = []
    if last.relation == "contradicts":
        flags.append(_opposed(last.weight, last.here, forward=not last.forward))
    successor = labels[end.id].successor
    if successor is not None:
        flags.append(f"superseded by #{successor}")
    return tuple(flags)


def _opposed(weight: float, other: int, *, forward: bool) -> str:
    """What a reader is told of a contradiction; one that only words suggest is not certain."""
    if weight < 1.0:
        return f"may contradict #{other}"
    return f"{'contradicts' if forward else 'contradicted by'} #{other}"


def _warning(link: Link, labels: Labels) -> str:
    if link.relation == "contradicts":
        return _opposed(link.weight, link.there, forward=link.forward)
    if link.relation == "supersedes":
        return f"{'supersedes' if link.forward else 'superseded by'} #{link.there}"
    successor = labels[link.there].successor
    if successor is not None and link.forward and link.relation in _STANDS_ON:
        relation = link.relation.replace("_", " ")
        return f"{relation} #{link.there}, superseded by #{successor}"
    return ""


@record
class Related:
    """A memory near another one: what is left of a score of 1, the way, and what to beware of."""

    memory: Memory
    score: float
    hops: int
    path: str
    flags: tuple[str, ...]


@record
class Way:
    """How two memories are connected: the share of a score that arrives, and the steps."""

    score: float
    path: str
    steps: tuple[Link, ...]


def related(store: Store, memory: int, filter: Filter, depth: int, limit: int) -> list[Related]:
    """What lies around a memory within so many hops, strongest first."""
    ends = reach({memory: 1.0}, walker(store, filter), depth=depth_of(depth), frontier=_AROUND)
    ends = ends[:limit]
    memories = store.get_many([end.id for end in ends])
    labels = _labels(store, ends)
    return [
        Related(
            memories[end.id],
            end.score,
            len(end.way),
            spelled(end.way, labels),
            _flags(end, labels),
        )
        for end in ends
        if end.id in memories and _still_there(end, labels)
    ]


def way_between(store: Store, one: int, other: int, filter: Filter) -> Way | None:
    """The strongest connection of two memories, or None."""
    best = best_way(one, other, walker(store, filter))
    if best is None:
        return None
    labels = _labels(store, [best])
    if not _still_there(best, labels):
        return None
    return Way(best.score, spelled(best.way, labels), best.way)


@record
class Node:
    """A memory of a neighbourhood in a few words; `hops` is how far it is from the middle."""

    id: int
    kind: str
    label: str
    project: str
    hops: int
    superseded: bool


@record
class Neighbourhood:
    """What lies around a memory, strongest first, and all edges between what is shown.

    `left_out` counts the memories there was no room for.
    """

    center: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int


def neighbourhood(
    store: Store, memory: int, filter: Filter, depth: int, relations: Sequence[str], limit: int
) -> Neighbourhood:
    """The memories within so many hops of one, by links of these relations, or all."""
    all_links = walker(store, filter)

    def links(ids: Sequence[int]) -> Iterable[Link]:
        return [link for link in all_links(ids) if not relations or link.relation in relations]

    ends = reach({memory: 1.0}, links, depth=depth_of(depth), frontier=_AROUND)
    shown = {memory: 0, **{end.id: len(end.way) for end in ends[: limit - 1]}}
    memories, labels = store.get_many([*shown]), store.labels([*shown])
    nodes = [
        Node(
            number,
            labels[number].kind,
            one_line(labels[number].text, _SHOWN),
            memories[number].project,
            hops,
            labels[number].successor is not None,
        )
        for number, hops in shown.items()
        if number in memories and number in labels
    ]
    edges = [
        edge
        for edge in store.edges_among([node.id for node in nodes], filter)
        if not relations or edge.relation in relations
    ]
    return Neighbourhood(memory, tuple(nodes), tuple(edges), max(0, len(ends) - limit + 1))
