"""What may leave a laptop for a server: one list, which the outbox and the server both ask."""

from __future__ import annotations

from recairn.core.kinds import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Memory

# What is one laptop's own: settings, logs, sessions, uses. Links go with their memory.
_LEFT_OUT = frozenset(
    (
        *("session", "event", "edge", "private", "use", "access", "staleness", "dependency"),
        *("task event", "compaction", "injection", "injected", "feedback", "query", "miss"),
        *("document", "read", "import", "project", "alias", "mark", "setting", "policy", "recairn"),
    )
)
# How much a memory counts each reader decides alone.
_STANDING = ("tier", "importance", "pinned", "immutable", "trust", "author")


def why_kept(memory: Memory, *, is_private: bool) -> str:
    """Why a memory of a shared project does not leave; "" where it does."""
    if memory.tier != "project":
        return f"it is of the {memory.tier} tier"
    if memory.kind == "chunk":
        return "it is a part of a document"
    if memory.trust == "unverified":
        return "nobody has confirmed it"
    if is_private:
        return "it is kept from the team"
    return ""


def why_refused(record: Mapping[str, Any]) -> str:
    """Why a server does not take a record, whoever sends it; "" where it does.

    A type or a kind that is not known here may be that of a newer program: it is kept.
    """
    noun = record.get("type")
    if not isinstance(noun, str) or not noun or len(noun) > 40:
        return "it has no type"
    if noun in _LEFT_OUT:
        return f"a {noun} never leaves a laptop"
    if not isinstance(record.get("uid"), str) or not 0 < len(record["uid"]) <= 100:
        return "it has no uid"
    if noun == "memory":
        if record.get("tier", "project") != "project":
            return f"a memory of the {str(record['tier'])[:20]} tier never leaves a laptop"
        if record.get("kind") == "chunk":
            return "a part of a document never leaves a laptop"
        if record.get("trust") == "unverified":
            return "a memory that nobody has confirmed never leaves a laptop"
    return ""


def without_standing(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what nobody may say for others."""
    return {name: value for name, value in record.items() if name not in _STANDING}


def is_known_kind(record: Mapping[str, Any]) -> bool:
    return record.get("kind") in KINDS
