"""What a store promises about imported records; a part of its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.store.contract.imported import ImportedRow


class Imports(Protocol):
    def imported(
        self, source: str, origin: str, keys: Sequence[str] | None = None
    ) -> list[ImportedRow]:
        """The rows of those keys, or of all records of the origin in order of position.

        Cheap for thousands of keys.
        """

    def import_origins(self, source: str) -> list[str]:
        """The origins of which rows of a source are kept."""

    def put_imported(self, source: str, origin: str, rows: Iterable[ImportedRow]) -> None:
        """Keeps rows, each in the place of what was kept of its key."""

    def brought_by(self, name: str, project: str | None) -> list[int]:
        """Ids of the memories not forgotten that imports of a format, or of a path, have made.

        Only of imports that were run in the project, wherever their memories belong; None: in any.
        """

    def drop_imported(self, source: str, origin: str, keys: Iterable[str]) -> None:
        """Forgets that those keys were imported."""
