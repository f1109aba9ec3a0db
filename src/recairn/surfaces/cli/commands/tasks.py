"""Rows of the commands about tasks."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

_FIELDS = (
    ("-d, --description TEXT", "what it is about, with the files it concerns"),
    ("-c, --category NAME", "what it has to do with"),
    ("--parent TASK", "the task it is part of"),
    ("--score NUMBER", "how urgent; higher comes first (0)"),
    ("--status STATUS", "open, active, blocked or done, or another tracker's word for it"),
)

CONTEXT = (
    Command(
        name="context",
        group="Find",
        about="what to know for a task or prompt, within a token budget",
        handler="recairn.surfaces.cli.actions.context:context",
        examples=(
            "recairn context tx-a1b2c3d4 --max-tokens 2000",
            'recairn context --prompt "draw the tide chart" --text',
            "recairn context t-3k9 --inject",
        ),
        arguments=(
            ("[TASK]", "the task, or the beginning of its id; the current one. Words: as --prompt"),
            ("--prompt TEXT", "what is to be done, instead of a task; - reads standard input"),
            ("--max-tokens N", "never more than so many tokens (context.max_tokens, 2000)"),
            ("--max-chars N", "never more than so many characters (6 for each token)"),
            ("-n, --limit N", "at most so many memories beside rules and handoff (10)"),
            ("--recent N", "also the newest so many, where there is room (context.recent, 0)"),
            ("--inject", "write it to .recairn/context.md, and to the archive of the task"),
            ("--text", "print the block as an agent reads it"),
            ("--explain", "show how each score came about, and what was left out and why"),
            ("More",),
            ("--file FILE...", "a file it concerns, for the scope of rules; may be repeated"),
            ("--exclude ID...", "a memory the reader has already; may be repeated"),
            ("--include-unverified", "also what nobody has confirmed yet"),
            ("--session ID", "see what is visible in this session"),
            ("--no-track", "do not count it as a use, and keep it out of the ledger"),
        ),
        notes=(
            "Standing rules whose scope fits come first, then what search finds for title,\n"
            "description, category, parent and files of the task, then the last handoff.\n"
            "Finding nothing is no failure: exit status 0. See docs/context.md."
        ),
    ),
    Command(
        name="ledger",
        group="Find",
        about="what was handed out, what it cost, and what was used of it",
        handler="recairn.surfaces.cli.actions.context:ledger",
        examples=(
            "recairn ledger",
            "recairn ledger tx-a1b2c3d4",
            "recairn ledger --by memory --unused 20",
        ),
        arguments=(
            ("[TASK]", "instead, everything that was handed out for this task"),
            ("--by WHAT", "task, memory, moment, day, agent or session (task)"),
            ("--memory ID", "instead, every time this memory was handed out"),
            ("--unused N", "only what was handed out so often and never seen used"),
            ("--since TIME", "only newer: 7d, 36h, 2026-11-15"),
            ("--all-projects", "of every project"),
        ),
    ),
    Command(
        name="last",
        group="Find",
        about="what an agent was handed at the last prompt, why, and what was left out",
        handler="recairn.surfaces.cli.actions.last:last",
        examples=("recairn last", "recairn last --unhelpful 2", "recairn last --json"),
        arguments=(("--unhelpful N", "what it shows under this number did not help"),),
        notes=(
            "Also what was handed out after the prompt, at files and failed tests. On a terminal,\n"
            "the number of what did not help is one key. recairn session show has all moments."
        ),
    ),
)

TASKS = (
    Command(
        name="task add",
        group="Work",
        about="add a task",
        handler="recairn.surfaces.cli.actions.tasks:add",
        creates=True,
        examples=(
            'recairn task add "Draw the tide chart" -c charts --score 5',
            'recairn task add "Draw the legend" --parent t-3k9x2m7q --dep t-3k9x2m7q',
            'recairn task add "Move to PostgreSQL" --id tx-a1b2c3d4 --json',
        ),
        arguments=(
            ("TITLE...", "what is to be done; - or nothing reads standard input"),
            *_FIELDS,
            ("--dep TASK...", "a task that must be done first; may be repeated"),
            ("--id ID", "the id it has in another tracker; made up when left out"),
        ),
    ),
    Command(
        name="task list",
        group="Work",
        about="the tasks of this project that are not done, most urgent first",
        handler="recairn.surfaces.cli.actions.tasks:listing",
        examples=("recairn task list", "recairn task list --status active --json", "recairn task"),
        arguments=(
            ("--status STATUS", "only these: open, active, blocked or done"),
            ("-c, --category NAME", "only these"),
            ("--parent TASK", "only the parts of this task"),
            ("--all", "done ones too"),
            ("--all-projects", "of every project"),
            ("-n, --limit N", "at most so many (all)"),
        ),
    ),
    Command(
        name="task ready",
        group="Work",
        about="open tasks that wait for nothing, highest score first",
        handler="recairn.surfaces.cli.actions.tasks:ready",
        examples=(
            "recairn task ready",
            "recairn task ready -n 1 --json",
            "recairn task ready --category charts",
        ),
        arguments=(
            ("-c, --category NAME", "only these"),
            ("--all-projects", "of every project"),
            ("-n, --limit N", "at most so many (all)"),
        ),
    ),
    Command(
        name="task show",
        group="Work",
        about="a task, what it waits for, and what was done to it",
        handler="recairn.surfaces.cli.actions.tasks:show",
        examples=("recairn task show", "recairn task show t-3k9", "recairn task show bd-12 --json"),
        arguments=(("[ID]", "the task, or the beginning of its id; the current one"),),
    ),
    Command(
        name="task start",
        group="Work",
        about="begin with a task; it is the current one here",
        handler="recairn.surfaces.cli.actions.tasks:start",
        examples=(
            "recairn task start t-3k9",
            "recairn task start tx-a1b2c3d4 --json",
            "recairn task start t-3k9 --force",
        ),
        arguments=(
            ("ID", "the task"),
            ("--force", "also when it is done or waits for others"),
        ),
    ),
    Command(
        name="task done",
        group="Work",
        about="end a task, and say how it came out",
        handler="recairn.surfaces.cli.actions.tasks:done",
        examples=(
            "recairn task done --outcome success",
            'recairn task done t-3k9 --outcome partial --note "the legend is missing"',
            "recairn task done bd-12 --json",
        ),
        arguments=(
            ("[ID]", "the task; the current one"),
            ("--outcome OUTCOME", "success, partial or failure"),
            ("--note TEXT", "why, in a sentence"),
        ),
        notes=(
            "The outcome reaches the memories that were handed out for the task, so that those\n"
            "which helped come first the next time."
        ),
    ),
    Command(
        name="task block",
        group="Work",
        about="mark a task that cannot go on",
        handler="recairn.surfaces.cli.actions.tasks:block",
        examples=(
            'recairn task block t-3k9 --reason "no map licence"',
            "recairn task block bd-12",
            "recairn task block t-3k9 --json",
        ),
        arguments=(("ID", "the task"), ("--reason TEXT", "what stands in the way")),
    ),
    Command(
        name="task edit",
        group="Work",
        about="change a task; its events keep what was there before",
        handler="recairn.surfaces.cli.actions.tasks:edit",
        examples=(
            "recairn task edit t-3k9 --score 8",
            'recairn task edit t-3k9 --title "Draw the chart" --status open',
            "recairn task edit t-3k9 --parent bd-12 --json",
        ),
        arguments=(("ID", "the task"), ("--title TEXT", "what is to be done"), *_FIELDS),
    ),
    Command(
        name="task dep add",
        group="Work",
        about="let a task wait until another is done",
        handler="recairn.surfaces.cli.actions.tasks:dep_add",
        examples=(
            "recairn task dep add t-3k9 t-p04",
            "recairn task dep add bd-12 bd-7",
            "recairn task dep add t-3k9 t-p04 --json",
        ),
        arguments=(("ID", "the task that waits"), ("ON", "the task that must be done first")),
    ),
    Command(
        name="task dep rm",
        group="Work",
        about="let a task wait for another no more",
        handler="recairn.surfaces.cli.actions.tasks:dep_rm",
        examples=(
            "recairn task dep rm t-3k9 t-p04",
            "recairn task dep rm bd-12 bd-7",
            "recairn task dep rm t-3k9 t-p04 --json",
        ),
        arguments=(("ID", "the task that waits"), ("ON", "the task it waits for")),
    ),
)
