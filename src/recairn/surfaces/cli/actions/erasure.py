"""Handlers of what destroys memories: a person's own wish, and the requests of agents."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.times import iso
from recairn.core.words import counted
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.engine import Recairn
    from recairn.memory.erasure import Erased
    from recairn.surfaces.cli.call import Call

# What the entries of a log are called: one of them, and several.
_LOGS = {
    "query_log": ("question", "questions"),
    "search_failures": ("miss", "misses"),
    "injections": ("prompt", "prompts"),
    "turns": ("turn of a session", "turns of sessions"),
    "feedback": ("note of a rating", "notes of ratings"),
    "compactions": ("summary", "summaries"),
    "sessions": ("session's notes", "sessions' notes"),
    "history": ("old text", "old texts"),
}


def destroy(call: Call) -> None:
    """`forget --hard`: says what went with each memory, and where it still is."""
    arguments = call.arguments
    ids = arguments["id"]
    whom = f"memory {ids[0]}" if len(ids) == 1 else counted(len(ids), "memory")
    if not call.confirm(f"this destroys {whom} for good"):
        return
    options = {**call.chosen("reason"), "force": "force" in arguments}
    with call.open() as memory:
        for reference in arguments["id"]:
            memory.resolve(reference, change=True)  # all of them exist, or none is destroyed
        if not memory.speaks_for_person:
            _ask_for(call, memory)
            return
        erased = [memory.destroy(reference, **options) for reference in arguments["id"]]
    tell(call, erased)


def _ask_for(call: Call, memory: Recairn) -> None:
    """In an agent's shell `--yes` is the agent's word: a person is asked instead."""
    reason = call.arguments.get("reason", "")
    asked = [memory.request_erasure(reference, reason=reason) for reference in call.arguments["id"]]
    numbers = " ".join(str(request.id) for request in asked)
    hint = f"only a person destroys it, in a terminal of their own: recairn review accept {numbers}"
    if call.json:
        documents = [{**memory_json(request), "requested": True, "hint": hint} for request in asked]
        call.screen.documents(documents)
        return
    for request in asked:
        state = "is hidden, and waits" if request.deleted_at is not None else "holds on, and waits"
        call.say(f"{kind_name(request)} #{request.id} {state} in review")
    call.screen.note(f"note: {hint}")


def tell(call: Call, erased: Sequence[Erased]) -> None:
    """What became of destroyed memories."""
    if call.json:
        documents = [
            {
                **memory_json(erasure.memory),
                "also": list(erasure.also),
                "cleared": dict(erasure.cleared),
                "left": list(erasure.left),
            }
            for erasure in erased
        ]
        call.screen.documents(documents)
        return
    for erasure in erased:
        parts = [f"#{other}, which was made by itself and said the same" for other in erasure.also]
        parts += [f"{count:,} {_LOGS[log][count > 1]}" for log, count in erasure.cleared.items()]
        beside = f", with {'; '.join(parts)}" if parts else ""
        call.say(f"Erased {kind_name(erasure.memory)} #{erasure.memory.id} for good{beside}")
    for line in dict.fromkeys(line for erasure in erased for line in erasure.left):
        call.screen.note(f"note: {line}")


def requests_json(memory: Recairn) -> list[dict[str, Any]]:
    """What agents ask a person to destroy."""
    return [
        {
            "id": record.id,
            "content": record.content,
            "asked_at": iso(event.at),
            "session": event.session_id,
            "reason": event.reason or None,
        }
        for record, event in memory.erasure_requests()
    ]


def tell_requests(call: Call, memory: Recairn) -> None:
    """Lists what agents ask a person to destroy."""
    waiting = memory.erasure_requests()
    for record, event in waiting:
        why = f": {event.reason}" if event.reason else ""
        call.say(
            f"\nto destroy for good, as an agent asked{why}\n  #{record.id} {headline(record)}"
        )
    if waiting:
        first = waiting[0][0].id
        call.screen.note(
            f"\n  recairn review accept {first} destroys it, review drop {first} brings it back"
        )


def decide(call: Call, references: list[str], *, accepted: bool) -> list[str]:
    """Does what a person says to requests among the references; those that are none are left."""
    with call.open() as memory:
        asked = {record.id for record, _ in memory.erasure_requests()}
        if not asked:
            return references
        chosen = {
            reference: memory.resolve(reference, change=True)
            for reference in references
            if memory.get(reference) is not None
        }
        wanted = [reference for reference, number in chosen.items() if number in asked]
        if not wanted:
            return references
        if not accepted:
            back = [memory.decline_erasure(reference) for reference in wanted]
            for record in back:
                call.screen.note(f"{kind_name(record)} #{record.id} is back")
        elif call.confirm(
            f"this destroys {', '.join(f'#{chosen[reference]}' for reference in wanted)}"
        ):
            erased = [memory.destroy(reference, force=True) for reference in wanted]
            tell(call, erased)
    return [reference for reference in references if reference not in wanted]
