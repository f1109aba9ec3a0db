"""Handler of `last`: what an agent was handed at the last prompt, why, and whether it helped."""

from __future__ import annotations

import sys

from recairn.surfaces.cli.parse import Usage
from recairn.surfaces.render.turns import last_text, turn_json

# Numbers that one key can say.
_ONE_KEY = 9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call
    from recairn.work.turns import HandedOut, Turn


def last(call: Call) -> None:
    with call.open() as memory:
        turns = memory.last_turns()
        entries = [(turn, entry) for turn in turns for entry in turn.handed_out]
        wanted = call.arguments.get("unhelpful")
        if wanted is not None:
            turn, entry = _chosen(entries, wanted)
            _unhelpful(call, memory, turn, entry)
        elif call.json:
            call.screen.document({"turns": [turn_json(turn) for turn in turns]})
        elif not turns:
            call.say("no agent was at work here yet\n  recairn install registers one")
        else:
            call.screen.write(last_text(turns))
            if entries and _is_watched(call):
                _ask(call, memory, entries)
            elif entries:
                call.screen.note("  not helpful? recairn last --unhelpful N")


def _chosen(entries: Sequence[tuple[Turn, HandedOut]], number: int) -> tuple[Turn, HandedOut]:
    if not 1 <= number <= len(entries):
        range_of = f"1 to {len(entries)}" if entries else "none"
        raise Usage(
            f"--unhelpful takes a number that recairn last shows ({range_of})", "recairn last"
        )
    return entries[number - 1]


def _unhelpful(call: Call, memory: Recairn, turn: Turn, entry: HandedOut) -> None:
    memory.feedback(entry.memory.id, 0.0, query=turn.prompt, note="recairn last")
    if call.json:
        call.screen.document({"id": entry.memory.id, "score": 0.0, "query": turn.prompt})
    else:
        call.say(f"noted that #{entry.memory.id} did not help (recairn undo {entry.memory.id})")


def _is_watched(call: Call) -> bool:
    ends = (sys.stdin, call.screen.out, call.screen.err)
    return all(end is not None and end.isatty() for end in ends)


def _ask(call: Call, memory: Recairn, entries: Sequence[tuple[Turn, HandedOut]]) -> None:
    """The number of what did not help, one key where there are few; anything else is no."""
    import termios
    import tty

    call.screen.flush()
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        # Before the question: no key that answers it is lost, and none needs a Return.
        tty.setcbreak(number, termios.TCSADRAIN)
        number_of = "its number" if len(entries) <= _ONE_KEY else "its number and Return"
        call.screen.err.write(f"not helpful? {number_of}, or any other key: ")
        call.screen.err.flush()
        chosen = _number_typed(len(entries))
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
    call.screen.err.write("\n")
    if 1 <= chosen <= len(entries):
        _unhelpful(call, memory, *entries[chosen - 1])


def _number_typed(most: int) -> int:
    """A number as soon as no further key could belong to it; 0 for anything else."""
    digits = ""
    while not digits or 10 * int(digits) <= most:
        key = sys.stdin.read(1)
        if not ("1" <= key <= "9" or (key == "0" and digits)):
            return int(digits or 0) if key in "\r\n" else 0
        digits += key
    return int(digits)
