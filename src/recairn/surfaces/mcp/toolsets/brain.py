"""Project Brain's tools, under its names and in its shapes."""

from __future__ import annotations

from recairn.surfaces.mcp.dispatch import ADDS, READS, SETS, Tool
from recairn.surfaces.mcp.schema import (
    answers,
    choice,
    listed,
    mapping,
    number,
    parameters,
    text,
    whole,
)

_CALLS = "recairn.surfaces.mcp.calls.brain:"
# What Project Brain keeps in tables of their own; everything else is a memory.
TYPES = ("memory", "entity", "note", "resource")
_TYPES = listed("default: all", items={"type": "string", "enum": [*TYPES]})
CATEGORIES = (
    "fact",
    "decision",
    "learning",
    "preference",
    "blocker",
    "observation",
    "personality",
    "value",
    "hard_constraint",
    "pattern",
    "action",
    "correction",
)
_ENTITIES = (
    "project",
    "person",
    "organization",
    "system",
    "module",
    "concept",
    "ai_agent",
    "client",
)
_NOTES = ("note", "document", "gdd", "design", "retrospective", "spec", "meeting", "journal")
_RESOURCES = (
    "article",
    "video",
    "repo",
    "tool",
    "tutorial",
    "asset",
    "documentation",
    "package",
)
_RELATIONSHIPS = (
    "relates_to",
    "supersedes",
    "contradicts",
    "depends_on",
    "part_of",
    "corrects",
)
_WEIGHT = number(least=0, most=1)
_ROW = answers(id="string", type="string", status="string")
_TAGS = listed("words to be found by")

TOOLS = (
    Tool(
        "hybrid_search",
        "Hybrid search",
        "Use to find memories, entities, notes and resources by meaning, words, recency and"
        " importance; every hit says what its score is made of.",
        READS,
        parameters(
            ["query"],
            query=text(),
            types=_TYPES,
            limit=whole(least=1, most=100, default=20),
            weights=mapping(
                "override the configured ones for this query",
                properties={
                    "vector": _WEIGHT,
                    "fts": _WEIGHT,
                    "recency": _WEIGHT,
                    "importance": _WEIGHT,
                },
                additionalProperties=False,
            ),
        ),
        answers(results="array", meta="object"),
        _CALLS + "hybrid_search",
    ),
    Tool(
        "semantic_search",
        "Semantic search",
        "Use to find what is nearest in meaning alone, whatever the words.",
        READS,
        parameters(
            ["query"], query=text(), types=_TYPES, limit=whole(least=1, most=100, default=20)
        ),
        answers(results="array", meta="object"),
        _CALLS + "semantic_search",
    ),
    Tool(
        "batch_embed",
        "Embed what is missing",
        "Use after an import or a change of model: makes the embeddings that are missing.",
        ADDS,
        parameters(limit=whole("at most so many of each type", least=1, most=10_000, default=100)),
        answers(memory="object", entity="object", note="object", resource="object"),
        _CALLS + "batch_embed",
    ),
    Tool(
        "get_config",
        "Read settings",
        "Use to see a setting, or all that differ from the defaults.",
        READS,
        parameters(key=text("for example retrieval.vector_weight")),
        answers(config="object"),
        _CALLS + "get_config",
    ),
    Tool(
        "set_config",
        "Change a setting",
        "Use to tune hybrid_search, for example retrieval.vector_weight to 0.5; it counts at once.",
        SETS,
        parameters(["key", "value"], key=text(), value=text("the new value")),
        answers(key="string", value="string"),
        _CALLS + "set_config",
    ),
    Tool(
        "get_query_stats",
        "Search statistics",
        "Use to see what is asked most, by which tools, and how fast it is answered.",
        READS,
        parameters(
            days=whole("look back so far", least=1, most=36_500, default=30),
            group_by=choice(("tool", "query", "day"), default="query"),
            limit=whole(least=1, most=100, default=20),
        ),
        answers(totals="object", grouped_by="string", data="array"),
        _CALLS + "get_query_stats",
    ),
    Tool(
        "save_memory",
        "Save a memory",
        "Use to keep an atomic fact, decision, learning or preference.",
        ADDS,
        parameters(
            ["content", "category"],
            content=text(),
            category=text(", ".join(CATEGORIES)),
            subcategory=text("also category/subcategory"),
            tags=_TAGS,
            project_id=text("default: this project"),
            importance=whole("1 minor, 5 foundational", least=1, most=5, default=3),
        ),
        _ROW,
        _CALLS + "save_memory",
    ),
    Tool(
        "create_entity",
        "Create an entity",
        "Use to make a person, system, module or concept known; memories that name it are linked.",
        ADDS,
        parameters(
            ["name", "type"],
            name=text(),
            type=choice(_ENTITIES),
            description=text(),
            aliases=listed("other names"),
            tags=_TAGS,
        ),
        _ROW,
        _CALLS + "create_entity",
    ),
    Tool(
        "create_link",
        "Create a link",
        "Use to relate two records: what depends on, is part of, contradicts or corrects another.",
        ADDS,
        parameters(
            ["source_id", "target_id", "relationship"],
            source_id=text(),
            target_id=text(),
            relationship=choice(_RELATIONSHIPS),
            strength=number(least=0, most=1, default=1),
        ),
        answers(source_id="string", target_id="string", relationship="string", strength="number"),
        _CALLS + "create_link",
    ),
    Tool(
        "save_note",
        "Save a note",
        "Use for a longer text: a design, a specification, the minutes of a meeting.",
        ADDS,
        parameters(
            ["title", "content"],
            title=text(),
            content=text(),
            note_type=choice(_NOTES, default="note"),
            summary=text(),
            key_points=listed(),
            tags=_TAGS,
            category=text(),
            project_id=text("default: this project"),
        ),
        _ROW,
        _CALLS + "save_note",
    ),
    Tool(
        "save_resource",
        "Save a resource",
        "Use to keep an article, repository, tool or page, with what you took from it.",
        ADDS,
        parameters(
            ["title"],
            title=text(),
            url=text(),
            resource_type=choice(_RESOURCES),
            description=text(),
            notes=text(),
            key_takeaways=listed(),
            tags=_TAGS,
            category=text(),
            project_id=text("default: this project"),
        ),
        _ROW,
        _CALLS + "save_resource",
    ),
)
