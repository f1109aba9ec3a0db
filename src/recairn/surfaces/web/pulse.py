"""The live stream: "something changed", told to everybody who listens; never what."""

from __future__ import annotations

import asyncio
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from recairn.surfaces.web.watch import Watch

# Seconds between two looks at the database, and only while somebody listens.
LOOK_S = 1.0
# Pages that may listen at once; each tab is one.
MOST_STREAMS = 16
# Looks without a change after which a comment shows that the line still stands.
_QUIET_LOOKS = 15


class Pulse:
    """Looks at the revision of the store once a second while somebody listens."""

    def __init__(self, watch: Watch) -> None:
        self._store = watch
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._ended = False
        self._last = ""
        # What else waits for something that may never come, and ends with the streams.
        self.also_ends: Callable[[], None] | None = None

    @property
    def is_full(self) -> bool:
        return len(self._listeners) >= MOST_STREAMS

    def end(self) -> None:
        """Ends all streams: an open one would keep the server from ending."""
        self._ended = True
        if self.also_ends is not None:
            self.also_ends()
        for queue in self._listeners:
            queue.put_nowait(None)

    async def stream(self) -> AsyncIterator[bytes]:
        """Server-sent events for one listener, until it or the server goes."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            if self._watching is None or self._watching.done():
                # Before the first word: what is written after that is told for certain.
                self._last = await self._store.state()
                self._watching = asyncio.create_task(self._watch())
            yield _message("ready", "")
            while not self._ended:
                piece = await queue.get()
                if piece is None:
                    return
                yield piece
        finally:
            self._listeners.discard(queue)

    async def _watch(self) -> None:
        quiet = 0
        while self._listeners and not self._ended:
            await asyncio.sleep(LOOK_S)
            state = await self._store.state()
            quiet += 1
            if state != self._last:
                self._tell(_message("changed", state))
                self._last, quiet = state, 0
            elif quiet >= _QUIET_LOOKS:
                self._tell(b":\n\n")
                quiet = 0

    def _tell(self, message: bytes) -> None:
        for queue in self._listeners:
            queue.put_nowait(message)


def _message(event: str, state: str) -> bytes:
    return f"event: {event}\ndata: {json.dumps({'state': state[:80]})}\n\n".encode()
