"""Entries of a memory's history, as text and as JSON."""

from __future__ import annotations

from recairn.core.times import iso
from recairn.core.words import one_line
from recairn.surfaces.render.json_objects import TIMES
from recairn.surfaces.render.text import styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Event

# Characters of a value that a change shows.
_CHANGE_PREVIEW = 100
# Columns that follow from others: a change of them is not a change anyone made.
_DERIVED = (
    *("details", "concepts", "idents", "dates", "words", "reach", "content_hash"),
    *("updated_at", "decayed_at"),
)
# What databases tell one another along with a change.
_AMONG_DATABASES = ("past", "changed_at", "successor", "destroyed")


def event_json(event: Event) -> dict[str, Any]:
    """A change: what it was, and each field it moved, before and after."""
    return {
        "id": event.id,
        "at": iso(event.at),
        "event": event.event,
        "reason": event.reason,
        "changes": {
            name: {"before": before, "after": after} for name, before, after in changes(event)
        },
        "session": event.session_id,
        "author": event.author,
        **({"member": event.member} if event.member else {}),
        "undo_of": event.undo_of,
    }


def event_text(event: Event) -> str:
    """One change: when, what, by whom if not the person, why, and each field before and after."""
    why = f" ({event.reason})" if event.reason else ""
    others = event.author not in ("", "person")
    by = [event.author] * others + [event.member] * bool(event.member)
    who = f" by {without_marks(' of '.join(by))}" if by else ""
    lines = [f"{iso(event.at)}  {styled(event.event, 'bold')}{who}{why}"]
    for name, before, after in changes(event):
        lines.append(f"    {name}: {_short(before)} -> {_short(after)}")
    return "\n".join(lines) + "\n"


def changes(event: Event) -> list[tuple[str, Any, Any]]:
    """(field, before, after) of what an event changed of what somebody said."""
    names = [
        name
        for name in {**event.before, **event.after}
        if name not in _DERIVED and name not in _AMONG_DATABASES
    ]
    return [
        (name, _stored(name, event.before.get(name)), _stored(name, event.after.get(name)))
        for name in names
    ]


def _stored(name: str, value: Any) -> Any:
    """A value made readable."""
    if name in TIMES:
        return iso(value)
    return bool(value) if name in ("pinned", "immutable") else value


def _short(value: Any) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        value = ", ".join(f"{name}={item}" for name, item in value.items())
    if isinstance(value, list | tuple):
        value = ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(without_marks(str(value)), _CHANGE_PREVIEW)
