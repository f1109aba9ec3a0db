"""docs/cli.md, written from the table; a test fails when the file drifts."""

from __future__ import annotations

from recairn.surfaces.cli.help import grouped, other_spellings, shown_spelling, usage
from recairn.surfaces.cli.table import GLOBAL, commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Command

_HEAD = """\
# The command line

This page is written from the parser's own table. `recairn -h` is the overview, `recairn COMMAND -h`
shows examples and the usual options, `recairn COMMAND --help` everything. `recairn task -h`
lists the commands of that family, and so for the others.

Results go to standard output, everything else to standard error. Exit status: 0 done (also when
nothing was found), 1 refused or failed, 2 not understood, 130 interrupted. Colour is for terminals;
`NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `--no-color` are honoured. The JSON documents are
described in [json.md](json.md).

A memory is named by `42`, `#42`, the beginning of its uid (six letters or more), or its external
id. A time is a date (`2026-11-15`), a time (`2026-11-15T10:30:00Z`) or an age (`7d`, `36h`, `2w`,
`yesterday`); `--expires` reads a span as time to come. `learning:add` and `learning add` mean
`add`, and so on. A text that begins with a dash goes after `--`.

The environment: `RECAIRN_DB` (the database), `RECAIRN_PROJECT` (the project), `RECAIRN_SESSION`
(the session), `RECAIRN_READER` (who reads handoffs), `RECAIRN_MODEL` and `RECAIRN_MODELS` (the
embedding model, and the folder of pulled ones), `RECAIRN_HOOKS=off`, and `RECAIRN_DEBUG=1`, which
shows the whole trace of an error that should not have happened.

## Everywhere

"""


def markdown() -> str:
    """The whole reference page."""
    rows = commands()
    text = _HEAD + "".join(
        f"- `{option[0]}`: {option[1]}\n" for option in GLOBAL if len(option) == 2
    )
    for group in dict.fromkeys(row.group for row in rows.values()):
        text += f"\n## {group}\n"
        text += "".join(_section(row) for row in rows.values() if row.group == group)
    return text


def _section(row: Command) -> str:
    text = f"\n### {row.name}\n\n{row.about[0].upper()}{row.about[1:]}.\n\n"
    text += "".join(f"    {example}\n" for example in row.examples)
    text += f"\nUsage: `{usage(row)}`\n"
    also = other_spellings(row)
    if also:
        text += f"\nAlso spelled: {', '.join(f'`{name}`' for name in also)}.\n"
    for heading, arguments in grouped(row.arguments).items():
        if not arguments:
            continue
        text += f"\n{heading}:\n\n" if heading else "\n"
        for spelling, about in arguments:
            text += f"- `{shown_spelling(spelling)}`: {about}\n"
    return text + (f"\n{row.notes}\n" if row.notes else "")
