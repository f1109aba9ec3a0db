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
    if not isinstance(entry, dict):
        return ""
    if _is_event(entry):
        return _codex(entry["payload"], "user_message", "UserMessage")
    return _claude(entry)


def answer_of(entry: Any) -> str:
    """What the agent said in an entry; empty for everything else, its calls of tools too."""
    if not isinstance(entry, dict) or any(entry.get(name) for name in _NOT_TYPED):
        return ""
    message, payload = entry.get("message"), entry.get("payload")
    if entry.get("type") == "assistant" and isinstance(message, dict):
        return _text(message.get("content"))
    return _codex(payload, "agent_message", "AgentMessage") if _is_event(entry) else ""


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


def _is_event(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "event_msg" and isinstance(entry.get("payload"), dict)


def _codex(payload: Any, event: str, item: str) -> str:
    """What one side said, of an event of Codex: `{"type": "user_message", "message": ...}`, from
    0.166 on `{"type": "item_completed", "item": {"type": "UserMessage", "content": [...]}}`.

    The lines of the role user also hold what Codex itself tells the model.
    """
    if payload.get("type") == event:
        message = payload.get("message")
        return message if isinstance(message, str) else ""
    done = payload.get("item")
    if payload.get("type") != "item_completed" or not isinstance(done, dict):
        return ""
    return _text(done.get("content")) if done.get("type") == item else ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    pieces = [piece for piece in content if isinstance(piece, dict)]
    if any(piece.get("type") == "tool_result" for piece in pieces):
        return ""
    texts = [piece.get("text") for piece in pieces if piece.get("type") in ("text", "Text")]
    return "\n".join(text for text in texts if isinstance(text, str))
