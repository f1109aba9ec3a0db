"""docs/mcp.md names the tools there are, and says of each what the agent is told."""

from __future__ import annotations

from recairn.surfaces.mcp.dispatch import TOOLSETS, offered
from tests.repository import DOCS

PAGE = DOCS / "mcp.md"


def table(name: str) -> str:
    """The table of one set: each tool with the first sentence of its description."""
    rows = [
        f"| `{tool.name}` | {tool.about.split('. ')[0].removesuffix('.')} |"
        for tool in offered([name]).values()
    ]
    return "\n".join(["| tool | what the agent is told |", "|---|---|", *rows, ""])


def test_the_page_has_the_table_of_every_set_of_tools():
    page = PAGE.read_text()
    for name in TOOLSETS:
        assert table(name) in page, f"docs/mcp.md needs this table:\n{table(name)}"
