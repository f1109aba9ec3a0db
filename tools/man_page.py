"""docs/recairn.1, the manual page: a line or two for every command; --help has the rest."""

from __future__ import annotations

from pathlib import Path

from recairn import __version__
from recairn.surfaces.cli.help import usage
from recairn.surfaces.cli.table import GLOBAL, commands

FILE = Path(__file__).resolve().parent.parent / "docs/recairn.1"

_HEAD = """\
.\\" Written by python3 run.py fix from the table of commands.
.TH RECAIRN 1 "" "recairn {version}" "User Commands"
.SH NAME
recairn \\- the memory that your coding agents share
.SH SYNOPSIS
.B recairn
.I COMMAND
.RI [ WORDS ...]
.RI [ OPTIONS ]
.SH DESCRIPTION
Remembers decisions and why, patterns that work, learnings, failures and handoffs in one SQLite
file, and finds the few that matter when the next task comes. Agents reach the same memory over MCP
and hooks.
.PP
.B recairn COMMAND \\-h
shows examples and the usual options,
.B recairn COMMAND \\-\\-help
everything.
"""

_TAIL = """\
.SH EXIT STATUS
0 done (also when nothing was found), 1 refused or failed, 2 not understood, 130 interrupted.
.SH ENVIRONMENT
.TP
.B RECAIRN_DB
the database: a file, or postgresql://HOST/NAME
.TP
.B RECAIRN_PROJECT
the project, instead of the folder's
.TP
.B RECAIRN_SESSION
the session of the agent
.TP
.B RECAIRN_MODEL, RECAIRN_MODELS
the embedding model, and the folder of pulled ones
.TP
.B RECAIRN_HOOKS
off: hooks say nothing
.TP
.B RECAIRN_DEBUG
1: the whole trace of an error that should not have happened
.TP
.B NO_COLOR, FORCE_COLOR
colour never, colour always
.SH FILES
.TP
.I ~/.local/share/recairn/
the database, backups, pulled models, and which databases of checkouts are trusted
.TP
.I .recairn/memory.db
the database of a checkout, opened once a person has typed
.B recairn trust
.SH EXAMPLES
.nf
recairn add "Always run migrations inside a transaction" \\-c database
recairn search "database migration" \\-\\-explain
recairn context \\-\\-prompt "add a column to orders"
recairn undo \\-\\-since 1h
.fi
"""


def page() -> str:
    """The whole page in the language of man(7)."""
    rows = commands()
    text = _HEAD.format(version=__version__)
    text += ".SH OPTIONS OF EVERY COMMAND\n"
    text += "".join(_entry(option[0], option[1]) for option in GLOBAL if len(option) == 2)
    text += ".SH COMMANDS\n"
    for group in dict.fromkeys(row.group for row in rows.values()):
        text += f'.SS "{_escaped(group)}"\n'
        text += "".join(
            _entry(usage(row).removeprefix("recairn "), row.about)
            for row in rows.values()
            if row.group == group
        )
    return text + _TAIL


def _entry(head: str, about: str) -> str:
    return f".TP\n.B {_escaped(head)}\n{_escaped(about)}\n"


def _escaped(text: str) -> str:
    """Text that troff takes for text: no line begins with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    text = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
