"""What a store promises about memories that resemble one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.store.memory_rows import LookAlike


class LookAlikes(Protocol):
    """Look-alike keys: what shares one may say the same."""

    def key_holders(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Of the look-alike keys under which memories are known, the newest of these."""

    def look_alikes(self, keys: Sequence[int], limit: int, *, now: int) -> list[LookAlike]:
        """The live memories under these keys, most alike first; the last key is the text's own."""

    def alike(self, ids: Sequence[int], *, now: int) -> list[LookAlike]:
        """Those of the memories that are live, as look-alikes."""

    def dropped_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the keys under which a memory was forgotten before anyone verified it."""

    def alike_groups(self, filter: Filter) -> list[list[int]]:
        """Ids of visible memories that share a look-alike key, group by group."""
