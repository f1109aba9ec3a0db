"""Rows of the commands that bring memory in from elsewhere, and that learn from what happened."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

IMPORTING = (
    Command(
        name="import",
        group="Files",
        about="take in what was written down elsewhere",
        handler="recairn.surfaces.cli.actions.imports:import_",
        creates=True,
        examples=(
            "recairn import",
            "recairn import CLAUDE.md",
            "recairn import transcripts --dry-run --json",
        ),
        arguments=(
            ("[FORMAT]", "a format (docs/import.md); or just the file or folder, when it tells"),
            ("FILE...", "files or folders; without any, what the project holds of that format"),
            ("--dry-run", "only say what would happen"),
            ("--restore", "bring back what was imported once and forgotten since"),
            ("--prune", "forget what is no longer there; restore brings it back"),
            ("--as-mine", "it is your own word: its rules hold at once, and pins and trust too"),
        ),
        notes=(
            "Without a format it only says what there is to import, here and at home.\n"
            "A second import adds nothing, and changed records supersede what they were. Records\n"
            "that are gone are told, and forgotten only with --prune. One that cannot be read is\n"
            "told with its line and does not stop the others (exit status 1). What recairn has no\n"
            "place for is counted. `undo --source CLAUDE.md` takes back what came from a file."
        ),
    ),
)

LEARNING = (
    Command(
        name="tune",
        group="Work",
        about="fit the weights of ranking to what helped so far",
        handler="recairn.surfaces.cli.actions.learning:tune",
        examples=("recairn tune", "recairn tune --apply", "recairn tune --undo"),
        arguments=(
            ("--apply", "use the new weights (config retrieval.*_weight)"),
            ("--undo", "take the last --apply back"),
        ),
        notes=(
            "Questions are asked again; of two answers, the one that helped should come first.\n"
            "A quarter of the questions is held back to measure the result, and --apply refuses\n"
            "weights that do no better on them. At least 12 questions are needed."
        ),
    ),
    Command(
        name="observe",
        group="Work",
        about="run a program, and note whether it passed for the current task",
        handler="recairn.surfaces.cli.actions.learning:observe",
        examples=(
            "recairn observe -- pytest -q",
            "recairn observe --task t-3k9 -- make check",
            "recairn observe -- npm test",
        ),
        arguments=(
            ("PROGRAM+", "the program and its words; put -- before it"),
            ("--task TASK", "note it for this task instead of the current one"),
        ),
        notes=(
            "The program gets our input, output and signals, and its exit status is ours,\n"
            "whatever becomes of the note."
        ),
    ),
    Command(
        name="outcome observe",
        group="Work",
        about="read outcomes off test reports and reverted commits",
        handler="recairn.surfaces.cli.actions.learning:outcome_observe",
        examples=(
            "recairn outcome observe",
            "recairn outcome observe --junit report.xml",
            "recairn outcome observe --status 1 --task t-3k9",
        ),
        arguments=(
            ("--junit FILE...", "a JUnit XML report; may be repeated"),
            ("--status N", "the exit status of a run of tests"),
            ("--task TASK", "note it for this task instead of the current one"),
        ),
        notes=(
            "With neither --junit nor --status, the git log is searched for reverts\n"
            "(`This reverts commit ...`) of commits whose message names a task: it has failed."
        ),
    ),
    Command(
        name="compact",
        group="Work",
        about="turn finished tasks into learnings",
        handler="recairn.surfaces.cli.actions.learning:compact",
        examples=(
            "recairn compact --dry-run",
            "recairn compact --before 2d",
            "recairn compact --output CLAUDE.md",
        ),
        arguments=(
            ("--before TIME", "tasks done before then: 7d, 2026-11-01 (7d)"),
            ("--output FILE", "also add them, dated, to a block of this file of the project"),
            ("--all-projects", "of every project"),
            ("--dry-run", "only show what they would become"),
        ),
        notes=(
            "A task counts when it and everything below it is done; nothing is compacted twice.\n"
            "No model is needed; `config set compaction.command PROGRAM` lets a program that\n"
            "reads text and prints a summary write it. `undo --source compaction` takes it back."
        ),
    ),
)
