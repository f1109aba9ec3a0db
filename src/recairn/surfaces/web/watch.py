"""Which state the store is in: another text after every write of anybody."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from recairn.core.errors import RecairnError
from recairn.surfaces.web.desk import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.engine import Recairn
    from recairn.surfaces.web.desk import Desk


class Watch:
    """One memory that stays open, in one thread: what another process wrote shows itself only to
    a connection that was there before. A file that was replaced is opened anew."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recairn-watch")
        self._memory: Recairn | None = None
        self._file: tuple[int, ...] | None = None

    async def state(self) -> str:
        """Compared, never read; in trouble it is the name of that."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._look)

    def close(self) -> None:
        self._thread.submit(self._leave)
        self._thread.shutdown(wait=False)

    def _look(self) -> str:
        try:
            if self._memory is None or identity(self._memory.database) != self._file:
                self._leave()
                self._memory = self._desk.open()
                self._file = identity(self._memory.database)
            return f"{self._file} {self._memory.revision()}"
        except RecairnError as error:
            self._leave()
            return type(error).__name__

    def _leave(self) -> None:
        """Lets the memory go; nothing was written that would have to be kept."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.abandon()
