"""Where the files of documents lie: paths as they are stored, and a walk over what is there."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, NotFound, RecairnError
from recairn.sources.documents import is_url
from recairn.sources.documents.collection import Source
from recairn.sources.documents.formats import NeedsExtra, format_of, is_binary
from recairn.sources.documents.walk import TooLarge, files_named, folder_of, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recairn.sources.documents.collection import DocumentCollection
    from recairn.store.work_rows import Document

    Report = Callable[[int, int], None]

# Notices of one kind that are told one by one; the rest is counted.
_TOLD = 20


class Places:
    """Paths are stored from the project's folder on; those of files elsewhere are whole."""

    def __init__(self, root: str | None) -> None:
        self._root = None if root is None else os.path.realpath(root)
        self._seen: set[str] = set()
        self._gone: list[str] = []

    def stored(self, path: str) -> str:
        """A whole path as it is kept."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if self._root is None:
            return real
        if real == self._root:
            return "."
        inside = real.startswith(self._root.rstrip(os.sep) + os.sep)
        return os.path.relpath(real, self._root) if inside else real

    def whole(self, path: str) -> str | None:
        """Where a stored path lies; None for one of a checkout we are not in."""
        if os.path.isabs(path):
            return path
        return None if self._root is None else os.path.normpath(os.path.join(self._root, path))

    def is_missing(self, document: Document) -> bool:
        whole = self.whole(document.path)
        return whole is not None and not os.path.lexists(whole)

    def take_all(
        self,
        collection: DocumentCollection,
        work: Sequence[tuple[str, bool]],
        max_bytes: int,
        report: Report | None,
    ) -> None:
        """Takes in files and addresses; what was named alone is an error when it cannot be read."""
        left_out: list[str] = []
        for done, (path, named) in enumerate(work, start=1):
            name = self._name(path)
            self._seen.add(name)
            try:
                source = self._source(path, max_bytes)
                if is_binary(source.raw) and source.format != "pdf" and not named:
                    left_out.append(f"{name} is a binary file")
                else:
                    collection.take(source, self.is_missing)
            except (RecairnError, OSError) as error:
                if isinstance(error, TooLarge | NeedsExtra) and not named:
                    left_out.append(str(error))
                else:
                    collection.errors.append((name, _why(error)))
            if report is not None:
                report(done, len(work))
        collection.notices += [f"left out: {file}" for file in left_out[:_TOLD]]
        if len(left_out) > _TOLD:
            collection.notices.append(f"left out: {len(left_out) - _TOLD:,} more")

    def refresh(
        self,
        collection: DocumentCollection,
        roots: Sequence[str],
        removed: Collection[str],
        max_bytes: int,
        report: Report | None,
    ) -> None:
        """Takes in the files of all folders as they are now, and the files that stand alone."""
        work: dict[str, bool] = {}
        for root in roots:
            work.update(dict.fromkeys(self._files(collection, root), False))
        for document in list(collection.known.values()):
            whole = self.whole(document.path) if document.is_file else None
            if whole is not None and os.path.isfile(whole):
                work.setdefault(os.path.realpath(whole), True)
        wanted = [(path, named) for path, named in work.items() if self.stored(path) not in removed]
        self.take_all(collection, wanted, max_bytes, report)

    def _files(self, collection: DocumentCollection, root: str) -> list[str]:
        """The files of a folder or pattern; an empty or missing one is noted as gone."""
        whole = self.whole(root)
        if whole is None:
            return []
        try:
            files = files_named(whole)
        except NotFound:
            files = []
        if not files:
            folder = self.stored(folder_of(whole))
            self._gone.append(folder)
            collection.notices.append(f"{folder} is not there or empty: nothing of it was removed")
        return files

    def settle_missing(self, collection: DocumentCollection, *, prune: bool) -> None:
        """Notes or removes documents whose file is gone while its folder is there."""
        for document in list(collection.known.values()):
            if not document.is_file or document.path in self._seen or not self.is_missing(document):
                continue
            folder = os.path.dirname(self.whole(document.path) or "")
            lost = any(
                document.path == gone or document.path.startswith(f"{gone}/") for gone in self._gone
            )
            if "." in self._gone or lost:
                continue
            if not os.path.isdir(folder):
                collection.notices.append(f"{document.path} is kept: its folder is not there")
                continue
            collection.miss(document, now=prune)

    def _name(self, path: str) -> str:
        """What a file or an address is called, also when its name is no text."""
        name = path if is_url(path) else self.stored(path)
        return name.encode("utf-8", "replace").decode()

    def _source(self, path: str, max_bytes: int) -> Source:
        if is_url(path):
            from recairn.sources.documents.fetch import fetch

            page = fetch(path)
            return Source(path, page.raw, page.format or format_of(path) or "txt", path)
        try:
            path.encode()
        except UnicodeEncodeError:
            raise BadInput("its name is not UTF-8", "rename it") from None
        raw = read_bytes(path, max_bytes)
        modified = int(os.stat(path).st_mtime * 1000)
        return Source(self.stored(path), raw, format_of(path) or "txt", modified_at=modified)


def _why(error: RecairnError | OSError) -> str:
    return str(error) if isinstance(error, RecairnError) else error.strerror or str(error)
