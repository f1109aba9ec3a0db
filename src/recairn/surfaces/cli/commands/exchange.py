"""Rows of the commands that bring memories to files and back."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

_AS_MINE = ("--as-mine", "all of it is your own word: its rules hold at once")

TRANSFER = (
    Command(
        name="export",
        group="Files",
        about="write everything to a file that any database can take in again",
        handler="recairn.surfaces.cli.actions.exchange:export",
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
    Command(
        name="move",
        group="Files",
        about="bring everything to another store, and leave it here",
        handler="recairn.surfaces.cli.actions.exchange:move",
        examples=(
            "recairn move --to postgresql://recairn_app@db.example/memories",
            "recairn move --to 'postgresql://recairn_app@db/memories?team=gulls' --dry-run",
            "recairn --db postgresql://recairn_app@db/memories move --to ~/memories.db",
        ),
        arguments=(
            ("--to ADDRESS", "a file, or postgresql://…"),
            ("--dry-run", "only say what would come there"),
        ),
        notes="By uid: what is there already stays or is joined, so a move may be repeated, and\n"
        "one that broke off is begun again. Nothing is removed here. Vectors are made anew.",
    ),
    Command(
        name="mirror on",
        group="Files",
        about="keep a folder of readable files in step with this project",
        handler="recairn.surfaces.cli.actions.mirrors:on",
        creates=True,
        examples=(
            "recairn mirror on docs/memory",
            "recairn mirror on ../shared-memory",
            "recairn mirror:on .recairn/mirror",
        ),
        arguments=(
            ("FOLDER", "made if it is not there; what it holds is taken in first"),
            _AS_MINE,
        ),
        notes="One file of JSON lines for each kind, one line a memory, and decisions and patterns"
        " as Markdown. Put it under git to share it: colleagues run mirror on in their clone.",
    ),
    Command(
        name="mirror off",
        group="Files",
        about="leave a mirror as it is from now on",
        handler="recairn.surfaces.cli.actions.mirrors:off",
        examples=(
            "recairn mirror off docs/memory",
            "recairn mirror:off docs/memory",
            "recairn mirror off /media/stick/memory",
        ),
        arguments=(("FOLDER", "the mirror"),),
    ),
    Command(
        name="mirror status",
        group="Files",
        about="the mirrors, whether they are in step, and texts that clashed",
        handler="recairn.surfaces.cli.actions.mirrors:status",
        examples=(
            "recairn mirror",
            "recairn mirror status",
            "recairn mirror status --json",
        ),
    ),
    Command(
        name="mirror pull",
        group="Files",
        about="take in what git brought, or what was edited by hand",
        handler="recairn.surfaces.cli.actions.mirrors:pull",
        creates=True,
        examples=(
            "recairn mirror pull",
            "recairn mirror pull docs/memory",
            "recairn mirror pull --json",
        ),
        arguments=(("[FOLDER]", "the mirror; without it the only one of the project"), _AS_MINE),
        notes="Changes of both sides are joined. Where both rewrote one text, the newer stays and"
        " the older becomes a memory of its own beside it. A missing line forgets nothing.",
    ),
    Command(
        name="mirror rebuild",
        group="Files",
        about="make the files the truth: what they do not hold is let go",
        handler="recairn.surfaces.cli.actions.mirrors:rebuild",
        creates=True,
        examples=(
            "recairn mirror rebuild",
            "recairn mirror rebuild docs/memory --yes",
            "recairn mirror rebuild --yes --json",
        ),
        arguments=(
            ("[FOLDER]", "the mirror; without it the only one of the project"),
            _AS_MINE,
            ("--yes", "do not ask"),
        ),
        notes="Memories that no file holds are forgotten, links ended; undo and restore bring them"
        " back. Counts of use, outcomes and the access log stay,"
        " and the indexes are made anew.",
    ),
)
