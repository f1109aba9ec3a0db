"""Answers in the shape their reader expects."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.hooks.event import HookEvent


def inject(event: HookEvent, text: str) -> None:
    """Injects a text: the model behind the agent reads it."""
    if event.agent == "cursor":
        # Before a prompt, Cursor also wants to hear whether to go on.
        verdict = {"continue": True} if event.name == "UserPromptSubmit" else {}
        _say({**verdict, "additional_context": text})
    elif event.agent == "copilot":
        _say({"additionalContext": text})
    else:
        output = {"hookEventName": event.sender_name or event.name, "additionalContext": text}
        _say({"hookSpecificOutput": output})


def go_on(event: HookEvent, reason: str) -> None:
    """Keeps the agent from stopping, and tells it what is left to do."""
    if event.agent == "cursor":
        _say({"followup_message": reason})
    else:
        _say({"decision": "block", "reason": reason})


def _say(answer: dict[str, Any]) -> None:
    """Writes the answer in one piece; it is out before anything else is done."""
    from recairn.core.fastjson import dumps

    # ASCII alone: it survives every encoding a standard output can have.
    sys.stdout.write(dumps(answer) + "\n")
    sys.stdout.flush()
