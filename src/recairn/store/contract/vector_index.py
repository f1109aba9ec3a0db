"""What a store promises about finding by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Filter, Vectors
    from recairn.store.rows import Match, ModelRow, VectorCount


class VectorIndex(Protocol):
    """Vectors of memories, as int8 codes, by model."""

    def models(self) -> list[ModelRow]:
        """Every model known here."""

    def active_model(self) -> ModelRow | None:
        """The model whose vectors answer searches."""

    def add_model(self, model: Mapping[str, object], *, at: int) -> int:
        """Registers a model; the first one becomes active, later ones wait to be complete."""

    def activate_model(self, model: int) -> None:
        """Lets a model answer; the vectors of the one before are dropped."""

    def remove_model(self, model: int) -> None:
        """Drops a model and its vectors."""

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had of that model."""

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories."""

    def match_vector(self, model: int, codes: bytes, filter: Filter, limit: int) -> list[Match]:
        """Memories by cosine, nearest first, ties by id; the filter is applied before the cut."""

    def codes(self, model: int, ids: Sequence[int]) -> dict[int, list[bytes]]:
        """The int8 codes of each memory's pieces, of those that have vectors of that model."""

    def without_vectors(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of memories whose vector is missing or of an older text."""

    def living(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of all memories a model should have vectors of."""

    def vector_counts(self, model: int) -> VectorCount:
        """How far a model has come."""
