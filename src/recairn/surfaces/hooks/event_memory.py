"""The memory of an event, and what a person wants of hooks."""

from __future__ import annotations

import os

from recairn.host.project import existing_database, is_address, root_of
from recairn.surfaces.hooks import switched_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

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
# The note that a session was told at its start where the last one stopped.
STARTED = "started"
# A file of this name in a checkout's `.recairn/` switches hooks off for everyone who works there.
OFF_FILE = os.path.join(".recairn", "hooks-off")


class event_memory:
    """The memory of an event for the time of a `with`: one that is there, at once, in its session.

    None where there is none, or hooks are not wanted. After an error it is left as it is instead of
    being closed in order: closing writes, and what failed once would only be waited for again. The
    process ends right after.
    """

    __slots__ = ("_agent", "_memory", "_session", "_subagent")

    # Whether a server answers in the place of the hook itself.
    served = False

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
            if self.served and not _may_be_served(self._memory):
                self._memory.abandon()
                raise Declined
            # Where the reranker is loaded already, it reads along.
            self._memory.stays = self.served
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


class Declined(Exception):
    """The hook has to do its own work."""


def _may_be_served(memory: Recairn) -> bool:
    """Whether the person lets servers answer. A model elsewhere wants the hook's own keys."""
    settings = memory.config()
    if settings.get("embedding.model") == "external":
        return False
    own = settings.get(f"{memory.project}/hooks.server", settings.get("hooks.server"))
    return not switched_off(own)


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


def _characters(value: str | None, usual: int) -> int:
    """A number of characters between what makes sense and what hosts take."""
    try:
        number = int(float(value or usual))
    except (ValueError, OverflowError):
        number = usual
    return min(_MOST_CHARS, max(_FEWEST_CHARS, number))
