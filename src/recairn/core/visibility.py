"""Who sees a memory, as index tokens: a letter and digits, which stemming leaves alone."""

from __future__ import annotations

from zlib import crc32

EVERYONE = "everyone0"


def project_token(project: str) -> str:
    return f"p{crc32(project.encode())}"


def session_token(session: str) -> str:
    return f"s{crc32(session.encode())}"


def reach_tokens(tier: str, project: str, session: str | None) -> str:
    """The token of those who see a memory of this tier."""
    if tier == "global":
        return EVERYONE
    if tier == "session" and session:
        return session_token(session)
    return project_token(project)


def visible_tokens(project: str, session: str | None, parent: str | None = None) -> list[str]:
    """The tokens a search in this project, a part of that parent, (and session) may see."""
    seen = [project_token(project), EVERYONE]
    if parent is not None:
        seen.append(project_token(parent))
    if session:
        seen.append(session_token(session))
    return seen
