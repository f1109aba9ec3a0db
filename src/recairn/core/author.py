"""Whose word something is: who wrote a memory or made a change, and how far that word goes.

An author is a role and, behind a colon, who of that role: `person`, `agent:codex`, `hook:gemini`,
`import:notes.jsonl`, `repository:CLAUDE.md`, `document:docs/tides.md`, `member:ada` of a team, and
`policy:ada` where that member, an admin, lets a rule hold for the whole team.
It is empty where nobody noted it: in databases from before authors were kept.
"""

from __future__ import annotations

from recairn.core.record import Row

PERSON, AGENT, HOOK, IMPORT = "person", "agent", "hook", "import"
REPOSITORY, DOCUMENT, MEMBER, POLICY = "repository", "document", "member", "policy"
ROLES = (PERSON, AGENT, HOOK, IMPORT, REPOSITORY, DOCUMENT, MEMBER, POLICY)
# Characters of a name: that of a program, or the end of a path.
_LONGEST = 100
# What programs call themselves, by how the names begin, and what they are called here.
_AGENTS = (
    ("claude", "claude-code"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("cursor", "cursor"),
    ("copilot", "copilot"),
    ("github-copilot", "copilot"),
)


class Writer(Row):
    """Who writes, and whether their word counts as that of the person whose memory it is."""

    author: str
    is_own: bool


# Whoever does not say who they are.
UNKNOWN = Writer("", is_own=False)


def author_named(role: str, name: str = "") -> str:
    """The author of a role; the name is cleaned, and of a long one the end is kept."""
    if not name:
        return role
    from recairn.core.guard import loggable

    plain = " ".join(loggable(name).split())
    if len(plain) > _LONGEST:
        plain = f"…{plain[1 - _LONGEST :]}"
    return f"{role}:{plain}" if plain else role


def agent_named(name: str, role: str = AGENT) -> str:
    """The agent, or its hook, that goes by a name; the same one whatever its parts are called."""
    low = "-".join(name.lower().split())
    known = next((ours for start, ours in _AGENTS if low.startswith(start)), None)
    return f"{role}:{known}" if known else author_named(role, low)


def role_of(author: str) -> str:
    """The role of an author; empty where nobody noted it."""
    return author.partition(":")[0]


def short_name(author: str) -> str:
    """An author in few words for a reader: the name of an agent or a member, else the role;
    nothing for a person.

    The file of an import is told by the memory's source.
    """
    role, _, name = author.partition(":")
    if role == PERSON:
        return ""
    if role == POLICY:
        return f"team policy of {name}"
    if role == MEMBER and name:
        return f"member {name}"
    return name or role if role == AGENT else role
