"""Handlers of the commands for branches that memories belong to."""

from __future__ import annotations

from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import headline, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.memory.branches import Branch
    from recairn.surfaces.cli.call import Call

_STATES = {
    "here": "checked out",
    "open": "not merged",
    "merged": "merged: recairn branch promote {name}",
    "gone": "gone: recairn branch promote {name}, or forget what it left",
    "": "",
}


def listing(call: Call) -> None:
    with call.open() as memory:
        found = memory.branches()
    if call.json:
        call.screen.document({"branches": branches_json(found)})
    elif found:
        rows = [
            (each.name, f"{len(each.memories)}", _STATES[each.state].format(name=each.name))
            for each in found
        ]
        call.screen.table(("branch", "memories", "state"), rows)
    else:
        call.say("no memory belongs to a branch\n  recairn add TEXT --branch . makes one that does")


def branches_json(found: Sequence[Branch]) -> list[dict[str, Any]]:
    """The branches for programs."""
    return [
        {"name": each.name, "memories": list(each.memories), "state": each.state or None}
        for each in found
    ]


def promote(call: Call) -> None:
    with call.open() as memory:
        promoted = memory.promote_branch(call.arguments["branch"])
        call.follow_pins(memory, *promoted)
    if call.json:
        call.screen.document({"promoted": [memory_json(each) for each in promoted]})
        return
    for each in promoted:
        call.say(f"#{each.id} holds on all branches: {headline(each)}")


def tell_waiting(call: Call, found: Sequence[Branch]) -> None:
    """Says which branches are merged or gone, and what to type then."""
    for each in found:
        if each.waits:
            verb = "belongs" if len(each.memories) == 1 else "belong"
            call.screen.note(
                f"note: {memories(len(each.memories))} {verb} to the branch {each.name}, which is"
                f" {each.state}: recairn branch promote {each.name}"
            )
