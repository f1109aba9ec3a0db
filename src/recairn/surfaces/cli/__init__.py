"""The command line. `main` finds the row of the command typed, and nothing else is loaded."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.errors import RecairnError
    from recairn.surfaces.cli.call import Screen
    from recairn.surfaces.cli.command import Command

# Objects made before unused ones are first looked for; a command that ends at once makes fewer.
_BEFORE_COLLECTING = 100_000

OK, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

# Programs inside the program, which read their own input and must start at once: name → handler
# that takes the remaining words, global options last, and returns the exit status.
EARLY: dict[str, str] = {
    "hook": "recairn.surfaces.hooks:hook",
    "statusline": "recairn.surfaces.hooks:status_line",
    "mcp": "recairn.surfaces.mcp.stdio:main",
}

# Options with a value that may stand before the name of such a program.
_BEFORE_A_PROGRAM = {"--db": "FILE", "--project": "NAME"}


def main(argv: list[str] | None = None) -> int:
    """Runs one command line and returns its exit status; without `argv` it ends the process."""
    words = sys.argv[1:] if argv is None else argv
    if sys.platform == "win32":
        return _refuse(words)
    if argv is None:
        from recairn.core.lazy import find_own_modules

        find_own_modules()
    at = _early(words)
    if at is not None:
        from recairn.core.lazy import load

        status = int(load(EARLY[words[at]])([*words[at + 1 :], *words[:at]]))
        if argv is None:
            _leave(status)
        return status
    if argv is None:
        _collect_late()
    try:
        status = _answer(words)
    except BrokenPipeError:
        _forget_the_pipe()
        status = OK
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        status = INTERRUPTED
    if argv is None:
        _leave(status)
    return status


def _refuse(words: list[str]) -> int:
    """Says why there is nothing for this system; a hook stays silent, in nobody's way."""
    from recairn.core.windows import HINT, REASON

    if "hook" in words:
        return OK
    sys.stderr.write(f"recairn: {REASON}\n  hint: {HINT}\n")
    return FAILED


def _early(words: list[str]) -> int | None:
    """Where the name of a program inside the program stands; None without one, or with --help.

    A hook is one after any options too: for it, a usage error would block the agent that calls.
    """
    rest = list(words)
    while rest and rest[0].startswith("-"):
        from recairn.core.argv import take

        take(rest, _BEFORE_A_PROGRAM)
    at = len(words) - len(rest)
    if not rest or rest[0] not in EARLY or {"-h", "--help"}.intersection(words):
        return None
    return at if at == 0 or words[at] == "hook" else None


def _collect_late() -> None:
    """Puts off collecting garbage, which would look through all modules while they are loaded."""
    import gc

    gc.set_threshold(_BEFORE_COLLECTING, *gc.get_threshold()[1:])


def _leave(status: int) -> None:
    """Ends the process at once: tearing the interpreter down costs half an empty Python more.

    Everything that matters is closed and flushed by now. Someone who traces or profiles the
    process still gets the orderly end.
    """
    if sys.gettrace() or sys.getprofile() or sys.flags.interactive:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(status)


def _answer(words: list[str]) -> int:
    from recairn.core.errors import RecairnError

    _prepare_streams()
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except RecairnError as error:
        from recairn.core.errors import BadOption
        from recairn.surfaces.cli.parse import Usage

        hint = f"\n  hint: {_way_out(error, words)}" if error.hint else ""
        _screen(words).note(f"recairn: {error.message}{hint}")
        return WRONG_USAGE if isinstance(error, Usage | BadOption) else FAILED
    except BrokenPipeError:
        raise
    except Exception as error:
        from recairn.surfaces.cli.failure import explanation

        if isinstance(error, OSError) or not os.environ.get("RECAIRN_DEBUG"):
            sys.stderr.write(explanation(error))
        else:
            raise
        try:
            sys.stdout.flush()
        except OSError:
            _forget_the_pipe()
        return FAILED


def _way_out(error: RecairnError, words: list[str]) -> str:
    """The next command to type: for a memory of another project the same one, in that project."""
    from recairn.core.errors import OtherProject

    if not isinstance(error, OtherProject) or "--project" in words:
        return error.hint
    from shlex import join

    return f"{join(['recairn', '--project', error.project, *words])}, if you mean it"


def _prepare_streams() -> None:
    """What a terminal's encoding lacks comes out as ?; a closed stream swallows everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - lives as long as we do
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _screen(words: list[str]) -> Screen:
    from recairn.surfaces.cli.call import Screen

    return Screen(colour="--no-color" not in words)


def _run(words: list[str]) -> int:
    from recairn.surfaces.cli.parse import command_line

    if "-h" in words or "--help" in words:
        family = _family_help(words)
        if family:
            sys.stdout.write(family)
            return OK
    row, before, after, asks_for_help = command_line(words)
    if row is None or asks_for_help:
        return _help(row, {**before, **after})
    from recairn.core.lazy import load
    from recairn.surfaces.cli.call import Call

    call = Call(row, _with_project(row, before, after), _screen(words))
    status = int(load(row.handler)(call) or OK)
    call.tell_beside()
    return status


def _family_help(words: list[str]) -> str:
    """The help of a family as a whole; "" when none was asked about."""
    from recairn.surfaces.cli.index import ROWS

    named = [word for word in words if word not in ("-h", "--help")]
    if len(named) != 1 or not any(name.startswith(f"{named[0]} ") for name in ROWS):
        return ""
    from recairn.surfaces.cli.help import family_help
    from recairn.surfaces.cli.table import commands

    return family_help(named[0], commands(), whole="--help" in words)


def _help(row: Command | None, values: dict[str, Any]) -> int:
    """Help is our own text: it needs no screen to be safe, and loads nothing."""
    from recairn.surfaces.cli.parse import asks_for_help

    if "version" in values:
        from recairn import __version__

        text = f"recairn {__version__}\n"
    elif row is None:
        from recairn.surfaces.cli.overview import OVERVIEW

        if not asks_for_help(values):
            return _bare(values, OVERVIEW)
        text = OVERVIEW
    else:
        from recairn.surfaces.cli.help import command_help

        text = command_help(row, whole="help" in values)
    sys.stdout.write(text)
    return OK


def _bare(values: dict[str, Any], overview: str) -> int:
    """Answers who typed no command: where they stand, and then what can be typed."""
    from recairn.surfaces.cli.actions.standing import brief, status
    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.cli.commands.agents import STATUS

    arguments = _with_project(STATUS, dict(values), {})
    call = Call(STATUS, arguments, _screen(["--no-color"] if "no_color" in values else []))
    if call.json:
        return status(call)
    call.screen.write(f"{brief(call)}{overview}")
    return OK


def _with_project(row: Command, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Both halves of the options; `act_in` is --project, unless the command has one of its own."""
    own = any(argument[0].split()[0] == "--project" for argument in row.arguments)
    act_in = (
        before.pop("project", None) if own else after.pop("project", before.pop("project", None))
    )
    return {**before, **after, **({} if act_in is None else {"act_in": act_in})}


def _forget_the_pipe() -> None:
    """Nobody takes what is left in the buffer; it must not fail at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
