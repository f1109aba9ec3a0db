"""Which memories are the chunks of a document."""

from __future__ import annotations

from recairn.store.statements.base import Statements


class ChunkRows(Statements):
    """The part of the store that knows the chunks of documents."""

    def chunks_of(self, uid: str) -> list[int]:
        """Numbers of the memories that are chunks of a document, forgotten ones too."""
        rows = self._c.rows("select id from memories where document = ? order by id", (uid,))
        return [row[0] for row in rows]

    def chunk_counts(self) -> dict[str, int]:
        """How many living chunks each document has, by its uid."""
        rows = self._c.rows(
            "select document, count(*) filter (where deleted_at is null) from memories"
            " where document is not null group by 1"
        )
        return {row[0]: row[1] for row in rows}
