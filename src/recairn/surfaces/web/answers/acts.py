"""What a person does to memories: one by one, in bulk, and taking it back."""

from __future__ import annotations

from recairn.core.errors import BadOption, Refused
from recairn.surfaces.render.json_objects import memory_json, remembered_json
from recairn.surfaces.web.answers import tasks
from recairn.surfaces.web.answers.brief import brief_json, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from recairn.core.errors import RecairnError
    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

# What the page may change of a memory; settings and what protects a memory are no part of it.
_EDITABLE = (
    *("title", "content", "fields", "kind", "category", "keywords", "scope", "sector"),
    *("importance", "confidence", "tier", "project", "expires_at"),
)
# Memories that one act in bulk may change.
MOST_AT_ONCE = 2_000
_PREVIEWED = 5
_UNDONE = 5_000


def act(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Does one thing to one memory; `events` is what an undo takes back."""
    name, reference = parameters.path["act"], parameters.path["id"]
    if name not in _ACTS:
        raise BadOption(f"there is no act {name!r}", f"known: {', '.join(_ACTS)}")
    with memory.journal() as journal:
        answer = _ACTS[name](memory, reference, parameters)
    return {**answer, "events": list(journal.events)}


def _edit(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    changes = _changes(parameters)
    if parameters.value("accept", bool):
        return _versioned(memory, memory.accept_edited(reference, **changes))
    return _versioned(memory, memory.edit(reference, **_expected(parameters), **changes))


def _changes(parameters: Parameters) -> dict[str, Any]:
    changes: dict[str, Any] = parameters.value("changes", dict, needed=True)
    for name in changes:
        if name not in _EDITABLE:
            raise BadOption(f"{name!r} is not changed here", f"known: {', '.join(_EDITABLE)}")
    return changes


def _expected(parameters: Parameters) -> dict[str, Any]:
    expect = parameters.value("expect", str)
    return {} if expect is None else {"expect": expect}


def _replace(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    text: str = parameters.value("content", str, needed=True)
    if not text.strip() or text.strip().lstrip("#").isdigit():
        # The engine takes a bare number for the memory that comes instead.
        raise BadOption("the new text is empty, or only a number")
    old = memory.supersede(reference, text, **_expected(parameters))
    return {**_versioned(memory, old), "successor": old.superseded_by}


def _correct(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    made = memory.correct(reference, parameters.value("content", str, needed=True))
    return {"remembered": remembered_json(made), "successor": made.id}


def _rate(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    score = parameters.value("score", (int, float), needed=True)
    query = clipped(parameters.value("query", str) or "")
    return _versioned(memory, memory.feedback(reference, score, query=query))


def _pin(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(
        memory, memory.pin(reference, pinned=parameters.value("pinned", bool, needed=True))
    )


def _move(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    project = parameters.value("project", str, needed=True)
    return _versioned(memory, memory.edit(reference, project=project))


def _expire(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(memory, memory.expire(reference, parameters.value("at", str)))


def _forget(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    reason = parameters.value("reason", str) or ""
    return _versioned(memory, memory.forget(reference, reason=reason, **_expected(parameters)))


def _restore(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(memory, memory.restore(reference))


def _accept(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(memory, memory.accept(reference)[0])


def _drop(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(memory, memory.drop(reference)[0])


def _promote(memory: Recairn, reference: str, parameters: Parameters) -> dict[str, Any]:
    return _versioned(memory, memory.promote(reference))


def _versioned(memory: Recairn, after: Memory) -> dict[str, Any]:
    return {"memory": memory_json(after), "version": memory.version(after.id)}


_ACTS: dict[str, Callable[[Recairn, str, Parameters], dict[str, Any]]] = {
    "edit": _edit,
    "replace": _replace,
    "correct": _correct,
    "rate": _rate,
    "pin": _pin,
    "move": _move,
    "expire": _expire,
    "forget": _forget,
    "restore": _restore,
    "accept": _accept,
    "drop": _drop,
    "promote": _promote,
}
# What may be done to many at once.
_IN_BULK = ("forget", "restore", "accept", "drop", "pin", "move", "expire")


def bulk(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """One act on the memories ticked, or on all that a filter lets through.

    With `preview` only says how many, and shows the first. All or none.
    """
    name = parameters.value("act", str, needed=True)
    if name not in _IN_BULK:
        raise BadOption(f"{name!r} is not done in bulk", f"known: {', '.join(_IN_BULK)}")
    ids, total = _meant(memory, parameters)
    if parameters.value("preview", bool):
        shown = [memory.get(number) for number in ids[:_PREVIEWED]]
        first = [brief_json(one, 120) for one in shown if one is not None]
        return {"count": total, "first": first, "events": []}
    expected = parameters.value("count", int)
    if expected is not None and expected != len(ids):
        raise Refused(
            f"{len(ids):,} memories fit by now, not {expected:,}", "look at the preview again"
        )
    with memory.journal() as journal:
        for number in ids:
            _ACTS[name](memory, str(number), parameters)
    return {"count": len(ids), "first": [], "events": list(journal.events)}


def _meant(memory: Recairn, parameters: Parameters) -> tuple[list[int], int]:
    """The memories ticked, or those of the filter in the address."""
    ids = parameters.numbers("ids", MOST_AT_ONCE)
    if ids:
        return ids, len(ids)
    from recairn.surfaces.web.answers.recall import filters

    chosen, hidden = filters(memory, parameters), parameters.text("hidden") or ""
    numbers: list[int] = []
    cursor = None
    while True:
        page = memory.page(after=cursor, limit=500, hidden=hidden, **chosen)
        numbers += [memory.id for memory in page.memories]
        cursor = page.next
        if len(numbers) > MOST_AT_ONCE:
            raise Refused(
                f"more than {MOST_AT_ONCE:,} memories fit", "narrow the filter, or go in steps"
            )
        if cursor is None:
            return numbers, len(numbers)


def undo(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Takes back events, a change of projects, the last step of a task, or a miss."""
    miss = parameters.value("miss", int)
    if miss is not None:
        memory.drop_miss(miss)
        return {"undone": [], "events": []}
    if parameters.value("task", str) is not None:
        tasks.take_back(memory, parameters)
        return {"undone": [], "events": []}
    preview = bool(parameters.value("preview", bool))
    change = parameters.value("change", int)
    if change is not None:
        undone = memory.undo(change=change, dry_run=preview)
        return {"undone": _undone(undone), "events": []}
    events: Sequence[int] = parameters.numbers("events", _UNDONE)
    if not events:
        raise BadOption("events in the body must be the numbers of events")
    with memory.journal() as journal:
        undone = memory.undo(event=events, dry_run=preview, all_projects=memory.everywhere)
    return {"undone": _undone(undone), "events": list(journal.events)}


def _undone(undone: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"event": event.event, "memory": event.memory, "what": event.what} for event in undone]


def conflict_json(error: RecairnError) -> dict[str, Any] | None:
    """What stands against an edit that somebody else was faster with; None for other errors."""
    theirs = getattr(error, "theirs", None)
    if theirs is None:
        return None
    base = getattr(error, "base", None)
    return {
        "theirs": memory_json(theirs),
        "yours": dict(getattr(error, "yours", {})),
        "base": None if base is None else memory_json(base),
        "version": getattr(error, "version", ""),
    }
