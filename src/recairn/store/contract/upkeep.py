"""What a store promises about its own life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from recairn.core.report import Report


class Upkeep(Protocol):
    """Transactions, health, counts, and the end."""

    # How a person names it: a path or an address without secrets.
    address: str
    read_only: bool
    # Whether there is no such store yet: this one is empty, and nothing was made.
    absent: bool
    # Memories a part of which cannot be read any more, as far as they were met.
    damaged: set[int]
    # Whether anything but book-keeping was begun to be written; whoever keeps copies resets it.
    wrote: bool

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, visible to others only at the end, durable once it returned.

        One that begins inside another joins it: the outermost commits for all, and where any part
        failed, nothing of any is kept.
        """

    def bookkeeping(self, patience_s: float) -> AbstractContextManager[None]:
        """Inside, writes wait only so long for others, and may be lost with the power."""

    def revision(self) -> str:
        """A text that is another one whenever anybody has written something since."""

    def stats(self, now: int) -> dict[str, Any]:
        """Counts of everything."""

    def verify(self) -> Report:
        """Checks every invariant; problems name their remedy."""

    def rebuild_indexes(self) -> None:
        """Makes everything derived from the memories anew."""

    def scrub(self) -> str:
        """Lets nothing of what was erased stay where the engine keeps its log; else says why."""

    def close(self) -> None:
        """Ends the store's lifetime."""
