"""The table of commands, one row each, from which parser, help, completion and docs are made.

A new command is a row in one of the `rows_*` modules and a handler. Rows are plain data; nothing a
handler needs is imported before its command was chosen.

An argument is its spelling and its help:

    ("TEXT...", "...")              words; any number       ("ID", "...")  exactly one
    ("ID+", "...")                  one or more             ("[ID]", "...") one or none
    ("-n, --limit N", "...")        an option with a value  ("--pin", "...") a flag
    ("--alternative TEXT...", "")   an option that may be repeated
    ("Filters",)                    a heading for the options that follow

The placeholder is the type: `types.VALUES` says how N, SCORE, KIND ... are read and completed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument, Command

# May stand before or after any command.
GLOBAL: tuple[Argument, ...] = (
    ("--db FILE", "use this database instead of RECAIRN_DB or the usual one"),
    ("--project NAME", "act in this project instead of the git checkout's"),
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
    "doc": ("doc list",),
}


def commands() -> dict[str, Command]:
    """All rows by name, in the order help shows them."""
    from recairn.surfaces.cli.commands.agents import AGENTS
    from recairn.surfaces.cli.commands.documents import DOCUMENTS
    from recairn.surfaces.cli.commands.exchange import TRANSFER
    from recairn.surfaces.cli.commands.graph import CONSOLIDATING, GRAPH, LINKING
    from recairn.surfaces.cli.commands.learning import IMPORTING, LEARNING
    from recairn.surfaces.cli.commands.recall import READING
    from recairn.surfaces.cli.commands.remember import CHANGING, REMEMBERING
    from recairn.surfaces.cli.commands.review import HOOK, REVIEW
    from recairn.surfaces.cli.commands.sessions import SESSIONS, TENDING
    from recairn.surfaces.cli.commands.tasks import CONTEXT, TASKS
    from recairn.surfaces.cli.commands.upkeep import UPKEEP

    groups = (
        REMEMBERING,
        IMPORTING,
        READING,
        CONTEXT,
        GRAPH,
        SESSIONS,
        TASKS,
        CHANGING,
        LINKING,
        CONSOLIDATING,
        TENDING,
        LEARNING,
        REVIEW,
        DOCUMENTS,
        TRANSFER,
        AGENTS,
        HOOK,
        UPKEEP,
    )
    return {row.name: row for group in groups for row in group}


def spellings(rows: dict[str, Command]) -> dict[str, tuple[str, ...]]:
    """Every accepted command word (or pair of words) and the words it stands for."""
    found: dict[str, tuple[str, ...]] = {name: (name,) for name in rows}
    for name, row in rows.items():
        found.update(dict.fromkeys(row.aliases, (name,)))
    for family, members in FAMILIES.items():
        found.update({f"{family} {member}": (member,) for member in members})
    for name, words in SHORTHANDS.items():
        found.setdefault(name, words)
    return found
