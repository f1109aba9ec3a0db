"""Rows of the commands that remember, and of those that change what is remembered."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument

_WHAT: tuple[Argument, ...] = (
    ("-k, --kind KIND", "learning, decision, pattern, failure, handoff, rule, preference ..."),
    ("-c, --category NAME", "a tag of your own: database, auth, api ..."),
    ("--title TEXT", "a headline; counts double in search"),
    ("--keyword WORD...", "a word to be found by; may be repeated"),
    ("--tags WORDS", "keywords separated by commas"),
    ("--tier TIER", "how far it is visible: session, project or global"),
    ("--global", "visible in every project (--tier global)"),
)
_MORE: tuple[Argument, ...] = (
    ("More about it",),
    (
        "--sector SECTOR",
        "episodic, semantic, procedural, emotional or reflective; guessed otherwise",
    ),
    ("--scope GLOB", "the files or module it is about"),
    ("--branch BRANCH", "the branch it belongs to, until that is merged; . is the current one"),
    ("--importance SCORE", "0 to 1"),
    ("--confidence SCORE", "0 to 1"),
    ("--expires TIME", "hidden from then on: a date, or a span such as 30d"),
    ("--pin", "keep it out of every clean-up"),
    ("--immutable", "refuse changes without --force"),
    ("--private", "in a team's store: for your eyes alone"),
    ("--shared", "in a team's store: for all of the team"),
)
_SOURCE: tuple[Argument, ...] = (
    ("Where it came from",),
    ("--source-type SOURCE", "manual, agent, hook, run, compaction, claude_md, import, document"),
    ("--source-ref REF", "a task, file or run; undo --source REF takes back all of it"),
    ("--session ID", "the agent's session (RECAIRN_SESSION)"),
    ("--external-id ID", "its id in another system; every command accepts it"),
    ("--created-at TIME", "when it was learned, if not now"),
    ("--trust TRUST", "verified, attributed or unverified"),
)
# Option to field: the option's own name, unless `cli.fields.FIELD_OF` says otherwise.
_FIELDS: tuple[Argument, ...] = (
    ("Decisions",),
    ("--rationale TEXT", "why"),
    ("--alternative TEXT...", "what was not chosen; may be repeated"),
    ("--alternatives LIST", "the same, separated by commas"),
    ("--outcome TEXT", "what came of it"),
    ("--lesson TEXT", "what it taught"),
    ("--git-commit SHA", "the commit that carried it out"),
    ("Patterns and anti-patterns",),
    ("--context TEXT", "when it applies"),
    ("--problem TEXT", "what it solves"),
    ("--solution TEXT", "how"),
    ("--anti-pattern", "this is what not to do"),
    ("--symptom TEXT", "how it shows"),
    ("--risk TEXT", "what it may cost"),
    ("--fix TEXT", "the way out (also of failures)"),
    ("--severity TEXT", "low, medium, high ..."),
    ("--good-example TEXT", "how it looks when done right"),
    ("--bad-example TEXT", "how it looks when done wrong"),
    ("Failures",),
    ("--error-type NAME", "for example TimeoutError"),
    ("--error-message TEXT", "what it said"),
    ("--tool NAME", "the tool that failed"),
    ("--step TEXT", "what was being done"),
    ("--cause TEXT", "why it failed"),
    ("Handoffs",),
    ("--next TEXT...", "a next step; may be repeated"),
    ("--blocker TEXT...", "what stands in the way; may be repeated"),
    ("--question TEXT...", "what is open; may be repeated"),
    ("--goal TEXT...", "what it is for; may be repeated"),
    ("--commit SHA...", "a commit; may be repeated"),
    ("--file PATH...", "a file touched; may be repeated"),
    ("Entities, resources, notes, observations",),
    ("--entity-type NAME", "person, system, module, concept ..."),
    ("--alias NAME...", "another name of the entity; may be repeated"),
    ("--description TEXT", "what the entity is"),
    ("--url URL", "where the resource is"),
    ("--resource-type NAME", "article, repository, tool ..."),
    ("--takeaway TEXT...", "what to take from the resource; may be repeated"),
    ("--summary TEXT", "the note in short"),
    ("--key-point TEXT...", "a point of the note; may be repeated"),
    ("--status TEXT", "of a resource or observation"),
    ("--field NAME=VALUE...", "any field of the kind by its name; may be repeated"),
)
_RATING: tuple[Argument, ...] = (
    ("--query TEXT", "what it was the answer to (the last search that found it)"),
    ("--note TEXT", "why"),
)

REMEMBERING = (
    Command(
        name="add",
        group="Remember",
        about="remember something",
        handler="recairn.surfaces.cli.actions.remember:add",
        creates=True,
        examples=(
            'recairn add "Always use transactions for multi-step DB operations" -c database',
            'recairn add "Postgres over MySQL" --rationale "we need partial indexes"',
            "git log -1 --format=%B | recairn add -k handoff --next 'write the migration'",
        ),
        arguments=(
            ("TEXT...", "what to remember; - or nothing reads standard input"),
            *_WHAT,
            ("Look-alikes",),
            ("--force", "store it beside what it resembles"),
            ("--supersede ID", "store it in place of this memory"),
            ("--merge ID", "add its text to this memory"),
            *_MORE,
            *_SOURCE,
            *_FIELDS,
        ),
        aliases=("remember", "capture"),
        notes=(
            "Without --kind, the fields decide: --rationale makes a decision, --solution a\n"
            "pattern, --cause a failure, --next a handoff; without fields it is a learning.\n"
            "Saying the same again reinforces what is known. Something nearly the same\n"
            "(config add.similar_above, 0.8 of the words), or a decision or pattern of the same\n"
            "name, is refused (exit status 1) until --force, --supersede or --merge says what\n"
            "to do. "
            "Secrets are redacted. `learn` is add --kind pattern; tx's `learn PATH NOTE` is\n"
            "`recairn add NOTE --scope PATH`."
        ),
    ),
)

CHANGING = (
    Command(
        name="edit",
        group="Change",
        about="change the text or the fields of a memory",
        handler="recairn.surfaces.cli.actions.remember:edit",
        examples=(
            'recairn edit 42 "Use savepoints for nested transactions"',
            "recairn edit 42 -c database --importance 0.9",
            "recairn edit 42 --editor",
        ),
        arguments=(
            ("ID", "the memory: 42, #42, the beginning of its uid, or its external id"),
            ("TEXT...", "the new text; - reads standard input"),
            ("--content TEXT", "the new text, as an option"),
            ("--editor", "open the text in $EDITOR"),
            ("--move-to NAME", "move it to this project; --project says where it is"),
            *_WHAT,
            ("--force", "change it although it is immutable"),
            ("--expect VERSION", "only if it still is as `show --json` said (version)"),
            *_MORE,
            ("--no-pin", "no longer pinned"),
            ("--no-immutable", "changeable again (with --force)"),
            ("--trust TRUST", "verified, attributed or unverified"),
            *_FIELDS,
        ),
        notes="What is not named stays. `--expires never` lifts an expiry, an empty value clears.",
    ),
    Command(
        name="supersede",
        group="Change",
        about="replace a memory by another one or by a new text",
        handler="recairn.surfaces.cli.actions.remember:supersede",
        examples=(
            'recairn supersede 17 "Retry three times, with full jitter"',
            "recairn supersede 17 42",
            "recairn search retry --include-superseded",
        ),
        arguments=(
            ("OLD", "the memory that no longer holds"),
            ("NEW+", "the id of its successor, or a new text; - reads standard input"),
            ("--force", "also when the old one is immutable"),
        ),
        notes="The old memory stays in the history: search --as-of and show still find it.",
    ),
    Command(
        name="helpful",
        group="Change",
        about="record that a memory helped",
        handler="recairn.surfaces.cli.actions.remember:helpful",
        examples=(
            "recairn helpful 42",
            "recairn helpful 42 --score 0.9",
            "recairn learning:helpful 42 --score 0.5",
        ),
        arguments=(
            ("ID+", "the memories"),
            ("--score SCORE", "how much, 0 to 1 (1)"),
            *_RATING,
        ),
        notes="It belongs to the last search that found the memory, unless --query says otherwise.",
    ),
    Command(
        name="unhelpful",
        group="Change",
        about="record that a memory misled",
        handler="recairn.surfaces.cli.actions.remember:unhelpful",
        examples=(
            "recairn unhelpful 42",
            "recairn unhelpful 42 43",
            "recairn undo 42",
        ),
        arguments=(("ID+", "the memories"), *_RATING),
    ),
    Command(
        name="reinforce",
        group="Change",
        about="strengthen a memory",
        handler="recairn.surfaces.cli.actions.remember:reinforce",
        examples=(
            "recairn reinforce 42",
            "recairn reinforce 42 --amount 0.3",
            "recairn reinforce 42 43 44",
        ),
        arguments=(("ID+", "the memories"), ("--amount SCORE", "share of the way to 1 (0.1)")),
    ),
    Command(
        name="deemphasize",
        group="Change",
        about="weaken a memory without forgetting it",
        handler="recairn.surfaces.cli.actions.remember:deemphasize",
        examples=(
            "recairn deemphasize 42",
            "recairn deemphasize 42 --amount 0.5",
            "recairn deemphasize 42 43",
        ),
        arguments=(("ID+", "the memories"), ("--amount SCORE", "how much salience it loses (0.2)")),
    ),
    Command(
        name="forget",
        group="Change",
        about="hide a memory, or destroy it for good",
        handler="recairn.surfaces.cli.actions.remember:forget",
        examples=(
            "recairn forget 42",
            'recairn forget 42 43 --reason "the service is gone"',
            "recairn forget 42 --hard --yes",
        ),
        arguments=(
            ("ID+", "the memories"),
            ("--reason TEXT", "kept in the history"),
            ("--hard", "destroy the text for good; nothing brings it back"),
            ("--yes", "do not ask"),
            ("--force", "also when it is immutable"),
        ),
        aliases=("delete", "rm"),
    ),
    Command(
        name="restore",
        group="Change",
        about="bring a forgotten memory back",
        handler="recairn.surfaces.cli.actions.remember:restore",
        examples=(
            "recairn restore 42",
            "recairn restore 42 43",
            "recairn list --include-deleted",
        ),
        arguments=(("ID+", "the memories"),),
    ),
    Command(
        name="undo",
        group="Change",
        about="take changes back, by memory, source, session, time or project",
        handler="recairn.surfaces.cli.actions.remember:undo",
        examples=(
            "recairn undo 42",
            "recairn undo --source import-7 --dry-run",
            "recairn undo --since 1h --yes",
        ),
        arguments=(
            ("[ID]", "take back the last change of this memory"),
            ("--source REF", "take back everything that came from there into this project"),
            ("--session ID", "take back everything a session changed in this project"),
            ("--since TIME", "take back every change since then: 1h, 2d, 2026-11-15"),
            ("--event N...", "take back this event of a history; may be repeated"),
            ("--change N", "take back what was done to a project; recairn project show lists it"),
            (
                "--task TASK",
                "take back what was done to a task last; an outcome leaves memories too",
            ),
            ("--all-projects", "also changes of other projects' memories"),
            ("--dry-run", "only say what would be taken back"),
            ("--yes", "do not ask"),
        ),
    ),
)
