"""What a store promises about who said what when, and about what was destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.stamps import Stamp
    from recairn.store.share_rows import ErasedRow


class Replicas(Protocol):
    """What a store promises about who said what when, and about what was destroyed."""

    def replica(self) -> str:
        """The name of this database among those that exchange.

        A copy of the file is another replica: two that count under one name would lose changes.
        """

    def new_replica(self) -> str:
        """Takes another name, since somebody else counts under this one."""

    def incarnation(self, at: int) -> str:
        """The name under which what is rewritten while the database is open is counted.

        It is never kept: whoever opens a copy of the file, or one that was put back, has another.
        """

    def stamps_of(self, ids: Sequence[int]) -> dict[int, str]:
        """The stamps of memories as they are kept; "" for what was never changed."""

    def numbers_of(self, uids: Iterable[str]) -> dict[str, int]:
        """The numbers of the memories that are here, by uid."""

    def uids_of(self, ids: Iterable[int]) -> dict[int, str]:
        """The uids of memories, destroyed ones too, by number."""

    def erased(self, uids: Iterable[str] | None = None) -> list[ErasedRow]:
        """Those of the memories that were destroyed, or all that were."""

    def put_erased(self, uid: str, memory: int, project: str, stamp: Stamp) -> None:
        """Notes that a memory was destroyed, also one that was never here (number 0)."""
