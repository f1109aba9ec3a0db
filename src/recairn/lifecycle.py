"""What happens to a memory after it was stored: edit, forget, restore, supersede, feedback, undo.

Every change is an event with before and after, so every change can be taken back.
"""

from __future__ import annotations

from recairn.errors import BadInput, Refused
from recairn.guard import clean_text, redact
from recairn.kinds import SECTORS, TIERS, TRUSTS, checked_fields, kind_named, one_of
from recairn.model import Event
from recairn.reach import reach_tokens
from recairn.remember import derived, keys_of, known_memory, replace_with, unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.model import Memory
    from recairn.store.base import Store

# ccmemory's figures.
REINFORCE_BY = 0.1
DEEMPHASIZE_BY = 0.2
LOWEST_SALIENCE = 0.05
# A memory is confirmed by a person or an outcome at or above this score.
_HELPED = 0.5

_TEXT_COLUMNS = ("title", "content", "fields")
_CHECKED = {"sector": SECTORS, "tier": TIERS, "trust": TRUSTS}
_EDITABLE = (
    *_TEXT_COLUMNS,
    *_CHECKED,
    "kind",
    "project",
    "category",
    "keywords",
    "scope",
    "importance",
    "confidence",
    "pinned",
    "immutable",
    "expires_at",
    "valid_from",
    "valid_until",
)


def event_of(name: str, memory: int, now: int, reason: str = "") -> Event:
    return Event(0, memory, now, name, reason, {}, {}, None, None)


def guard_immutable(memory: Memory, *, force: bool) -> None:
    """Refused for a record that was declared unchangeable."""
    if memory.immutable and not force:
        raise Refused(f"#{memory.id} is immutable", "add --force if you really mean it")


def edit(
    store: Store, memory: int, given: Mapping[str, Any], *, now: int, allow: Sequence[str] = ()
) -> Memory:
    """Changes what was given, keeps the rest, and rewrites every index that follows from it."""
    unknown = sorted(set(given) - set(_EDITABLE))
    if unknown:
        from recairn.kinds import nearest

        raise BadInput(
            f"a memory has no editable field {unknown[0]!r}",
            f"{nearest(unknown[0], _EDITABLE)}editable: {', '.join(_EDITABLE)}",
        )
    with store.transaction():
        known = known_memory(store, memory)
        changes = {name: _checked(name, value, allow) for name, value in given.items()}
        kind = changes.get("kind", known.kind)
        if "fields" in changes:
            changes["fields"] = checked_fields(kind, {**known.fields, **changes["fields"]})
        if any(name in changes for name in _TEXT_COLUMNS):
            text = [changes.get(name, getattr(known, name)) for name in _TEXT_COLUMNS]
            changes.update(derived(*text))
        project = changes.get("project", known.project)
        tier = changes.get("tier", known.tier)
        changes["reach"] = reach_tokens(tier, project, known.session_id)
        changes["updated_at"] = now
        store.change(memory, changes, event_of("updated", memory, now))
        after = known_memory(store, memory)
        store.rekey(memory, keys_of(known), keys_of(after))
        return after


def _checked(name: str, value: Any, allow: Sequence[str]) -> Any:
    if name in _CHECKED:
        return one_of(name, value, _CHECKED[name])
    if name == "kind":
        return kind_named(value)
    if name in ("importance", "confidence"):
        return unit(name, value, 0.5)
    if name in ("content", "title", "category", "scope", "project"):
        text, _ = redact(clean_text(value), allow)
        if name == "content" and not text.strip():
            raise BadInput("the content is empty", "recairn forget removes a memory")
        return text.strip()
    if name == "keywords":
        return tuple(redact(clean_text(word), allow)[0] for word in value)
    return value


def forget(store: Store, memory: int, *, now: int, reason: str = "") -> Memory:
    """Hides a memory; `restore` brings it back."""
    with store.transaction():
        known = known_memory(store, memory)
        if known.deleted_at is None:
            store.change(memory, {"deleted_at": now}, event_of("forgotten", memory, now, reason))
        return known_memory(store, memory)


def erase(store: Store, memory: int, *, now: int) -> Memory:
    """Destroys a memory for good; the history keeps that it existed, not what it said."""
    with store.transaction():
        known = known_memory(store, memory)
        store.erase(memory, keys_of(known), event_of("erased", memory, now))
    store.checkpoint()
    return known


def restore(store: Store, memory: int, *, now: int) -> Memory:
    """Brings a forgotten memory back."""
    with store.transaction():
        known = known_memory(store, memory)
        if known.deleted_at is None:
            raise Refused(f"#{memory} was not forgotten", f"recairn show {memory}")
        store.change(memory, {"deleted_at": None}, event_of("restored", memory, now))
        return known_memory(store, memory)


def supersede(store: Store, old: int, new: int, *, now: int) -> Memory:
    """Declares `new` the successor of `old`; chains are fine, circles are refused."""
    with store.transaction():
        known_memory(store, old)
        follower: int | None = new
        while follower is not None:
            if follower == old:
                raise Refused(f"#{new} is itself superseded by #{old}", "a memory cannot replace itself")
            follower = known_memory(store, follower).superseded_by
        replace_with(store, old, new, now)
        return known_memory(store, old)


def reinforce(store: Store, memory: int, *, now: int, amount: float = REINFORCE_BY) -> Memory:
    """Moves salience towards 1: s + a·(1 − s)."""
    with store.transaction():
        known = known_memory(store, memory)
        salience = known.salience + unit("amount", amount, amount) * (1.0 - known.salience)
        changes = {"salience": salience, "decayed_at": now}
        store.change(memory, changes, event_of("reinforced", memory, now))
        return known_memory(store, memory)


def deemphasize(store: Store, memory: int, *, now: int, amount: float = DEEMPHASIZE_BY) -> Memory:
    """Lowers salience by the amount, never to nothing."""
    with store.transaction():
        known = known_memory(store, memory)
        salience = max(LOWEST_SALIENCE, known.salience - unit("amount", amount, amount))
        changes = {"salience": salience, "decayed_at": now}
        store.change(memory, changes, event_of("deemphasized", memory, now))
        return known_memory(store, memory)


def feedback(store: Store, memory: int, score: float, *, now: int, source: str) -> Memory:
    """Records how much a memory helped (0..1): the counts the outcome signal is made of."""
    with store.transaction():
        known = known_memory(store, memory)
        score = unit("score", score, 1.0)
        changes: dict[str, Any] = {
            "helpful": known.helpful + score,
            "harmful": known.harmful + (1.0 - score),
            "outcome_score": score,
        }
        if score >= _HELPED and known.trust == "unverified":
            changes["trust"] = "verified"
        store.add_feedback(memory, score=score, at=now, source=source)
        store.change(memory, changes, event_of("rated", memory, now, f"{score:g} by {source}"))
        return known_memory(store, memory)
