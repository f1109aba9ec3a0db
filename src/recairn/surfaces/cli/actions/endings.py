"""What a person says where others have ended a rule in force."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.times import iso
from recairn.surfaces.render.text import headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call


def endings_json(memory: Recairn) -> list[dict[str, Any]]:
    """The rules whose end others have asked for."""
    return [
        {
            "id": rule.id,
            "content": rule.content,
            "asked_at": iso(event.at),
            "author": event.author,
            "reason": event.reason or None,
        }
        for rule, event in memory.endings()
    ]


def tell(call: Call, memory: Recairn) -> None:
    """Lists them."""
    waiting = memory.endings()
    for rule, event in waiting:
        call.say(
            f"\na rule that still holds, {event.reason} ({event.author})"
            f"\n  #{rule.id} {headline(rule)}"
        )
    if waiting:
        first = waiting[0][0].id
        call.screen.note(f"\n  recairn review accept {first} ends it, review drop {first} keeps it")


def decide(call: Call, references: list[str], *, accepted: bool) -> list[str]:
    """Does what a person says to those among the references; the others are left."""
    with call.open() as memory:
        asked = {rule.id for rule, _ in memory.endings()}
        if not asked:
            return references
        left = []
        for reference in references:
            record = memory.get(reference)
            if record is None or record.id not in asked:
                left.append(reference)
            elif accepted:
                rule = memory.agree_to_end(reference)
                call.say(f"Forgot {kind_name(rule)} #{rule.id}, as others did")
            else:
                rule = memory.decline_end(reference)
                call.say(f"{kind_name(rule)} #{rule.id} goes on to hold")
        return left
