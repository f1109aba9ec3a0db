"""What Project Brain's tools do; scores come with the signals they are made of."""

from __future__ import annotations

from math import sqrt

from recairn.core.errors import BadInput, Refused
from recairn.core.times import iso
from recairn.core.words import normalised
from recairn.surfaces.mcp.protocol import fitted, fitted_entries
from recairn.surfaces.mcp.toolsets.brain import CATEGORIES, TYPES
from recairn.surfaces.render.json_objects import memory_json, without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Hit, Memory
    from recairn.surfaces.mcp.dispatch import Call

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
# What a row of a long answer need not say.
_USUAL = {
    "tier": "project",
    "confidence": 0.5,
    "salience": 1.0,
    "helpful": 0.0,
    "harmful": 0.0,
    "usage_count": 0,
    "pinned": False,
    "immutable": False,
    "trust": "verified",
}
# Where the weights of this set of tools are kept, apart from everybody's.
_OWN_SETTINGS = "brain."
_WEIGHTS = tuple(f"retrieval.{name}_weight" for name in _SIGNALS)


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
    return _answer(
        [_scored(hit) for hit in result.hits],
        {
            "total_candidates": meta.candidates,
            "returned": meta.returned,
            "execution_time_ms": meta.duration_ms,
            "weights": weights,
            **without_empty({"notices": list(meta.notices)}),
        },
    )


def _answer(rows: list[dict[str, Any]], meta: dict[str, Any]) -> dict[str, Any]:
    """What was found, as much of it as fits; `returned` counts what is really there."""
    answer = fitted_entries({"results": rows, "meta": meta}, _USUAL)
    there = len(answer["results"])
    return fitted({**answer, "meta": {**meta, "returned": there}}) if there < len(rows) else answer


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
    return _answer(
        rows,
        {
            "returned": meta.returned,
            "execution_time_ms": meta.duration_ms,
            **without_empty({"notices": list(meta.notices)}),
        },
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
    """A record: what it is, its text, and the rest of it under `data`, but for times that are when
    it was made."""
    data = without_empty(memory_json(memory))
    for name in ("updated_at", "valid_from"):
        if data.get(name) == data["created_at"]:
            del data[name]
    return {
        "id": str(data.pop("id")),
        "type": memory.kind if memory.kind in _OWN else "memory",
        "content": data.pop("content"),
        "data": data,
    }


def batch_embed(call: Call) -> dict[str, Any]:
    """Counts by type, as it goes on and at the end; the limit is for each type."""
    embedded = call.memory.batch_embed(
        call.arguments.get("limit", 100), report=call.report, each=_type
    )
    counts = {name: {"embedded": 0, "errors": 0} for name in TYPES}
    for kind, count in embedded.by_kind.items():
        counts[_type(kind)]["embedded"] += count
    return {**counts, "model": embedded.model or "", "remaining": embedded.remaining}


def _type(kind: str) -> str:
    return kind if kind in _OWN else "memory"


def get_config(call: Call) -> dict[str, Any]:
    """Settings as this set of tools knows them; one that was asked for by name even if it is the
    default."""
    settings = call.memory.config()
    own = {
        key.removeprefix(_OWN_SETTINGS): value
        for key, value in settings.items()
        if key.removeprefix(_OWN_SETTINGS) in _WEIGHTS
    }
    others = {
        key: value
        for key, value in settings.items()
        if key.removeprefix(_OWN_SETTINGS) not in _WEIGHTS
    }
    # What a person set for every search comes first here, too.
    everybodys = {key: settings[key] for key in _WEIGHTS if key in settings}
    config = {**others, **own, **everybodys}
    key = call.arguments.get("key")
    if key is None:
        return fitted({"config": config})
    value = config.get(key, _default(key))
    return {"config": {} if value is None else {key: value}}


def _default(key: str) -> str | None:
    from recairn.ranking.profiles import BRAIN

    if key == "retrieval.profile":
        return BRAIN.name
    if key not in _WEIGHTS:
        return None
    name = key.removeprefix("retrieval.").removesuffix("_weight")
    return str(BRAIN.weights[_SIGNALS[name]].weight)


def set_config(call: Call) -> dict[str, Any]:
    """Keeps a setting; weights are those of this set of tools, and change no other search."""
    key, value = call.arguments["key"].strip(), call.arguments["value"].strip()
    _check_setting(key, value)
    answer = {"key": key, "value": value}
    if key in _WEIGHTS:
        if key in call.memory.config():
            answer["notice"] = f"{key} is set for every search, which comes first: get_config"
        key, answer["value"] = _OWN_SETTINGS + key, _unquoted(value)
    call.memory.set_config(key, answer["value"])
    return answer


def _check_setting(key: str, value: str) -> None:
    from recairn.core.kinds import one_of
    from recairn.core.settings import is_personal
    from recairn.ranking.profiles import PROFILES

    if not key or len(key) > 200 or len(value) > 10_000:
        raise BadInput("a setting has a name and a value", 'key="retrieval.vector_weight"')
    if key == "retrieval.profile":
        one_of("profile", value, tuple(PROFILES))
    if is_personal(key) or key == "retrieval.profile":
        raise Refused(
            f"{key} is not an agent's to change", f"a person can: recairn config set {key} ..."
        )
    if key in _WEIGHTS and not _is_share(value):
        raise BadInput(f"{key} must be a number between 0 and 1, got {value[:80]!r}")
    if key.startswith("retrieval.") and key not in _WEIGHTS:
        raise BadInput(f"there is no setting {key[:80]}", f"known: {', '.join(_WEIGHTS)}")


def _is_share(text: str) -> bool:
    try:
        return 0.0 <= float(_unquoted(text)) <= 1.0
    except ValueError:
        return False


def _unquoted(text: str) -> str:
    """The value of a JSON string, which is how Project Brain keeps settings."""
    return text.strip("\"' ")


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
    from recairn.core.kinds import one_of

    arguments = call.arguments
    # A category comes back as it is stored, and is taken like that: blocker/legal.
    category, _, inner = arguments["category"].partition("/")
    one_of("category", category, CATEGORIES)
    subcategory = arguments.get("subcategory") or inner
    options: dict[str, Any] = {
        "category": "/".join(filter(None, (category, subcategory))),
        "keywords": arguments.get("tags", ()),
        "importance": arguments.get("importance", 3) / _LEVELS,
    }
    return _saved(call, arguments["content"], category, options)


def create_entity(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    fields = {"entity_type": arguments["type"], **call.chosen("description", "aliases")}
    existing = _entity_named(call, arguments["name"])
    if existing is None:
        options = {"fields": fields, "keywords": arguments.get("tags", ())}
        return _saved(call, arguments["name"], "entity", options)
    aliases = [*existing.fields.get("aliases", ()), *arguments.get("aliases", ())]
    changed: dict[str, Any] = {
        "fields": {**existing.fields, **fields, "aliases": list(dict.fromkeys(aliases))},
        "keywords": tuple(dict.fromkeys((*existing.keywords, *arguments.get("tags", ())))),
    }
    return fitted({**_row(call.memory.edit(existing.id, **changed)), "status": "updated"})


def _entity_named(call: Call, name: str) -> Memory | None:
    """The entity of this project that goes by the name already."""
    for memory in call.memory.listing(kind="entity", limit=1000):
        if normalised(memory.title or memory.content) == normalised(name):
            return memory
    return None


def create_link(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    edge = call.memory.link(
        arguments["source_id"],
        arguments["target_id"],
        arguments["relationship"],
        weight=arguments.get("strength", 1.0),
    )
    return {
        "source_id": str(edge.source),
        "target_id": str(edge.target),
        "relationship": edge.relation,
        "strength": edge.weight,
    }


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
