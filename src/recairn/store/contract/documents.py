"""What a store promises about documents; a part of its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.store.work_rows import Document


class Documents(Protocol):
    def documents(self, project: str | None, *, deleted: bool = False) -> list[Document]:
        """The documents of a project, or of all, by path.

        `deleted` gives those that were removed instead, the last removed first.
        """

    def put_document(self, document: Mapping[str, Any]) -> None:
        """Stores a new document; its number is the store's."""

    def change_document(self, uid: str, changes: Mapping[str, Any]) -> None:
        """Changes columns of a document."""

    def chunks_of(self, uid: str) -> list[int]:
        """Numbers of the memories that are chunks of a document, forgotten ones too."""

    def chunk_counts(self) -> dict[str, int]:
        """How many living chunks each document has, by its uid."""
