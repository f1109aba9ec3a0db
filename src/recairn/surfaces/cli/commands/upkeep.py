"""Rows of the commands that look after the database and the tool itself."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

UPKEEP = (
    Command(
        name="config list",
        group="Upkeep",
        about="the settings of this database",
        handler="recairn.surfaces.cli.actions.settings:show_all",
        examples=("recairn config", "recairn config list", "recairn config list --json"),
    ),
    Command(
        name="config get",
        group="Upkeep",
        about="one setting",
        handler="recairn.surfaces.cli.actions.settings:show_one",
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
        handler="recairn.surfaces.cli.actions.settings:store",
        creates=True,
        examples=(
            "recairn config set redaction.allow sk-example-0000",
            "recairn config set redaction.allow 're:sk-test-.*' 'ghp_documentation'",
            "recairn config set team.motto 'measure first'",
        ),
        arguments=(("SETTING", "its key; keys of your own are welcome"), ("VALUE+", "the value")),
        notes="With --project NAME, a setting that begins with hooks. is that project's alone.",
    ),
    Command(
        name="config unset",
        group="Upkeep",
        about="return a setting to its default",
        handler="recairn.surfaces.cli.actions.settings:remove",
        examples=(
            "recairn config unset redaction.allow",
            "recairn config unset team.motto",
            "recairn config list",
        ),
        arguments=(("SETTING", "its key"),),
    ),
    Command(
        name="trust",
        group="Upkeep",
        about="show what the database of a checkout holds, and use it from now on",
        handler="recairn.surfaces.cli.actions.trust:answer",
        examples=("recairn trust", "recairn trust --list", "recairn trust ~/src/shop --revoke"),
        arguments=(
            ("[FOLDER]", "the checkout; without it this one"),
            ("--list", "what is trusted, and what keeps it from being used"),
            ("--revoke", "take the word back; nothing in the database is changed"),
            ("--yes", "do not ask"),
        ),
        notes=(
            "A .recairn/memory.db that came with a repository is somebody else's word. Until it\n"
            "is trusted, your own database is used. What only a person may set is never read\n"
            "from it."
        ),
    ),
    Command(
        name="store init",
        group="Upkeep",
        about="make the tables of recairn on a PostgreSQL server, and a team",
        handler="recairn.surfaces.cli.actions.servers:init",
        examples=(
            "recairn store init --db postgresql://owner@db.example/memories",
            "recairn store init --db 'postgresql://owner@db/memories?team=gulls'",
            "recairn store init --db postgresql://owner@db/memories --print",
        ),
        arguments=(
            ("--role ROLE", "the role that clients will run as (recairn_app)"),
            ("--print", "only print the statements"),
        ),
        notes="Run by the role that is to own the tables. Clients use another one, which owns\n"
        "nothing: recairn_app, made where that is allowed. It has no password until you set one.",
    ),
    Command(
        name="store status",
        group="Upkeep",
        about="how a PostgreSQL server's tables, role and team stand",
        handler="recairn.surfaces.cli.actions.servers:status",
        examples=(
            "recairn store status",
            "recairn store status --db postgresql://recairn_app@db.example/memories",
            "recairn store status --json",
        ),
    ),
    Command(
        name="store migrate",
        group="Upkeep",
        about="bring the tables on a server up to date",
        handler="recairn.surfaces.cli.actions.servers:migrate",
        examples=(
            "recairn store migrate --db postgresql://owner@db.example/memories",
            "recairn store migrate --db postgresql://owner@db/memories --print",
            "recairn store migrate --db postgresql://owner@db/memories --role app",
        ),
        arguments=(
            ("--role ROLE", "the role that clients run as (recairn_app)"),
            ("--print", "only print the statements"),
        ),
        notes="Run by the owner of the tables. Many may run it at once; one does it. Clients of\n"
        "an older recairn are refused afterwards, with what to type.",
    ),
    Command(
        name="bench",
        group="Upkeep",
        about="measure search on question sets, beside plain BM25",
        handler="recairn.surfaces.cli.actions.bench:bench",
        examples=(
            "recairn bench sets/locomo",
            "recairn bench sets/* --compare tx --compare minilm --json",
            "recairn bench ~/code/app --verbatim",
        ),
        arguments=(
            ("FOLDER+", "folders with corpus.jsonl, queries.jsonl (or .gz) and qrels.tsv"),
            (
                "--verbatim",
                "ask for what is older than 30 days by its first 8 words, every profile",
            ),
            ("--profile PROFILE", "the profile to measure"),
            ("--model NAME", "the embedding model: static, minilm, external or none"),
            ("--mode MODE", "hybrid, semantic or keyword"),
            (
                "--compare NAME...",
                "another profile, model or reranker, compared question by question",
            ),
            ("--work FOLDER", "keep the filled databases there, and use them again"),
            ("--all", "without the floor below which nothing is answered"),
        ),
        notes=(
            "Everything runs through the shipped write door and the shipped search.\n"
            "--verbatim also takes folders that recairn import reads."
        ),
    ),
    Command(
        name="bench hooks",
        group="Upkeep",
        about="measure what the prompt hook injects, on labelled prompts",
        handler="recairn.surfaces.cli.actions.bench:hooks",
        examples=(
            "recairn bench hooks bench/hook_prompts",
            "recairn bench hooks bench/hook_prompts --model minilm",
            "recairn bench hooks my_prompts --json",
        ),
        arguments=(
            ("FOLDER", "a folder of projects, each with memories.jsonl and prompts.jsonl"),
            ("--model NAME", "the embedding model: static, minilm, external or none"),
            ("--server", "beside a running MCP server, which the hooks ask"),
        ),
        notes=(
            "Each project gets a store of its own, each prompt a session and two processes of the\n"
            "real hook. Half of the prompts, by a hash of their id, is for tuning; the figures of\n"
            "the other half are those that count."
        ),
    ),
    Command(
        name="health",
        group="Upkeep",
        about="whether everything works: hooks heard, model, backups, mirrors, size",
        handler="recairn.surfaces.cli.actions.overview:health",
        examples=("recairn health", "recairn health --thorough", "recairn health --json"),
        arguments=(("--thorough", "also all that doctor looks at"),),
    ),
    Command(
        name="doctor",
        group="Upkeep",
        about="say what is wrong, and the command that mends it",
        handler="recairn.surfaces.cli.actions.upkeep:doctor",
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
        handler="recairn.surfaces.cli.actions.upkeep:verify",
        examples=("recairn verify", "recairn verify --json", "recairn verify --db copy.db"),
        notes="Exit status 1 when something is wrong.",
    ),
    Command(
        name="backup create",
        group="Upkeep",
        about="write a copy of the database, while others may write",
        handler="recairn.surfaces.cli.actions.upkeep:backup_create",
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
        handler="recairn.surfaces.cli.actions.upkeep:backup_list",
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
        handler="recairn.surfaces.cli.actions.upkeep:backup_restore",
        examples=(
            "recairn backup restore latest",
            "recairn backup restore memory-20261115T103000Z.db --yes",
            "recairn backup restore /mnt/usb/memory-20261115T103000Z.db",
        ),
        arguments=(
            ("FILE", "latest (never what a restore replaced), a name from backup list, or a path"),
            ("--folder FOLDER", "where names are looked up (backups/ beside the database)"),
            ("--yes", "do not ask"),
        ),
        notes="What is replaced becomes a backup itself.",
    ),
    Command(
        name="model list",
        group="Upkeep",
        about="the embedding models, and how far their vectors have come",
        handler="recairn.surfaces.cli.actions.models:listing",
        examples=("recairn model", "recairn model list", "recairn model list --json"),
    ),
    Command(
        name="model pull",
        group="Upkeep",
        about="fetch an embedding model or a reranker",
        handler="recairn.surfaces.cli.actions.models:pull",
        examples=(
            "recairn model pull minilm",
            "recairn model pull e5-small --json",
            "recairn model pull sentence-transformers/all-MiniLM-L12-v2",
        ),
        arguments=(
            ("MODEL", "a name of recairn model list, MAKER/MODEL on the model hub, or a folder"),
        ),
        notes="A pull that was interrupted goes on where it stopped. Every file is checked against"
        " its SHA-256. All but minilm need recairn[onnx].",
    ),
    Command(
        name="model use",
        group="Upkeep",
        about="choose the embedding model of this database",
        handler="recairn.surfaces.cli.actions.models:use",
        creates=True,
        examples=(
            "recairn model use minilm",
            "recairn model use static",
            "recairn model use none",
        ),
        arguments=(("MODEL", "static, external, one that was pulled, or none for words alone"),),
        notes="The model before goes on answering until recairn embed has finished the new one.",
    ),
    Command(
        name="model use-reranker",
        group="Upkeep",
        about="choose the reranker that has a second look at the best of a search",
        handler="recairn.surfaces.cli.actions.models:use_reranker",
        creates=True,
        examples=(
            "recairn model use-reranker cross-mini",
            "recairn model use-reranker off",
            "recairn model use-reranker off --json",
        ),
        arguments=(("RERANKER", "cross-mini, ms-marco, another that was pulled, or off"),),
        notes=(
            "It reads the question together with the best twenty; what it says is a term of its\n"
            "own in search --explain. Searches wait retrieval.reranker_ms for it, search --deep\n"
            "until it is done, hooks never."
        ),
    ),
    Command(
        name="model remove",
        group="Upkeep",
        about="remove an embedding model and its vectors in this database",
        handler="recairn.surfaces.cli.actions.models:remove",
        examples=(
            "recairn model remove minilm",
            "recairn model remove external",
            "recairn model remove minilm --json",
        ),
        arguments=(("MODEL", "external, or one that was pulled"),),
    ),
    Command(
        name="embed",
        group="Upkeep",
        about="make the vectors that are missing or out of date",
        handler="recairn.surfaces.cli.actions.models:embed",
        examples=("recairn embed", "recairn embed --status", "recairn embed --limit 1000"),
        arguments=(
            ("--all", "make every vector anew"),
            ("--status", "only say how many there are"),
            ("--limit N", "stop after so many memories"),
        ),
        notes="May be interrupted at any time and run again; others search and write meanwhile.",
    ),
    Command(
        name="completion",
        group="Upkeep",
        about="print the completion script of a shell",
        handler="recairn.surfaces.cli.completion:completion",
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
        handler="recairn.surfaces.cli.help:help_command",
        examples=("recairn help", "recairn help search", "recairn help config set"),
        arguments=(("COMMAND...", "the command; an overview when left out"),),
    ),
    Command(
        name="version",
        group="Upkeep",
        about="print the version",
        handler="recairn.surfaces.cli.actions.upkeep:version",
        examples=("recairn version", "recairn version --json", "recairn --version"),
    ),
)
