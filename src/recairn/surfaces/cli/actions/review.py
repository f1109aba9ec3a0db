"""Handlers of the commands that decide about candidates."""

from __future__ import annotations

import sys

from recairn.core.memory_text import kind_name
from recairn.core.times import now_ms
from recairn.core.words import counted
from recairn.surfaces.cli.actions import endings, erasure
from recairn.surfaces.cli.actions.branches import tell_waiting
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.review import candidate_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call

_FILTERS = ("kind", "source_type", "author")
_KEYS = "a accept, e edit, d drop, s skip, q quit"


def listing(call: Call) -> None:
    with call.open() as memory:
        candidates = memory.candidates(**call.chosen("all_projects", *_FILTERS, "limit"))
        project = memory.project
        requests, ended = erasure.requests_json(memory), endings.endings_json(memory)
        if not call.json:
            _show(call, candidates, project)
            erasure.tell_requests(call, memory)
            endings.tell(call, memory)
            tell_waiting(call, memory.branches())
    if call.json:
        listed = [memory_json(candidate) for candidate in candidates]
        meta = {"returned": len(candidates), "project": project or None}
        asked = {"erasure_requests": requests, "endings": ended}
        call.screen.document({"candidates": listed, "meta": meta, **asked})
    elif not (candidates or requests or ended):
        call.say("nothing to review")


def _show(call: Call, candidates: list[Memory], project: str) -> None:
    if not candidates:
        return
    call.say(f"{counted(len(candidates), 'candidate')}:")
    for candidate in candidates:
        call.screen.write("\n" + candidate_text(candidate, now=now_ms(), project=project or None))
    first = candidates[0].id
    call.screen.note(f"\n  recairn review accept {first}, review drop {first}, review edit {first}")


def walk(call: Call) -> None:
    """Asks about each candidate; every answer is done at once, so that quitting loses nothing."""
    ends = (sys.stdin, call.screen.out, call.screen.err)
    if call.json or not all(end is not None and end.isatty() for end in ends):
        listing(call)
        return
    with call.open() as memory:
        candidates = memory.candidates(**call.chosen("all_projects", *_FILTERS))
        if not (candidates or memory.erasure_requests() or memory.endings()):
            call.say("nothing to review")
        counts = {"accepted": 0, "dropped": 0}
        for number, candidate in enumerate(candidates, start=1):
            text = candidate_text(candidate, now=now_ms(), project=memory.project or None)
            call.screen.write(f"\n{number} of {len(candidates)}\n{text}")
            if not _decide(call, memory, candidate, counts):
                break
        erasure.tell_requests(call, memory)
        endings.tell(call, memory)
    if candidates:
        left = len(candidates) - sum(counts.values())
        call.say(f"{counts['accepted']} accepted, {counts['dropped']} dropped, {left} left")


def _decide(call: Call, memory: Recairn, candidate: Memory, counts: dict[str, int]) -> bool:
    """Does what the person answers; False when they want to stop."""
    while True:
        answer = _answer(call)
        if answer in ("", "q"):
            return False
        if answer == "s":
            return True
        if answer in ("a", "e"):
            if answer == "e":
                from recairn.surfaces.cli.call import edited_text

                memory.accept_edited(candidate.id, content=edited_text(candidate.content).strip())
            else:
                memory.accept(candidate.id)
            counts["accepted"] += 1
            return True
        if answer == "d":
            memory.drop(candidate.id)
            counts["dropped"] += 1
            return True


def _answer(call: Call) -> str:
    """The key a person typed; nothing when the input has ended."""
    call.screen.flush()
    call.screen.err.write(f"[{_KEYS}] ")
    call.screen.err.flush()
    line = sys.stdin.readline()
    return line.strip().lower()[:1] or ("" if not line else "?")


def accept(call: Call) -> None:
    picked = _picked(call)
    if picked is not None:
        _decide_all(call, picked, "verifies", "Accepted", lambda memory, ids: memory.accept(ids))
        return
    left = _candidates_among(call, accepted=True)
    if left:
        with call.open() as memory:
            accepted = memory.accept(left)
        _tell(call, accepted, "Accepted {name}")


def _candidates_among(call: Call, *, accepted: bool) -> list[str]:
    """The memories named that nobody asked to end or destroy; of the others that is decided."""
    left = endings.decide(call, call.arguments["id"], accepted=accepted)
    return erasure.decide(call, left, accepted=accepted) if left else left


def _picked(call: Call) -> dict[str, Any] | None:
    """The filters of --all; None where candidates are named by number."""
    arguments = call.arguments
    picked = call.chosen("all_projects", *_FILTERS)
    if ("all" in arguments) == bool(arguments["id"]) or (picked and "all" not in arguments):
        from recairn.surfaces.cli.parse import Usage

        raise Usage(
            f"{call.command.name} takes the numbers of candidates, or --all and filters",
            "recairn review lists them",
        )
    return picked if "all" in arguments else None


def _decide_all(
    call: Call,
    which: dict[str, Any],
    verb: str,
    participle: str,
    decide: Callable[[Recairn, list[int]], list[Memory]],
) -> None:
    """Decides about every candidate that the filters let through, as many as wait just now."""
    decided: list[Memory] = []
    with call.open() as memory:
        count = memory.count(**which, trust="unverified")
        if count and not call.confirm(f"this {verb} {counted(count, 'candidate')}"):
            return
        while len(decided) < count and (candidates := memory.candidates(**which)):
            ids = [candidate.id for candidate in candidates[: count - len(decided)]]
            decided += decide(memory, ids)
    if call.json:
        call.screen.document([memory_json(candidate) for candidate in decided])
    else:
        call.say(f"{participle} {counted(len(decided), 'candidate')}")


def drop(call: Call) -> None:
    picked, reason = _picked(call), call.chosen("reason")
    if picked is not None:
        _decide_all(
            call, picked, "drops", "Dropped", lambda memory, ids: memory.drop(ids, **reason)
        )
        return
    left = _candidates_among(call, accepted=False)
    if left:
        with call.open() as memory:
            dropped = memory.drop(left, **reason)
        _tell(call, dropped, "Dropped {name} (recairn restore {id} brings it back)")


def edit(call: Call) -> None:
    from recairn.surfaces.cli.call import edited_text, piped_text
    from recairn.surfaces.cli.parse import Usage

    arguments = call.arguments
    words = arguments["text"]
    with call.open() as memory:
        before = memory.get(memory.resolve(arguments["id"], change=True))
        assert before is not None
        changes = call.chosen("kind")
        if "editor" in arguments:
            changes["content"] = edited_text(before.content).strip()
        elif words:
            changes["content"] = piped_text() if words == ["-"] else " ".join(words)
        if not changes:
            raise Usage("review edit needs a text or a kind", f"{call.command.examples[0]}")
        accepted = memory.accept_edited(before.id, **changes)
    _tell(call, [accepted], "Accepted {name}, edited")


def _tell(call: Call, memories: list[Memory], template: str) -> None:
    if call.json:
        documents = [memory_json(memory) for memory in memories]
        call.screen.documents(documents)
        return
    for memory in memories:
        call.say(template.format(name=f"{kind_name(memory)} #{memory.id}", id=memory.id))
