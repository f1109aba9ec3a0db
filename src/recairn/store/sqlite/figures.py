"""Figures about the database that a process keeps for as long as nobody writes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from recairn.store.sqlite.connection import Connection

    T = TypeVar("T")

# Figures kept at most; each takes some 100 bytes.
_MOST = 10_000


class Figures:
    """What was counted, by name."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._counted_at: tuple[int, int] | None = None
        self._known: dict[object, object] = {}

    def get(self, name: object, count: Callable[[], T]) -> T:
        """What `count` gives, or gave since the last write of anybody.

        Within a transaction nothing is kept: that it was rolled back would not show afterwards.
        """
        if self._connection.in_transaction:
            return count()
        state = self._connection.state()
        if self._counted_at != state or len(self._known) > _MOST:
            self._known, self._counted_at = {}, state
        if name not in self._known:
            self._known[name] = count()
        return self._known[name]  # type: ignore[return-value]  # one name, one type
