"""The engine's way of keeping documents."""

from __future__ import annotations

import os

from recairn.engine.remember import Writing
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recairn.core.model import Memory
    from recairn.sources.documents.collection import DocumentChanges, DocumentCollection
    from recairn.store.work_rows import Document

    Report = Callable[[int, int], None]

# The setting that names the folders and patterns whose files are kept, as JSON: [project, path].
FOLDERS = "documents.folders"
# Bytes of a file that is taken in when nothing else is said.
MAX_BYTES = 2_000_000


class Documents(Writing):
    """Documents: adding, refreshing, showing and removing them."""

    def add_documents(
        self,
        sources: Sequence[str],
        *,
        fetch: bool = False,
        max_bytes: int = MAX_BYTES,
        dry_run: bool = False,
        report: Report | None = None,
    ) -> DocumentChanges:
        """What became of every file of these files, folders and patterns.

        An http(s) address is only looked at with `fetch`. `report` is told how many are done.
        """
        from recairn.core.errors import Refused
        from recairn.sources.documents import is_url
        from recairn.sources.documents.paths import Places
        from recairn.sources.documents.walk import files_named

        collection, places = self._collection(dry_run=dry_run), Places(self._root())
        collection.revive = True
        work: list[tuple[str, bool]] = []
        roots: list[str] = []
        for source in sources:
            if is_url(source):
                if not fetch:
                    raise Refused(f"{source} was not fetched", "add --fetch to go and read it")
                work.append((source, True))
                continue
            files = files_named(source)
            work += [(file, len(files) == 1) for file in files]
            whole = os.path.abspath(os.path.expanduser(source))
            if os.path.isdir(whole) or not os.path.lexists(whole):
                roots.append(places.stored(whole))
        places.take_all(collection, work, max_bytes, report)
        if roots and not dry_run:
            self._keep_roots([*self._roots(), *roots])
        self.meaning.embed_late()
        return collection.changes

    def add_text(self, text: bytes, title: str, *, dry_run: bool = False) -> DocumentChanges:
        """Keeps a text that came through a pipe, under its title; its ending tells the format."""
        from recairn.sources.documents import FROM_STDIN
        from recairn.sources.documents.collection import Source
        from recairn.sources.documents.formats import format_of

        collection = self._collection(dry_run=dry_run)
        source = Source(title, text, format_of(title) or "md", FROM_STDIN, title)
        collection.take(source, lambda _: False)
        self.meaning.embed_late()
        return collection.changes

    def refresh_documents(
        self,
        *,
        prune: bool = False,
        fetch: bool = False,
        max_bytes: int = MAX_BYTES,
        dry_run: bool = False,
        report: Report | None = None,
    ) -> DocumentChanges:
        """Brings all documents of the project up to date with their files.

        A file that is not there is noted the first time, and its document removed the second time,
        or at once with `prune`. Where a whole folder is not there, nothing is removed.
        """
        from recairn.sources.documents.paths import Places

        collection, places = self._collection(dry_run=dry_run), Places(self._root())
        removed = {
            row.path
            for row in self.store.documents(self.project, deleted=True)
            if row.missing_since is None
        }
        places.refresh(collection, self._roots(), removed, max_bytes, report)
        places.settle_missing(collection, prune=prune)
        if fetch:
            urls = [
                document.url
                for document in collection.known.values()
                if document.url.startswith("http")
            ]
            places.take_all(collection, [(url, True) for url in urls], max_bytes, report)
        self.meaning.embed_late()
        return collection.changes

    def documents(self, *, transcripts: bool = False) -> list[tuple[Document, int]]:
        """The documents of the project, by path, each with the number of its chunks.

        With `transcripts`, the conversations instead.
        """

        counts = self.store.chunk_counts()
        documents = self.store.documents(self.project)
        return [
            (document, counts.get(document.uid, 0))
            for document in documents
            if (document.format == "transcript") is transcripts
        ]

    def find_documents(self, reference: str) -> list[Document]:
        """The documents a path, a folder, a uid prefix or a chunk's number stands for; NotFound."""
        from recairn.core.errors import NotFound
        from recairn.core.ids import looks_like_uid_prefix, row_number
        from recairn.sources.documents.paths import Places

        documents = [
            document for document, _ in (*self.documents(), *self.documents(transcripts=True))
        ]
        number = row_number(reference)
        memory = self.store.get(number) if number is not None else None
        uid = str(memory.fields.get("document", "")) if memory is not None else ""
        path = Places(self._root()).stored(os.path.abspath(os.path.expanduser(reference)))
        prefix = "" if path == "." else f"{path}/"
        for fits in (
            lambda entry: entry.path in (reference, path) or entry.uid == uid,
            lambda entry: looks_like_uid_prefix(reference) and entry.uid.startswith(reference),
            lambda entry: entry.is_file and entry.path.startswith(prefix),
        ):
            fitting = [document for document in documents if fits(document)]
            if fitting:
                return fitting
        raise NotFound(f"there is no document {reference}", "recairn doc list shows them")

    def document_chunks(self, document: Document) -> list[Memory]:
        """The chunks of a document in their order."""
        chunks = self.store.get_many(self.store.chunks_of(document.uid)).values()
        living = [chunk for chunk in chunks if chunk.deleted_at is None]
        return sorted(living, key=lambda chunk: (chunk.fields.get("position", 0), chunk.id))

    def remove_documents(self, references: Sequence[str]) -> DocumentChanges:
        """Forgets documents and their chunks; adding them again brings both back."""
        collection = self._collection(dry_run=False)
        documents = {
            document.uid: document for name in references for document in self.find_documents(name)
        }
        for document in documents.values():
            collection.remove(document)
        from recairn.sources.documents.paths import Places

        places = Places(self._root())
        paths = [places.stored(os.path.abspath(os.path.expanduser(name))) for name in references]
        roots = self._roots()
        if any(name in roots for name in paths):
            self._keep_roots([root for root in roots if root not in paths])
        return collection.changes

    def _collection(self, *, dry_run: bool) -> DocumentCollection:
        from functools import partial

        from recairn.core.author import DOCUMENT, Writer
        from recairn.core.draft import prepare
        from recairn.sources.documents.collection import DocumentCollection

        self.settle()
        if not dry_run:
            self._move_in()
        act = self._act("document")
        prepared = partial(
            prepare,
            writer=Writer(DOCUMENT, is_own=False),
            project=self.project,
            session=None,
            allow=self._allowed(),
            now=act.at,
        )
        return DocumentCollection(
            self.store, self.meaning, prepared, act, project=self.project, dry_run=dry_run
        )

    def _root(self) -> str | None:
        """The folder that paths are told from: the checkout of the project, when we are in it."""
        from recairn.host.project import place_of
        from recairn.work.belonging import known_home
        from recairn.work.first_meeting import stranger

        here = os.getcwd()
        place = place_of(here)
        home = known_home(self.store, place) or stranger(self.store, place)
        return root_of(here) if self.project in (home.name, home.parent) else None

    def _roots(self) -> list[str]:
        from json import loads

        try:
            listed = loads(self.store.config().get(FOLDERS, "[]"))
            return [str(path) for project, path in listed if project == self.project]
        except (ValueError, TypeError):
            return []

    def _keep_roots(self, roots: Sequence[str]) -> None:
        from json import dumps, loads

        listed = loads(self.store.config().get(FOLDERS, "[]"))
        others = [row for row in listed if row[0] != self.project]
        own = [[self.project, path] for path in dict.fromkeys(roots)]
        self.set_config(FOLDERS, dumps([*others, *own]) if others or own else None)
