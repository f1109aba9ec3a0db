"""Who waits for news: one look a second for all of them, and only while somebody waits."""

from __future__ import annotations

import asyncio
from functools import partial

from recairn.core.errors import RecairnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.engine import Recairn
    from recairn.surfaces.hub.desks import Desks

    Places = Sequence[tuple[str, str]]

# Seconds one waits at most: proxies give up after thirty.
PATIENCE_S = 25.0
# Seconds between two looks.
LOOK_S = 1.0
# Machines that wait at once in one process.
_MOST = 5_000


class News:
    """Cursors of laptops, and whether something came after them."""

    def __init__(self, desks: Desks) -> None:
        self._desks = desks
        self._waiting: dict[asyncio.Future[bool], Places] = {}
        self._looking: asyncio.Task[None] | None = None

    async def about(self, places: Places) -> bool | None:
        """Whether there is news of (project, cursor)s in time; None where too many wait."""
        if len(self._waiting) >= _MOST:
            return None
        if await self._desks.call(partial(_any, places)):
            return True
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[waiter] = places
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            return await asyncio.wait_for(waiter, PATIENCE_S)
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(waiter, None)

    def end(self) -> None:
        """Lets all go who wait: the server ends."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(False)

    async def _look(self) -> None:
        """While nothing at all was written, nobody's project has news."""
        state = ""
        while self._waiting:
            await asyncio.sleep(LOOK_S)
            try:
                now = await self._desks.call(lambda memory: memory.revision())
                if now == state:
                    continue
                asked = [*self._waiting.items()]
                answers = await self._desks.call(partial(_news_of, [places for _, places in asked]))
                state = now
            except RecairnError:
                continue  # whoever waits comes again, and is told then
            for (waiter, _), news in zip(asked, answers, strict=True):
                if news and not waiter.done():
                    waiter.set_result(True)


def _any(places: Places, memory: Recairn) -> bool:
    return any(memory.has_news(project, after) for project, after in places)


def _news_of(asked: Sequence[Places], memory: Recairn) -> list[bool]:
    return [_any(places, memory) for places in asked]
