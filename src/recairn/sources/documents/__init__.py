"""Documents: files, pages and pipes read into chunks that search can point at.

`formats` reads them into blocks, `chunking` packs blocks into chunks, `walk` finds files,
`collection` keeps the store in step with them.
"""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.work_rows import DocumentRow

# What `url` holds of a document that came through a pipe.
FROM_STDIN = "stdin:"


@record
class Document:
    """A document that is kept; `path` is told from the project's folder on where it lies inside.

    `url` is empty for files, else where the text came from. `missing_since` is when a refresh first
    did not find the file.
    """

    id: int
    uid: str
    path: str
    url: str
    title: str
    project: str
    format: str
    content_hash: str
    size: int
    modified_at: int | None
    missing_since: int | None
    created_at: int
    updated_at: int
    deleted_at: int | None

    @property
    def is_file(self) -> bool:
        return not self.url


def is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def document_of(row: DocumentRow) -> Document:
    """The document a row of the store tells of."""
    return Document(*row)
