"""The tools every agent gets: few, small, and named so that no other set's tools clash."""

from __future__ import annotations

from recairn.kinds import KINDS, RELATIONS, TIERS
from recairn.mcp.schema import (
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
from recairn.mcp.tools import ADDS, CHANGES, READS, SETS, Tool

_CALLS = "recairn.mcp.calls_default:"
_WRITTEN = [kind for kind in KINDS if kind != "chunk"]
_DETAIL = choice(("concise", "full"), default="concise")
_BUDGET = whole("cut the answer to about so many tokens", least=100)
# What `update` can do, in the order a reader looks for it.
ACTIONS = (
    "edit",
    "supersede",
    "forget",
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
        "recairn_search",
        "Search memory",
        "Use before you decide, debug or ask the user something that may have come up before:"
        " finds past decisions, fixes, conventions and preferences, best first. No hits: nothing"
        " relevant is known.",
        READS,
        parameters(
            ["query"],
            query=text("a question or key words"),
            kind=choice(_WRITTEN),
            category=text(),
            project=text('another project, or "*" for all'),
            since=text("a date or an age such as 7d"),
            as_of=text("what was believed at that time"),
            include=listed(
                "also these",
                items={"type": "string", "enum": [*("superseded", "unverified", "documents")]},
            ),
            graph_depth=whole("follow links so far", least=0, most=3),
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
        "Use when you learned something worth knowing next time: a decision and its reason, a"
        " fix, a convention, what the user prefers or corrected. One self-contained thought. If"
        " it resembles something known, status is needs_decision and nothing is stored: call"
        " again with force, supersede or merge.",
        ADDS,
        parameters(
            ["content"],
            content=text("the thought, understandable without this conversation"),
            kind=choice(_WRITTEN, default="learning"),
            title=text(),
            category=text("database, auth ..."),
            keywords=listed(),
            scope=text("file glob or module it is about"),
            importance=number(least=0, most=1),
            tier=choice(TIERS, "who sees it; default project"),
            fields=mapping(
                "of the kind: decision {rationale, alternatives}, pattern {problem, solution},"
                " failure {cause, fix}"
            ),
            force=flag("store beside look-alikes"),
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
        "Use when a hit is cut short or you need all about it: the whole memory, its history, or"
        " what is linked to it.",
        READS,
        parameters(
            ["id"],
            id=text("42, #42, uid or foreign id"),
            show=choice(("memory", "history", "links"), default="memory"),
            offset=whole("character of the content to begin at", least=0),
            detail=_DETAIL,
        ),
        answers(id="integer"),
        _CALLS + "get",
    ),
    Tool(
        "recairn_feedback",
        "Rate memories",
        "Use when a task is done: say which memories helped or misled, so that ranking learns.",
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
        "Use when a memory is wrong, outdated or related to another: edit it, supersede it (by"
        " content or target), forget it (restore undoes that), link it to target.",
        CHANGES,
        parameters(
            ["id", "action"],
            id=text(),
            action=choice(ACTIONS),
            content=text("new text, for edit and supersede"),
            target=text("other id, for supersede, link, unlink"),
            relation=choice(RELATIONS, "for link, unlink"),
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
        "Use to see what happened around a memory, or without id what is newest in the project.",
        READS,
        parameters(
            id=text(),
            before=whole("memories before it", least=0, most=20, default=5),
            after=whole("and after it", least=0, most=20, default=5),
            limit=whole("newest, without id", least=1, most=50, default=10),
        ),
        answers(memories="array", sessions="object"),
        _CALLS + "timeline",
    ),
    Tool(
        "recairn_handoff",
        "Hand over",
        "Use without content when you take up work: where the last session stopped. With content"
        " when you stop: leaves a note for the next session.",
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
