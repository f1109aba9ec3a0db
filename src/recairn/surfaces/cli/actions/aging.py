"""Handlers of the commands that let memory age well."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.times import age, now_ms
from recairn.surfaces.render.json_objects import memory_json, remembered_json
from recairn.surfaces.render.text import headline, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.recall.pinned_files import Pinned
    from recairn.surfaces.cli.call import Call


def correct(call: Call) -> None:
    from recairn.surfaces.cli.call import piped_text

    arguments = call.arguments
    text = piped_text() if arguments["text"] == ["-"] else " ".join(arguments["text"])
    with call.open() as memory:
        old = memory.resolve(arguments["id"], change=True)
        outcome = memory.correct(old, text, force="force" in arguments)
        corrected = memory.get(old)
        if corrected is not None:
            call.follow_pins(memory, corrected)
    call.screen.warn(outcome.warnings)
    if call.json:
        call.screen.document(remembered_json(outcome))
    else:
        call.say(f"#{old} is corrected by #{outcome.id}")


def pin(call: Call) -> None:
    arguments = call.arguments
    if not (arguments["id"] or "into" in arguments or "refresh" in arguments):
        from recairn.surfaces.cli.parse import Usage

        raise Usage("pin needs memories, --into or --refresh", "for example: recairn pin 42")
    with call.open() as memory:
        changed = _pin_each(memory, arguments["id"], pinned=True)
        blocks = (
            [memory.pin_into(arguments["into"])] if "into" in arguments else memory.refresh_pins()
        )
    _tell_pins(call, changed, blocks, "Pinned")


def unpin(call: Call) -> None:
    arguments = call.arguments
    if not (arguments["id"] or "from" in arguments):
        from recairn.surfaces.cli.parse import Usage

        raise Usage("unpin needs memories or --from", "for example: recairn unpin 42")
    with call.open() as memory:
        changed = _pin_each(memory, arguments["id"], pinned=False)
        blocks = [memory.unpin_from(arguments["from"])] if "from" in arguments else []
        blocks += memory.refresh_pins()
    _tell_pins(call, changed, blocks, "Unpinned")


def _pin_each(memory: Recairn, references: list[str], *, pinned: bool) -> list[Memory]:
    for reference in references:
        memory.resolve(reference, change=True)  # all of them exist, or none is changed
    return [memory.pin(reference, pinned=pinned) for reference in references]


def _tell_pins(call: Call, changed: list[Memory], blocks: list[Pinned], verb: str) -> None:
    if call.json:
        files = [
            {
                "path": block.path,
                "state": block.state,
                "memories": list(block.memories),
                "left_out": block.left_out,
            }
            for block in blocks
        ]
        call.screen.document(
            {"memories": [memory_json(memory) for memory in changed], "files": files}
        )
        return
    for memory in changed:
        call.say(f"{verb} {kind_name(memory)} #{memory.id}")
    if not (changed or blocks):
        call.say("no file of this project has a block\n  recairn pin --into CLAUDE.md makes one")
    for block in blocks:
        call.say(
            _PIN_WORDS[block.state].format(path=block.path, count=memories(len(block.memories)))
        )
        if block.left_out:
            call.screen.note(f"note: {block.path} has no room for {memories(block.left_out)} more")


_PIN_WORDS = {
    "written": "{path}: {count} written",
    "unchanged": "{path}: {count}, nothing new",
    "removed": "{path}: block taken out",
    "missing": "{path}: no block in it",
}


def promote(call: Call) -> None:
    from recairn.surfaces.cli.actions.remember import change_memories

    force = "force" in call.arguments
    template = "Promoted {name}: visible in the tier {memory.tier}"
    change_memories(
        call, lambda memory, reference: memory.promote(reference, force=force), template
    )


def expire(call: Call) -> None:
    from recairn.surfaces.cli.actions.remember import change_memories
    from recairn.surfaces.cli.fields import later
    from recairn.surfaces.cli.parse import Usage

    arguments = call.arguments
    force = "force" in arguments
    now = now_ms()
    at = later(arguments["at"], now) if "at" in arguments else now
    if at is None:
        raise Usage("expire takes a time", "recairn edit ID --expires never lifts an expiry")
    template = "Expired {name} (recairn restore {memory.id} brings it back)"
    if at > now:
        template = f"{{name}} expires {age(at, now)}"
    change_memories(
        call, lambda memory, reference: memory.expire(reference, at, force=force), template
    )


def archive(call: Call) -> None:
    arguments = call.arguments
    dry_run = "yes" not in arguments or "dry_run" in arguments
    options = call.chosen("before", "below", "all_projects")
    with call.open() as memory:
        faded = memory.archive(**options, dry_run=dry_run)
    if call.json:
        call.screen.document(
            {"dry_run": dry_run, "memories": [memory_json(record) for record in faded]}
        )
        return
    for record in faded:
        call.say(f"#{record.id} {kind_name(record)}: {headline(record, 100)}")
    count = memories(len(faded))
    if not faded:
        call.say("nothing has faded so far")
    elif dry_run:
        call.screen.note(f"{count} would be put away; --yes does it")
    else:
        call.screen.note(f"{count} put away; recairn restore, or undo --since 1h, brings back")


def stale(call: Call) -> None:
    from recairn.surfaces.cli.actions.branches import branches_json, tell_waiting
    from recairn.surfaces.render.sessions import stale_json, stale_text

    with call.open() as memory:
        verdicts = memory.check_stale() if "check" in call.arguments else memory.stale()
        checked = memory.checked_memories()
        branches = memory.branches() if "check" in call.arguments else []
    if call.json:
        listed = [stale_json(verdict) for verdict in verdicts]
        document: dict[str, Any] = {"checked": len(checked), "memories": listed}
        if "check" in call.arguments:
            document["branches"] = branches_json([branch for branch in branches if branch.waits])
        call.screen.document(document)
        return
    tell_waiting(call, branches)
    call.screen.write("".join(stale_text(verdict) for verdict in verdicts))
    if not checked and "check" not in call.arguments:
        call.say("nothing was checked yet\n  recairn stale --check compares with the checkout")
    elif not verdicts:
        call.say(f"none of {memories(len(checked))} that name files or symbols is stale")
