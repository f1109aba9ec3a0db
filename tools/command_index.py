"""What is known of all commands without loading their rows.

`index.py` leads from a typed command to its group of rows, `overview.py` is the first help.
"""

from __future__ import annotations

from pathlib import Path

_CLI = Path(__file__).resolve().parent.parent / "src/recairn/surfaces/cli"
FILE = _CLI / "index.py"
OVERVIEW_FILE = _CLI / "overview.py"
OVERVIEW_HEAD = '''\
"""What `recairn -h` shows, made from the rows of all commands. Written by `python3 run.py fix`."""

'''
HEAD = '''\
"""Where the row of every command is, and what may be typed for it. Written by `python3 run.py fix`.

One command loads the module of its own row alone; help, completion and the reference load all.
"""

'''


def index() -> str:
    """The index as the formatter would leave it."""
    from recairn.core.lazy import load
    from recairn.surfaces.cli.table import GROUPS, commands, spellings

    rows = {row.name: address for address in GROUPS for row in load(address)}
    text = HEAD + "ROWS = {\n"
    text += "".join(f'    "{name}": "{address}",\n' for name, address in rows.items())
    text += "}\nSPELLINGS = {\n"
    for spelling, words in spellings(commands()).items():
        quoted = ", ".join(f'"{word}"' for word in words)
        text += f'    "{spelling}": ({quoted}{"," if len(words) == 1 else ""}),\n'
    return text + "}\n"


def overview() -> str:
    """The module with the text of `recairn -h`."""
    from recairn.surfaces.cli.help import overview as overview_of
    from recairn.surfaces.cli.table import commands

    return f'{OVERVIEW_HEAD}OVERVIEW = """\\\n{overview_of(commands())}"""\n'
