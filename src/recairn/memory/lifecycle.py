"""What happens to a memory after it was stored: edit, forget, restore, supersede, age.

Every change is an event with before and after, so every change can be taken back.
"""

from __future__ import annotations

from recairn.core.draft import MAX_TITLE, Cleaner, check_span, unit
from recairn.core.errors import BadInput, Refused
from recairn.core.kinds import KINDS, SECTORS, TIERS, TRUSTS, kind_named, nearest, one_of
from recairn.core.model import DEEMPHASIZED, REINFORCED, Event, decayed, lifted, lowered
from recairn.core.record import as_dict, replace
from recairn.core.times import check
from recairn.memory.authority import allowed_edit, guard_return, guard_rise, guard_rule
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import relink
from recairn.memory.remember import replace_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, Memory
    from recairn.core.stamps import Stamp
    from recairn.store.contract.base import Store

_TEXTS = ("title", "content", "fields")
_CHOICES = {"sector": SECTORS, "tier": TIERS, "trust": TRUSTS}
_MOMENTS = ("expires_at", "valid_from", "valid_until")
_FLAGS = ("pinned", "immutable")
_EDITABLE = (
    *_TEXTS,
    *_CHOICES,
    *_MOMENTS,
    *_FLAGS,
    "kind",
    "project",
    "category",
    "keywords",
    "scope",
    "branch",
    "importance",
    "confidence",
)


# The event of a memory whose project was renamed, joined or parted: it is taken back with that.
MOVED = "moved"


def event_of(name: str, memory: int, act: Act, reason: str = "") -> Event:
    return Event(0, memory, act.at, name, reason or act.reason, {}, {}, act.session, None)


def guard_immutable(memory: Memory, *, force: bool) -> None:
    """Refused for a record that was declared unchangeable."""
    if memory.immutable and not force:
        raise Refused(f"#{memory.id} is immutable", "add --force if you really mean it")


def edit(store: Store, memory: int, edits: Mapping[str, Any], act: Act, clean: Cleaner) -> Memory:
    """Changes what was given, keeps the rest, and rewrites every index that follows from it."""
    for name in edits:
        if name not in _EDITABLE:
            raise BadInput(
                f"a memory has no editable field {name!r}",
                f"{nearest(name, _EDITABLE)}editable: {', '.join(_EDITABLE)}",
            )
    with store.transaction():
        current = known_memory(store, memory)
        changes = {name: _checked(name, value, clean) for name, value in edits.items()}
        if "kind" in changes or "fields" in changes:
            kind = changes.get("kind", current.kind)
            fields = {
                name: value for name, value in current.fields.items() if name in KINDS[kind].fields
            }
            changes["fields"] = clean.fields(kind, {**fields, **(edits.get("fields") or {})})
        check_span(
            changes.get("valid_from", current.valid_from),
            changes.get("valid_until", current.valid_until),
        )
        if changes.get("tier", current.tier) == "session" and current.session_id is None:
            raise BadInput(f"#{memory} belongs to no session", "choose the tier project or global")
        changes.update(allowed_edit(current, changes, act, store.writer()))
        changes["updated_at"] = act.at
        store.change(memory, changes, event_of("updated", memory, act))
        after = known_memory(store, memory)
        relink(store, after, act.at)
        if act.session is not None:
            store.link_session(act.session, memory, "updated", act.at)
        return after


def _checked(name: str, value: Any, clean: Cleaner) -> Any:
    """One edited value as it may be stored."""
    if name in _CHOICES:
        return one_of(name, value, _CHOICES[name])
    if name in _MOMENTS:
        return None if value is None else check(value)
    if name in _FLAGS:
        return bool(value)
    if name in ("importance", "confidence"):
        return unit(name, value, 0.5)
    if name == "kind":
        return kind_named(value)
    if name == "keywords":
        return clean.names("keyword", value)
    if name == "content":
        text = clean.text(name, value)
        if not text:
            raise BadInput("the content is empty", "recairn forget removes a memory")
        return text
    if name == "fields":
        return value
    return clean.name(name, value, MAX_TITLE if name == "title" else 200)


def forget(store: Store, memory: int, act: Act) -> Memory:
    """Hides a memory; `restore` brings it back."""
    with store.transaction():
        if known_memory(store, memory).deleted_at is None:
            store.change(memory, {"deleted_at": act.at}, event_of("forgotten", memory, act))
        return known_memory(store, memory)


def erase(store: Store, memory: int, act: Act, stamp: Stamp | None = None) -> Memory:
    """Destroys a memory for good; the history keeps that it existed, not what it said.

    What it had replaced holds again: a successor that never was cannot end anything. Its words stay
    in logs and on disk: `erasure.destroy` is what a person asks for. `stamp` says when and where it
    was destroyed, if not here and now.
    """
    with store.transaction():
        current = known_memory(store, memory)
        for predecessor in store.predecessors(memory):
            store.change(
                predecessor,
                {"superseded_by": None, "valid_until": None, "updated_at": act.at},
                event_of("restored", predecessor, act, f"its successor #{memory} was erased"),
            )
        store.drop_vectors([memory])
        store.erase(memory, event_of("erased", memory, act), stamp)
    return current


def restore(store: Store, memory: int, act: Act) -> Memory:
    """Brings back a memory that was forgotten, archived, or has expired."""
    with store.transaction():
        current = known_memory(store, memory)
        if not act.is_own:
            guard_return(current, store.history(memory), act)
        changes: dict[str, Any] = {}
        if current.deleted_at is not None:
            changes["deleted_at"] = None
        if current.expires_at is not None and current.expires_at <= act.at:
            changes["expires_at"] = None
        if not changes:
            raise Refused(f"#{memory} was not forgotten", f"recairn show {memory}")
        store.change(memory, changes, event_of("restored", memory, act))
        after = known_memory(store, memory)
        relink(store, after, act.at)
        return after


def supersede(store: Store, old: int, new: int, act: Act) -> Memory:
    """Declares `new` the successor of `old`; chains are fine, circles are refused."""
    with store.transaction():
        guard_rule(known_memory(store, old), act, "replace", f"supersede {old} {new}")
        if old == new:
            raise Refused(f"#{old} cannot replace itself", "name another memory, or the new text")
        if old in successors(store, new):
            raise Refused(
                f"#{new} is itself superseded by #{old}", "a memory cannot replace itself"
            )
        if known_memory(store, new).deleted_at is not None:
            raise Refused(f"#{new} was forgotten", f"recairn restore {new}")
        replace_with(store, old, new, act)
        return known_memory(store, old)


def successors(store: Store, memory: int) -> set[int]:
    """The memory and everything that replaced it, one after the other."""
    seen: set[int] = set()
    successor: int | None = memory
    while successor is not None and successor not in seen:
        seen.add(successor)
        successor = known_memory(store, successor).superseded_by
    return seen


def generations(store: Store, memory: int) -> list[list[int]]:
    """Ids from the first predecessors to the last successor; one generation each."""
    last, seen = memory, {memory}
    while (successor := known_memory(store, last).superseded_by) is not None:
        if successor in seen:
            break
        last = successor
        seen.add(last)
    chain, seen = [[last]], {last}
    while True:
        before = sorted(
            {older for newer in chain[-1] for older in store.predecessors(newer)} - seen
        )
        if not before:
            return chain[::-1]
        chain.append(before)
        seen.update(before)


def promote(store: Store, memory: int, act: Act) -> Memory:
    """Widens who sees a memory by one step: session, project, global."""
    with store.transaction():
        current = known_memory(store, memory)
        step = TIERS.index(current.tier) + 1
        if step == len(TIERS):
            raise Refused(f"#{memory} is visible everywhere already", f"recairn show {memory}")
        guard_rise(current, act, "widen", f"promote {memory}")
        tier = TIERS[step] if current.project else TIERS[-1]
        changes = {"tier": tier, "updated_at": act.at}
        reason = f"{current.tier} to {tier}"
        store.change(memory, changes, event_of("promoted", memory, act, act.reason or reason))
        after = known_memory(store, memory)
        relink(store, after, act.at)
        return after


def expire(store: Store, memory: int, act: Act, at: int | None = None) -> Memory:
    """Lets a memory be hidden from a time on, by default from now on."""
    with store.transaction():
        known_memory(store, memory)
        changes = {"expires_at": act.at if at is None else check(at)}
        store.change(memory, changes, event_of("expired", memory, act))
        return known_memory(store, memory)


def archive(store: Store, memory: int, act: Act) -> None:
    """Puts a faded memory away; like a forgotten one it can be restored."""
    store.change(memory, {"deleted_at": act.at}, event_of("archived", memory, act))


def may_be_archived(memory: Memory) -> bool:
    """Standing instructions and what someone pinned or fixed never fade out of sight."""
    return not (memory.pinned or memory.immutable or memory.kind == "rule")


def pin(store: Store, memory: int, act: Act, *, pinned: bool) -> Memory:
    """Keeps a memory out of every clean-up, or lets it in again."""
    with store.transaction():
        current = known_memory(store, memory)
        if pinned and current.trust != "verified":
            guard_rise(current, act, "pin", f"pin {memory}")
        if current.pinned != pinned:
            store.change(memory, {"pinned": pinned}, event_of("updated", memory, act))
        return known_memory(store, memory)


def as_of(memory: Memory, events: Sequence[Event], at: int) -> Memory | None:
    """The memory as it was at a time; None when it was not there yet.

    Changes made later are taken off one by one; counters of use are not part of the history.
    """
    if memory.created_at > at:
        return None
    values: dict[str, Any] = {}
    for event in reversed(events):
        if event.at > at and event.event != "created":
            values.update(event.before)
    columns = as_dict(memory)
    past = {name: value for name, value in values.items() if name in columns}
    return replace(memory, **past, stale="")


def reinforce(store: Store, memory: int, act: Act, amount: float = REINFORCED) -> Memory:
    """Moves salience towards 1: s + a·(1 − s), from what is left of it now."""
    with store.transaction():
        left = decayed(known_memory(store, memory), act.at)
        salience = lifted(left, unit("amount", amount, amount))
        changes = {"salience": salience, "decayed_at": act.at}
        store.change(memory, changes, event_of("reinforced", memory, act))
        if act.session is not None:
            store.link_session(act.session, memory, "reinforced", act.at)
        return known_memory(store, memory)


def deemphasize(store: Store, memory: int, act: Act, amount: float = DEEMPHASIZED) -> Memory:
    """Lowers salience by the amount, from what is left of it now, never to nothing."""
    with store.transaction():
        left = decayed(known_memory(store, memory), act.at)
        salience = lowered(left, unit("amount", amount, amount))
        changes = {"salience": salience, "decayed_at": act.at}
        store.change(memory, changes, event_of("deemphasized", memory, act))
        return known_memory(store, memory)
