"""Lore's tools, under its names and in its shapes."""

from __future__ import annotations

from recairn.surfaces.mcp.dispatch import READS, Tool
from recairn.surfaces.mcp.schema import answers, choice, parameters, text, whole

# What Lore calls its records, and the kinds they are here.
KIND_OF = {"decision": "decision", "pattern": "pattern", "transfer": "handoff"}
_ID = text("as lore_search gives it")
_CALLS = "recairn.surfaces.mcp.calls.lore:"

TOOLS = (
    Tool(
        "lore_search",
        "Search Lore",
        "Use to look up decisions, patterns and transfers of earlier work, ranked; with graph_depth"
        " also what they are linked to.",
        READS,
        parameters(
            ["query"],
            query=text(),
            project=text("only this project"),
            type=choice([*KIND_OF, "all"], default="all"),
            limit=whole(least=1, most=100, default=10),
            graph_depth=whole("follow graph edges", least=0, most=3, default=0),
        ),
        answers(results="array", total="integer"),
        _CALLS + "search",
    ),
    Tool(
        "lore_show",
        "Show a record",
        "Use to read a decision, pattern or transfer whole.",
        READS,
        parameters(["id"], id=_ID),
        answers(id="string", type="string"),
        _CALLS + "show",
    ),
    Tool(
        "lore_graph_traverse",
        "Follow the graph",
        "Use to see what a record is linked to, nearest first: what it implements, contradicts,"
        " supersedes, was learned from.",
        READS,
        parameters(
            ["id"],
            id=_ID,
            depth=whole("how many links away", least=1, most=3, default=1),
            limit=whole(least=1, most=100, default=20),
        ),
        answers(id="string", related="array"),
        _CALLS + "graph_traverse",
    ),
)
