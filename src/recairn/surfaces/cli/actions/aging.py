"""Handlers of the commands that let memory age well."""

from __future__ import annotations

from recairn.core.times import age, now_ms
from recairn.surfaces.render.json_objects import memory_json, remembered_json
from recairn.surfaces.render.text import headline, kind_name, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.recall.pinned_files import Pinned
    from recairn.surfaces.cli.call import Call


def correct(call: Call) -> None:
    from recairn.surfaces.cli.text_input import piped_text

    given = call.given
    text = piped_text() if given["text"] == ["-"] else " ".join(given["text"])
    with call.open() as memory:
        old = memory.resolve(given["id"])
        outcome = memory.correct(old, text, force="force" in given)
    for warning in outcome.warnings:
        call.screen.note(f"warning: {warning}")
    if call.json:
        call.screen.document(remembered_json(outcome))
    else:
        call.say(f"#{old} is corrected by #{outcome.id}")


def pin(call: Call) -> None:
    given = call.given
    if not (given["id"] or "into" in given or "refresh" in given):
        from recairn.surfaces.cli.types import Usage

        raise Usage("pin needs memories, --into or --refresh", "for example: recairn pin 42")
    with call.open() as memory:
        changed = _pin_each(memory, given["id"], pinned=True)
        blocks = [memory.pin_into(given["into"])] if "into" in given else memory.refresh_pins()
    _tell_pins(call, changed, blocks, "Pinned")


def unpin(call: Call) -> None:
    given = call.given
    if not (given["id"] or "from" in given):
        from recairn.surfaces.cli.types import Usage

        raise Usage("unpin needs memories or --from", "for example: recairn unpin 42")
    with call.open() as memory:
        changed = _pin_each(memory, given["id"], pinned=False)
        blocks = [memory.unpin_from(given["from"])] if "from" in given else []
        blocks += memory.refresh_pins()
    _tell_pins(call, changed, blocks, "Unpinned")


def _pin_each(memory: Recairn, references: list[str], *, pinned: bool) -> list[Memory]:
    for reference in references:
        memory.resolve(reference)  # all of them exist, or none is changed
    return [memory.pin(reference, pinned=pinned) for reference in references]


def _tell_pins(call: Call, changed: list[Memory], blocks: list[Pinned], verb: str) -> None:
    if call.json:
        files = [
            {
                "path": each.path,
                "state": each.state,
                "memories": list(each.memories),
                "left_out": each.left_out,
            }
            for each in blocks
        ]
        call.screen.document({"memories": [memory_json(each) for each in changed], "files": files})
        return
    for each in changed:
        call.say(f"{verb} {kind_name(each)} #{each.id}")
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
    from recairn.surfaces.cli.actions.remember import each_memory

    force = "force" in call.given
    said = "Promoted {name}: visible in the tier {memory.tier}"
    each_memory(call, lambda memory, each: memory.promote(each, force=force), said)


def expire(call: Call) -> None:
    from recairn.surfaces.cli.actions.remember import each_memory
    from recairn.surfaces.cli.fields import later
    from recairn.surfaces.cli.types import Usage

    given = call.given
    force = "force" in given
    now = now_ms()
    at = later(given["at"], now) if "at" in given else now
    if at is None:
        raise Usage("expire takes a time", "recairn edit ID --expires never lifts an expiry")
    said = "Expired {name} (recairn restore {memory.id} brings it back)"
    if at > now:
        said = f"{{name}} expires {age(at, now)}"
    each_memory(call, lambda memory, each: memory.expire(each, at, force=force), said)


def archive(call: Call) -> None:
    given = call.given
    dry_run = "yes" not in given or "dry_run" in given
    options = call.chosen("before", "below", "all_projects")
    with call.open() as memory:
        faded = memory.archive(**options, dry_run=dry_run)
    if call.json:
        call.screen.document(
            {"dry_run": dry_run, "memories": [memory_json(each) for each in faded]}
        )
        return
    for each in faded:
        call.say(f"#{each.id} {kind_name(each)}: {headline(each, 100)}")
    count = memories(len(faded))
    if not faded:
        call.say("nothing has faded so far")
    elif dry_run:
        call.screen.note(f"{count} would be put away; --yes does it")
    else:
        call.screen.note(f"{count} put away; recairn restore, or undo --since 1h, brings back")


def stale(call: Call) -> None:
    from recairn.surfaces.render.sessions import stale_json, stale_text

    with call.open() as memory:
        found = memory.check_stale() if "check" in call.given else memory.stale()
        checked = memory.checked_memories()
    if call.json:
        call.screen.document(
            {"checked": len(checked), "memories": [stale_json(each) for each in found]}
        )
        return
    call.screen.write("".join(stale_text(each) for each in found))
    if not checked and "check" not in call.given:
        call.say("nothing was checked yet\n  recairn stale --check compares with the checkout")
    elif not found:
        call.say(f"none of {memories(len(checked))} that name files or symbols is stale")
