"""Rows of the commands that coding agents start."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

STATUS = Command(
    name="status",
    group="Agents",
    about="where you stand: memory, what waits for you, agents, the next step",
    handler="recairn.surfaces.cli.actions.standing:status",
    examples=("recairn status", "recairn status --json", "recairn"),
    notes="A bare recairn begins with the same in two lines. An agent is heard when one of its"
    " hooks runs; recairn doctor looks closer at one that is registered and not heard.",
)

AGENTS = (
    Command(
        name="init",
        group="Agents",
        about="the first minutes: register your agents, take in what is there",
        handler="recairn.surfaces.cli.actions.init:init",
        creates=True,
        examples=("recairn init", "recairn init --dry-run", "recairn init claude --yes"),
        arguments=(
            ("AGENT...", "which agents; without any, those on this machine"),
            ("--model MODEL", "pull this embedding model and use it: minilm"),
            ("--dry-run", "only say what it would do"),
            ("--yes", "do not ask: register, allow its tools, import what is about this project"),
        ),
        notes="It asks before each step, and may be run again: what is done already is passed over."
        " Without a terminal and without --yes it only says what it would do, and ends with status"
        " 1. What agents keep about all your projects is named, not imported.",
    ),
    STATUS,
    Command(
        name="mcp",
        group="Agents",
        about="serve agents over the Model Context Protocol (stdio)",
        handler="recairn.surfaces.mcp.stdio:run",
        examples=(
            "recairn mcp",
            "recairn mcp --tools default,lore",
            "recairn mcp --tools ccmemory --project puffin --db ~/team/memory.db",
        ),
        arguments=(
            ("--tools SETS", "sets of tools, with commas: default, tx, lore, brain, ccmemory"),
        ),
        notes="An agent starts this by itself: docs/mcp.md shows how to register it. It ends when "
        "its input\nends, and writes nothing but the protocol to standard output.",
    ),
    Command(
        name="serve",
        group="Agents",
        about="open the page: what is known, what agents were told, what waits for a word",
        handler="recairn.surfaces.hub.serve_team:run",
        examples=(
            "recairn serve --open",
            "recairn serve --db postgresql://reader@db.example/memory",
            "recairn serve --team --public-url https://memory.example",
        ),
        arguments=(
            ("--open", "open it in the browser"),
            ("--port N", "which port (7440, or any free one)"),
            ("--host NAME", "127.0.0.1; another one only with --team"),
            ("--team", "serve a team: its members come in with tokens"),
            ("--public-url URL", "with --team: the address under which a proxy shows it"),
            ("--audit FILE", "with --team: where to note who did what (standard error)"),
        ),
        notes="Needs recairn[web]. It listens on this machine alone and ends with Ctrl-C. The key"
        " in the\naddress works once. docs/page.md shows the page, docs/security.md its guards,"
        " docs/team.md a\nteam's server.",
    ),
    Command(
        name="install",
        group="Agents",
        about="register with coding agents: claude, codex, cursor, gemini, …",
        handler="recairn.surfaces.cli.actions.install:install",
        examples=(
            "recairn install claude codex",
            "recairn install claude --project --server https://memory.example",
            "recairn install --status",
        ),
        arguments=(
            ("AGENT...", "which agents; without any, it asks"),
            ("--tools SETS", "sets of tools, with commas: default, tx, lore, brain, ccmemory"),
            ("--user", "for all your projects (the default)"),
            ("--project", "for this checkout alone"),
            ("--server URL", "they ask a team's server, about the project of this folder"),
            ("--allow", "let them use its tools without asking each time"),
            ("--no-allow", "do not ask about that"),
            ("--status-line", "show what a session was handed in Claude Code's status line"),
            ("--dry-run", "only say what would change"),
            ("--status", "show where recairn is registered"),
        ),
        notes="Without names, it asks about the agents on this machine. Adds the MCP server and the"
        " hooks to the agent's own settings and leaves everything"
        " else in them alone. The first time, the file as it was is kept beside it"
        " (.before-recairn). Running it again changes nothing, or mends an outdated path.",
    ),
    Command(
        name="uninstall",
        group="Agents",
        about="take recairn out of the settings of agents again",
        handler="recairn.surfaces.cli.actions.install:uninstall",
        examples=(
            "recairn uninstall claude",
            "recairn uninstall --dry-run",
            "recairn uninstall codex --project",
        ),
        arguments=(
            ("AGENT...", "which agents; without any, all of them"),
            ("--user", "from your own settings (the default)"),
            ("--project", "from those of this checkout"),
            ("--dry-run", "only say what would change"),
        ),
        notes="Memories stay. Only entries that run recairn are removed.",
    ),
    Command(
        name="demo",
        group="Agents",
        about="a guided tour in a throw-away database",
        handler="recairn.surfaces.demo:tour",
        examples=("recairn demo", "recairn demo --no-color", "recairn init"),
    ),
)
