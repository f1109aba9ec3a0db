"""Engine calls in threads, over memories that stay open.

A memory that is kept knows what it has counted and read. Once somebody has written, its project is
looked for again, since that may have another name by now. Where another file lies by now, the
memory is opened anew: a database that was replaced, moved away or locked is no special case.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from recairn.core.errors import RecairnError, StoreBusy
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
# Memories kept open: a person looks at one project at a time, and a page asks three things at once.
_KEPT = 3
# Seconds a write waits for another process, and a person for an answer.
PATIENCE_S = 3.0
ANSWER_S = 20.0


class Desk:
    """Where a store lies, the project that `serve` was started in, and the threads that look."""

    def __init__(
        self,
        address: str | None,
        project: str | None,
        threads: ThreadPoolExecutor | None = None,
    ) -> None:
        self.address = address
        self.project = project
        self._threads = threads or ThreadPoolExecutor(THREADS, thread_name_prefix="recairn-page")
        self._running = 0
        # (project, its file, what state that was in, the memory); the latest last.
        self._kept: deque[tuple[str | None, object, str, Recairn]] = deque()

    def open(self, project: str | None = None) -> Recairn:
        """The memory as it is now; "*" for all projects, None for the one of this folder."""
        memory = open_as_allowed(
            self.address, project=self.project, create=False, patience_s=PATIENCE_S
        )
        # A person's word belongs to no agent's session, even where `serve` runs inside one.
        memory.session = None
        memory.stays = True
        self._enter(memory, project)
        return memory

    def _enter(self, memory: Recairn, project: str | None) -> None:
        everywhere = memory.everywhere = project == EVERYWHERE
        if project and not everywhere and project != memory.project:
            memory.visit(project)

    async def call(self, project: str | None, work: Callable[[Recairn], Answer]) -> Answer:
        """What `work` says about the memory; StoreBusy when too much is asked at once."""
        if self._running >= THREADS + WAITING:
            raise StoreBusy("too much is asked at once", "try again in a moment")
        self._running += 1
        try:
            loop = asyncio.get_running_loop()
            done = loop.run_in_executor(self._threads, self.answer, project, work)
            return await asyncio.wait_for(done, ANSWER_S)
        except TimeoutError:
            raise StoreBusy(
                f"no answer within {ANSWER_S:.0f} seconds", "recairn doctor says more"
            ) from None
        finally:
            self._running -= 1

    def answer(self, project: str | None, work: Callable[[Recairn], Answer]) -> Answer:
        """What `work` says, in the thread of who asks."""
        memory = self._kept_open(project) or self.open(project)
        try:
            file, state = identity(memory.database), memory.revision()
            answer = work(memory)
            memory.settle()
            memory.name_no_other()
        except BaseException:
            memory.abandon()
            raise
        if memory.absent:
            memory.close()
        else:
            # With the state from before: what was written meanwhile may have moved the project.
            self._kept.append((project, file, state, memory))
        while len(self._kept) > _KEPT:
            self._leave_oldest()
        return answer

    def _kept_open(self, project: str | None) -> Recairn | None:
        """A memory from before whose file still lies there; others are let go."""
        for _ in range(len(self._kept)):
            try:
                entry = self._kept.pop()
            except IndexError:  # other threads take from it, too
                return None
            name, file, state, memory = entry
            try:
                if identity(memory.database) == file:
                    if name != project:
                        self._kept.appendleft(entry)
                        continue
                    if memory.revision() != state:
                        memory.find_home(self.project)
                        self._enter(memory, project)
                    return memory
            except RecairnError:
                pass  # opening it anew tells the trouble
            memory.abandon()
        return None

    def _leave_oldest(self) -> None:
        try:
            self._kept.popleft()[-1].abandon()
        except IndexError:
            return

    def close(self) -> None:
        """Lets the threads go; a call that still runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.leave()

    def leave(self) -> None:
        """Lets the memories go that were kept."""
        while self._kept:
            self._leave_oldest()


def identity(path: str) -> tuple[int, ...] | None:
    """Which file lies at a path and who may write it; None for a server, or where none is."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_mode, status.st_uid
