"""The live stream: "something changed", told to everybody who listens; never what."""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor

from recairn.core.errors import RecairnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from recairn.engine import Recairn
    from recairn.surfaces.web.desk import Desk

# Seconds between two looks at the database, and only while somebody listens.
LOOK_S = 1.0
# Pages that may listen at once; each tab is one.
MOST_STREAMS = 16
# Looks without a change after which a comment shows that the line still stands.
_QUIET_LOOKS = 15


class Pulse:
    """Looks at the revision of the store once a second while somebody listens."""

    def __init__(self, desk: Desk) -> None:
        self._watch_of = Watch(desk)
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._ended = False

    @property
    def is_full(self) -> bool:
        return len(self._listeners) >= MOST_STREAMS

    def end(self) -> None:
        """Ends all streams: an open one would keep the server from ending."""
        self._ended = True
        for queue in self._listeners:
            queue.put_nowait(None)

    async def stream(self) -> AsyncIterator[bytes]:
        """Server-sent events for one listener, until it or the server goes."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._listeners.add(queue)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield _message("ready", "")
            while not self._ended:
                piece = await queue.get()
                if piece is None:
                    return
                yield piece
        finally:
            self._listeners.discard(queue)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, thread_name_prefix="recairn-pulse")
        try:
            last, quiet = await loop.run_in_executor(thread, self._watch_of.state), 0
            while self._listeners and not self._ended:
                await asyncio.sleep(LOOK_S)
                state = await loop.run_in_executor(thread, self._watch_of.state)
                quiet += 1
                if state != last:
                    self._tell(_message("changed", state))
                    last, quiet = state, 0
                elif quiet >= _QUIET_LOOKS:
                    self._tell(b":\n\n")
                    quiet = 0
        finally:
            thread.submit(self._watch_of.leave)
            thread.shutdown(wait=False)

    def _tell(self, message: bytes) -> None:
        for queue in self._listeners:
            queue.put_nowait(message)


class Watch:
    """One memory that stays open, in one thread: what another process wrote shows itself only to
    a connection that was there before. A file that was replaced is opened anew."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._memory: Recairn | None = None
        self._file: tuple[int, int] | None = None

    def state(self) -> str:
        """Another text after every write of anybody, and in trouble the name of that."""
        try:
            if self._memory is None or _identity(self._memory.database) != self._file:
                self.leave()
                self._memory = self._desk.open()
                self._file = _identity(self._memory.database)
            return f"{self._file} {getattr(self._memory, 'revision', str)()}"
        except RecairnError as error:
            self.leave()
            return type(error).__name__

    def leave(self) -> None:
        """Lets the memory go; nothing was written that would have to be kept."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.abandon()


def _identity(path: str) -> tuple[int, int] | None:
    """Which file lies at a path; None for a server, or where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _message(event: str, state: str) -> bytes:
    return f"event: {event}\ndata: {json.dumps({'state': state[:80]})}\n\n".encode()
