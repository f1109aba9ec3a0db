"""`recairn hook EVENT`: what an agent's program calls when something happens in a session.

The event comes as JSON on standard input, the answer goes as JSON to standard output. A hook must
never stand in an agent's way: on any trouble it says nothing and ends with status 0, it waits for
no lock longer than a moment, and a wall guard ends it when even that goes wrong.
"""

from __future__ import annotations

import gc
import os
import sys
from _thread import allocate_lock, start_new_thread

from recairn.core.lazy import load
from recairn.surfaces.hooks.access import switched_off
from recairn.surfaces.hooks.event import hook_event, typed_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes of an event that are read; a tool's answer may be long, but not without end.
_LONGEST_EVENT = 16_000_000
# Wall time in seconds after which the process ends whatever it is doing. Codex gives the end of a
# session one second; everywhere else a person waits.
_GUARD_S = 1.5
_GUARDS_S = {"SessionEnd": 0.8}

# Canonical event → the function that answers it.
_ANSWERS = {
    "SessionStart": "recairn.surfaces.hooks.session:session_start",
    "UserPromptSubmit": "recairn.surfaces.hooks.prompt:prompt_submit",
    "PostToolUse": "recairn.surfaces.hooks.tools:tool_use",
    "PostToolUseFailure": "recairn.surfaces.hooks.tools:tool_use",
    "Stop": "recairn.surfaces.hooks.session:stop",
    "SubagentStart": "recairn.surfaces.hooks.session:subagent_start",
    "PreCompact": "recairn.surfaces.hooks.session:pre_compact",
    "SessionEnd": "recairn.surfaces.hooks.session:session_end",
    "StatusLine": "recairn.surfaces.hooks.session:status_line",
}


def hook(words: list[str]) -> int:
    """Answers one event; always 0."""
    finished = allocate_lock()
    finished.acquire()
    errors = sys.stderr
    gc.disable()  # a process of a tenth of a second leaves nothing worth collecting
    try:
        name, options = typed_event(words)
        start_new_thread(_guard, (finished, _patience_s(name)))
        # Nobody reads what a hook complains about, and some programs take it for a failure.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the answer takes
        _answer(name, options)
    except BaseException:
        return 0
    finally:
        gc.enable()
        if sys.stderr is not errors:
            sys.stderr.close()
        sys.stderr = errors
        finished.release()
    return 0


def status_line(words: list[str]) -> int:
    """`recairn statusline`: what a session was handed so far, in a line for the person."""
    return hook(["StatusLine", *words])


def _patience_s(name: str) -> float:
    seconds = os.environ.get("RECAIRN_HOOK_SECONDS")
    try:
        return float(seconds) if seconds else _GUARDS_S.get(name, _GUARD_S)
    except ValueError:
        return _GUARD_S


def _guard(finished: Any, seconds: float) -> None:
    """Ends the process, as if all were well, when the answer is not ready in time."""
    if not finished.acquire(timeout=seconds):
        os._exit(0)


def _answer(typed: str, options: dict[str, str]) -> None:
    if switched_off(os.environ.get("RECAIRN_HOOKS")):
        return
    for option, name in (("--db", "RECAIRN_DB"), ("--project", "RECAIRN_PROJECT")):
        if option in options:
            os.environ[name] = options[option]
    payload = _payload()
    event = None if payload is None else hook_event(typed, options, payload)
    if event is None:
        return
    if event.folder and os.path.isdir(event.folder):
        os.chdir(event.folder)
    if "--plugin" in options:
        from recairn.surfaces.install.plugin import has_hooks_beside

        if has_hooks_beside(event.agent):
            return
    load(_ANSWERS[event.name])(event)


def _payload() -> dict[str, Any] | None:
    """The event on standard input; None when there is none."""
    raw = getattr(sys.stdin, "buffer", None)
    text = b"" if raw is None else raw.read(_LONGEST_EVENT + 1)
    if not text or len(text) > _LONGEST_EVENT:
        return None
    from recairn.core.fastjson import loads

    payload = loads(text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    return payload if isinstance(payload, dict) else None
