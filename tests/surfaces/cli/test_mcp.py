"""The command that agents start; what it serves is tested in tests/surfaces/mcp."""

from __future__ import annotations


def test_help_of_mcp_is_for_people_and_serves_nobody(recairn):
    short = recairn("mcp", "-h")
    whole = recairn("mcp", "--help")
    assert (short.status, whole.status) == (0, 0)
    assert "recairn mcp --tools default,lore" in short.out
    assert "docs/mcp.md" in whole.out
