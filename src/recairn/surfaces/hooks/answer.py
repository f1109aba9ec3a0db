"""Answers in the shape their reader expects."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.hooks.event import Happening


def inject(happening: Happening, text: str) -> None:
    """Hands a text to the model behind the agent."""
    if happening.agent == "cursor":
        # Before a prompt, Cursor also wants to hear whether to go on.
        asked = {"continue": True} if happening.name == "UserPromptSubmit" else {}
        _say({**asked, "additional_context": text})
    elif happening.agent == "copilot":
        _say({"additionalContext": text})
    else:
        named = {"hookEventName": happening.spelled or happening.name, "additionalContext": text}
        _say({"hookSpecificOutput": named})


def go_on(happening: Happening, reason: str) -> None:
    """Keeps the agent from stopping, and tells it what is left to do."""
    if happening.agent == "cursor":
        _say({"followup_message": reason})
    else:
        _say({"decision": "block", "reason": reason})


def _say(answer: dict[str, Any]) -> None:
    """Writes the answer in one piece; it is out before anything else is done."""
    from recairn.core.fastjson import dumps

    # ASCII alone: it survives every encoding a standard output can have.
    sys.stdout.write(dumps(answer) + "\n")
    sys.stdout.flush()
