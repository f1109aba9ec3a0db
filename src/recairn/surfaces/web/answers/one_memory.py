"""One memory: may it be trusted? Its text, its life, its links, and who was told of it."""

from __future__ import annotations

from recairn.core.errors import NotFound
from recairn.surfaces.render.context import hand_out_json
from recairn.surfaces.render.events import event_json
from recairn.surfaces.render.feedback import evidence_json
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.sessions import context_json
from recairn.surfaces.web.answers.brief import brief_json, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

# Entries of a life that are shown; the newest are.
_EVENTS, _HANDED_OUT, _LINKS = 60, 40, 24
# Characters of each text that a change shows.
_CHANGE = 400


def show(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """A memory whole, as it is or as it was at `as_of`."""
    number = memory.resolve(parameters.path["id"])
    record = _memory_at(memory, number, parameters.text("as_of"))
    history = memory.history(number)
    handed_out = memory.times_handed_out(number)
    return {
        **memory_json(record),
        "version": memory.version(number),
        "session_context": context_json(memory.session_context(number)),
        "evidence": [evidence_json(piece) for piece in memory.evidence(number)[-_EVENTS:]],
        "chain": [
            [
                {"id": version.id, "content": clipped(version.content, _CHANGE)}
                for version in generation
            ]
            for generation in memory.chain(number)
        ],
        "history": [_event(event) for event in history[-_EVENTS:]],
        "history_left_out": max(0, len(history) - _EVENTS),
        "handed_out": [
            {**hand_out_json(row), "query": clipped(row.query, _CHANGE)}
            for row in memory.injections_of(number, limit=_HANDED_OUT)
        ],
        "times_handed_out": 0 if handed_out is None else handed_out.times,
        "times_used": 0
        if handed_out is None
        else handed_out.cited + handed_out.expanded + handed_out.helpful,
        "links": _links(memory, number),
    }


def _memory_at(memory: Recairn, number: int, at: str | None) -> Any:
    record = memory.get(number) if at is None else memory.as_of(number, at)
    if record is None:
        raise NotFound(f"#{number} was not there yet", f"recairn history {number}")
    return record


def _event(event: Any) -> dict[str, Any]:
    document = event_json(event)
    document["changes"] = {
        name: {side: clipped(value, _CHANGE) for side, value in sides.items()}
        for name, sides in document["changes"].items()
    }
    return document


def _links(memory: Recairn, number: int) -> list[dict[str, Any]]:
    neighbourhood = memory.neighbourhood(number, depth=1, limit=_LINKS)
    labels = {node.id: node for node in neighbourhood.nodes}
    links = []
    for edge in neighbourhood.edges:
        if number not in (edge.source, edge.target):
            continue
        other = labels[edge.target if edge.source == number else edge.source]
        links.append(
            {
                "id": other.id,
                "kind": other.kind,
                "label": clipped(other.label, 160),
                "relation": edge.relation,
                "forward": edge.source == number,
            }
        )
    return links


def similar(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """What stands beside a candidate: memories that say nearly the same."""
    number = memory.resolve(parameters.path["id"])
    record = memory.get(number)
    if record is None:
        raise NotFound(f"there is no memory #{number}", "recairn recent lists the newest")
    said = record.content[:400]
    result = memory.search(said, limit=5, track=False, deep=False, tool="page")
    near = [hit for hit in result.hits if hit.id != number]
    return {
        "memories": [
            {**brief_json(hit.memory, 200), "score": round(hit.score, 4)} for hit in near[:4]
        ]
    }
