"""`recairn hook EVENT`: what an agent's program calls when something happens in a session.

The event comes as JSON on standard input, the answer goes as JSON to standard output. A hook must
never stand in an agent's way: on any trouble it says nothing and ends with status 0, it waits for
no lock longer than a moment, and a wall guard ends it when even that goes wrong.

Where a server of ours runs, it is asked first, and then hardly anything is loaded here.
"""

from __future__ import annotations

import gc
import os
import sys
from _thread import allocate_lock, start_new_thread

from recairn.host.hook_socket import answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.surfaces.hooks.event import HookEvent


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
        start_new_thread(_guard, (finished, _patience_s(words)))
        # Nobody reads what a hook complains about, and some programs take it for a failure.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the answer takes
        if not switched_off(os.environ.get("RECAIRN_HOOKS")):
            _say(words, _event_text())
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


def switched_off(value: str | None) -> bool:
    return value is not None and value.strip().lower() in ("off", "0", "no", "false")


def _patience_s(words: list[str]) -> float:
    seconds = os.environ.get("RECAIRN_HOOK_SECONDS")
    usual = min([_GUARDS_S.get(word, _GUARD_S) for word in words], default=_GUARD_S)
    try:
        return float(seconds) if seconds else usual
    except ValueError:
        return _GUARD_S


def _guard(finished: Any, seconds: float) -> None:
    """Ends the process, as if all were well, when the answer is not ready in time."""
    if not finished.acquire(timeout=seconds):
        os._exit(0)


def _say(words: list[str], text: bytes) -> None:
    """Says what a server has to say, or what is worked out here."""
    said = answered(words, text) if text else None
    if said is not None:
        sys.stdout.write(said.decode())
        sys.stdout.flush()
        return
    from recairn.surfaces.hooks.event import read_event

    event, options = read_event(words, text)
    if event is None:
        return
    for option, name in (("--db", "RECAIRN_DB"), ("--project", "RECAIRN_PROJECT")):
        if option in options:
            os.environ[name] = options[option]
    if event.folder and os.path.isdir(event.folder):
        os.chdir(event.folder)
    answer(event, options)


def answer(event: HookEvent, options: Mapping[str, str]) -> None:
    """Answers an event, in the working directory and environment it belongs to.

    The plugin's hooks stand back where `recairn install` has registered others.
    """
    from recairn.core.lazy import load

    if "--plugin" in options:
        from recairn.surfaces.install.plugin import has_hooks_beside

        if has_hooks_beside(event.agent):
            return
    load(_ANSWERS[event.name])(event)


def _event_text() -> bytes:
    """The event on standard input; nothing when there is none."""
    raw = getattr(sys.stdin, "buffer", None)
    text = b"" if raw is None else raw.read(_LONGEST_EVENT + 1)
    return text if len(text) <= _LONGEST_EVENT else b""
