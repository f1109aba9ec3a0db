"""Handlers of the commands about links, and of `consolidate`."""

from __future__ import annotations

from recairn.core.times import now_ms
from recairn.core.words import counted
from recairn.recall import walks
from recairn.surfaces.render import graph as render
from recairn.surfaces.render.text import headline, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Edge
    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call

DRAWINGS = ("mermaid", "dot", "json")
WAYS = ("merge", "summary")
_SEEN = ("all_projects", "as_of")
_LISTED = 10
# Members of a cluster that a listing names.
_MEMBERS = 5


def link(call: Call) -> None:
    arguments = call.arguments
    strengths = call.chosen("weight", "confidence")
    with call.open() as memory:
        edge = memory.link(arguments["a"], arguments["b"], arguments["relation"], **strengths)
    if call.json:
        call.screen.document(render.edge_json(edge))
    else:
        call.say(f"Linked {render.edge_text(edge)}")


def unlink(call: Call) -> None:
    arguments = call.arguments
    with call.open() as memory:
        ended = memory.unlink(arguments["a"], arguments["b"], arguments["relation"])
    if call.json:
        call.screen.document({"unlinked": [render.edge_json(edge) for edge in ended]})
        return
    for edge in ended:
        call.say(f"Unlinked {render.edge_text(edge)}")


def related(call: Call) -> None:
    arguments = call.arguments
    depth = arguments.get("depth", 1)
    with call.open() as memory:
        start = memory.resolve(arguments["id"])
        options = call.chosen("limit", *_SEEN)
        neighbours = memory.related(start, depth, **options)
        centre = memory.get(start)
        project = memory.project or None
    assert centre is not None
    if call.json:
        listed = [render.related_json(neighbour) for neighbour in neighbours]
        call.screen.document({"id": start, "depth": depth, "related": listed})
        return
    call.say(f"#{start} {headline(centre)}")
    if not neighbours:
        call.say(f"  no links yet; recairn link {start} ID RELATION makes one")
        return
    call.say("")
    now = now_ms()
    for neighbour in neighbours:
        call.screen.write(render.related_text(neighbour, now=now, project=project))


def around(call: Call) -> None:
    arguments = call.arguments
    with call.open() as memory:
        options = call.chosen("limit", *_SEEN)
        relations = arguments.get("relation", ())
        neighbourhood = memory.neighbourhood(
            arguments["id"], arguments.get("depth", 1), relations=relations, **options
        )
    if call.json:
        call.screen.document(render.neighbourhood_json(neighbourhood))
        return
    for node in neighbourhood.nodes:
        far = "" if node.hops == 0 else f" ({counted(node.hops, 'link')} away)"
        call.say(f"#{node.id} {node.kind}: {node.label}{far}")
    for edge in neighbourhood.edges:
        call.say(f"  {render.edge_text(edge)}")
    if neighbourhood.left_out:
        call.screen.note(f"{neighbourhood.left_out:,} more lie further away; -n shows up to 150")


def path(call: Call) -> None:
    arguments = call.arguments
    with call.open() as memory:
        one, other = memory.resolve(arguments["a"]), memory.resolve(arguments["b"])
        way = memory.path(one, other, **call.chosen(*_SEEN))
    if call.json:
        call.screen.document({"source": one, "target": other, **render.way_json(way)})
    elif way is None:
        call.say(f"no way leads from #{one} to #{other}")
    else:
        call.say(way.path or f"#{one} is #{other}")
        hops = counted(len(way.steps), "link")
        call.say(f"  {hops}, {round(100 * way.score)}% of a score arrives")


def hubs(call: Call) -> None:
    with call.open() as memory:
        _, edges = memory.graph(**call.chosen(*_SEEN))
        pairs = walks.hubs(edges)[: call.arguments.get("limit", _LISTED)]
        labels = memory.labels([id for id, _ in pairs])
        pairs = [pair for pair in pairs if pair[0] in labels]
    if call.json:
        listed = [
            {"id": id, "links": count, "kind": labels[id][0], "label": labels[id][1]}
            for id, count in pairs
        ]
        call.screen.document({"hubs": listed})
    elif not pairs:
        call.say(_NO_LINKS)
    else:
        rows = [(f"#{id}", f"{count:,}", render.label_line(id, labels)) for id, count in pairs]
        call.screen.table(("memory", "links", ""), rows)


def conflicts(call: Call) -> None:
    with call.open() as memory:
        _, edges = memory.graph(**call.chosen(*_SEEN))
        opposed = walks.contradictions(edges)
        labels = memory.labels(sorted({end for pair in opposed for end in pair}))
    # Whoever replaced one of the two has decided.
    undecided = [
        pair for pair in opposed if all(end in labels and labels[end][2] is None for end in pair)
    ]
    page = undecided[: call.arguments.get("limit", _LISTED)]
    if call.json:
        listed = [
            [{"id": end, "kind": labels[end][0], "label": labels[end][1]} for end in pair]
            for pair in page
        ]
        call.screen.document({"conflicts": listed, "total": len(undecided)})
        return
    for one, other in page:
        call.say(f"#{one} {render.label_line(one, labels)}")
        call.say(f"  contradicts #{other} {render.label_line(other, labels)}")
    if not undecided:
        call.say("no memory contradicts another one")
        return
    if len(page) < len(undecided):
        call.screen.note(f"{len(page)} of {len(undecided)}; -n shows more")
    one, other = page[0]
    call.screen.note(
        f"recairn supersede {other} {one} if #{one} holds, recairn supersede {one} {other} if"
        f" #{other} does, recairn unlink {one} {other} if both do"
    )


def orphans(call: Call) -> None:
    with call.open() as memory:
        ids, edges = memory.graph(**call.chosen(*_SEEN))
        alone = walks.orphans(reversed(ids), edges)
        page = alone[: call.arguments.get("limit", _LISTED)]
        labels = memory.labels(page)
        page = [id for id in page if id in labels]
    if call.json:
        listed = [{"id": id, "kind": labels[id][0], "label": labels[id][1]} for id in page]
        call.screen.document({"orphans": listed, "total": len(alone)})
        return
    for id in page:
        call.say(f"#{id} {render.label_line(id, labels)}")
    if not alone:
        call.say("every memory is linked to another one" if ids else "no memories yet")
    elif len(page) < len(alone):
        call.screen.note(f"{len(page)} of {len(alone)}; -n shows more")


def clusters(call: Call) -> None:
    with call.open() as memory:
        _, edges = memory.graph(**call.chosen(*_SEEN))
        groups = walks.clusters(edges)
        page = groups[: call.arguments.get("limit", _LISTED)]
        labels = memory.labels([id for group in page for id in group[:_MEMBERS]])
    if call.json:
        listed = [{"size": len(group), "memories": group} for group in page]
        call.screen.document({"clusters": listed, "total": len(groups)})
        return
    if not page:
        call.say(_NO_LINKS)
    for group in page:
        call.say(memories(len(group)))
        for id in filter(labels.__contains__, group[:_MEMBERS]):
            call.say(f"  #{id} {render.label_line(id, labels)}")
        if len(group) > _MEMBERS:
            call.say(f"  and {len(group) - _MEMBERS} more")


def stats(call: Call) -> None:
    with call.open() as memory:
        counted = walks.statistics(*memory.graph(**call.chosen(*_SEEN)))
    if call.json:
        call.screen.document(counted)
        return
    relations = counted.pop("relations")
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in counted.items()]
    call.screen.table(("what", "count"), rows)
    if relations:
        shares = ", ".join(f"{name} {count:,}" for name, count in relations.items())
        call.say(f"by relation: {shares}")


def export(call: Call) -> None:
    form = "json" if call.json else call.arguments.get("format", DRAWINGS[0])
    with call.open() as memory:
        edges = _exported(call, memory)
        ids = sorted({end for edge in edges for end in (edge.source, edge.target)})
        labels = memory.labels(ids)
        edges = [edge for edge in edges if edge.source in labels and edge.target in labels]
    if form == "json":
        call.screen.document(render.graph_json(labels, edges))
    else:
        call.screen.write((render.dot if form == "dot" else render.mermaid)(labels, edges))


def _exported(call: Call, memory: Recairn) -> list[Edge]:
    """All edges, or those among what lies around one memory."""
    options = call.chosen(*_SEEN)
    _, edges = memory.graph(**options)
    reference = call.arguments["id"]
    if reference is None:
        return edges
    start = memory.resolve(reference)
    near = memory.related(start, call.arguments.get("depth", 1), limit=1000, **options)
    inside = {start, *(neighbour.memory.id for neighbour in near)}
    return [edge for edge in edges if edge.source in inside and edge.target in inside]


_NO_LINKS = "no links yet; recairn link A B RELATION makes one"


def consolidate(call: Call) -> None:
    arguments = call.arguments
    write = arguments.get("write")
    options: dict[str, Any] = call.chosen("threshold", "limit")
    with call.open() as memory:
        groups = memory.consolidate(**options)
        if write is not None and groups:
            if not call.confirm(f"this writes a {write} of {counted(len(groups), 'cluster')}"):
                return
            groups = memory.consolidate(**options, write=write)
    if call.json:
        call.screen.document({"clusters": [render.cluster_json(group) for group in groups]})
        return
    if not groups:
        call.say("no near-duplicates")
    for group in groups:
        call.screen.write(render.cluster_text(group))
        if group.written == "merge":
            call.say(f"  merged into #{group.memory}")
        elif group.written == "summary":
            call.say(f"  summarized by #{group.memory}: {group.text}")
    if groups and write is None:
        call.screen.note("nothing was changed; --write merge or --write summary does")
