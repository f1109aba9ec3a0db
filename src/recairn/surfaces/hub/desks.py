"""The threads that look into the team's memory: for the team itself, or in a member's name."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from recairn.core.author import PERSON
from recairn.core.errors import StoreBusy
from recairn.core.members import READER
from recairn.engine import open_as_allowed, open_memory
from recairn.host.project import is_address
from recairn.surfaces.web.desk import EVERYWHERE, PATIENCE_S, Desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from recairn.engine import Recairn
    from recairn.surfaces.hub.callers import Caller

    Answer = TypeVar("Answer")

# Calls that run at once, each with a connection of its own, and that may wait besides.
THREADS, WAITING = 8, 64
# Members whose memories stay open for the next question.
_MOST_DESKS = 32
# Seconds somebody waits for an answer.
_ANSWER_S = 30.0


class MemberDesk(Desk):
    """The team's memory as one member may see and change it."""

    def __init__(self, address: str, caller: Caller, threads: ThreadPoolExecutor) -> None:
        super().__init__(address, "", threads)
        self._caller = caller

    def open(self, project: str | None = None) -> Recairn:
        """The memory as it is now; "*" for all projects, None for none of them."""
        caller, everywhere = self._caller, project == EVERYWHERE
        memory = _opened(self.address or "", caller)
        memory.author, memory.session = PERSON, None
        memory.stays = True
        memory.grant = caller.projects
        memory.everywhere = everywhere and caller.projects is None
        memory.visit(None if everywhere or not project else project)
        memory.folder = ""  # no folder of this machine is a project's
        return memory


def _opened(address: str, caller: Caller) -> Recairn:
    """On a server the tables know members; in a file what they may do is guarded here."""
    if is_address(address):
        mark = "&" if "?" in address else "?"
        return open_as_allowed(
            f"{address}{mark}member={caller.member}", project="", patience_s=PATIENCE_S
        )
    if caller.role == READER:
        memory = open_memory(address, project="", read_only=True)
    else:
        memory = open_as_allowed(address, project="", create=False, patience_s=PATIENCE_S)
    memory.act_for(caller.member, caller.role)
    return memory


class Desks:
    """Threads for all, open memories of the team itself, and a desk for each member who asks."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="recairn-team")
        self._running = 0
        self._free: list[Recairn] = []
        self._desks: OrderedDict[object, MemberDesk] = OrderedDict()
        self._lock = Lock()

    def of(self, caller: Caller) -> MemberDesk:
        """Where a member's questions are answered."""
        key = (caller.member, caller.role, caller.projects)
        desk = self._desks.pop(key, None) or MemberDesk(self.address, caller, self.threads)
        self._desks[key] = desk
        while len(self._desks) > _MOST_DESKS:
            _, oldest = self._desks.popitem(last=False)
            oldest.leave()
        return desk

    async def call(self, work: Callable[[Recairn], Answer]) -> Answer:
        """What `work` says about the team's memory; StoreBusy when too much is asked at once."""
        return await self.run(lambda: self._answer(work))

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """What `work` says in one of the threads."""
        if self._running >= THREADS + WAITING:
            raise StoreBusy("too much is asked at once", "try again in a moment")
        self._running += 1
        try:
            loop = asyncio.get_running_loop()
            return await asyncio.wait_for(loop.run_in_executor(self.threads, work), _ANSWER_S)
        except TimeoutError:
            raise StoreBusy(f"no answer within {_ANSWER_S:.0f} seconds") from None
        finally:
            self._running -= 1

    def _answer(self, work: Callable[[Recairn], Answer]) -> Answer:
        with self._lock:
            memory = self._free.pop() if self._free else None
        if memory is None:
            memory = open_as_allowed(self.address, project="", create=False, patience_s=PATIENCE_S)
            memory.folder = ""
        try:
            answer = work(memory)
        except BaseException:
            memory.abandon()
            raise
        with self._lock:
            self._free.append(memory)
        return answer

    def close(self) -> None:
        """Lets threads and memories go; a call that still runs is not waited for."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for memory in self._free:
            memory.abandon()
        for desk in self._desks.values():
            desk.leave()
