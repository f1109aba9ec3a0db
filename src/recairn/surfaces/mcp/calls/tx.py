"""What tx's tools do; the shapes are those of its LearningWithScore and ContextResult."""

from __future__ import annotations

from recairn.core.errors import OtherProject, Refused
from recairn.core.kinds import SOURCE_TYPES
from recairn.core.memory_text import flags_of
from recairn.core.times import iso
from recairn.surfaces.mcp.protocol import fitted
from recairn.surfaces.mcp.toolsets.tx import SOURCES
from recairn.surfaces.render.json_objects import without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Hit, Memory, SearchResult
    from recairn.surfaces.mcp.dispatch import Call

# The signals by the names tx gives to their values: those of the profile `tx`, and the usual ones.
_SCORES = {
    "bm25Score": ("matched", "keyword"),
    "vectorScore": ("cosine", "semantic"),
    "recencyScore": ("month", "recency"),
}
_LIMIT = 10


def context(call: Call) -> dict[str, Any]:
    """tx's ContextResult for a task, and beside it what else was handed out.

    What the budget has cut short is told short: `[... #17]` ends it.
    """
    tokens = call.arguments.get("maxTokens")
    result = call.memory.context(
        call.arguments["taskId"],
        max_tokens=tokens,
        recent=call.arguments.get("includeRecent"),
        surface="tx_context",
    )
    cut = result.excerpts or {}

    def within_budget(memory: Memory, document: dict[str, Any]) -> dict[str, Any]:
        return {**document, "content": cut.get(memory.id, document["content"])}

    handoff = result.handoff
    answer = {
        "learnings": [within_budget(hit.memory, learning_with_score(hit)) for hit in result.hits],
        "query": result.query,
        "totalMatches": len(result.hits) + len(result.left_out),
        "searchDuration": result.duration_ms,
        "rules": [within_budget(memory, learning(memory)) for memory in result.rules],
        "recent": [within_budget(recent, learning(recent)) for recent in result.recent],
        "handoff": None if handoff is None else within_budget(handoff, learning(handoff)),
        "notices": list(result.notices),
    }
    return fitted(answer)


def learning_add(call: Call) -> dict[str, Any]:
    """The learning; tx keeps every one, so look-alikes are no reason to ask."""
    arguments = call.arguments
    options = call.chosen("category", "keywords")
    outcome = call.memory.remember(
        arguments["content"],
        source_type=arguments.get("sourceType", "agent"),
        source_ref=arguments.get("sourceRef", ""),
        force=True,
        **options,
    )
    assert outcome.id is not None
    memory = call.memory.get(outcome.id)
    assert memory is not None
    warnings = list(outcome.warnings)
    if memory.trust == "unverified":
        warnings.append("it is unverified, so no search gives it until the user accepts it")
    return fitted({**learning(memory), "warnings": warnings})


def learning_search(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    options = call.chosen("category")
    if "minScore" in arguments:
        options["min_score"] = arguments["minScore"]
    if "sourceTypes" in arguments:
        options["source_type"] = _ours(arguments["sourceTypes"])
    result = call.memory.search(
        arguments["query"],
        profile="tx",
        limit=arguments.get("limit", _LIMIT),
        candidates=False,
        tool="tx_learning_search",
        **options,
    )
    return fitted(found_learnings(result))


def _ours(sources: list[str]) -> list[str]:
    """tx knows four sources: what came any other way passes for manual."""
    others = [source for source in SOURCE_TYPES if source not in SOURCES]
    return [*sources, *(others if "manual" in sources else ())]


def learning_helpful(call: Call) -> dict[str, Any]:
    score = call.arguments.get("score", 1.0)
    try:
        memory = call.memory.feedback(call.arguments["id"], score, source="agent")
    except OtherProject as error:  # tx numbers its learnings: there is no way to name the project
        raise Refused(error.message, "rate the learnings of this project alone") from None
    return {"success": True, "id": memory.id, "score": score}


def found_learnings(result: SearchResult) -> dict[str, Any]:
    """tx's ContextResult."""
    return {
        "learnings": [learning_with_score(hit) for hit in result.hits],
        "query": result.meta.query,
        "totalMatches": result.meta.candidates,
        "searchDuration": result.meta.duration_ms,
    }


def learning_with_score(hit: Hit) -> dict[str, Any]:
    values = {signal: round(term.value, 4) for signal, term in hit.terms.items()}
    scores = {
        name: next((values[signal] for signal in signals if signal in values), 0.0)
        for name, signals in _SCORES.items()
    }
    relevance = min(1.0, round(hit.score, 4))
    return {**learning(hit.memory), "relevanceScore": relevance, **scores}


def learning(memory: Memory) -> dict[str, Any]:
    """tx's Learning."""
    return {
        "id": memory.id,
        "content": memory.content,
        "sourceType": memory.source_type if memory.source_type in SOURCES else "manual",
        "sourceRef": memory.source_ref or None,
        "createdAt": iso(memory.created_at),
        "keywords": list(memory.keywords),
        "category": memory.category or None,
        "usageCount": memory.usage_count,
        "lastUsedAt": iso(memory.last_used_at),
        "outcomeScore": memory.outcome_score,
        **without_empty({"flags": list(flags_of(memory))}),
    }
