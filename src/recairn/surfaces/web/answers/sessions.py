"""Sessions: what did the agent know, and when?"""

from __future__ import annotations

import json

from recairn.core.times import iso
from recairn.surfaces.render.sessions import session_json
from recairn.surfaces.web.answers.brief import brief_json, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_LISTED, _MOST_LISTED = 30, 60
# Turns of one answer, and bytes of them; the page asks for more with `from`.
_TURNS, _BYTES = 40, 36_000
_LEFT_OUT = 8
_LABEL = 140
# What is needed of a memory that was handed out.
_GIVEN = frozenset(("id", "kind", "title", "content"))
_NOTES = ("files", "tests")
_NOTED = 24


def listing(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The newest sessions."""
    sessions = memory.sessions(
        limit=parameters.number("limit", _LISTED, _MOST_LISTED), all_projects=memory.everywhere
    )
    return {"sessions": [_session(session) for session in sessions]}


def _session(session: Any) -> dict[str, Any]:
    document = session_json(session)
    document["summary"] = clipped(document["summary"], _LABEL)
    return document


def show(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Every turn of a session, silent ones with their reason, and what it kept."""
    from recairn.surfaces.render.turns import turn_json

    session = memory.session_info(parameters.path["id"])
    start = parameters.number("from", 1, 1_000_000) - 1
    turns = memory.turns(session.id, offset=start, limit=_TURNS + 1)
    shown = _that_fit([_turn(turn_json(turn, _GIVEN)) for turn in turns[:_TURNS]])
    kept = [
        {"at": iso(event.at), "event": event.event, "memory": _brief(memory, event.memory)}
        for event in memory.session_events(session.id)
        if event.event == "created"
    ]
    notes = memory.notes(session.id)
    return {
        "session": session_json(session),
        "turns": shown,
        "from": start + 1,
        "more": len(turns) > len(shown),
        "kept": [entry for entry in kept[-_NOTED:] if entry["memory"] is not None],
        "notes": {name: clipped_list(notes.get(name)) for name in _NOTES},
    }


def _that_fit(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first turns that one answer has room for; at least one."""
    size, count = 0, 0
    for turn in turns:
        size += len(json.dumps(turn))
        if count and size > _BYTES:
            break
        count += 1
    return turns[:count]


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    """A turn with its memories in short."""
    entries = []
    for entry in turn["handed_out"]:
        memory = entry["memory"]
        label = clipped(memory["title"] or memory["content"], _LABEL)
        entries.append(
            {**entry, "memory": {"id": memory["id"], "kind": memory["kind"], "label": label}}
        )
    return {**turn, "handed_out": entries, "left_out": turn["left_out"][:_LEFT_OUT]}


def _brief(memory: Recairn, number: int) -> dict[str, Any] | None:
    record = memory.get(number)
    return None if record is None else brief_json(record, _LABEL * 2)


def clipped_list(value: Any) -> list[Any]:
    """A list of the notes, each entry in short."""
    entries = list(value.items()) if isinstance(value, dict) else list(value or ())
    return [
        [clipped(part, _LABEL) for part in entry]
        if isinstance(entry, list | tuple)
        else clipped(entry, _LABEL)
        for entry in entries[-_NOTED:]
    ]


def take_back(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """Undoes what a session wrote; with `preview` only counts it."""
    session = memory.session_info(parameters.path["id"])
    preview = bool(parameters.value("preview", bool))
    with memory.journal() as journal:
        undone = memory.undo(session=session.id, dry_run=preview, all_projects=memory.everywhere)
    memories = {event.memory for event in undone if event.memory is not None}
    return {"count": len(undone), "memories": len(memories), "events": list(journal.events)}
