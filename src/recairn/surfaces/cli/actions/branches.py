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
        branches = memory.branches()
    if call.json:
        call.screen.document({"branches": branches_json(branches)})
    elif branches:
        rows = [
            (branch.name, f"{len(branch.memories)}", _STATES[branch.state].format(name=branch.name))
            for branch in branches
        ]
        call.screen.table(("branch", "memories", "state"), rows)
    else:
        call.say("no memory belongs to a branch\n  recairn add TEXT --branch . makes one that does")


def branches_json(branches: Sequence[Branch]) -> list[dict[str, Any]]:
    """The branches for programs."""
    return [
        {"name": branch.name, "memories": list(branch.memories), "state": branch.state or None}
        for branch in branches
    ]


def promote(call: Call) -> None:
    with call.open() as memory:
        promoted = memory.promote_branch(call.arguments["branch"])
        call.follow_pins(memory, *promoted)
    if call.json:
        call.screen.document({"promoted": [memory_json(memory) for memory in promoted]})
        return
    for one in promoted:
        call.say(f"#{one.id} holds on all branches: {headline(one)}")


def tell_waiting(call: Call, branches: Sequence[Branch]) -> None:
    """Says which branches are merged or gone, and what to type then."""
    for branch in branches:
        if branch.waits:
            verb = "belongs" if len(branch.memories) == 1 else "belong"
            call.screen.note(
                f"note: {memories(len(branch.memories))} {verb} to the branch {branch.name}, which"
                f" is {branch.state}: recairn branch promote {branch.name}"
            )
