"""The rows of members, and of what they share."""

from __future__ import annotations

from recairn.core.record import Row


class MemberRow(Row):
    """Somebody on a team; `revoked_at` is when they ceased to be."""

    id: int
    name: str
    role: str
    created_at: int
    revoked_at: int | None


class DeviceRow(Row):
    """A machine of a member, which shows its token; `projects` are names, "" for all of the team.

    `revoked_at` is when its token or its member ceased to count.
    """

    id: int
    member: str
    role: str
    name: str
    projects: str
    created_at: int
    expires_at: int
    revoked_at: int | None
    seen_at: int | None


class Sharing(Row):
    """Who wrote a memory, "" where nobody was named, and whether they keep it to themselves."""

    writer: str
    is_private: bool
