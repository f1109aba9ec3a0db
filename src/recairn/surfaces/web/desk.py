"""Engine calls in threads: every question opens the memory anew.

Opening costs a millisecond, and a database that was replaced, moved away or locked between two
questions is then no special case.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from recairn.core.errors import StoreBusy
from recairn.engine import open_as_allowed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from recairn.engine import Recairn

    Answer = TypeVar("Answer")

# The project parameter that stands for all of them.
EVERYWHERE = "*"
# Calls that run at once, and that may wait besides; SQLite has one writer anyway.
THREADS = 4
WAITING = 16
# Seconds a write waits for another process, and a person for an answer.
PATIENCE_S = 3.0
ANSWER_S = 20.0


class Desk:
    """Where a store lies, the project that `serve` was started in, and the threads that look."""

    def __init__(self, address: str | None, project: str | None) -> None:
        self.address = address
        self.project = project
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="recairn-page")
        self._running = 0

    def open(self, project: str | None = None) -> Recairn:
        """The memory as it is now; "*" for all projects, None for the one of this folder."""
        everywhere = project == EVERYWHERE
        memory = open_as_allowed(
            self.address, project=self.project, create=False, patience_s=PATIENCE_S
        )
        # A person's word belongs to no agent's session, even where `serve` runs inside one.
        memory.session = None
        memory.everywhere = everywhere
        if project and not everywhere and project != memory.project:
            memory.visit(project)
        return memory

    async def call(self, project: str | None, work: Callable[[Recairn], Answer]) -> Answer:
        """What `work` says about the memory; StoreBusy when too much is asked at once."""
        if self._running >= THREADS + WAITING:
            raise StoreBusy("too much is asked at once", "try again in a moment")
        self._running += 1
        try:
            loop = asyncio.get_running_loop()
            done = loop.run_in_executor(self._threads, self._work, project, work)
            return await asyncio.wait_for(done, ANSWER_S)
        except TimeoutError:
            raise StoreBusy(
                f"no answer within {ANSWER_S:.0f} seconds", "recairn doctor says more"
            ) from None
        finally:
            self._running -= 1

    def _work(self, project: str | None, work: Callable[[Recairn], Answer]) -> Answer:
        memory = self.open(project)
        try:
            answer = work(memory)
        except BaseException:
            memory.abandon()
            raise
        memory.close()
        return answer

    def close(self) -> None:
        """Lets the threads go; a call that still runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
