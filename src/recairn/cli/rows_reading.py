"""Rows of the commands that find and show."""

from __future__ import annotations

from recairn.cli.table import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.cli.table import Argument

_FILTERS: tuple[Argument, ...] = (
    ("-k, --kind KIND...", "only this kind; may be repeated"),
    ("-c, --category NAME", "only this category"),
    ("--all-projects", "look into every project"),
    ("More filters",),
    ("--sector SECTOR", "only this sector"),
    ("--tier TIER", "only this tier"),
    ("--source-type SOURCE", "only what came in this way"),
    ("--source-ref REF", "only what came from there"),
    ("--trust TRUST", "verified or unverified"),
    ("--session ID", "see what is visible in this session"),
    ("--in-session ID", "only what this session made or used"),
    ("--min-salience SCORE", "only what is at least this salient"),
    ("--since TIME", "only newer: 7d, 36h, 2026-11-15"),
    ("--before TIME", "only older"),
    ("--as-of TIME", "as it was believed at that time"),
    ("--include-superseded", "also what was replaced"),
    ("--include-deleted", "also what was forgotten or expired"),
    ("--docs", "also pieces of documents"),
)
_EXTENT: tuple[Argument, ...] = (
    ("--full", "whole texts instead of their beginnings"),
    ("--markdown", "answer as a Markdown list"),
)

READING = (
    Command(
        name="search",
        group="Find",
        about="find the memories that answer a question, best first",
        handler="recairn.cli.read:search",
        examples=(
            'recairn search "database transactions" -n 5',
            "recairn search why full jitter --explain",
            "recairn search retry -k decision --since 30d --json",
        ),
        arguments=(
            ("QUERY...", "the question, in any words; - reads standard input"),
            ("-n, --limit N", "at most so many (10)"),
            *_EXTENT,
            ("--explain", "show how each score came about"),
            ("--graph-depth N", "also what the best hits lead to, so many links away, 0 to 3 (0)"),
            *_FILTERS,
            ("Ranking",),
            ("--mode MODE", "hybrid, keyword or semantic"),
            ("--profile PROFILE", "a named set of weights"),
            ("--min-score SCORE", "leave out what scores less"),
            ("--no-track", "do not count this search as a use"),
        ),
        aliases=("recall",),
        notes="Finding nothing is no failure: exit status 0. See docs/json.md for --json.",
    ),
    Command(
        name="show",
        group="Find",
        about="show memories whole",
        handler="recairn.cli.look:show",
        examples=(
            "recairn show 42",
            "recairn show 42 --history",
            "recairn show dec-5741815d --json",
        ),
        arguments=(
            ("ID+", "42, #42, the beginning of a uid, or an external id"),
            ("--history", "with every change"),
            ("--as-of TIME", "as it was at that time"),
            ("--markdown", "answer as Markdown"),
        ),
        aliases=("get",),
    ),
    Command(
        name="recent",
        group="Find",
        about="the newest memories",
        handler="recairn.cli.read:recent",
        examples=(
            "recairn recent",
            "recairn recent -n 5 -k handoff",
            "recairn recent --all-projects --json",
        ),
        arguments=(("-n, --limit N", "at most so many (10)"), *_EXTENT, *_FILTERS),
    ),
    Command(
        name="list",
        group="Find",
        about="memories by filter instead of by question",
        handler="recairn.cli.read:listing",
        examples=(
            "recairn list -k rule",
            "recairn list --order used -n 20",
            "recairn list --source-ref import-7 --json",
        ),
        arguments=(
            ("-n, --limit N", "at most so many (50)"),
            ("--order ORDER", "newest, oldest, used, salient, changed or id"),
            ("--offset N", "leave out the first so many"),
            ("--deleted", "only what was forgotten or archived"),
            ("--expired", "only what has expired"),
            *_EXTENT,
            *_FILTERS,
        ),
        aliases=("ls",),
    ),
    Command(
        name="history",
        group="Find",
        about="every change of a memory, oldest first",
        handler="recairn.cli.look:history",
        examples=(
            "recairn history 42",
            "recairn history 42 --json",
            "recairn undo 42",
        ),
        arguments=(("ID", "the memory"),),
    ),
    Command(
        name="projects",
        group="Find",
        about="the projects there are memories of",
        handler="recairn.cli.look:projects",
        examples=(
            "recairn projects",
            "recairn projects --json",
            "recairn recent --project bakery",
        ),
    ),
    Command(
        name="stats",
        group="Find",
        about="how much is remembered, by kind, project, sector and source",
        handler="recairn.cli.look:stats",
        examples=("recairn stats", "recairn stats --json", "recairn stats --db team.db"),
    ),
)
