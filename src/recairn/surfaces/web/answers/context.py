"""Rules, ledger and try-outs: what is said to agents, and whether it is worth its tokens."""

from __future__ import annotations

from recairn.surfaces.render.context import context_json, ledger_json
from recairn.surfaces.web.answers.brief import brief_json, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_RULES = 50
_ROWS = 60
_PROMPT = 4_000


def rules(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The rules that are always said here, their cost, and which do not fit."""
    from recairn.surfaces.render.overview import rules_json

    in_force = memory.rules_in_force(agent=parameters.text("agent") or "")
    document = rules_json(in_force)
    shown = zip(document["rules"], in_force.rules, strict=True)
    listed = [{**entry, "memory": brief_json(rule.memory)} for entry, rule in shown]
    return {**document, "rules": listed[:_RULES], "left_out": max(0, len(listed) - _RULES)}


def ledger(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """What was handed out and what became of it, by day, agent, session or memory."""
    unused = parameters.number("unused", 20, 10_000) if parameters.text("unused") else None
    options: dict[str, Any] = {} if unused is None else {"unused": unused}
    document = ledger_json(
        memory.ledger(
            by=parameters.text("by") or "day",
            since=parameters.text("since") or "30d",
            all_projects=memory.everywhere,
            **options,
        )
    )
    rows = document["data"]
    document["data"] = [_labelled(memory, document["grouped_by"], row) for row in rows[:_ROWS]]
    return {**document, "left_out": max(0, len(rows) - _ROWS)}


def _labelled(memory: Recairn, by: str, row: dict[str, Any]) -> dict[str, Any]:
    if by != "memory":
        return row
    record = None if row["memory"] is None else memory.get(row["memory"])
    return {**row, "label": "" if record is None else clipped(record.title or record.content, 140)}


def tried(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """What an agent would get for a prompt; nothing is noted."""
    prompt: str = parameters.value("prompt", str, needed=True)
    budget = parameters.value("max_tokens", int)
    files = [str(path) for path in (parameters.value("files", list) or [])[:50]]
    result = memory.context(
        prompt=prompt[:_PROMPT], files=files, max_tokens=budget, record=False, surface="page"
    )
    document = context_json(result)
    for name in ("rules", "hits", "recent", "suggestions"):
        document[name] = [_entry(entry) for entry in document[name]]
    document["handoff"] = None if document["handoff"] is None else _entry(document["handoff"])
    labels = memory.labels([entry["id"] for entry in document["left_out"][:40]])
    document["left_out"] = [
        {**entry, "label": clipped(labels[entry["id"]][1], 140) if entry["id"] in labels else ""}
        for entry in document["left_out"][:40]
    ]
    return document


def _entry(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": document["id"],
        "kind": document["kind"],
        "label": clipped(document["title"] or document["content"], 140),
        "score": document.get("score"),
        "chance": document.get("chance"),
        "tokens": document["tokens"],
        "shortened": document["shortened"],
    }
