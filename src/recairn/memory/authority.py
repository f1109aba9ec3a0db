"""What may be changed by those whose word is not the person's own: agents, hooks, programs.

A standing rule is a person's word. Whoever else writes one makes a suggestion, which waits for a
person; and nobody else changes what a rule in force says, or where it holds.
"""

from __future__ import annotations

from recairn.core.author import PERSON
from recairn.core.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, Event, Memory
    from recairn.store.contract.base import Store

RULE = "rule"
# What makes a rule what it is, and where it holds.
_OF_A_RULE = ("kind", "title", "content", "fields", "scope", "branch", "tier", "project", "trust")
_TEXT = ("title", "content", "fields")
# What would let a suggestion stand out, or hold everywhere.
_RISES = {"pinned": True, "immutable": True, "tier": "global"}
_OWN_TERMINAL = "a person does that in a terminal of their own: recairn"


def in_force(memory: Memory) -> bool:
    """Whether it is a rule that agents are told to follow."""
    return memory.kind == RULE and memory.trust == "verified"


def guard_rule(memory: Memory, act: Act, verb: str, command: str) -> None:
    """Refused for a rule in force, unless a person acts."""
    if not act.is_own and in_force(memory):
        raise Refused(
            f"#{memory.id} is a rule in force, and only a person may {verb} it",
            f"suggest another with kind rule, which waits for review; {_OWN_TERMINAL} {command}",
        )


def guard_rise(memory: Memory, act: Act, verb: str, command: str) -> None:
    """Refused for a rule, in force or suggested, unless a person acts."""
    if not act.is_own and memory.kind == RULE:
        raise Refused(
            f"#{memory.id} is a rule, and only a person may {verb} it", f"{_OWN_TERMINAL} {command}"
        )


def guard_person(act: Act, what: str, command: str) -> None:
    """Refused for everybody but a person."""
    if not act.is_own:
        raise Refused(f"only a person may {what}", f"{_OWN_TERMINAL} {command}")


def allowed_edit(memory: Memory, edits: Mapping[str, Any], act: Act, author: str) -> dict[str, Any]:
    """What an edit changes besides, as it is not a person's; Refused for what is a person's alone.

    Whoever puts other words into a memory is the author of those words.
    """
    changed = {name for name, value in edits.items() if value != getattr(memory, name)}
    if act.is_own or not changed:
        return {}
    command = f"edit {memory.id}"
    if not changed.isdisjoint(_OF_A_RULE):
        guard_rule(memory, act, "change", command)
    if edits.get("kind", memory.kind) == RULE:
        if any(edits.get(name) == value and name in changed for name, value in _RISES.items()):
            guard_rise(memory, act, "pin, fix or widen", command)
        if memory.kind != RULE:
            return {"trust": "unverified"}
    if "trust" in changed and edits["trust"] == "verified":
        guard_person(act, f"verify #{memory.id}", f"review accept {memory.id}")
    if changed.isdisjoint(_TEXT) or memory.author == author:
        return {}
    trust = "attributed" if memory.trust == "verified" else memory.trust
    return {"trust": trust, "author": author}


def guard_undo(store: Store, events: Sequence[Event], act: Act) -> None:
    """Refused where something is taken back that a person did to a rule."""
    for event in events:
        memory = store.get(event.memory)
        if memory is not None and memory.kind == RULE and event.author in ("", PERSON):
            guard_person(act, f"take back what was done to the rule #{memory.id}", "undo")


def guard_return(memory: Memory, events: Sequence[Event], act: Act) -> None:
    """Refused for a rule that a person has forgotten: nobody else brings it back."""
    if act.is_own or not in_force(memory):
        return
    hidden = [event for event in events if event.after.get("deleted_at") is not None]
    if hidden and hidden[-1].author in ("", PERSON):
        guard_rule(memory, act, "bring back", f"restore {memory.id}")
