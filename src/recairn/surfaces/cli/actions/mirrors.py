"""Handlers of the commands about mirrors."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.engine.exchange import MirrorDone
    from recairn.surfaces.cli.call import Call


def on(call: Call) -> int:
    with call.open() as memory:
        done = memory.start_mirror(call.given["folder"])
    return _say(call, done, f"{done.path} is kept in step with {done.project} from now on")


def off(call: Call) -> None:
    with call.open() as memory:
        memory.stop_mirror(call.given["folder"])
    call.say("It stays as it is now")


def pull(call: Call) -> int:
    with call.open() as memory:
        done = memory.pull_mirror(call.given.get("folder"))
    return _say(call, done, f"Pulled {done.path}")


def rebuild(call: Call) -> int:
    if not call.confirm("what the files do not hold will be forgotten or unlinked"):
        return 0
    with call.open() as memory:
        done = memory.rebuild_from_mirror(call.given.get("folder"))
    return _say(call, done, f"Made anew from {done.path}")


def status(call: Call) -> None:
    with call.open() as memory:
        states = memory.mirrors()
    if call.json:
        listed = [
            {
                "path": each.path,
                "project": each.project,
                "there": each.there,
                "behind": each.behind,
                "clashes": [list(pair) for pair in each.clashes],
            }
            for each in states
        ]
        call.screen.document({"mirrors": listed})
        return
    for each in states:
        step = f"{each.behind} memories behind" if each.behind else "in step"
        call.say(f"{each.path}  {each.project}  {step if each.there else 'not there'}")
        for kept, other in each.clashes:
            call.say(f"  #{kept} is another version of #{other}; supersede or forget one of them")
    if not states:
        call.say("no mirrors\n  recairn mirror on FOLDER starts one")


def _say(call: Call, done: MirrorDone, headline: str) -> int:
    """Tells what came in; exit status 1 when something could not be read."""
    taken = done.taken
    counts = {
        "added": len(taken.added),
        "updated": len(taken.updated),
        "joined": len(taken.joined),
        "clashes": len(taken.clashes),
        "unchanged": taken.unchanged,
        "forgotten": len(done.forgotten),
        "unlinked": done.unlinked,
    }
    if call.json:
        problems = list(done.problems)
        call.screen.document({"path": done.path, **counts, "problems": problems})
        return 1 if problems else 0
    call.say(headline)
    told = {"clash" if name == "clashes" and n == 1 else name: n for name, n in counts.items() if n}
    said = ", ".join(f"{count} {name}" for name, count in told.items())
    call.say(f"  {said or 'nothing new'}")
    for number in taken.clashes:
        call.say(f"  #{number} is an older text of a memory that both sides rewrote")
    for problem in done.problems:
        call.screen.note(f"recairn: {problem}")
    return 1 if done.problems else 0
