"""Rows of the commands that bring memory in from elsewhere, and that learn from what happened."""

from __future__ import annotations

from recairn.cli.table import Command

IMPORTING = (
    Command(
        name="import",
        group="Remember",
        about="take in what was written down elsewhere",
        handler="recairn.cli.importing:import_",
        examples=(
            "recairn import CLAUDE.md",
            "recairn import claude-md --dry-run",
            "recairn import claude-md docs/conventions.md --json",
        ),
        arguments=(
            ("FORMAT", "claude-md; or just the file, when it tells its format"),
            ("[FILE]", "the file or folder; without it, what the project holds of that format"),
            ("--dry-run", "only say what would happen"),
            ("--restore", "bring back what was imported once and forgotten since"),
        ),
        notes=(
            "A second import adds nothing, and changed records supersede what they were. Records\n"
            "that are gone are told, never deleted. A record that cannot be read is told with its\n"
            "line and does not stop the others (exit status 1). `undo --source CLAUDE.md` takes\n"
            "back what came from a file."
        ),
    ),
)
