"""Events in one shape, whoever sent them, and what goes back.

Claude Code and Codex send the same fields. Gemini names some events differently, Cursor and Copilot
spell names and fields in camelCase.
"""

from __future__ import annotations

import os
import sys

from recairn.core.argv import split
from recairn.core.guard import plain_name
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# Every spelling of agents, in lower case → our name, which is Claude Code's.
_NAMES = {
    "sessionstart": "SessionStart",
    "userpromptsubmit": "UserPromptSubmit",
    "userpromptsubmitted": "UserPromptSubmit",
    "beforesubmitprompt": "UserPromptSubmit",
    "beforeagent": "UserPromptSubmit",
    "posttooluse": "PostToolUse",
    "aftertool": "PostToolUse",
    "afterfileedit": "PostToolUse",
    "aftershellexecution": "PostToolUse",
    "posttoolusefailure": "PostToolUseFailure",
    "subagentstart": "SubagentStart",
    "stop": "Stop",
    "afteragent": "Stop",
    "agentstop": "Stop",
    "precompact": "PreCompact",
    "precompress": "PreCompact",
    "sessionend": "SessionEnd",
    "statusline": "StatusLine",
}
# The last one is the plugin's own: it stands back where `recairn install` has registered hooks.
OPTIONS = {"--agent": "AGENT", "--db": "FILE", "--project": "NAME", "--plugin": ""}
AGENTS = ("claude", "codex", "cursor", "gemini", "copilot", "opencode")
# What the ledger calls the hooks.
SURFACE = "hook"
# Characters of a session id; a longer one is not an id.
_LONGEST_ID = 200


@record
class HookEvent:
    """One event: our name and the sender's for it, who sent it, in which session and folder.

    `subagent` is the one that an agent has started for a part of its work, in its own session.
    """

    name: str
    sender_name: str
    agent: str
    session: str | None
    folder: str
    payload: Mapping[str, Any]
    subagent: str = ""

    @property
    def surface(self) -> str:
        """Who is handed something, in the ledger: a subagent does not know what its agent knows."""
        return f"{SURFACE}/{self.payload.get('agent_id')}" if self.subagent else SURFACE

    @property
    def says_where(self) -> bool:
        """Whether it names its session and a folder that is there: then nothing else is needed."""
        folder = _named_folder(self.payload)
        return (
            _named_session(self.payload) is not None
            and os.path.isabs(folder)
            and os.path.isdir(folder)
        )

    def text(self, *names: str) -> str:
        """The first of the fields that holds text; empty when none does."""
        for name in names:
            value = self.payload.get(name)
            if isinstance(value, str) and value:
                return value
        return ""


def read_event(words: list[str], text: bytes) -> tuple[HookEvent | None, dict[str, str]]:
    """The event that a command line and what came with it describe, and the options typed."""
    typed, options = typed_event(words)
    if not text:
        return None, options
    from recairn.core.fastjson import loads

    payload = loads(text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        return None, options
    return hook_event(typed, options, payload), options


def typed_event(words: list[str]) -> tuple[str, dict[str, str]]:
    """The event a command line names, and its options; what is unknown is passed over."""
    event = ""
    options: dict[str, str] = {}
    for name, text in split(words, OPTIONS):
        if name in OPTIONS:
            options[name] = text or ""
        elif not name:
            event = event or text or ""
    return event, options


def hook_event(
    typed: str, options: Mapping[str, str], payload: Mapping[str, Any]
) -> HookEvent | None:
    """The event that a command line and its input describe; None for one we do not answer."""
    agent = options.get("--agent", "")
    own_word = payload.get("hook_event_name") or payload.get("hookEventName") or ""
    sender_name = own_word if isinstance(own_word, str) and own_word else typed
    name = _NAMES.get((typed or sender_name).replace("-", "").lower())
    if name is None:
        return None
    if name == "PostToolUse" and "error" in payload and "tool_response" not in payload:
        name = "PostToolUseFailure"
    return HookEvent(
        name,
        sender_name,
        agent if agent in AGENTS else _agent(sender_name, payload),
        _session(payload),
        _folder(payload),
        payload,
        _subagent(payload),
    )


def _subagent(payload: Mapping[str, Any]) -> str:
    """What a subagent is called: its type, or else its number; empty for the agent itself."""
    if not payload.get("agent_id"):
        return ""
    for name in ("agent_type", "agent_id"):
        value = payload.get(name)
        if isinstance(value, str) and 0 < len(value) <= _LONGEST_ID:
            return plain_name(value)
    return "subagent"


def _session(payload: Mapping[str, Any]) -> str | None:
    """The session of an event, or of the environment."""
    named = _named_session(payload)
    if named is not None:
        return named
    return os.environ.get("RECAIRN_SESSION") or os.environ.get("CLAUDE_CODE_SESSION_ID") or None


def _named_session(payload: Mapping[str, Any]) -> str | None:
    """The session, that of the agent who has started it for a subagent that has one of its own."""
    own = ("parent_session_id",) if payload.get("agent_id") else ()
    for name in (
        *own,
        "session_id",
        "sessionId",
        "conversation_id",
        "conversationId",
    ):
        value = payload.get(name)
        if isinstance(value, str) and 0 < len(value) <= _LONGEST_ID:
            return plain_name(value)
    return None


def _folder(payload: Mapping[str, Any]) -> str:
    return _named_folder(payload) or os.environ.get("CLAUDE_PROJECT_DIR", "")


def _named_folder(payload: Mapping[str, Any]) -> str:
    for name in ("cwd", "workingDirectory"):
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    roots = payload.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0]
    return ""


def _agent(sender_name: str, payload: Mapping[str, Any]) -> str:
    """Who sent it, by what only they send."""
    if "conversation_id" in payload or "cursor_version" in payload:
        return "cursor"
    if sender_name in ("BeforeAgent", "AfterAgent", "AfterTool", "PreCompress"):
        return "gemini"
    if sender_name[:1].islower() or "sessionId" in payload:
        return "copilot"
    transcript = payload.get("transcript_path")
    path = transcript if isinstance(transcript, str) else ""
    if ".codex" in path or "rollout-" in path or "turn_id" in payload:
        return "codex"
    return "gemini" if ".gemini" in path else "claude"


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


def line_for_person(memories: int, tokens: int, about: str = "") -> str:
    """The line for the person: `recairn: 2 memories about src/lamp.py, 96 tokens`."""
    from recairn.core.words import counted

    count = counted(memories, "memory")
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
        line = "recairn asks the agent whether there is something to keep"
        _say({"systemMessage": line, "hookSpecificOutput": output})
    else:
        _say({"decision": "block", "reason": question})


def _say(answer: dict[str, Any]) -> None:
    """Writes the answer in one piece; it is out before anything else is done."""
    from recairn.core.fastjson import dumps

    # ASCII alone: it survives every encoding a standard output can have.
    sys.stdout.write(dumps(answer) + "\n")
    sys.stdout.flush()
