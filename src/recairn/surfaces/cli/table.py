"""The table of commands, one row each, from which parser, help, completion and docs are made.

A new command is a row in one of the modules of `commands/`, and a handler. Rows are plain data;
nothing a handler needs is imported before its command was chosen. `index.py` says in which group
the row of a typed word is; `python3 run.py fix` writes it.

An argument is its spelling and its help:

    ("TEXT...", "...")              words; any number       ("ID", "...")  exactly one
    ("ID+", "...")                  one or more             ("[ID]", "...") one or none
    ("-n, --limit N", "...")        an option with a value  ("--pin", "...") a flag
    ("--alternative TEXT...", "")   an option that may be repeated
    ("Filters",)                    a heading for the options that follow

The placeholder is the type: `types.VALUES` says how N, SCORE, KIND ... are read and completed.
"""

from __future__ import annotations

from recairn.core.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument, Command

# Where the rows are, in the order help shows them.
GROUPS = (
    "recairn.surfaces.cli.commands.remember:REMEMBERING",
    "recairn.surfaces.cli.commands.learning:IMPORTING",
    "recairn.surfaces.cli.commands.recall:READING",
    "recairn.surfaces.cli.commands.tasks:CONTEXT",
    "recairn.surfaces.cli.commands.graph:GRAPH",
    "recairn.surfaces.cli.commands.sessions:SESSIONS",
    "recairn.surfaces.cli.commands.tasks:TASKS",
    "recairn.surfaces.cli.commands.remember:CHANGING",
    "recairn.surfaces.cli.commands.graph:LINKING",
    "recairn.surfaces.cli.commands.graph:CONSOLIDATING",
    "recairn.surfaces.cli.commands.sessions:TENDING",
    "recairn.surfaces.cli.commands.branches:BRANCHES",
    "recairn.surfaces.cli.commands.learning:LEARNING",
    "recairn.surfaces.cli.commands.review:REVIEW",
    "recairn.surfaces.cli.commands.projects:PROJECTS",
    "recairn.surfaces.cli.commands.teams:SHARING",
    "recairn.surfaces.cli.commands.documents:DOCUMENTS",
    "recairn.surfaces.cli.commands.exchange:TRANSFER",
    "recairn.surfaces.cli.commands.agents:AGENTS",
    "recairn.surfaces.cli.commands.review:HOOK",
    "recairn.surfaces.cli.commands.upkeep:UPKEEP",
    "recairn.surfaces.cli.commands.teams:TEAMS",
)

# May stand before or after any command.
GLOBAL: tuple[Argument, ...] = (
    ("--db FILE", "use this database instead of RECAIRN_DB or the usual one"),
    ("--project NAME", "act in this project instead of the folder's"),
    ("--json", "answer with one JSON document"),
    ("--no-color", "no colour, also on a terminal"),
    ("-h", "short help"),
    ("--help", "everything about a command"),
    ("--version", "print the version"),
)

# The seeds' spelling: `learning:add` and `learning add` are `add`.
FAMILIES = {"learning": ("add", "search", "recent", "helpful", "show", "embed")}

# Spellings that stand for a command with something typed already. A family's bare name is here too.
SHORTHANDS: dict[str, tuple[str, ...]] = {
    "learn": ("add", "--kind", "pattern"),
    "learning import": ("import", "claude-md"),
    "config": ("config list",),
    "backup": ("backup list",),
    "model": ("model list",),
    "session": ("session current",),
    "task": ("task list",),
    "review": ("review walk",),
    "graph": ("graph stats",),
    "mirror": ("mirror status",),
    "project": ("project list",),
    "branch": ("branch list",),
    "doc": ("doc list",),
    "member": ("member list",),
}


def commands() -> dict[str, Command]:
    """All rows by name, in the order help shows them. One command alone is found by the index."""
    return {row.name: row for address in GROUPS for row in load(address)}


def spellings(rows: dict[str, Command]) -> dict[str, tuple[str, ...]]:
    """Every accepted command word (or pair of words) and the words it stands for."""
    meanings: dict[str, tuple[str, ...]] = {name: (name,) for name in rows}
    for name, row in rows.items():
        meanings.update(dict.fromkeys(row.aliases, (name,)))
    for family, members in FAMILIES.items():
        meanings.update({f"{family} {member}": (member,) for member in members})
    for name, words in SHORTHANDS.items():
        meanings.setdefault(name, words)
    return meanings
