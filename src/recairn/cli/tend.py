"""Handlers of the commands that let memory age well."""

from __future__ import annotations

from recairn.render.documents import memory_json, remembered_json
from recairn.render.text import headline, kind_name, memories
from recairn.times import age, now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.cli.call import Call


def correct(call: Call) -> None:
    from recairn.cli.words import piped_text

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
    from recairn.cli.write import each_memory

    each_memory(call, lambda memory, each: memory.pin(each), "Pinned {name}")


def unpin(call: Call) -> None:
    from recairn.cli.write import each_memory

    each_memory(call, lambda memory, each: memory.pin(each, pinned=False), "Unpinned {name}")


def promote(call: Call) -> None:
    from recairn.cli.write import each_memory

    force = "force" in call.given
    said = "Promoted {name}: visible in the tier {memory.tier}"
    each_memory(call, lambda memory, each: memory.promote(each, force=force), said)


def expire(call: Call) -> None:
    from recairn.cli.fields import later
    from recairn.cli.types import Usage
    from recairn.cli.write import each_memory

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
    from recairn.render.sessions import stale_json, stale_text

    with call.open() as memory:
        found = memory.check_stale() if "check" in call.given else memory.stale()
        checked = memory.store.staleness()
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
