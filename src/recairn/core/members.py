"""What the members of a team may do: each role all that those before it may."""

from __future__ import annotations

READER, WRITER, REVIEWER, ADMIN = "reader", "writer", "reviewer", "admin"
# In their order; no role at all is that of who works alone, or of a server for its whole team.
ROLES = (READER, WRITER, REVIEWER, ADMIN)
# The setting that says whom a member's new memories of a project are for, and its values.
AUDIENCE = "audience"
TEAM, PRIVATE = "team", "private"


def may(role: str, needed: str) -> bool:
    """Whether somebody of a role may do what needs another one."""
    return not role or ROLES.index(role) >= ROLES.index(needed)
