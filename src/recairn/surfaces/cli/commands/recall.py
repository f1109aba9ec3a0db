"""Rows of the commands that find and show."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument

_FILTERS: tuple[Argument, ...] = (
    ("-k, --kind KIND...", "only this kind; may be repeated"),
    ("-c, --category NAME", "only this category"),
    ("--all-projects", "look into every project"),
    ("More filters",),
    ("--sector SECTOR", "only this sector"),
    ("--tier TIER", "only this tier"),
    ("--source-type SOURCE...", "only what came in this way; may be repeated"),
    ("--source-ref REF", "only what came from there"),
    ("--trust TRUST", "verified, attributed or unverified"),
    ("--branch BRANCH", "only what belongs to this branch; . is the current one"),
    ("--author AUTHOR", "only what they wrote: person, agent, agent:codex, import ..."),
    ("--session ID", "see what is visible in this session"),
    ("--in-session ID", "only what this session made or used"),
    ("--min-salience SCORE", "only what is at least this salient"),
    ("--since TIME", "only newer: 7d, 36h, 2026-11-15"),
    ("--before TIME", "only older"),
    ("--as-of TIME", "as it was believed at that time"),
    ("--include-superseded", "also what was replaced"),
    ("--include-deleted", "also what was forgotten or expired"),
    ("--docs", "also pieces of documents"),
    ("--transcripts", "what was said in sessions, turn by turn, and nothing else"),
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
        handler="recairn.surfaces.cli.actions.recall:search",
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
            ("--profile PROFILE", "a named set of weights; recairn profiles lists them"),
            ("--weight NAME=NUMBER...", "count a signal so much, 0 to 1; may be repeated"),
            ("--deep", "let the reranker read the best twenty, however long it takes"),
            ("--all", "also what is near but no clear answer"),
            ("--min-score SCORE", "leave out what scores less: scores as --explain has them"),
            ("--no-track", "do not count this search as a use"),
            ("--team", "ask the team's server, across all that is shared with it"),
        ),
        aliases=("recall",),
        notes=(
            "Finding nothing is no failure: exit status 0. See docs/json.md for --json.\n"
            'In the question: "a phrase", -word, AND, NOT, kind:rule, and times: last week,\n'
            "in March, since Monday, before the release. Recent decisions, which rules: all of\n"
            "that kind. #12: the memory of that number. A -word stands in quotes: 'lamp -red'.\n"
            "tx's `recall PATH`, for what was learned about a file, is `recairn search PATH`."
        ),
    ),
    Command(
        name="show",
        group="Find",
        about="show memories whole",
        handler="recairn.surfaces.cli.actions.show:show",
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
        handler="recairn.surfaces.cli.actions.recall:recent",
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
        handler="recairn.surfaces.cli.actions.recall:listing",
        examples=(
            "recairn list -k rule",
            "recairn list --order used -n 20",
            "recairn list --source-ref import-7 --json",
        ),
        arguments=(
            ("-n, --limit N", "at most so many (50)"),
            ("--order ORDER", "newest, oldest, used, salient, changed or id"),
            ("--offset N", "leave out the first so many"),
            ("--after CURSOR", "go on where a page ended, as its JSON says (next)"),
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
        handler="recairn.surfaces.cli.actions.show:history",
        examples=(
            "recairn history 42",
            "recairn history 42 --json",
            "recairn undo 42",
        ),
        arguments=(("ID", "the memory"),),
    ),
    Command(
        name="stats",
        group="Find",
        about="how much is remembered, by kind, project, sector and source",
        handler="recairn.surfaces.cli.actions.show:stats",
        examples=("recairn stats", "recairn stats --json", "recairn stats --db team.db"),
    ),
    Command(
        name="stats growth",
        group="Find",
        about="how many memories each day, week or month made",
        handler="recairn.surfaces.cli.actions.show:growth",
        examples=(
            "recairn stats growth",
            "recairn stats growth --by week -k decision",
            "recairn stats growth --all-projects --json",
        ),
        arguments=(
            ("--by STRETCH", "day, week or month (as many bars as can be told apart)"),
            *_FILTERS,
        ),
    ),
    Command(
        name="stats rules",
        group="Find",
        about="the rules in force here, what each costs, and what does not fit",
        handler="recairn.surfaces.cli.actions.overview:rules",
        examples=(
            "recairn stats rules",
            "recairn stats rules --agent codex",
            "recairn rules --json",
        ),
        arguments=(
            ("--agent NAME", "count what this agent was told alone"),
            ("--max-chars N", "the room at the start of a session (hooks.start_chars)"),
        ),
        aliases=("rules",),
    ),
    Command(
        name="stats queries",
        group="Find",
        about="what was searched for, how often, how fast, and how often in vain",
        handler="recairn.surfaces.cli.actions.queries:stats_queries",
        examples=(
            "recairn stats queries",
            "recairn stats queries --by day --days 7",
            "recairn stats queries --cleanup 90d --yes",
        ),
        arguments=(
            ("--by GROUP", "query, tool or day (query)"),
            ("--days N", "look back so many days (30)"),
            ("-n, --limit N", "at most so many rows (20)"),
            ("--cleanup TIME", "instead, remove from the log what is older: 90d, 2026-01-31"),
            ("--yes", "remove; without it --cleanup only counts"),
        ),
        notes="Secrets are taken out of a query before it is logged. search --no-track logs none.",
    ),
    Command(
        name="miss",
        group="Find",
        about="record that a search did not find what it should have found",
        handler="recairn.surfaces.cli.actions.queries:miss",
        creates=True,
        examples=(
            'recairn miss "how do we keep the broker alive" --wanted 42',
            'recairn miss "holiday rota" --note "it is in the March handoff"',
            "recairn miss --list",
        ),
        arguments=(
            ("QUERY...", "the question that failed; - reads standard input"),
            ("--wanted ID", "the memory it should have found"),
            ("--note TEXT", "what else is known about it"),
            ("--list", "show what was recorded, newest first"),
            ("-n, --limit N", "list at most so many (20)"),
            ("--drop N", "take back one of those that --list shows"),
        ),
        notes="From the third miss on, a database without minilm is told how to get it.",
    ),
    Command(
        name="profiles",
        group="Find",
        about="the named sets of weights that search can rank by",
        handler="recairn.surfaces.cli.actions.queries:profiles",
        examples=(
            "recairn profiles",
            "recairn profiles lore",
            "recairn search jitter --profile lore --weight importance=0.1",
        ),
        arguments=(("[PROFILE]", "only this one, with all it says"),),
        notes="recairn config set retrieval.profile NAME makes one the usual one.",
    ),
)
