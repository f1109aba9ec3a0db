"""ccmemory's tools, under its names and in its shapes."""

from __future__ import annotations

from recairn.core.kinds import KINDS, SECTORS, TIERS
from recairn.surfaces.mcp.dispatch import ADDS, CHANGES, READS, SETS, Tool
from recairn.surfaces.mcp.schema import (
    answers,
    choice,
    flag,
    listed,
    number,
    parameters,
    text,
    whole,
)

_CALLS = "recairn.surfaces.mcp.calls.ccmemory:"
_ID = text("42 or a uid")
_PROJECT = text('another project, or "*" for all')
# ccmemory's types, each of which is a kind here.
TYPES = (
    "preference",
    "codebase",
    "decision",
    "gotcha",
    "pattern",
    "turn_summary",
    "task_completion",
)

# What is returned is taken too: our own kinds, where a memory did not come from ccmemory.
_TYPES = (*TYPES, *(kind for kind in KINDS if kind not in (*TYPES, "chunk")))
RELATIONSHIPS = (
    "SUPERSEDES",
    "CONTRADICTS",
    "RELATED_TO",
    "BUILDS_ON",
    "CONFIRMS",
    "APPLIES_TO",
    "DEPENDS_ON",
    "ALTERNATIVE_TO",
)

TOOLS = (
    Tool(
        "memory_search",
        "Search memories",
        "Use to find memories by meaning and key words, with the session each comes from and"
        " whether it is superseded.",
        READS,
        parameters(
            ["query"],
            query=text(),
            sector=choice(SECTORS),
            tier=choice(TIERS),
            memory_type=choice(_TYPES),
            project=_PROJECT,
            limit=whole(least=1, most=100, default=10),
            min_salience=number(least=0, most=1),
            mode=choice(("hybrid", "semantic", "keyword"), default="hybrid"),
            session_id=text("only what this session made or used"),
            include_superseded=flag(default=False),
            include_documents=flag(default=False),
        ),
        answers(results="array"),
        _CALLS + "search",
    ),
    Tool(
        "memory_timeline",
        "Timeline",
        "Use after a search to see what was remembered before and after a memory, with sessions"
        " and how the memory was used last.",
        READS,
        parameters(
            ["anchor_id"],
            anchor_id=_ID,
            depth_before=whole(least=0, most=50, default=5),
            depth_after=whole(least=0, most=50, default=5),
        ),
        answers(
            anchor="object",
            before="array",
            after="array",
            sessions="object",
            sessionContext="object",
        ),
        _CALLS + "timeline",
    ),
    Tool(
        "memory_add",
        "Add a memory",
        "Use to note a fact, decision, procedure or preference; one that is known is reinforced.",
        ADDS,
        parameters(
            ["content"],
            content=text(),
            sector=choice(SECTORS, "guessed if not given"),
            type=choice(_TYPES),
            tier=choice(TIERS, "how far it is visible"),
            tags=listed(),
            importance=number(least=0, most=1, default=0.5),
            context=text("what was going on"),
            session_id=text("the session it is made in; tier session needs one"),
        ),
        answers(memory="object", created="boolean", warnings="array"),
        _CALLS + "add",
    ),
    Tool(
        "memory_reinforce",
        "Reinforce",
        "Use when a memory proved relevant: it is remembered longer.",
        SETS,
        parameters(["memory_id"], memory_id=_ID, amount=number(least=0, most=1, default=0.1)),
        answers(id="string", salience="number"),
        _CALLS + "reinforce",
    ),
    Tool(
        "memory_deemphasize",
        "De-emphasize",
        "Use when a memory is less relevant or partly wrong: it weighs less.",
        SETS,
        parameters(["memory_id"], memory_id=_ID, amount=number(least=0, most=1, default=0.2)),
        answers(id="string", salience="number"),
        _CALLS + "deemphasize",
    ),
    Tool(
        "memory_delete",
        "Delete",
        "Use when a memory should go: hides it; with hard asks the user to destroy it for good.",
        CHANGES,
        parameters(["memory_id"], memory_id=_ID, hard=flag(default=False)),
        answers(id="string", deleted="boolean", hard="boolean"),
        _CALLS + "delete",
    ),
    Tool(
        "memory_supersede",
        "Supersede",
        "Use when a newer memory replaces an older one.",
        CHANGES,
        parameters(["old_memory_id", "new_memory_id"], old_memory_id=_ID, new_memory_id=_ID),
        answers(old_memory_id="string", new_memory_id="string"),
        _CALLS + "supersede",
    ),
    Tool(
        "relationship_add",
        "Relate",
        "Use to relate two memories: one builds on, confirms, contradicts or depends on another.",
        ADDS,
        parameters(
            ["source_memory_id", "target_memory_id", "relationship_type"],
            source_memory_id=_ID,
            target_memory_id=_ID,
            relationship_type=choice(RELATIONSHIPS),
            confidence=number(least=0, most=1, default=1),
        ),
        answers(
            source_memory_id="string",
            target_memory_id="string",
            relationship_type="string",
            confidence="number",
        ),
        _CALLS + "relate",
    ),
    Tool(
        "docs_search",
        "Search documents",
        "Use to search the documents that were taken in; memories are not among the hits.",
        READS,
        parameters(
            ["query"],
            query=text(),
            project=_PROJECT,
            limit=whole(least=1, most=100, default=10),
        ),
        answers(results="array"),
        _CALLS + "docs_search",
    ),
)
