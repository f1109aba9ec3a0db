"""Rows of the commands that coding agents start."""

from __future__ import annotations

from recairn.cli.table import Command

AGENTS = (
    Command(
        name="mcp",
        group="Agents",
        about="serve agents over the Model Context Protocol (stdio)",
        handler="recairn.mcp.stdio:run",
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
)
