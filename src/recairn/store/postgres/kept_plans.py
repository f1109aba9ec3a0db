"""Statements that a server plans once for a connection, though it is asked them many times.

Planning a search takes the server as long as answering it. A prepared statement belongs to one
connection of the server, so none is made where a pool lends these by transaction: whoever is behind
one gets a number of the server's process that is the pool's own, since a request to cancel must not
reach another client.
"""

from __future__ import annotations

from recairn.store.postgres.spelling import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Plans of one connection: the largest takes some hundred kilobytes of the server's memory.
_MOST = 64
# Nothing here is worth a process beside: to start one takes the server longer than a search.
ALONE = "set_config('max_parallel_workers_per_gather', '0', true)"
# A plan for all values there may be, made at the first call.
GENERIC = "set_config('plan_cache_mode', 'force_generic_plan', true)"


class Asked(bytes):
    """A message to run a prepared statement, with what it stands for."""

    sql: str
    values: Sequence[Any]


class KeptPlans:
    """The prepared statements of one connection, by their text."""

    __slots__ = ("_made", "_names", "allowed")

    def __init__(self) -> None:
        self.allowed = False
        # Empty for what was asked once: most commands ask once and end.
        self._names: dict[str, str] = {}
        # All that were ever made: no name is used twice.
        self._made = 0

    def forget(self) -> None:
        """After something failed, nobody knows which of them the server has."""
        self._names.clear()

    def statement(self, cursor: Any, sql: str, values: Sequence[Any]) -> Asked | None:
        """What asks for the statement, preparing it the second time; None: ask as usual."""
        if not self.allowed:
            return None
        name = self._names.get(sql)
        if name is None:
            if len(self._names) < _MOST:
                self._names[sql] = ""
            return None
        prepared = b""
        if not name:
            # Those from before a failure are of no use to anybody.
            drop = "" if any(self._names.values()) else "deallocate all;"
            self._made += 1
            name = self._names[sql] = f"recairn_{self._made}"
            prepared = f"{drop}prepare {name} as {numbered(sql)};".encode()
        listed = ", ".join(["%s"] * len(values))
        call: bytes = cursor.mogrify(f"execute {name}" + (f"({listed})" if values else ""), values)
        asked = Asked(prepared + call)
        asked.sql, asked.values = sql, values
        return asked


def numbered(sql: str) -> str:
    """A statement with $1, $2, … for its values."""
    parts = spelled(sql, bound=False).split("?")
    return parts[0] + "".join([f"${at}{part}" for at, part in enumerate(parts[1:], 1)])
