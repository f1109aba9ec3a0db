"""Rows of the commands that look after the database and the tool itself."""

from __future__ import annotations

from recairn.cli.table import Command

UPKEEP = (
    Command(
        name="config list",
        group="Upkeep",
        about="the settings of this database",
        handler="recairn.cli.settings:show_all",
        examples=("recairn config", "recairn config list", "recairn config list --json"),
    ),
    Command(
        name="config get",
        group="Upkeep",
        about="one setting",
        handler="recairn.cli.settings:show_one",
        examples=(
            "recairn config get redaction.allow",
            "recairn config get redaction.allow --json",
            "recairn config:get redaction.allow",
        ),
        arguments=(("SETTING", "its key"),),
    ),
    Command(
        name="config set",
        group="Upkeep",
        about="change a setting",
        handler="recairn.cli.settings:store",
        examples=(
            "recairn config set redaction.allow sk-example-0000",
            "recairn config set redaction.allow 're:sk-test-.*' 'ghp_documentation'",
            "recairn config set team.motto 'measure first'",
        ),
        arguments=(("SETTING", "its key; keys of your own are welcome"), ("VALUE+", "the value")),
    ),
    Command(
        name="config unset",
        group="Upkeep",
        about="return a setting to its default",
        handler="recairn.cli.settings:remove",
        examples=(
            "recairn config unset redaction.allow",
            "recairn config unset team.motto",
            "recairn config list",
        ),
        arguments=(("SETTING", "its key"),),
    ),
    Command(
        name="bench",
        group="Upkeep",
        about="measure search on question sets, beside plain BM25",
        handler="recairn.cli.bench:bench",
        examples=(
            "recairn bench sets/locomo",
            "recairn bench sets/* --model minilm --work /var/tmp/bench",
            "recairn bench sets/nl2bash --compare tx --compare minilm --json",
        ),
        arguments=(
            ("FOLDER+", "folders with corpus.jsonl, queries.jsonl (or .gz) and qrels.tsv"),
            ("--profile PROFILE", "the profile to measure"),
            ("--model NAME", "the embedding model: static, minilm, external or none"),
            ("--mode MODE", "hybrid, semantic or keyword"),
            ("--compare NAME...", "another profile or model, compared question by question"),
            ("--work FOLDER", "keep the filled databases there, and use them again"),
            ("--all", "without the floor below which nothing is answered"),
        ),
        notes="Everything runs through the shipped write door and the shipped search.",
    ),
    Command(
        name="doctor",
        group="Upkeep",
        about="say what is wrong, and the command that mends it",
        handler="recairn.cli.upkeep:doctor",
        examples=("recairn doctor", "recairn doctor --repair", "recairn doctor --json"),
        arguments=(
            ("--repair", "mend what can be mended; a damaged file is kept aside, never deleted"),
        ),
        notes="Works on a database that will not open, too. Exit status 1 when something is wrong.",
    ),
    Command(
        name="verify",
        group="Upkeep",
        about="check every promise the database makes",
        handler="recairn.cli.upkeep:verify",
        examples=("recairn verify", "recairn verify --json", "recairn verify --db copy.db"),
        notes="Exit status 1 when something is wrong.",
    ),
    Command(
        name="backup create",
        group="Upkeep",
        about="write a copy of the database, while others may write",
        handler="recairn.cli.upkeep:backup_create",
        examples=(
            "recairn backup create",
            "recairn backup create --keep 7",
            "recairn backup create --folder /mnt/usb",
        ),
        arguments=(
            ("--folder FOLDER", "where to write it (backups/ beside the database)"),
            ("--keep N", "afterwards remove all but the newest so many there"),
        ),
        notes="The copy is checked like the database itself before it counts as a backup.",
    ),
    Command(
        name="backup list",
        group="Upkeep",
        about="the backups there are, newest first",
        handler="recairn.cli.upkeep:backup_list",
        examples=(
            "recairn backup",
            "recairn backup list --folder /mnt/usb",
            "recairn backup list --json",
        ),
        arguments=(("--folder FOLDER", "where to look (backups/ beside the database)"),),
    ),
    Command(
        name="backup restore",
        group="Upkeep",
        about="put a backup in the place of the database",
        handler="recairn.cli.upkeep:backup_restore",
        examples=(
            "recairn backup restore latest",
            "recairn backup restore memory-20261115T103000Z.db --yes",
            "recairn backup restore /mnt/usb/memory-20261115T103000Z.db",
        ),
        arguments=(
            ("FILE", "latest, a name from backup list, or a path"),
            ("--folder FOLDER", "where names are looked up (backups/ beside the database)"),
            ("--yes", "do not ask"),
        ),
        notes="What is replaced becomes a backup itself.",
    ),
    Command(
        name="completion",
        group="Upkeep",
        about="print the completion script of a shell",
        handler="recairn.cli.completion:completion",
        examples=(
            "recairn completion bash > ~/.local/share/bash-completion/completions/recairn",
            'recairn completion zsh > "${fpath[1]}/_recairn"',
            "recairn completion fish > ~/.config/fish/completions/recairn.fish",
        ),
        arguments=(("SHELL", "bash, zsh or fish"),),
    ),
    Command(
        name="help",
        group="Upkeep",
        about="explain a command",
        handler="recairn.cli.help:help_command",
        examples=("recairn help", "recairn help search", "recairn help config set"),
        arguments=(("COMMAND...", "the command; an overview when left out"),),
    ),
    Command(
        name="version",
        group="Upkeep",
        about="print the version",
        handler="recairn.cli.upkeep:version",
        examples=("recairn version", "recairn version --json", "recairn --version"),
    ),
)
