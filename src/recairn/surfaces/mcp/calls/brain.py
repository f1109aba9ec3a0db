"""What Project Brain's tools do; scores come with the signals they are made of."""

from __future__ import annotations

from math import sqrt

from recairn.core.errors import BadInput, Refused
from recairn.core.times import iso
from recairn.surfaces.mcp.toolsets.brain import TYPES
from recairn.surfaces.mcp.trim import fitted, without_empty
from recairn.surfaces.render.json_objects import memory_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Hit, Memory
    from recairn.surfaces.mcp.tools import Call

# The signals of the profile `brain` by Project Brain's names.
_SIGNALS = {
    "vector": "cosine",
    "fts": "matched",
    "recency": "vividness",
    "importance": "importance",
}
# Kinds that have a name of their own among the types; the others are memories.
_OWN = TYPES[1:]
# Importance is 1 to 5 there and 0 to 1 here.
_LEVELS = 5


def hybrid_search(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    options = call.chosen("weights")
    result = call.memory.search(
        arguments["query"],
        profile="brain",
        limit=arguments.get("limit", 20),
        candidates=False,
        tool="hybrid_search",
        **_kinds(arguments.get("types")),
        **options,
    )
    meta = result.meta
    weights = {name: meta.weights[signal] for name, signal in _SIGNALS.items()}
    return fitted(
        {
            "results": [_scored(hit) for hit in result.hits],
            "meta": {
                "total_candidates": meta.candidates,
                "returned": meta.returned,
                "execution_time_ms": meta.duration_ms,
                "weights": weights,
                **without_empty({"notices": list(meta.notices)}),
            },
        }
    )


def semantic_search(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    result = call.memory.semantic_search(
        arguments["query"],
        limit=arguments.get("limit", 20),
        candidates=False,
        tool="semantic_search",
        **_kinds(arguments.get("types")),
    )
    meta = result.meta
    rows = [{**_row(hit.memory), "distance": _distance(hit.score)} for hit in result.hits]
    return fitted(
        {
            "results": rows,
            "meta": {
                "returned": meta.returned,
                "execution_time_ms": meta.duration_ms,
                **without_empty({"notices": list(meta.notices)}),
            },
        }
    )


def _kinds(types: Sequence[str] | None) -> dict[str, Any]:
    """The kinds behind some types; empty for all of them."""
    from recairn.core.kinds import KINDS

    if not types or set(types) == set(TYPES):
        return {}
    others = [kind for kind in KINDS if kind not in (*_OWN, "chunk")]
    named = [name for name in types if name in _OWN]
    return {"kind": (*named, *(others if "memory" in types else ()))}


def _distance(cosine: float) -> float:
    """Between two vectors of length 1, from the cosine of their angle."""
    return round(sqrt(max(0.0, 2.0 - 2.0 * cosine)), 4)


def _scored(hit: Hit) -> dict[str, Any]:
    signals = {
        name: round(hit.terms[signal].value * hit.terms[signal].weight, 4)
        for name, signal in _SIGNALS.items()
        if signal in hit.terms
    }
    row = _row(hit.memory)
    leading = {name: row[name] for name in ("id", "type", "content")}
    return {**leading, "score": round(hit.score, 4), "signals": signals, "data": row["data"]}


def _row(memory: Memory) -> dict[str, Any]:
    """A record: what it is, its text, and the rest of it under `data`."""
    data = without_empty(memory_json(memory))
    return {
        "id": str(data.pop("id")),
        "type": memory.kind if memory.kind in _OWN else "memory",
        "content": data.pop("content"),
        "data": data,
    }


def batch_embed(call: Call) -> dict[str, Any]:
    """Counts by type, as it goes on and at the end."""
    embedded = call.memory.batch_embed(call.arguments.get("limit", 100), report=call.report)
    counts = {name: {"embedded": 0, "errors": 0} for name in TYPES}
    for kind, count in embedded.by_kind.items():
        counts[kind if kind in _OWN else "memory"]["embedded"] += count
    return {**counts, "model": embedded.model or "", "remaining": embedded.remaining}


def get_config(call: Call) -> dict[str, Any]:
    config = call.memory.config()
    key = call.arguments.get("key")
    if key is None:
        return fitted({"config": config})
    return {"config": {key: config[key]} if key in config else {}}


def set_config(call: Call) -> dict[str, Any]:
    key, value = call.arguments["key"].strip(), call.arguments["value"].strip()
    _check_setting(key, value)
    call.memory.set_config(key, value)
    return {"key": key, "value": value}


def _check_setting(key: str, value: str) -> None:
    from recairn.core.kinds import one_of
    from recairn.core.settings import is_personal
    from recairn.engine.options import weight_named
    from recairn.ranking.profiles import PROFILES

    if not key or len(key) > 200 or len(value) > 10_000:
        raise BadInput("a setting has a name and a value", 'key="retrieval.vector_weight"')
    if is_personal(key):
        raise Refused(
            f"{key} is not an agent's to change", f"a person can: recairn config set {key} ..."
        )
    if key == "retrieval.profile":
        one_of("profile", value, tuple(PROFILES))
    elif weight_named(key) is not None and not _is_share(value):
        raise BadInput(f"{key} must be a number between 0 and 1, got {value[:80]!r}")
    elif key.startswith("retrieval.") and weight_named(key) is None:
        names = ", ".join(f"retrieval.{name}_weight" for name in _SIGNALS)
        raise BadInput(f"there is no setting {key[:80]}", f"known: retrieval.profile, {names}")


def _is_share(text: str) -> bool:
    try:
        return 0.0 <= float(text) <= 1.0
    except ValueError:
        return False


def get_query_stats(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    counted = call.memory.query_stats(
        by=arguments.get("group_by", "query"),
        days=arguments.get("days", 30),
        limit=arguments.get("limit", 20),
    )
    totals, data = counted["totals"], counted["data"]
    return fitted(
        {
            **counted,
            "totals": {**totals, "last_at": iso(totals["last_at"])},
            "data": [{**row, "last_at": iso(row["last_at"])} for row in data],
        }
    )


def save_memory(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    category = arguments["category"]
    options: dict[str, Any] = {
        "category": arguments.get("subcategory") or category,
        "keywords": arguments.get("tags", ()),
        "importance": arguments.get("importance", 3) / _LEVELS,
    }
    return _saved(call, arguments["content"], category, options)


def create_entity(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    fields = {"entity_type": arguments["type"], **call.chosen("description", "aliases")}
    options = {"fields": fields, "keywords": arguments.get("tags", ())}
    return _saved(call, arguments["name"], "entity", options)


def save_note(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    options = {
        "title": arguments["title"],
        "category": arguments.get("category", ""),
        "keywords": arguments.get("tags", ()),
        "fields": call.chosen("note_type", "summary", "key_points"),
    }
    return _saved(call, arguments["content"], "note", options)


def save_resource(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    fields = call.chosen("url", "resource_type", "notes")
    if "key_takeaways" in arguments:
        fields["takeaways"] = arguments["key_takeaways"]
    options = {
        "title": arguments["title"],
        "category": arguments.get("category", ""),
        "keywords": arguments.get("tags", ()),
        "fields": fields,
    }
    return _saved(call, arguments.get("description") or arguments["title"], "resource", options)


def _saved(call: Call, content: str, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """The whole record; Project Brain keeps every one, and one that is known is not kept twice."""
    if "project_id" in call.arguments:
        options["project"] = call.arguments["project_id"]
    outcome = call.memory.remember(content, kind=kind, source_type="agent", force=True, **options)
    assert outcome.id is not None
    memory = call.memory.get(outcome.id)
    assert memory is not None
    warnings = without_empty({"warnings": list(outcome.warnings)})
    return fitted({**_row(memory), "status": outcome.status, **warnings})
