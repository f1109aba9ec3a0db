"""The memory a hook may use: one that is there, at once, in the session of the event."""

from __future__ import annotations

import os

from recairn.host.project import existing_database
from recairn.surfaces.hooks.settings import forbidden_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from recairn.engine import Recairn
    from recairn.surfaces.hooks.event import Happening


class opened:
    """A memory for the time of a `with`; None where there is none, or hooks are not wanted.

    After an error it is left as it is instead of being closed in order: closing writes, and what
    failed once would only be waited for again. The process ends right after.
    """

    __slots__ = ("_happening", "_memory")

    def __init__(self, happening: Happening) -> None:
        self._happening = happening
        self._memory: Recairn | None = None

    def __enter__(self) -> Recairn | None:
        # Before the engine is loaded. Who cannot note what was handed out hands out nothing.
        path = existing_database(os.getcwd())
        if path is None or forbidden_here() or not os.access(path, os.W_OK):
            return None
        from recairn.engine import open_existing

        self._memory = open_existing(session=self._happening.session)
        return self._memory

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._memory is not None:
            (self._memory.close if kind is None else self._memory.abandon)()
