"""Which memories are the chunks of a document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.sqlite.connection import Connection

# Spelled as in the schema, so that the index is used.
_DOCUMENT = "json_extract(fields, '$.document')"


class ChunkRows:
    """The part of the store that knows the chunks of documents."""

    _c: Connection

    def chunks_of(self, uid: str) -> list[int]:
        """Numbers of the memories that are chunks of a document, forgotten ones too."""
        rows = self._c.rows(
            f"select id from memories where kind = 'chunk' and {_DOCUMENT} = ? order by id", (uid,)
        )
        return [row[0] for row in rows]

    def chunk_counts(self) -> dict[str, int]:
        """How many living chunks each document has, by its uid."""
        rows = self._c.rows(
            f"select {_DOCUMENT}, count(*) filter (where deleted_at is null) from memories"
            f" where kind = 'chunk' and {_DOCUMENT} is not null group by 1"
        )
        return {row[0]: row[1] for row in rows}
