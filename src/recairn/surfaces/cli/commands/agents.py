"""Rows of the commands that coding agents start."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

AGENTS = (
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
        name="install",
        group="Agents",
        about="register with coding agents: claude, codex, cursor, gemini, …",
        handler="recairn.surfaces.cli.actions.install:install",
        examples=(
            "recairn install claude codex",
            "recairn install claude --project --tools default,tx",
            "recairn install --status",
        ),
        arguments=(
            ("AGENT...", "which agents"),
            ("--tools SETS", "sets of tools, with commas: default, tx, lore, brain, ccmemory"),
            ("--user", "for all your projects (the default)"),
            ("--project", "for this checkout alone"),
            ("--dry-run", "only say what would change"),
            ("--status", "show where recairn is registered"),
        ),
        notes="Adds the MCP server and the hooks to the agent's own settings and leaves everything"
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
)
