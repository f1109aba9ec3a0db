"""A person's words, and the agent's, in one entry of the transcript an agent keeps.

The formats are the agents' own and grow without notice: whatever is not recognised is passed over.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Lines of the role user that no person typed: of sub-agents, of the program, after a compaction.
_NOT_TYPED = ("isSidechain", "isMeta", "isCompactSummary")


def prompt_of(entry: Any) -> str:
    """What a person said in an entry of Claude Code or Codex; empty for everything else."""
    return (_claude(entry) or _codex(entry)) if isinstance(entry, dict) else ""


def answer_of(entry: Any) -> str:
    """What the agent said in an entry; empty for everything else, its calls of tools too."""
    if not isinstance(entry, dict) or any(entry.get(name) for name in _NOT_TYPED):
        return ""
    message, payload = entry.get("message"), entry.get("payload")
    if entry.get("type") == "assistant" and isinstance(message, dict):
        return _text(message.get("content"))
    if entry.get("type") != "event_msg" or not isinstance(payload, dict):
        return ""
    words = payload.get("message")
    return words if payload.get("type") == "agent_message" and isinstance(words, str) else ""


def _claude(entry: dict[str, Any]) -> str:
    """`{"type": "user", "message": {"role": "user", "content": ...}}`, as a person typed it."""
    message = entry.get("message")
    if entry.get("type") != "user" or not isinstance(message, dict):
        return ""
    if "toolUseResult" in entry or any(entry.get(name) for name in _NOT_TYPED):
        return ""
    if message.get("role") != "user":
        return ""
    return _text(message.get("content"))


def _codex(entry: dict[str, Any]) -> str:
    """`{"type": "event_msg", "payload": {"type": "user_message", "message": ...}}`.

    The other lines of the role user also hold what Codex itself tells the model.
    """
    payload = entry.get("payload")
    if entry.get("type") != "event_msg" or not isinstance(payload, dict):
        return ""
    message = payload.get("message")
    return message if payload.get("type") == "user_message" and isinstance(message, str) else ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    pieces = [piece for piece in content if isinstance(piece, dict)]
    if any(piece.get("type") == "tool_result" for piece in pieces):
        return ""
    texts = [piece.get("text") for piece in pieces if piece.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
