"""Answers in the shape their reader expects."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.hooks.event import HookEvent


# Agents that show the person a line beside what the model reads.
_TELLING = ("claude", "codex", "gemini", "opencode")


def inject(event: HookEvent, text: str, told: str = "") -> None:
    """Injects a text: the model behind the agent reads it, the person what is `told` of it."""
    if event.agent == "cursor":
        # Before a prompt, Cursor also wants to hear whether to go on.
        verdict = {"continue": True} if event.name == "UserPromptSubmit" else {}
        _say({**verdict, "additional_context": text})
    elif event.agent == "copilot":
        _say({"additionalContext": text})
    else:
        output = {"hookEventName": event.sender_name or event.name, "additionalContext": text}
        line = {"systemMessage": told} if told and event.agent in _TELLING else {}
        _say({**line, "hookSpecificOutput": output})


def told_of(memories: int, tokens: int, about: str = "") -> str:
    """The line for the person: `recairn: 2 memories about src/lamp.py, 96 tokens`."""
    count = f"{memories} memor{'y' if memories == 1 else 'ies'}"
    return f"recairn: {count}{f' about {about}' if about else ''}, {tokens} tokens (recairn last)"


def ask(event: HookEvent, question: str) -> None:
    """Asks an agent that is about to stop, which goes on to answer.

    Claude Code shows a decision to block as an error of the hook, and what comes as context as the
    note it is; the others know the decision alone.
    """
    if event.agent == "cursor":
        _say({"followup_message": question})
    elif event.agent == "claude":
        output = {"hookEventName": event.sender_name or event.name, "additionalContext": question}
        told = "recairn asks the agent whether there is something to keep"
        _say({"systemMessage": told, "hookSpecificOutput": output})
    else:
        _say({"decision": "block", "reason": question})


def _say(answer: dict[str, Any]) -> None:
    """Writes the answer in one piece; it is out before anything else is done."""
    from recairn.core.fastjson import dumps

    # ASCII alone: it survives every encoding a standard output can have.
    sys.stdout.write(dumps(answer) + "\n")
    sys.stdout.flush()
