"""The turns of a session, as text and as JSON."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.json_objects import memory_json, terms_json
from recairn.surfaces.render.text import headline, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from recairn.work.turns import HandedOut, Turn

# Characters of what was said, and of a memory that was handed out.
_SAID, _HEADLINE = 100, 80
# What was left out that a reader is shown of one turn.
_LEFT_OUT = 3


def turn_json(turn: Turn, fields: Collection[str] | None = None) -> dict[str, Any]:
    """The turn object of the JSON contract; with `fields`, only these of the memories handed
    out, and no terms."""
    return {
        "id": turn.id,
        "at": iso(turn.at),
        "event": turn.event,
        "agent": turn.agent,
        "prompt": turn.prompt,
        "silence": turn.silence or None,
        "injection": turn.injection,
        "tokens": turn.tokens,
        "budget": turn.budget,
        "task": turn.task,
        "outcome": turn.outcome,
        "handed_out": [_handed_out_json(entry, fields) for entry in turn.handed_out],
        "left_out": [
            {"id": entry.memory, "kind": entry.kind, "label": entry.label, "why": entry.why}
            for entry in turn.left_out
        ],
    }


def _handed_out_json(entry: HandedOut, fields: Collection[str] | None) -> dict[str, Any]:
    return {
        "memory": memory_json(entry.memory, fields),
        "position": entry.position,
        "tokens": entry.tokens,
        "score": entry.score,
        **({"terms": terms_json(entry.terms)} if fields is None else {}),
        "used": entry.used,
        "used_at": None if entry.used_at is None else iso(entry.used_at),
    }


def turn_text(turn: Turn) -> str:
    """A line for the moment, and one for each memory that was handed out or left out."""
    at = str(iso(turn.at))[11:19]
    said = one_line(without_marks(turn.prompt), _SAID)
    line = f"  {styled(at, 'dim')}  {turn.event + ' ':<8}{said}"
    lines = [line.rstrip()]
    if turn.silence:
        lines.append(f"            nothing handed out: {turn.silence}")
    for entry in turn.handed_out:
        memory = entry.memory
        cost = [f"{entry.score:.2f}"] if entry.score is not None else []
        cost += [f"{entry.tokens} tokens"] if entry.tokens else []
        cost += [entry.used] if entry.used else []
        about = f" ({', '.join(cost)})" if cost else ""
        name = f"{styled(f'#{memory.id}', 'name')} {kind_name(memory)}"
        lines.append(f"            {name}: {headline(memory, _HEADLINE)}{about}")
    for left in turn.left_out[:_LEFT_OUT]:
        lines.append(f"            left out #{left.memory}: {left.why}")
    more = len(turn.left_out) - _LEFT_OUT
    if more > 0:
        lines.append(f"            and {more} more left out")
    return "\n".join(lines) + "\n"


def last_text(turns: Sequence[Turn]) -> str:
    """The last prompt and the moments after it, what was handed out numbered, with the reasons."""
    lines, number = [], 0
    for turn in turns:
        if not (turn.handed_out or turn.silence or turn.left_out or turn is turns[0]):
            continue
        said = one_line(without_marks(turn.prompt), _SAID)
        agent = f", {turn.agent}" if turn.agent else ""
        cost = f", {turn.tokens:,} tokens" if turn.tokens else ""
        lines.append(f"{str(iso(turn.at))[11:16]} {styled(turn.event, 'bold')}{agent}{cost}")
        lines += [f"  {said}"] if said else []
        for entry in turn.handed_out:
            number += 1
            memory = entry.memory
            name = styled(f"#{memory.id}", "name")
            lines.append(f"  {number}  {name} {kind_name(memory)}: {headline(memory, _HEADLINE)}")
            lines.append(styled(f"       {_why(entry, turn)}", "dim"))
        if turn.silence:
            lines.append(f"  nothing was handed out: {turn.silence}")
        lines += [f"  left out #{left.memory}: {left.why}" for left in turn.left_out[:_LEFT_OUT]]
    return "\n".join(lines) + "\n"


# Why something was handed out that no search found, by the moment.
_REASONS = {
    "read": "names the file, or what it defines",
    "edit": "names the file, or what was written",
    "test": "names the test, its file or its error",
}
# Terms that a reader is told of a score.
_TERMS = 3


def _why(entry: HandedOut, turn: Turn) -> str:
    """The strongest terms of a score, or what brought it without one."""
    if entry.score is None:
        reason = _REASONS.get(turn.event)
        return reason or ("in force" if entry.memory.kind == "rule" else "the newest of its kind")
    added = {name: term for name, term in entry.terms.items() if term.effect == "add"}
    best = sorted(added, key=lambda name: -added[name].value * added[name].weight)[:_TERMS]
    parts = [f"{name} {added[name].value:.2f}" for name in best if added[name].value > 0]
    return f"{entry.score:.2f}: {', '.join(parts)}" if parts else f"{entry.score:.2f}"
