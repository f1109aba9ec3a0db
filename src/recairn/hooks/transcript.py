"""What a person said in a session, read from the end of the transcript an agent keeps.

The formats are the agents' own and grow without notice: whatever is not recognised is passed over.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes read from the end; a short session of Claude Code is 150 KB, mostly of other things.
_TAIL = 2_000_000
# Bytes of a line that is parsed; a prompt is shorter, a tool's answer may be much longer.
_LONGEST_LINE = 200_000
# Prompts given back, the newest.
_MOST = 200


def prompts_in(path: str) -> list[str]:
    """The prompts of a transcript in their order; none when it cannot be read."""
    if not path:
        return []
    try:
        with open(os.path.expanduser(path), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            tail = file.read(_TAIL)
    except OSError:
        return []
    lines = tail.split(b"\n")
    found = [_prompt(line) for line in (lines[1:] if size > _TAIL else lines)]
    return [each for each in found if each][-_MOST:]


def _prompt(line: bytes) -> str:
    """The words of a person in one line of a transcript; empty for everything else."""
    if b'"user' not in line or len(line) > _LONGEST_LINE:
        return ""
    from json import loads

    try:
        entry = loads(line.decode("utf-8", "replace"))
    except ValueError:
        return ""
    if not isinstance(entry, dict):
        return ""
    return _claude(entry) or _codex(entry)


def _claude(entry: dict[str, Any]) -> str:
    """`{"type": "user", "message": {"role": "user", "content": ...}}`; not those of sub-agents."""
    message = entry.get("message")
    if entry.get("type") != "user" or not isinstance(message, dict):
        return ""
    if entry.get("isSidechain") or entry.get("isMeta") or "toolUseResult" in entry:
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
    pieces = [each for each in content if isinstance(each, dict)]
    if any(each.get("type") == "tool_result" for each in pieces):
        return ""
    texts = [each.get("text") for each in pieces if each.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
