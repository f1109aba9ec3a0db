"""Rows of the commands that bring memories to files and back."""

from __future__ import annotations

from recairn.cli.table import Command

TRANSFER = (
    Command(
        name="export",
        group="Files",
        about="write everything to a file that any database can take in again",
        handler="recairn.cli.transfer:export",
        examples=(
            "recairn export memories.jsonl",
            "recairn export --format markdown notes.md",
            "recairn export --format csv --kind decision decisions.csv",
        ),
        arguments=(
            ("[FILE]", "where to; without it, or with -, standard output"),
            ("--format EXPORT", "jsonl (the default), json, markdown or csv"),
            ("-k, --kind KIND...", "only these kinds (markdown and csv)"),
        ),
        notes="jsonl and json hold everything: memories, links, history, sessions, tasks, logs and"
        " settings. recairn import takes them in: into an empty database as they were, with their"
        " numbers; elsewhere by uid. markdown and csv are for reading.",
    ),
)
