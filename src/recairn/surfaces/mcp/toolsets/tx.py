"""tx's tools (PRD-010), under its names and in its shapes."""

from __future__ import annotations

from recairn.surfaces.mcp.dispatch import ADDS, READS, SETS, Tool
from recairn.surfaces.mcp.schema import answers, choice, listed, number, parameters, text, whole

_CALLS = "recairn.surfaces.mcp.calls.tx:"
SOURCES = ("compaction", "run", "manual", "claude_md")

TOOLS = (
    Tool(
        "tx_context",
        "Context for a task",
        "Use when you begin a task: the learnings that are relevant to it, best first.",
        READS,
        parameters(
            ["taskId"],
            taskId=text("for example tx-4f2a91"),
            maxTokens=whole("at most so many tokens of learnings", least=100, most=2_000),
            includeRecent=whole("also so many of the newest", least=0, most=20, default=0),
        ),
        answers(learnings="array", query="string", totalMatches="integer", searchDuration="number"),
        _CALLS + "context",
    ),
    Tool(
        "tx_learning_add",
        "Add a learning",
        "Use when you learned something worth knowing in later tasks: stores it as a learning.",
        ADDS,
        parameters(
            ["content"],
            content=text("the learning, understandable on its own"),
            sourceType=choice(SOURCES, "where it comes from; a run's stay unverified"),
            sourceRef=text("task, file or run it comes from"),
            category=text(),
            keywords=listed(),
        ),
        answers(id="integer", content="string", warnings="array"),
        _CALLS + "learning_add",
    ),
    Tool(
        "tx_learning_search",
        "Search learnings",
        "Use to find learnings by a question or key words, most relevant first.",
        READS,
        parameters(
            ["query"],
            query=text(),
            limit=whole(least=1, most=100, default=10),
            minScore=number("leave out what scores less", least=0, most=1),
            sourceTypes=listed("only these", items={"type": "string", "enum": list(SOURCES)}),
            category=text(),
        ),
        answers(learnings="array", query="string", totalMatches="integer", searchDuration="number"),
        _CALLS + "learning_search",
    ),
    Tool(
        "tx_learning_helpful",
        "Rate a learning",
        "Use when a learning helped, or did not: ranking learns from the score.",
        SETS,
        parameters(
            ["id"],
            id=whole("the learning's number"),
            score=number("1 helped, 0 did not", least=0, most=1, default=1),
        ),
        answers(success="boolean", id="integer", score="number"),
        _CALLS + "learning_helpful",
    ),
)
