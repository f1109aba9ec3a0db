"""What a change of any engine happens in: one that commits whole, and one for mere counters."""

from __future__ import annotations

from recairn.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Protocol

    class Transactions(Protocol):
        """A connection that begins and ends them."""

        def begin(self) -> None: ...

        def finish(self, *, commit: bool) -> None: ...

    class Flushing(Protocol):
        """A connection that can put off flushing, and wait less."""

        def relax(self, patience_s: float) -> None: ...

        def insist(self) -> None: ...


class Transaction:
    """From begin to commit; nested ones join the outermost."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Transactions) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.finish(commit=kind is None)


class Bookkeeping:
    """Writes inside give way to others and are not flushed; afterwards all is strict again."""

    __slots__ = ("_connection", "_patience_s")

    def __init__(self, connection: Flushing, patience_s: float) -> None:
        self._connection = connection
        self._patience_s = patience_s

    def __enter__(self) -> None:
        self._connection.relax(self._patience_s)

    def __exit__(self, *_: object) -> None:
        self._connection.insist()


def half_done(place: str) -> StoreError:
    """What is said where a part of a change failed."""
    return StoreError(f"{place}: a part of the change failed, so all of it was undone", "try again")
