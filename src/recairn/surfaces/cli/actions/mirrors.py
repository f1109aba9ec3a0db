"""Handlers of the commands about mirrors."""

from __future__ import annotations

from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.engine.exchange import MirrorPull, MirrorState
    from recairn.surfaces.cli.call import Call


def on(call: Call) -> int:
    with call.open() as memory:
        outcome = memory.start_mirror(call.arguments["folder"], as_mine="as_mine" in call.arguments)
    return _say(call, outcome, f"{outcome.path} is kept in step with {outcome.project} from now on")


def off(call: Call) -> None:
    with call.open() as memory:
        memory.stop_mirror(call.arguments["folder"])
    call.say("It stays as it is now")


def pull(call: Call) -> int:
    with call.open() as memory:
        outcome = memory.pull_mirror(
            call.arguments.get("folder"), as_mine="as_mine" in call.arguments
        )
    return _say(call, outcome, f"Pulled {outcome.path}")


def rebuild(call: Call) -> int:
    if not call.confirm("what the files do not hold will be forgotten or unlinked"):
        return 0
    with call.open() as memory:
        outcome = memory.rebuild_from_mirror(
            call.arguments.get("folder"), as_mine="as_mine" in call.arguments
        )
    return _say(call, outcome, f"Made anew from {outcome.path}")


def status(call: Call) -> None:
    with call.open() as memory:
        states = memory.mirrors()
    if call.json:
        listed = [
            {
                "path": state.path,
                "project": state.project,
                "there": state.there,
                "behind": state.behind,
                "incoming": dict(state.incoming),
                "problems": list(state.problems),
                "clashes": [list(pair) for pair in state.clashes],
            }
            for state in states
        ]
        call.screen.document({"mirrors": listed})
        return
    for state in states:
        call.say(f"{state.path}  {state.project}  {_step(state)}")
        if any(state.incoming.values()):
            call.say(f"  recairn mirror pull {state.path} takes that in")
        elif not state.there:
            again = f"recairn mirror on {state.path} makes it again"
            call.say(f"  {again}, recairn mirror off {state.path} ends it")
        for own, other in state.clashes:
            call.say(
                f"  #{own} is another version of #{other}; recairn supersede {own} {other}, or"
                f" recairn forget {own}"
            )
        for problem in state.problems:
            call.screen.note(f"recairn: {state.path}/{problem}")
    if not states:
        call.say("no mirrors\n  recairn mirror on FOLDER starts one")


def _step(state: MirrorState) -> str:
    """`in step`, or what is not written yet and what a pull would bring."""
    if not state.there:
        return "not there"
    parts = [f"{memories(state.behind)} behind"] if state.behind else []
    incoming = [f"{count} {_WORDS[name]}" for name, count in state.incoming.items() if count]
    parts += [f"a pull would bring {', '.join(incoming)}"] if incoming else []
    return "; ".join(parts) or "in step"


_WORDS = {
    "added": "new",
    "updated": "changed",
    "joined": "changed on both sides",
    "clashes": "rewritten on both sides",
    "links": "linked",
}


def _say(call: Call, outcome: MirrorPull, headline: str) -> int:
    """Tells what came in; exit status 1 when something could not be read."""
    records = outcome.taken
    counts = {
        "added": len(records.added),
        "updated": len(records.updated),
        "joined": len(records.joined),
        "clashes": len(records.clashes),
        "unchanged": records.unchanged,
        "waiting": records.waiting,
        "forgotten": len(outcome.forgotten),
        "unlinked": outcome.unlinked,
    }
    if call.json:
        problems = list(outcome.problems)
        call.screen.document({"path": outcome.path, **counts, "problems": problems})
        return 1 if problems else 0
    call.say(headline)
    shares = {
        "clash" if name == "clashes" and n == 1 else name: n for name, n in counts.items() if n
    }
    text = ", ".join(f"{count} {name}" for name, count in shares.items())
    call.say(f"  {text or 'nothing new'}")
    for number in records.clashes:
        call.say(f"  #{number} is an older text of a memory that both sides rewrote")
    if records.waiting:
        call.screen.note(f"note: {records.waiting} wait for your word: recairn review")
    for problem in outcome.problems:
        call.screen.note(f"recairn: {problem}")
    return 1 if outcome.problems else 0
