"""Lore's tool, under its name and in its shape."""

from __future__ import annotations

from recairn.mcp.schema import answers, choice, parameters, text, whole
from recairn.mcp.tools import READS, Tool

# What Lore calls its records, and the kinds they are here.
KIND_OF = {"decision": "decision", "pattern": "pattern", "transfer": "handoff"}

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
        "recairn.mcp.calls_lore:search",
    ),
)
