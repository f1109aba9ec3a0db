"""Documents; which memories are their chunks is asked of the engine's own JSON."""

from __future__ import annotations

from recairn.store.statements.base import Statements, insertion
from recairn.store.work_rows import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_COLUMNS = ", ".join(Document._fields)


class DocumentStatements(Statements):
    """The part of a store that keeps documents."""

    def documents(self, project: str | None, *, deleted: bool = False) -> list[Document]:
        """The documents of a project, or of all, by path; or those that were removed."""
        gone = "not null order by deleted_at desc, id desc" if deleted else "null order by path, id"
        where, values = ("1 = 1", []) if project is None else ("project = ?", [project])
        rows = self._c.rows(
            f"select {_COLUMNS} from documents where {where} and deleted_at is {gone}", values
        )
        return list(map(Document._make, rows))

    def put_document(self, document: Mapping[str, Any]) -> None:
        """Stores a new document; its number is the store's."""
        self._c.run(*insertion("documents", document))

    def change_document(self, uid: str, changes: Mapping[str, Any]) -> None:
        """Changes fields of a document."""
        assignments = ", ".join(f"{name} = ?" for name in changes)
        self._c.run(f"update documents set {assignments} where uid = ?", (*changes.values(), uid))
