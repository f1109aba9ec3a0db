"""What ccmemory's tools do; the shapes are those of its SearchResult and TimelineResult."""

from __future__ import annotations

from recairn.core.kinds import kind_named
from recairn.core.memory_text import flags_of
from recairn.core.words import MARK_ON
from recairn.surfaces.mcp.calls.default import visible
from recairn.surfaces.mcp.protocol import fitted, fitted_entries
from recairn.surfaces.mcp.toolsets.ccmemory import TYPES
from recairn.surfaces.render.json_objects import marked_html, without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Hit, Memory
    from recairn.surfaces.mcp.dispatch import Call
    from recairn.work.sessions import SessionContext

_RENAMED = {
    "session_id": "in_session",
    "include_documents": "docs",
}
_LIMIT = 10
# What a memory of a long answer need not say.
_USUAL = {
    "tier": "project",
    "confidence": 0.5,
    "salience": 1.0,
    "accessCount": 0,
    "lastAccessed": None,
    "validUntil": None,
    "isDeleted": False,
    "tags": [],
    "concepts": [],
    "isSuperseded": False,
    "relatedMemoryCount": 0,
}
_SUCCESSOR = 200  # characters told of what took a memory's place, as in ccmemory


def search(call: Call) -> dict[str, Any]:
    options = call.chosen("sector", "tier", "min_salience", "mode", "include_superseded")
    for name, ours in _RENAMED.items():
        if name in call.arguments:
            options[ours] = call.arguments[name]
    if "memory_type" in call.arguments:
        options.update(_typed(call.arguments["memory_type"]))
    if "session_id" in call.arguments:
        # As in ccmemory, what only this session sees is found, and recalled in it.
        options["session"] = call.arguments["session_id"]
    result = call.memory.search(
        call.arguments["query"],
        profile="ccmemory",
        limit=call.arguments.get("limit", _LIMIT),
        tool="memory_search",
        **visible(call.arguments.get("project"), ()),
        **options,
    )
    answer: dict[str, Any] = {"results": [_result(hit) for hit in result.hits]}
    if result.meta.notices:
        answer["notices"] = list(result.meta.notices)
    return fitted_entries(answer, _USUAL)


def _typed(memory_type: str) -> dict[str, Any]:
    """Our kind for a type of ccmemory, and the type itself as the category where it has no kind of
    its own: a gotcha is a pattern here, and comes back as a gotcha."""
    kind = kind_named(memory_type)
    return {"kind": kind} if kind == memory_type else {"kind": kind, "category": memory_type}


def _result(hit: Hit) -> dict[str, Any]:
    return without_empty(
        {
            "memory": _memory(hit.memory),
            "score": min(1.0, round(hit.score, 4)),
            "matchType": hit.match,
            "highlights": [marked_html(hit.snippet)] if MARK_ON in hit.snippet else [],
            "sourceSession": _session(hit.source_session),
            "supersededBy": _successor(hit.superseded_by),
        }
    ) | {
        "isSuperseded": hit.memory.valid_until is not None,
        "relatedMemoryCount": hit.related_count,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    """ccmemory's memory object; times are milliseconds, as there."""
    return {
        "id": str(memory.id),
        "projectId": memory.project,
        "content": memory.content,
        "sector": memory.sector,
        "tier": memory.tier,
        "memoryType": memory.category if memory.category in TYPES else memory.kind,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "salience": round(memory.salience, 4),
        "accessCount": memory.usage_count,
        "createdAt": memory.created_at,
        "updatedAt": memory.updated_at,
        "lastAccessed": memory.last_used_at,
        "validUntil": memory.valid_until,
        "isDeleted": memory.deleted_at is not None,
        "tags": list(memory.keywords),
        "concepts": list(memory.concepts),
        **without_empty({"flags": list(flags_of(memory))}),
    }


def _session(session: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if session is None:
        return None
    return {
        "id": session["id"],
        "startedAt": session["started_at"],
        "summary": session["summary"],
        "projectId": session["project"],
    }


def _successor(successor: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if successor is None:
        return None
    return {
        "id": str(successor["id"]),
        "content": successor["content"][:_SUCCESSOR],
        "createdAt": successor["created_at"],
    }


def timeline(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    timeline = call.memory.timeline(
        arguments["anchor_id"],
        before=arguments.get("depth_before", 5),
        after=arguments.get("depth_after", 5),
        candidates=False,
    )
    sessions = {
        name: {"id": name, "startedAt": session.started_at, "summary": session.summary}
        for name, session in timeline.sessions.items()
    }
    document = {
        "anchor": _memory(timeline.anchor),
        "before": [_memory(memory) for memory in timeline.before],
        "after": [_memory(memory) for memory in timeline.after],
        "sessions": sessions,
    }
    latest = call.memory.session_context(timeline.anchor.id)
    if latest is not None:
        document["sessionContext"] = _used(latest)
    return fitted_entries(document, _USUAL)


def _used(latest: SessionContext) -> dict[str, Any]:
    """ccmemory's SessionContext."""
    session = latest.session
    return {
        "session": without_empty(
            {
                "id": session.id,
                "startedAt": session.started_at,
                "endedAt": session.ended_at,
                "summary": session.summary,
                "projectId": session.project,
            }
        ),
        "memoriesInSession": latest.memories_in_session,
        "usageType": latest.usage,
    }


def add(call: Call) -> dict[str, Any]:
    """The memory; like ccmemory's, one that resembles a known one reinforces that."""
    arguments = call.arguments
    content = arguments["content"]
    if arguments.get("context"):
        content = f"{content}\n\nContext: {arguments['context']}"
    draft = {
        "content": content,
        **_typed(arguments.get("type", "learning")),
        "keywords": arguments.get("tags", ()),
        "source_type": "agent",
        **call.chosen("sector", "tier", "importance"),
    }
    if "session_id" in arguments:
        draft["session"] = arguments["session_id"]
    outcome = call.memory.remember_many([draft], on_similar="reinforce")[0]
    assert outcome.id is not None
    memory = call.memory.get(outcome.id)
    assert memory is not None
    return fitted(
        {
            "memory": _memory(memory),
            "created": outcome.status == "added",
            "warnings": list(outcome.warnings),
        }
    )


def reinforce(call: Call) -> dict[str, Any]:
    memory = call.memory.reinforce(call.arguments["memory_id"], **call.chosen("amount"))
    return {"id": str(memory.id), "salience": round(memory.salience, 4)}


def deemphasize(call: Call) -> dict[str, Any]:
    memory = call.memory.deemphasize(call.arguments["memory_id"], **call.chosen("amount"))
    return {"id": str(memory.id), "salience": round(memory.salience, 4)}


def delete(call: Call) -> dict[str, Any]:
    """Hides it; to destroy it is a person's to decide, who is asked."""
    if not call.arguments.get("hard", False):
        memory = call.memory.forget(call.arguments["memory_id"])
        return {"id": str(memory.id), "deleted": True, "hard": False}
    from recairn.surfaces.mcp.calls.erasure import destroy

    memory, hint = destroy(call, call.arguments["memory_id"])
    gone = call.memory.get(memory.id) is None
    return {"id": str(memory.id), "deleted": True, "hard": gone, "hint": hint}


def supersede(call: Call) -> dict[str, Any]:
    memory, arguments = call.memory, call.arguments
    old = memory.supersede(
        arguments["old_memory_id"], memory.resolve(arguments["new_memory_id"], change=True)
    )
    return {"old_memory_id": str(old.id), "new_memory_id": str(old.superseded_by)}


def relate(call: Call) -> dict[str, Any]:
    arguments = call.arguments
    edge = call.memory.link(
        arguments["source_memory_id"],
        arguments["target_memory_id"],
        arguments["relationship_type"],
        **call.chosen("confidence"),
    )
    return {
        "source_memory_id": str(edge.source),
        "target_memory_id": str(edge.target),
        "relationship_type": arguments["relationship_type"],
        "confidence": edge.confidence,
    }


def docs_search(call: Call) -> dict[str, Any]:
    """Pieces of documents, with the place each stands at."""
    result = call.memory.search(
        call.arguments["query"],
        kind="chunk",
        docs=True,
        limit=call.arguments.get("limit", _LIMIT),
        tool="docs_search",
        **visible(call.arguments.get("project"), ()),
    )
    return fitted_entries({"results": [_piece(hit) for hit in result.hits]}, {})


def _piece(hit: Hit) -> dict[str, Any]:
    fields = hit.memory.fields
    return {
        "document": without_empty(
            {"title": hit.memory.title, "sourcePath": fields.get("path") or hit.memory.source_ref}
        ),
        "chunk": without_empty(
            {
                "id": str(hit.memory.id),
                "content": hit.memory.content,
                "heading": fields.get("heading"),
                "lineStart": fields.get("line"),
                "lineEnd": fields.get("end_line"),
            }
        ),
        "score": min(1.0, round(hit.score, 4)),
        "matchType": hit.match,
    }
