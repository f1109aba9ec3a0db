"""The answer to an event as a server gives it: what the hook itself would have said.

It runs in the thread that owns the server's memory, while nothing else there does: for that time
the process stands in the folder of the event. Of its environment nothing is changed but what the
server's own options say; a hook that has another one is not answered (`host/hook_socket.py`).
"""

from __future__ import annotations

import os
import sys
from io import StringIO

from recairn.core.lazy import load
from recairn.surfaces.hooks import answer
from recairn.surfaces.hooks.event import read_event
from recairn.surfaces.hooks.event_memory import Declined, event_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from recairn.surfaces.hooks.event import HookEvent

_ASKED = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure")
_OPTIONS = {"--db": "RECAIRN_DB", "--project": "RECAIRN_PROJECT"}
# What answering a prompt loads, beside the model.
_PARTS = (
    "recairn.surfaces.hooks.prompt:prompt_submit",
    "recairn.surfaces.hooks.tools:tool_use",
    "recairn.recall.context:context",
    "recairn.ranking.bearing:bearings",
    "recairn.recall.ledger:log_turn",
)


def served(words: list[str], text: bytes, own: Mapping[str, str]) -> bytes | None:
    """What the hook would say; None where it has to work that out itself.

    `own` are the variables that the server's options stand for.
    """
    event, options = read_event(words, text)
    if event is None or not _is_answerable(event, options, own):
        return None
    said = StringIO()
    try:
        with _Standing(event.folder, own, said):
            answer(event, options)
    except Declined:
        return None
    except Exception:
        pass  # as in a hook: what was said before stands, and nothing is said of trouble
    return said.getvalue().encode()


def prepare(words: list[str], text: bytes, own: Mapping[str, str]) -> None:
    """Loads what the answers to such events will need, while nobody waits for it."""
    from recairn.embed.models import keep_loaded

    keep_loaded()
    for part in _PARTS:
        load(part)
    event, options = read_event(words, text)
    if event is None or not _is_answerable(event, options, own):
        return
    with _Standing(event.folder, own, StringIO()), event_memory(event) as memory:
        if memory is not None:
            memory.load_model()


def _is_answerable(event: HookEvent, options: Mapping[str, str], own: Mapping[str, str]) -> bool:
    """Whether an event says all that its answer depends on, and means the server's own database."""
    if event.name not in _ASKED or not event.says_where:
        return False
    meant = {
        variable: own.get(variable) or os.environ.get(variable) for variable in _OPTIONS.values()
    }
    return all(meant[_OPTIONS[name]] == options[name] for name in _OPTIONS if name in options)


class _Standing:
    """The process in the place of a hook for the time of a `with`: where it stands and speaks."""

    def __init__(self, folder: str, own: Mapping[str, str], out: StringIO) -> None:
        self._folder, self._own, self._out = folder, own, out

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._own}
        self._here, self._stdout = os.open(".", os.O_RDONLY), sys.stdout
        os.chdir(self._folder)
        os.environ.update(self._own)
        sys.stdout = self._out
        event_memory.served = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        event_memory.served = False
        sys.stdout = self._stdout
        for name, value in self._before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        try:
            os.fchdir(self._here)
        finally:
            os.close(self._here)
