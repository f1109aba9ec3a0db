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
from recairn.host.project import existing_database, is_address, root_of
from recairn.surfaces.hooks.event import hook_event, typed_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.hooks.event import HookEvent


# Characters injected on a prompt and at the start of a session. Hosts cut at 10,000 or less.
_PROMPT_CHARS = 1500
_START_CHARS = 4000
_MOST_CHARS = 9000
# When a file is opened or edited, when a test failed, when a subagent starts.
_MOMENT_CHARS = {"file": 800, "test": 1000, "subagent": 2000}
_SETTING_OF = {"read": "file", "edit": "file"}
_FEWEST_CHARS = 500
# A file of this name in a checkout's `.recairn/` switches hooks off for everyone who works there.
OFF_FILE = os.path.join(".recairn", "hooks-off")


class event_memory:
    """The memory of an event for the time of a `with`: one that is there, at once, in its session.

    None where there is none, or hooks are not wanted. After an error it is left as it is instead of
    being closed in order: closing writes, and what failed once would only be waited for again. The
    process ends right after.
    """

    __slots__ = ("_agent", "_memory", "_session", "_subagent")

    def __init__(self, event: HookEvent) -> None:
        self._agent, self._subagent = event.agent, event.subagent
        self._session = event.session
        self._memory: Recairn | None = None

    def __enter__(self) -> Recairn | None:
        # Before the engine is loaded. Who cannot note an injection makes none.
        choice = existing_database(os.getcwd())
        if choice is None or forbidden_here():
            return None
        if not is_address(choice.path) and not os.access(choice.path, os.W_OK):
            return None
        from recairn.engine import open_existing

        self._memory = open_existing(session=self._session)
        if self._memory is not None:
            name = "claude-code" if self._agent == "claude" else self._agent
            self._memory.author = f"hook:{name}" + (f"/{self._subagent}" if self._subagent else "")
        return self._memory

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._memory is not None:
            (self._memory.close if kind is None else self._memory.abandon)()


def may_be_named(phrases: Sequence[str]) -> bool:
    """Whether it is worth opening the memory to see what holds one of the phrases."""
    choice = existing_database(os.getcwd())
    if choice is None:
        return False
    if is_address(choice.path) or choice.trust is not None:
        return True
    from recairn.store.glance import may_name

    return may_name(choice.path, phrases)


def forbidden_here() -> bool:
    """Whether the checkout says that it wants no hooks."""
    root = root_of(os.getcwd())
    return root is not None and os.path.exists(os.path.join(root, OFF_FILE))


class HookSettings:
    """What a person wants of hooks: the settings of the project, else everyone's."""

    __slots__ = (
        "_values",
        "asks",
        "captures",
        "injects",
        "prompt_chars",
        "start_chars",
        "tells",
        "transcripts",
        "unverified",
    )

    def __init__(self, memory: Recairn) -> None:
        everyone = memory.config()
        start = f"{memory.project}/"
        own = {key.removeprefix(start): everyone[key] for key in everyone if key.startswith(start)}
        values = {**everyone, **own}
        self._values = values
        self.asks = not switched_off(values.get("hooks.ask"))
        self.captures = not switched_off(values.get("hooks.capture"))
        self.injects = not switched_off(values.get("hooks.inject"))
        self.tells = not switched_off(values.get("hooks.tell"))
        self.transcripts = not switched_off(values.get("hooks.transcripts", "off"))
        self.unverified = not switched_off(values.get("hooks.unverified", "off"))
        self.prompt_chars = _characters(values.get("hooks.max_chars"), _PROMPT_CHARS)
        self.start_chars = _characters(values.get("hooks.start_chars"), _START_CHARS)

    def moment_chars(self, moment: str) -> int:
        """Characters injected at a moment beside prompt and start; none where it is off."""
        moment = _SETTING_OF.get(moment, moment)
        value = self._values.get(f"hooks.{moment}_chars")
        off = switched_off(value)
        return 0 if off else _characters(value, _MOMENT_CHARS[moment])


def switched_off(value: str | None) -> bool:
    return value is not None and value.strip().lower() in ("off", "0", "no", "false")


def _characters(value: str | None, usual: int) -> int:
    """A number of characters between what makes sense and what hosts take."""
    try:
        number = int(float(value or usual))
    except (ValueError, OverflowError):
        number = usual
    return min(_MOST_CHARS, max(_FEWEST_CHARS, number))


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
