"""Rows of the commands about sessions, and of those that let memory age well."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

SESSIONS = (
    Command(
        name="session start",
        group="Work",
        about="begin a session here, or take one up again",
        handler="recairn.surfaces.cli.actions.sessions:start",
        creates=True,
        examples=(
            "recairn session start",
            'recairn session start --summary "tide tables" --agent claude',
            "recairn session start s-42 --json",
        ),
        arguments=(
            ("[ID]", "its id; made up when left out"),
            ("--summary TEXT", "what it is about"),
            ("--agent NAME", "who works in it"),
        ),
        notes=(
            "Later commands of yours in this checkout belong to it, until it ends or has been\n"
            "idle for session.idle_hours (12). RECAIRN_SESSION and --session say otherwise."
        ),
    ),
    Command(
        name="session end",
        group="Work",
        about="end a session; of its own memories the salient ones stay",
        handler="recairn.surfaces.cli.actions.sessions:end",
        examples=(
            "recairn session end",
            'recairn session end --summary "tide tables done"',
            "recairn session end s-42 --json",
        ),
        arguments=(("[ID]", "the session; the current one"), ("--summary TEXT", "what it did")),
        notes=(
            "Memories of the tier session become the project's when their salience is above\n"
            "session.promote_above (0.7); the others expire. recairn undo --session takes it back."
        ),
    ),
    Command(
        name="session list",
        group="Work",
        about="the sessions of this project, newest first",
        handler="recairn.surfaces.cli.actions.sessions:listing",
        examples=(
            "recairn session list",
            "recairn session list -n 5 --all-projects",
            "recairn session list --json",
        ),
        arguments=(
            ("-n, --limit N", "at most so many (20)"),
            ("--all-projects", "of every project"),
        ),
    ),
    Command(
        name="session show",
        group="Work",
        about="a session, the memories it made and used, and what its agent was told when",
        handler="recairn.surfaces.cli.actions.sessions:show",
        examples=(
            "recairn session show",
            "recairn session show s-42",
            "recairn session show s-42 --json",
        ),
        arguments=(("[ID]", "the session, or the beginning of its id; the current one"),),
    ),
    Command(
        name="session current",
        group="Work",
        about="the session that commands belong to here",
        handler="recairn.surfaces.cli.actions.sessions:current",
        examples=(
            "recairn session current",
            "recairn session current --json",
            "recairn session",
        ),
    ),
    Command(
        name="handoff",
        group="Work",
        about="leave a note and the state of the checkout for the next session",
        handler="recairn.surfaces.cli.actions.sessions:handoff",
        creates=True,
        examples=(
            'recairn handoff "Charts draw, the legend does not" --next "draw the legend"',
            'recairn handoff "Stuck" --blocker "no map licence" --question "which units?"',
            "git log -1 --format=%B | recairn handoff",
        ),
        arguments=(
            ("TEXT...", "where you stopped; - or nothing reads standard input"),
            ("--next TEXT...", "a next step; may be repeated"),
            ("--blocker TEXT...", "what stands in the way; may be repeated"),
            ("--question TEXT...", "what is open; may be repeated"),
            ("--goal TEXT...", "what it is for; may be repeated"),
            ("--session ID", "the agent's session (RECAIRN_SESSION)"),
            ("--no-git", "leave the checkout alone"),
        ),
    ),
    Command(
        name="resume",
        group="Work",
        about="the last handoff, what is open, and what happened since",
        handler="recairn.surfaces.cli.actions.sessions:resume",
        examples=("recairn resume", "recairn resume --new", "recairn resume --all --json"),
        arguments=(
            ("--new", "those you were not shown as new before"),
            ("--all", "every handoff of the project"),
            ("--reader NAME", "who reads (RECAIRN_READER, or your user name)"),
        ),
    ),
    Command(
        name="timeline",
        group="Work",
        about="what was remembered before and after a memory, by session",
        handler="recairn.surfaces.cli.actions.sessions:timeline",
        examples=(
            "recairn timeline 42",
            "recairn timeline 42 --before 2 --after 10",
            "recairn timeline 42 --json",
        ),
        arguments=(
            ("ID", "the memory"),
            ("--before N", "so many older ones (5)"),
            ("--after N", "so many newer ones (5)"),
            ("--session ID", "also what only this session sees"),
        ),
    ),
)

TENDING = (
    Command(
        name="correct",
        group="Change",
        about="replace a wrong memory by a right one in one step",
        handler="recairn.surfaces.cli.actions.aging:correct",
        examples=(
            'recairn correct 17 "The radio listens on port 7332"',
            'echo "It is port 7332" | recairn correct 17 -',
            "recairn show 17",
        ),
        arguments=(
            ("ID", "the memory that is wrong"),
            ("TEXT+", "what is right; - reads standard input"),
            ("--force", "also when it is immutable"),
        ),
        notes="Kind, category and keywords are kept; the old one says what corrected it.",
    ),
    Command(
        name="pin",
        group="Change",
        about="keep memories out of every clean-up, and in CLAUDE.md or AGENTS.md",
        handler="recairn.surfaces.cli.actions.aging:pin",
        examples=(
            "recairn pin 42 43",
            "recairn pin --into CLAUDE.md",
            "recairn pin --refresh",
        ),
        arguments=(
            ("ID...", "the memories"),
            ("--into FILE", "keep a block of rules and pinned memories in this file"),
            ("--refresh", "bring the blocks of this project up to date"),
        ),
        notes=(
            "The block lies between <!-- recairn:start --> and <!-- recairn:end -->; the text\n"
            "around it is never touched. Every pin and unpin refreshes the blocks there are.\n"
            "Unverified memories stay out."
        ),
    ),
    Command(
        name="unpin",
        group="Change",
        about="let clean-ups have memories again; take the block out of a file",
        handler="recairn.surfaces.cli.actions.aging:unpin",
        examples=(
            "recairn unpin 42",
            "recairn unpin 42 43 --json",
            "recairn unpin --from CLAUDE.md",
        ),
        arguments=(
            ("ID...", "the memories"),
            ("--from FILE", "take the block out of this file"),
        ),
    ),
    Command(
        name="promote",
        group="Change",
        about="widen who sees memories: session, project, global",
        handler="recairn.surfaces.cli.actions.aging:promote",
        examples=("recairn promote 42", "recairn promote 42 43", "recairn undo 42"),
        arguments=(("ID+", "the memories"), ("--force", "also when it is immutable")),
    ),
    Command(
        name="expire",
        group="Change",
        about="hide memories from a time on",
        handler="recairn.surfaces.cli.actions.aging:expire",
        examples=("recairn expire 42", "recairn expire 42 --at 30d", "recairn list --expired"),
        arguments=(
            ("ID+", "the memories"),
            ("--at TIME", "when: a date, or a span such as 30d (now)"),
            ("--force", "also when it is immutable"),
        ),
        notes="recairn restore brings them back.",
    ),
    Command(
        name="archive",
        group="Change",
        about="put away what nobody used for long and what has faded",
        handler="recairn.surfaces.cli.actions.aging:archive",
        examples=(
            "recairn archive",
            "recairn archive --before 180d --below 0.2",
            "recairn archive --before 90d --below 0.1 --yes",
        ),
        arguments=(
            ("--before TIME", "not used since: 90d, 2026-01-31"),
            ("--below SCORE", "what is left of its salience is less"),
            ("--all-projects", "in every project"),
            ("--dry-run", "only say what would be put away; so it is without --yes"),
            ("--yes", "put it away"),
        ),
        notes=(
            "With neither --before nor --below, 90d and 0.1 count. Pinned and immutable memories\n"
            "and rules stay. recairn restore, and recairn undo, bring back what was put away."
        ),
    ),
    Command(
        name="stale",
        group="Change",
        about="memories that name files or symbols which are gone or much changed",
        handler="recairn.surfaces.cli.actions.aging:stale",
        examples=("recairn stale --check", "recairn stale", "recairn stale --json"),
        arguments=(("--check", "compare with the checkout now, with git where there is git"),),
        notes="A remark, never a deletion. Without --check it shows what the last check found.",
    ),
)
