"""Help, made from the table: the overview, and each command's short and whole help."""

from __future__ import annotations

from recairn.surfaces.cli.parse import options_of, words_of
from recairn.surfaces.cli.table import FAMILIES, GLOBAL, SHORTHANDS, spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.cli.command import Argument, Command

# Columns; the narrowest terminal people use without noticing.
_WIDTH = 80
_LEFT = 26

_START = """\
recairn: the memory your coding agents share

  recairn add "Always use transactions for multi-step DB operations" -c database
  recairn search "database transactions"
  recairn show 42

"""
_END = """\
Everywhere: --db FILE, --project NAME, --json, --no-color
  recairn COMMAND -h     examples and the usual options
  recairn COMMAND --help everything
"""


def overview(rows: dict[str, Command]) -> str:
    """`recairn -h`: examples first, then the commands by group, on one screen.

    What is shown is `overview.py`, made from this: it is asked for often, and loads no row.
    """
    lines = [_START]
    for group in dict.fromkeys(row.group for row in rows.values()):
        lines.append(f"{group}\n")
        shown = [row for row in rows.values() if row.group == group]
        entries = dict(_overview_entry(row, rows) for row in shown)
        others = ", ".join(name for name in entries if name not in _EXPLAINED)
        explained = {name: about for name, about in entries.items() if name in _EXPLAINED}
        if others:
            explained["also" if explained else ""] = others
        lines += [entry(name, about, left=16) for name, about in explained.items()]
    return "".join(lines) + "\n" + _END


def _overview_entry(row: Command, rows: dict[str, Command]) -> tuple[str, str]:
    family, _, member = row.name.partition(" ")
    if not member:
        return row.name, row.about
    members = [name.split()[1] for name in rows if name.startswith(f"{family} ")]
    return family, f"{_FAMILIES[family]}: {', '.join(dict.fromkeys(members))}"


# What the overview explains; the rest it names, so that it fits one screen.
_EXPLAINED = frozenset(
    "add search show context graph session handoff task supersede forget undo import export"
    " install doc config doctor project".split()
)
_FAMILIES = {
    "session": "runs of an agent",
    "task": "work",
    "graph": "what is linked to what",
    "config": "the settings of this database",
    "backup": "checked copies, and the way back",
    "model": "embedding models",
    "review": "what was captured, and your word on it",
    "outcome": "what became of the work",
    "doc": "searchable files",
    "mirror": "a folder of files in step",
    "store": "tables on a PostgreSQL server",
    "bench": "how well it finds, and what it injects",
    "stats": "how much is remembered, and what was asked",
    "project": "whose memory is whose",
    "branch": "memories of a branch",
    "team": "a team and its server",
    "sync": "what goes to the team, and what comes from it",
    "policy": "which rules hold for the whole team",
    "member": "who is on the team",
}


def family_help(name: str, rows: dict[str, Command], *, whole: bool) -> str:
    """`recairn FAMILY -h`, or with `whole` all of --help."""
    family = _members(name, rows)
    return _whole_family(family) if whole else _family_lines(name, family, rows)


def _members(family: str, rows: dict[str, Command]) -> list[Command]:
    """The commands of a family, with the one of its own name first; none if it is no family."""
    members = [row for name, row in rows.items() if name.startswith(f"{family} ")]
    return [rows[family], *members] if members and family in rows else members


def _whole_family(family: list[Command]) -> str:
    return "\n".join(command_help(row, whole=False) for row in family)


def _family_lines(name: str, family: list[Command], rows: dict[str, Command]) -> str:
    """A line for each command of a family."""
    about = _FAMILIES[name]
    text = f"recairn {name} COMMAND\n  {about[0].upper()}{about[1:]}.\n\nCommands\n"
    text += "".join(entry(row.name, row.about) for row in family)
    meant = spellings(rows).get(name)
    if meant is not None and meant[0] != name:
        text += f"\nrecairn {name} alone means recairn {meant[0]}.\n"
    first = next(row.name for row in family if row.name != name)
    return text + f"\nMore: recairn {first} -h, recairn {name} --help\n"


def command_help(row: Command, *, whole: bool) -> str:
    """`recairn COMMAND -h`, or with `whole` all of --help."""
    text = f"{usage(row)}\n  {row.about[0].upper()}{row.about[1:]}.\n\nExamples\n"
    text += "".join(f"  {example}\n" for example in row.examples)
    groups = grouped(row.arguments)
    for heading, arguments in groups.items():
        if whole or not heading:
            text += f"\n{heading or 'Arguments and options'}\n" if arguments else ""
            text += "".join(entry(shown_spelling(spelling), about) for spelling, about in arguments)
        else:
            names = ", ".join(option.names[-1] for option in options_of(arguments))
            text += "\n" + _wrapped(f"{heading}: {names}")
    if whole:
        text += "\nEverywhere\n" + "".join(
            entry(shown_spelling(pair[0]), pair[1]) for pair in _pairs(GLOBAL)
        )
        text += f"\n{_wrapped(row.notes)}" if row.notes else ""
        also = other_spellings(row)
        text += f"\nAlso spelled: {', '.join(also)}\n" if also else ""
    elif len(groups) > 1 or row.notes:
        text += f"\nMore: recairn {row.name} --help\n"
    return text


def usage(row: Command) -> str:
    """`recairn add TEXT... [options]`."""
    shapes = {"": "{}", "?": "[{}]", "+": "{}...", "*": "[{}...]"}
    words = [shapes[word.how_many].format(word.name) for word in words_of(row.arguments)]
    options = ["[options]"] if options_of(row.arguments) else []
    return " ".join(["recairn", row.name, *words, *options])


def other_spellings(row: Command) -> list[str]:
    """The aliases and seeds' names of a command."""
    seeds = [f"{family}:{row.name}" for family, names in FAMILIES.items() if row.name in names]
    short = [name for name, words in SHORTHANDS.items() if words[0] == row.name]
    return [*row.aliases, *seeds, *short]


def grouped(arguments: Iterable[Argument]) -> dict[str, list[tuple[str, str]]]:
    """The arguments under their headings; those before any heading under the empty one."""
    groups: dict[str, list[tuple[str, str]]] = {"": []}
    heading = ""
    for argument in arguments:
        if len(argument) == 1:
            heading = argument[0]
            groups[heading] = []
        else:
            groups[heading].append(argument)
    return groups


def _pairs(arguments: Iterable[Argument]) -> list[tuple[str, str]]:
    return [argument for argument in arguments if len(argument) == 2]


def shown_spelling(spelling: str) -> str:
    """A spelling as help shows it; how often an option may stand is said in words."""
    if spelling[0] == "-":
        return spelling.removesuffix("...")
    return spelling.removesuffix("+") + "..." if spelling.endswith("+") else spelling


def entry(name: str, about: str, left: int = _LEFT) -> str:
    """A name, and from column `left` on what it is about, within the width."""
    first = f"  {name:<{left - 2}}"
    if len(name) > left - 3:
        first = f"  {name}\n{' ' * left}"
    text = _wrapped(about, left)
    return first + text.lstrip(" ")


def _wrapped(text: str, indent: int = 0) -> str:
    """The text in lines of at most the width, each behind the indent."""
    lines, line = [], ""
    for word in text.split():
        if line and indent + len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "".join(f"{' ' * indent}{row}\n" for row in lines)


def help_command(call: Call) -> None:
    """`recairn help [COMMAND]`."""
    from recairn.surfaces.cli.parse import resolve
    from recairn.surfaces.cli.table import commands

    words = call.arguments["command"]
    if not words:
        from recairn.surfaces.cli.overview import OVERVIEW

        call.screen.write(OVERVIEW)
        return
    rows = commands()
    family = _members(words[0], rows)
    if family and len(words) == 1:
        call.screen.write(_whole_family(family))
        return
    row, _, _ = resolve(list(words))
    if row is not None:
        call.screen.write(command_help(row, whole=True))
