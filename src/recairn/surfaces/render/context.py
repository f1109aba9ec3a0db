"""Contexts and the ledger of them, as text for people and as JSON."""

from __future__ import annotations

from recairn.core.memory_text import flags_of, kind_name
from recairn.core.times import iso
from recairn.core.words import counted, one_line
from recairn.surfaces.render.text import headline, memories, percent, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.recall.context import ContextResult
    from recairn.store.work_rows import HandOutRow, Task

_TITLE = 120  # characters
_USES = ("cited", "expanded", "helpful")
_OUTCOMES = ("success", "partial", "failure")


def context_json(result: ContextResult) -> dict[str, Any]:
    """The context object of the JSON contract."""
    from recairn.surfaces.render.json_objects import hit_json, memory_json
    from recairn.surfaces.render.tasks import task_json

    costs = result.costs or {}

    def entry(memory: int, document: dict[str, Any]) -> dict[str, Any]:
        cut = memory in result.shortened
        return {**document, "tokens": costs.get(memory, 0), "shortened": cut}

    handoff = result.handoff
    return {
        "task": None if result.task is None else task_json(result.task),
        "query": result.query,
        "rules": [entry(rule.id, memory_json(rule)) for rule in result.rules],
        "hits": [entry(hit.id, hit_json(hit)) for hit in result.hits],
        "handoff": None if handoff is None else entry(handoff.id, memory_json(handoff)),
        "text": result.text,
        "tokens": result.tokens,
        "budget": result.budget,
        "injection": result.injection,
        "left_out": [{"id": memory, "why": why} for memory, why in result.left_out],
        "notices": list(result.notices),
        "recent": [entry(recent.id, memory_json(recent)) for recent in result.recent],
        "suggestions": [entry(rule.id, memory_json(rule)) for rule in result.suggestions],
        "duration_ms": result.duration_ms,
    }


def context_head(result: ContextResult) -> str:
    """What the context is for, and how much there is of it."""
    task = result.task
    first = "Context"
    if task is not None:
        title = one_line(without_marks(task.title), _TITLE)
        first = f'Context for task {styled(task.id, "name")}: "{title}"'
    elif result.query:
        first = f'Context for "{one_line(without_marks(result.query), _TITLE)}"'
    rules = len(result.rules)
    parts = [counted(rules, "rule")] if rules else []
    parts.append(f"{len(result.hits)} relevant {memories(len(result.hits)).partition(' ')[2]}")
    parts += [f"{len(result.recent)} of the newest"] if result.recent else []
    parts += ["the last handoff"] if result.handoff is not None else []
    parts += [counted(len(result.suggestions), "suggested rule")] if result.suggestions else []
    spent = f"estimated {result.tokens:,} of {result.budget:,} tokens"
    return f"{first}\n\nFound {', '.join(parts)} ({spent}):\n"


def context_text(result: ContextResult) -> str:
    """A line for everything handed out, rules first."""
    text = context_head(result)
    if not result.text:
        return text.replace("):\n", ")\n")
    lines = [_line("rule", memory, result) for memory in result.rules]
    lines += [_line(percent(hit.shown), hit.memory, result) for hit in result.hits]
    lines += [_line("new", memory, result) for memory in result.recent]
    lines += [_line("suggested", memory, result) for memory in result.suggestions]
    if result.handoff is not None:
        lines.append(_line("last", result.handoff, result))
    return f"{text}\n" + "".join(lines)


def _line(mark: str, memory: Memory, result: ContextResult) -> str:
    cut = styled(" (shortened)", "dim") if memory.id in result.shortened else ""
    name = styled(f"#{memory.id}", "name")
    kind = "" if mark == memory.kind else f"{kind_name(memory)}: "
    stale = [flag for flag in flags_of(memory) if flag != kind_name(memory)]
    doubt = styled(f" ({one_line(without_marks(', '.join(stale)), _TITLE)})", "dim")
    shown = f"{name} {kind}{headline(memory)}{cut}{doubt if stale else ''}"
    return f"{styled(f'[{mark}]', 'bold')} {shown}\n"


def left_out_text(result: ContextResult) -> str:
    """Why what was found was not handed out, a line for each."""
    if not result.left_out:
        return ""
    lines = [f"  {styled(f'#{memory}', 'name')} {why}\n" for memory, why in result.left_out]
    return "Left out:\n" + "".join(lines)


def handed_out_text(task: Task, contexts: Sequence[Mapping[str, Any]], *, now: int) -> str:
    """What a task was given, a line for each memory, and what was done with it."""
    from recairn.core.times import age
    from recairn.surfaces.render.tasks import task_line

    text = f"{task_line(task, task.project)}\n"
    for context in contexts:
        about = [age(context["at"], now), context["surface"], f"{context['tokens']:,} tokens"]
        about += [f"session {context['session_id']}"] if context["session_id"] else []
        text += f"\n{one_line(without_marks(', '.join(about)), _TITLE)}\n"
        for entry in context["memories"]:
            memory, score = entry["memory"], entry["score"]
            mark = kind_name(memory) if score is None else percent(score)
            used = styled(f" ({entry['used']})", "dim") if entry["used"] else ""
            name = styled(f"#{memory.id}", "name")
            text += f"  {styled(f'[{mark}]', 'bold')} {name} {headline(memory)}{used}\n"
    return text


def handed_out_json(task: Task, contexts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The task, and every context it was given."""
    from recairn.surfaces.render.tasks import task_json

    return {
        "task": task_json(task),
        "contexts": [
            {
                "injection": context["id"],
                "at": iso(context["at"]),
                "surface": context["surface"],
                "session": context["session_id"],
                "query": context["query"],
                "tokens": context["tokens"],
                "budget": context["budget_tokens"],
                "outcome": context["outcome"],
                "memories": [_entry_json(entry) for entry in context["memories"]],
            }
            for context in contexts
        ],
    }


def _entry_json(entry: Mapping[str, Any]) -> dict[str, Any]:
    memory = entry["memory"]
    about = {name: getattr(memory, name) for name in ("id", "uid", "kind", "title", "content")}
    return {**about, **{name: entry[name] for name in ("tokens", "score", "used")}}


def hand_out_json(row: HandOutRow) -> dict[str, Any]:
    """One time that a memory was handed out."""
    used_at = None if row.used_at is None else iso(row.used_at)
    return {**row._asdict(), "at": iso(row.at), "used_at": used_at}


def hand_out_text(row: HandOutRow, *, now: int) -> str:
    """When, to whom and for what a memory was handed out, and what became of it."""
    from recairn.core.times import age

    about = [age(row.at, now), row.agent or row.surface, f"{row.tokens} tokens"]
    about += [percent(row.score)] if row.score is not None else []
    about += [f"session {row.session}"] if row.session else []
    about += [row.used] if row.used else []
    line = one_line(without_marks(", ".join(about)), _TITLE)
    query = one_line(without_marks(row.query), _TITLE)
    return f"{line}\n" + (f"      {query}\n" if query else "")


def ledger_rows(ledger: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the rows of the ledger's table."""
    by = ledger["grouped_by"]
    counts = ("times", *(["memories"] if by != "memory" else []), "tokens", *_USES)
    rows = []
    for row in ledger["data"]:
        nameless = "(around)" if by == "memory" else f"(no {by})"
        name = row["name"] or nameless
        name = f"#{name}" if by == "memory" and row["name"] else name
        present = [outcome for outcome in _OUTCOMES if row[outcome]]
        outcomes = ", ".join(
            present if by == "task" else (f"{row[outcome]} {outcome}" for outcome in present)
        )
        rows.append((name, *(f"{row[count]}" for count in counts), outcomes))
    return (by, *counts, "outcomes"), rows


def ledger_json(ledger: Mapping[str, Any]) -> dict[str, Any]:
    """The ledger with times as ISO 8601."""
    by = ledger["grouped_by"]
    data = []
    for row in ledger["data"]:
        rest = {name: value for name, value in row.items() if name not in ("name", "last_at")}
        named = row["name"] or None
        data.append({by: named, **rest, "last_at": iso(row["last_at"])})
    return {**ledger, "data": data}
