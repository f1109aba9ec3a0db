"""The turns of a session, as text and as JSON."""

from __future__ import annotations

from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.json_objects import memory_json, terms_json
from recairn.surfaces.render.marks import styled, without_marks
from recairn.surfaces.render.text import headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.work.turns import Given, Turn

# Characters of what was said, and of a memory that was handed out.
_SAID, _HEADLINE = 100, 80
# What was left out that a reader is shown of one turn.
_LEFT_OUT = 3


def turn_json(turn: Turn) -> dict[str, Any]:
    """The turn object of the JSON contract."""
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
        "given": [_given_json(each) for each in turn.given],
        "left_out": [
            {"id": each.memory, "kind": each.kind, "label": each.label, "why": each.why}
            for each in turn.left_out
        ],
    }


def _given_json(given: Given) -> dict[str, Any]:
    return {
        "memory": memory_json(given.memory),
        "position": given.position,
        "tokens": given.tokens,
        "score": given.score,
        "terms": terms_json(given.terms),
        "used": given.used,
        "used_at": None if given.used_at is None else iso(given.used_at),
    }


def turn_text(turn: Turn) -> str:
    """A line for the moment, and one for each memory that was handed out or left out."""
    at = str(iso(turn.at))[11:19]
    said = one_line(without_marks(turn.prompt), _SAID)
    line = f"  {styled(at, 'dim')}  {turn.event:<8}{said}"
    lines = [line.rstrip()]
    if turn.silence:
        lines.append(f"            nothing handed out: {turn.silence}")
    for given in turn.given:
        memory = given.memory
        cost = [f"{given.score:.2f}"] if given.score is not None else []
        cost += [f"{given.tokens} tokens"] if given.tokens else []
        cost += [given.used] if given.used else []
        about = f" ({', '.join(cost)})" if cost else ""
        name = styled(f"#{memory.id}", "name")
        lines.append(f"            {name} {memory.kind}: {headline(memory, _HEADLINE)}{about}")
    for left in turn.left_out[:_LEFT_OUT]:
        lines.append(f"            left out #{left.memory}: {left.why}")
    more = len(turn.left_out) - _LEFT_OUT
    if more > 0:
        lines.append(f"            and {more} more left out")
    return "\n".join(lines) + "\n"
