"""Documents, and which memories are their chunks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.store.sqlite.connection import Connection

_COLUMNS = (
    "id",
    "uid",
    "path",
    "url",
    "title",
    "project",
    "format",
    "content_hash",
    "size",
    "modified_at",
    "missing_since",
    "created_at",
    "updated_at",
    "deleted_at",
)
# Spelled as in the schema, so that the index is used.
_DOCUMENT = "json_extract(fields, '$.document')"


class DocumentRows:
    """The part of the store that keeps documents."""

    _c: Connection

    def documents(self, project: str | None, *, deleted: bool = False) -> list[dict[str, Any]]:
        """All columns of the documents of a project, or of all, by path; or of removed ones."""
        gone = "not null order by deleted_at desc, id desc" if deleted else "null order by path, id"
        rows = self._c.rows(
            f"select {', '.join(_COLUMNS)} from documents"
            f" where (?1 is null or project = ?1) and deleted_at is {gone}",
            (project,),
        )
        return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]

    def put_document(self, document: Mapping[str, Any]) -> None:
        """Stores a new document; its number is the store's."""
        names = ", ".join(document)
        self._c.run(
            f"insert into documents({names}) values ({', '.join('?' * len(document))})",
            list(document.values()),
        )

    def change_document(self, uid: str, changes: Mapping[str, Any]) -> None:
        """Changes columns of a document."""
        assignments = ", ".join(f"{name} = ?" for name in changes)
        self._c.run(f"update documents set {assignments} where uid = ?", (*changes.values(), uid))

    def chunks_of(self, uid: str) -> list[int]:
        """Numbers of the memories that are chunks of a document, forgotten ones too."""
        rows = self._c.rows(
            f"select id from memories where kind = 'chunk' and {_DOCUMENT} = ? order by id", (uid,)
        )
        return [row[0] for row in rows]

    def chunk_counts(self) -> dict[str, int]:
        """How many living chunks each document has, by its uid."""
        return dict(
            self._c.rows(
                f"select {_DOCUMENT}, sum(deleted_at is null) from memories"
                f" where kind = 'chunk' and {_DOCUMENT} is not null group by 1"
            )
        )
