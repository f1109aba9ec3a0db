"""What a store promises about imported records; a part of its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Imports(Protocol):
    def imported(
        self, source: str, origin: str, keys: Sequence[str] | None = None
    ) -> list[tuple[Any, ...]]:
        """(key, hash, memory, own, position, live, forgotten) of imported records.

        Of those keys, or of all of the origin in order of position; the memory is None once it was
        destroyed. Cheap for thousands of keys.
        """

    def put_imported(
        self, source: str, origin: str, rows: Iterable[tuple[str, str, int | None, bool, int]]
    ) -> None:
        """Keeps (key, hash, memory, own, position), in the place of what was kept of the key."""

    def brought_by(self, name: str, project: str) -> list[int]:
        """Ids of the memories not forgotten that imports of a format, or of a path, have made.

        Only of imports that were run in the project, wherever their memories belong.
        """

    def drop_imported(self, source: str, origin: str, keys: Iterable[str]) -> None:
        """Forgets that those keys were imported."""
