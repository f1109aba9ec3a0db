"""Rows of the commands about documents."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

DOCUMENTS = (
    Command(
        name="doc add",
        group="Files",
        about="make files, folders or a page searchable",
        handler="recairn.surfaces.cli.actions.documents:add",
        creates=True,
        examples=(
            "recairn doc add docs src",
            'recairn doc add "docs/**/*.md" --dry-run',
            "git log -n 50 | recairn doc add - --title history.txt",
        ),
        arguments=(
            ("PATH+", "files, folders, patterns, addresses; - reads standard input"),
            ("--title TITLE", "what standard input is called; its ending tells the format"),
            ("--fetch", "go and read http(s) addresses"),
            ("--max-mb NUMBER", "leave out larger files (2)"),
            ("--dry-run", "only say what would happen"),
        ),
        aliases=("docs add",),
        notes=(
            "Reads txt, md, rst, html, ipynb, source code, and pdf with the extra recairn[pdf].\n"
            "What .gitignore names, binary files and symbolic links are left out. Unchanged files\n"
            "are skipped; a moved file keeps its memories."
        ),
    ),
    Command(
        name="doc search",
        group="Files",
        about="find the place in the documents that answers a question",
        handler="recairn.surfaces.cli.actions.documents:search",
        examples=(
            "recairn doc search how are conflicts joined",
            "recairn doc search retry policy -n 3 --full",
            "recairn doc search token budget --json",
        ),
        arguments=(
            ("QUERY...", "the question, in any words; - reads standard input"),
            ("-n, --limit N", "at most so many (5)"),
            ("--full", "whole pieces instead of their beginnings"),
            ("--all-projects", "look into every project"),
            ("--all", "also what is near but no clear answer"),
            ("--mode MODE", "hybrid, keyword or semantic"),
        ),
        aliases=("docs search",),
        notes="recairn search --docs looks through memories and documents at once.",
    ),
    Command(
        name="doc list",
        group="Files",
        about="the documents of the project",
        handler="recairn.surfaces.cli.actions.documents:list_",
        examples=("recairn doc", "recairn doc list --json", "recairn doc list --transcripts"),
        arguments=(("--transcripts", "the conversations that are kept, instead"),),
        aliases=("docs list",),
    ),
    Command(
        name="doc show",
        group="Files",
        about="the pieces of a document",
        handler="recairn.surfaces.cli.actions.documents:show",
        examples=(
            "recairn doc show docs/mirror.md",
            "recairn doc show docs/mirror.md:40 --full",
            "recairn doc show 42 --json",
        ),
        arguments=(
            ("PATH", "a path, one with :LINE, a uid, or the number of a piece"),
            ("--full", "whole pieces instead of their beginnings"),
        ),
        aliases=("docs show",),
    ),
    Command(
        name="doc rm",
        group="Files",
        about="forget documents and their pieces",
        handler="recairn.surfaces.cli.actions.documents:remove",
        examples=(
            "recairn doc rm docs/old.md",
            "recairn doc rm docs",
            "recairn doc rm 01hf7yat00 --json",
        ),
        arguments=(("PATH+", "paths, folders or uids"),),
        aliases=("docs rm",),
        notes="The files stay as they are. doc add brings document and pieces back.",
    ),
    Command(
        name="doc refresh",
        group="Files",
        about="bring the documents up to date with their files",
        handler="recairn.surfaces.cli.actions.documents:refresh",
        examples=(
            "recairn doc refresh",
            "recairn doc refresh --dry-run",
            "recairn doc refresh --prune --json",
        ),
        arguments=(
            ("--prune", "remove documents whose file is missing at once"),
            ("--fetch", "also read http(s) addresses again"),
            ("--max-mb NUMBER", "leave out larger files (2)"),
            ("--dry-run", "only say what would happen"),
        ),
        aliases=("docs refresh",),
        notes=(
            "A file that is not there is told the first time; the next refresh removes its\n"
            "document. Where a whole folder is not there, nothing is removed."
        ),
    ),
)
