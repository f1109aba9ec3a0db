"""Rows of the commands about candidates, and of the program that agents call."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument

_WHICH: tuple[Argument, ...] = (
    ("-k, --kind KIND...", "of this kind; may be repeated"),
    ("--source-type SOURCE...", "of what came in this way; may be repeated"),
    ("--author AUTHOR", "of what they wrote: agent, agent:codex, repository ..."),
)

REVIEW = (
    Command(
        name="review walk",
        group="Change",
        about="decide one by one about what was captured by itself",
        handler="recairn.surfaces.cli.actions.review:walk",
        examples=("recairn review", "recairn review walk --all-projects", "recairn review --json"),
        arguments=(
            ("--all-projects", "of every project"),
            *_WHICH,
        ),
        notes="Without a terminal it lists them. Nothing unverified reaches an agent by itself.",
    ),
    Command(
        name="review list",
        group="Change",
        about="the candidates that wait for a decision, and where they came from",
        handler="recairn.surfaces.cli.actions.review:listing",
        examples=(
            "recairn review list",
            "recairn review list --kind rule",
            "recairn review list --json",
        ),
        arguments=(
            ("--all-projects", "of every project"),
            *_WHICH,
            ("-n, --limit N", "at most so many"),
        ),
    ),
    Command(
        name="review accept",
        group="Change",
        about="let candidates count as verified; destroy what an agent asked to destroy",
        handler="recairn.surfaces.cli.actions.review:accept",
        examples=(
            "recairn review accept 42",
            "recairn review accept 42 43 44",
            "recairn review accept --all --kind rule --author repository",
        ),
        arguments=(
            ("ID...", "the candidates"),
            ("--all", "instead, all of this project that the filters let through"),
            ("--all-projects", "of every project"),
            *_WHICH,
            ("--yes", "do not ask"),
        ),
        notes="recairn undo ID takes it back.",
    ),
    Command(
        name="review drop",
        group="Change",
        about="forget candidates, or keep what an agent asked to destroy",
        handler="recairn.surfaces.cli.actions.review:drop",
        examples=(
            "recairn review drop 42",
            "recairn review drop 42 43 --reason 'only for that day'",
            "recairn review drop --all --author agent:codex",
        ),
        arguments=(
            ("ID...", "the candidates"),
            ("--all", "instead, all of this project that the filters let through"),
            ("--all-projects", "of every project"),
            *_WHICH,
            ("--reason TEXT", "why, for the history"),
            ("--yes", "do not ask"),
        ),
        notes="recairn restore ID brings one back.",
    ),
    Command(
        name="review edit",
        group="Change",
        about="put a candidate into better words and accept it",
        handler="recairn.surfaces.cli.actions.review:edit",
        examples=(
            'recairn review edit 42 "Use pnpm, never npm"',
            'recairn review edit 42 --kind rule "Use pnpm, never npm"',
            "recairn review edit 42 --editor",
        ),
        arguments=(
            ("ID", "the candidate"),
            ("TEXT...", "the new text; - reads standard input"),
            ("-k, --kind KIND", "what it really is"),
            ("--editor", "change the text in $VISUAL or $EDITOR"),
        ),
    ),
)

HOOK = (
    Command(
        name="hook",
        group="Agents",
        about="answer an event of an agent's session; agents call this, not people",
        handler="recairn.surfaces.hooks:hook",
        examples=(
            "cat event.json | recairn hook UserPromptSubmit",
            "cat event.json | recairn hook SessionStart --agent codex",
            "cat event.json | recairn hook",
        ),
        arguments=(
            ("[EVENT]", "its name as the agent spells it; by default as the input says"),
            ("--agent NAME", "claude, codex, cursor, gemini or copilot; by default found out"),
        ),
        notes="Reads the event as JSON from standard input. Whatever goes wrong, it ends with"
        " status 0 and says nothing. RECAIRN_HOOKS=off switches it off.",
    ),
    Command(
        name="statusline",
        group="Agents",
        about="a line about what a session was handed, for the status line of an agent",
        handler="recairn.surfaces.hooks:status_line",
        examples=(
            "cat status.json | recairn statusline",
            "cat status.json | recairn statusline --db team.db",
            "recairn last",
        ),
        notes="Reads what Claude Code sends a status line as JSON from standard input:"
        ' session_id and cwd. In its settings: "statusLine": {"type": "command",'
        ' "command": "recairn statusline"}.',
    ),
)
