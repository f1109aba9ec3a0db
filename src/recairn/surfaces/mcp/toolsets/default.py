"""The tools every agent gets: few, small, and named so that no other set's tools clash."""

from __future__ import annotations

from recairn.core.kinds import KINDS, TIERS
from recairn.surfaces.mcp.dispatch import ADDS, CHANGES, READS, SETS, Tool
from recairn.surfaces.mcp.schema import (
    answers,
    choice,
    flag,
    listed,
    mapping,
    number,
    parameters,
    text,
    whole,
)

_CALLS = "recairn.surfaces.mcp.calls.default:"
_WRITTEN = [kind for kind in KINDS if kind != "chunk"]
_DETAIL = choice(("concise", "full"), default="concise")
_BUDGET = whole(least=100)
# What `update` can do, in the order a reader looks for it.
ACTIONS = (
    "edit",
    "supersede",
    "forget",
    "destroy",
    "restore",
    "link",
    "unlink",
    "reinforce",
    "deemphasize",
    "promote",
    "pin",
    "unpin",
)

TOOLS = (
    Tool(
        "recairn_context",
        "Context for work",
        "Use when you begin a task or turn to something new: the rules, memories and last handoff"
        " that matter for it, as one text.",
        READS,
        parameters(
            task=text("its id; default: the current task"),
            prompt=text("or what the work is about"),
            files=listed("you will touch"),
            max_tokens=whole(least=100, most=2_000, default=2_000),
            detail=_DETAIL,
        ),
        answers(text="string", tokens="integer", budget="integer"),
        _CALLS + "context",
        always=True,
    ),
    Tool(
        "recairn_search",
        "Search memory",
        "Use before you decide, debug or ask something that may have come up before: finds past"
        " decisions, fixes, conventions and preferences. No hits: nothing relevant is known.",
        READS,
        parameters(
            ["query"],
            query=text("question or key words"),
            kind=choice(_WRITTEN),
            category=text(),
            project=text('another project, or "*" for all'),
            since=text("date or age: 7d"),
            as_of=text("as believed then"),
            include=listed(
                items={
                    "type": "string",
                    "enum": [*("superseded", "unverified", "documents", "transcripts")],
                },
            ),
            graph_depth=whole("follow links", least=0, most=3),
            deep=flag("slower, better order"),
            limit=whole(least=1, most=50, default=5),
            max_tokens=_BUDGET,
            detail=_DETAIL,
        ),
        answers(query="string", hits="array", meta="object"),
        _CALLS + "search",
        always=True,
    ),
    Tool(
        "recairn_add",
        "Remember",
        "Use when you learned something worth knowing next time: a decision and why, a fix, a"
        " convention, what the user prefers or corrected. With status needs_decision nothing was"
        " stored: it resembles what is known; call again with force, supersede or merge.",
        ADDS,
        parameters(
            ["content"],
            content=text("one thought, clear without this conversation"),
            kind=choice(_WRITTEN, default="learning"),
            title=text(),
            category=text(),
            keywords=listed(),
            scope=text("file glob or module"),
            branch=text("holds there alone; . is this one"),
            importance=number(least=0, most=1),
            tier=choice(TIERS),
            fields=mapping(
                "decision: rationale, alternatives; pattern: problem, solution; failure: cause, fix"
            ),
            force=flag("keep beside look-alikes"),
            supersede=text("id it replaces"),
            merge=text("id it is added to"),
        ),
        answers(status="string", similar="array", warnings="array"),
        _CALLS + "add",
        always=True,
    ),
    Tool(
        "recairn_get",
        "Read one memory",
        "Use when a hit is cut short or you need its history or links.",
        READS,
        parameters(
            ["id"],
            id=text("42, #42, uid or foreign id"),
            show=choice(("memory", "history", "links"), default="memory"),
            offset=whole("where in the content to begin", least=0),
            detail=_DETAIL,
        ),
        answers(id="integer"),
        _CALLS + "get",
    ),
    Tool(
        "recairn_feedback",
        "Rate memories",
        "Use when a task is done: say which memories helped or misled.",
        SETS,
        parameters(
            ["ids"],
            ids=listed(minItems=1, maxItems=50),
            score=number("1 helped, 0 misled", least=0, most=1, default=1),
        ),
        answers(rated="array"),
        _CALLS + "feedback",
    ),
    Tool(
        "recairn_update",
        "Change a memory",
        "Use when a memory is wrong, outdated or related to another.",
        CHANGES,
        parameters(
            ["id", "action"],
            id=text(),
            action=choice(ACTIONS),
            content=text("new text: edit, supersede"),
            target=text("other id: supersede, link, unlink"),
            relation=text("relates_to, contradicts, depends_on ..."),
            title=text(),
            category=text(),
            importance=number(least=0, most=1),
            reason=text(),
        ),
        answers(id="integer", done="string"),
        _CALLS + "update",
    ),
    Tool(
        "recairn_timeline",
        "Look around in time",
        "Use to see what came before and after a memory, or without id what is newest.",
        READS,
        parameters(
            id=text(),
            before=whole(least=0, most=20, default=5),
            after=whole(least=0, most=20, default=5),
            limit=whole("without id", least=1, most=50, default=10),
        ),
        answers(memories="array", sessions="object"),
        _CALLS + "timeline",
    ),
    Tool(
        "recairn_handoff",
        "Hand over",
        "Use without content when you take up work, to see where the last session stopped; with"
        " content when you stop, to tell the next one.",
        SETS,
        parameters(
            content=text("where you stopped"),
            next_steps=listed(),
            blockers=listed(),
            questions=listed(),
        ),
        answers(handoffs="array"),
        _CALLS + "handoff",
    ),
)
