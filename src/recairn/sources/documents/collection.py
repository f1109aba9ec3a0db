"""Keeping the store in step with documents: what is new, changed, moved, missing or gone."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.guard import redact
from recairn.core.ids import new_uid
from recairn.core.model import Draft
from recairn.core.record import as_dict, record
from recairn.memory import lifecycle
from recairn.memory.remember import Door, remember_all
from recairn.sources.documents.chunking import RULES, chunks_of
from recairn.sources.documents.formats import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Memory
    from recairn.embed.index import Meaning
    from recairn.sources.documents.formats import Reading
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Document

# Columns that follow from a chunk's title, headings and path.
_SAID = ("title", "fields", "details", "concepts", "idents", "words", "content_hash", "source_ref")


@record
class Source:
    """A document as it is now. `format` and `title` are what its name or its sender say."""

    path: str
    raw: bytes
    format: str
    url: str = ""
    title: str = ""
    modified_at: int | None = None


@record
class DocumentChanges:
    """What happened to each document: (what, path), and what there is to tell.

    `what` is added, changed, moved, unchanged, missing or removed; `chunks` were added or renewed.
    """

    documents: tuple[tuple[str, str], ...]
    chunks: int
    notices: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]
    dry_run: bool

    def count(self, what: str) -> int:
        return sum(status == what for status, _ in self.documents)


class DocumentCollection:
    """One run over some documents of one project; each is one transaction."""

    def __init__(
        self,
        store: Store,
        meaning: Meaning,
        prepare: Callable[[Draft], Prepared],
        act: Act,
        *,
        project: str,
        dry_run: bool = False,
    ) -> None:
        self._store = store
        self._meaning = meaning
        self._prepare = prepare
        self._act = act
        self._project = project
        self._dry_run = dry_run
        self._done: list[tuple[str, str]] = []
        self._chunks = 0
        # Documents whose chunks were all forgotten since: asked for again, they are read again.
        self.revive = False
        self._living: dict[str, int] | None = None
        self.notices: list[str] = []
        self.errors: list[tuple[str, str]] = []
        self.known = {document.path: document for document in store.documents(project)}
        self._gone: dict[str, Document] | None = None
        self._by_hash: dict[str, list[Document]] = {}
        for document in self.known.values():
            self._by_hash.setdefault(document.content_hash, []).append(document)

    @property
    def changes(self) -> DocumentChanges:
        return DocumentChanges(
            tuple(self._done),
            self._chunks,
            tuple(self.notices),
            tuple(self.errors),
            self._dry_run,
        )

    def take(self, source: Source, is_missing: Callable[[Document], bool]) -> None:
        """Takes in a document as it is now; `is_missing` tells a file that lies elsewhere now."""
        _, kinds = redact(source.path)
        if kinds:
            why = f"its name holds a secret ({kinds[0]}), and names are kept readable: rename it"
            self.errors.append((redact(source.path)[0], why))
            return
        digest = hash_of(source)
        document = self.known.get(source.path)
        if document is not None and document.content_hash == digest and not self._is_bare(document):
            if document.missing_since is not None:
                self._change(document, {"missing_since": None})
            self._note("unchanged", source.path)
            return
        before = document or self._moved(digest, source, is_missing)
        reading = self._read(source)
        if before is None and not reading.blocks:
            return  # an empty file is no document yet
        what = "added" if before is None else "changed" if document is not None else "moved"
        if not self._dry_run:
            self._write(source, before, reading, digest)
        if before is not None and document is None:
            self.known.pop(before.path, None)
            self.notices.append(f"{source.path} was {before.path}")
        self._note(what, source.path)

    def _read(self, source: Source) -> Reading:
        return read(source.raw, source.format, source.title or source.path)

    def miss(self, document: Document, *, now: bool) -> None:
        """Notes that a file is not there; once that was noted before, or `now`, it is removed."""
        if now or document.missing_since is not None:
            self.remove(document, missing=True)
            return
        self._change(document, {"missing_since": self._act.at})
        self._note("missing", document.path)

    def remove(self, document: Document, *, missing: bool = False) -> None:
        """Forgets a document and its chunks; `missing` ones may come back by themselves."""
        if not self._dry_run:
            with self._store.transaction():
                for memory in self._memories(document.uid):
                    if memory.deleted_at is None:
                        lifecycle.forget(self._store, memory.id, self._act)
                since = document.missing_since or self._act.at
                self._change(
                    document,
                    {
                        "deleted_at": self._act.at,
                        "missing_since": since if missing else None,
                    },
                )
        self._note("removed", document.path)

    def _is_bare(self, document: Document) -> bool:
        if self.revive and self._living is None:
            self._living = self._store.chunk_counts()
        return self._living is not None and not self._living.get(document.uid)

    def _note(self, what: str, path: str) -> None:
        self._done.append((what, path))

    def _change(self, document: Document, changes: Mapping[str, Any]) -> None:
        if not self._dry_run:
            with self._store.transaction():
                self._store.change_document(document.uid, {**changes, "updated_at": self._act.at})

    def _moved(
        self, digest: str, source: Source, is_missing: Callable[[Document], bool]
    ) -> Document | None:
        """The document with this very content whose file is not there any more."""
        if source.url:
            return None
        for document in self._by_hash.get(digest, ()):
            if document.path in self.known and document.is_file and is_missing(document):
                return document
        return None

    def _write(
        self, source: Source, before: Document | None, reading: Reading, digest: str
    ) -> None:
        before = before or self._removed(source.path)
        title = redact(source.title or reading.title)[0]
        uid = before.uid if before is not None else new_uid(self._act.at)
        drafts = list(self._drafts(source, reading, title, uid))
        row = {
            "path": source.path,
            "url": source.url,
            "title": title,
            "format": source.format,
            "content_hash": digest,
            "size": len(source.raw),
            "modified_at": source.modified_at,
            "missing_since": None,
            "updated_at": self._act.at,
            "deleted_at": None,
        }
        with self._store.transaction():
            if before is not None:
                self._store.change_document(uid, row)
            else:
                identity = {"uid": uid, "project": self._project, "created_at": self._act.at}
                self._store.put_document({**identity, **row})
            written = self._replace(uid, drafts)
        # Only what was kept counts: a full disk takes the whole document back.
        self._chunks += written

    def _removed(self, path: str) -> Document | None:
        """The document of that path that was removed last: it comes back."""
        if self._gone is None:
            rows = self._store.documents(self._project, deleted=True)
            self._gone = {row.path: row for row in reversed(rows)}
        return self._gone.get(path)

    def _drafts(self, source: Source, reading: Reading, title: str, uid: str) -> Iterable[Prepared]:
        warned: dict[str, None] = {}
        for position, chunk in enumerate(chunks_of(reading.blocks)):
            heading = [part for part in chunk.heading if part != title]
            draft = Draft(
                chunk.text,
                kind="chunk",
                title=" > ".join([title, *heading])[:500],
                fields={
                    "document": uid,
                    "position": position,
                    "heading": " > ".join(chunk.heading),
                    "path": source.path,
                    "line": chunk.line,
                    "end_line": chunk.end_line,
                    "page": chunk.page,
                },
                source_type="document",
                source_ref=source.path[:1000],
            )
            try:
                prepared = self._prepare(draft)
            except BadInput:
                continue  # nothing is left of it: invisible characters, or recairn's own block
            warned.update(dict.fromkeys(prepared.warnings))
            yield prepared
        self.notices += [f"{source.path}: {warning}" for warning in warned]

    # Chunks

    def _memories(self, uid: str) -> list[Memory]:
        return list(self._store.get_many(self._store.chunks_of(uid)).values())

    def _replace(self, uid: str, drafts: list[Prepared]) -> int:
        """Makes these the chunks of a document; those that say the same stay the same memory.

        How many were added or renewed.
        """
        left: dict[tuple[str, str], list[Memory]] = {}
        stored = sorted(
            self._memories(uid), key=lambda memory: (memory.deleted_at is not None, memory.id)
        )
        for memory in stored:
            left.setdefault(_identity(memory.content, memory.fields), []).append(memory)
        fresh, renewed = [], 0
        for draft in drafts:
            same = left.get(_identity(draft.row["content"], draft.row["fields"]))
            if same:
                renewed += self._keep(same.pop(0), draft.row)
            else:
                fresh.append(draft)
        for memory in (memory for same in left.values() for memory in same):
            if memory.deleted_at is None:
                lifecycle.forget(self._store, memory.id, self._act)
        added = remember_all(self._store, fresh, Door(self._meaning, "add"))
        ids = [result.id for result in added if result.id is not None]
        self._meaning.later(ids, now=self._act.at)
        return renewed + len(ids)

    def _keep(self, memory: Memory, row: Mapping[str, Any]) -> bool:
        """Brings a chunk's place up to date, and the chunk back if it was forgotten.

        Whether it says something else now, or is back.
        """
        back = memory.deleted_at is not None
        if back:
            lifecycle.restore(self._store, memory.id, self._act)
        said_alike = memory.content_hash == row["content_hash"]
        changes = {name: row[name] for name in _SAID if not said_alike or name == "fields"}
        if dict(memory.fields) != row["fields"] or not said_alike:
            event = lifecycle.event_of("updated", memory.id, self._act)
            self._store.change(memory.id, {**changes, "updated_at": self._act.at}, event)
        renewed = back or not said_alike
        if renewed:
            self._meaning.renew(self._store.get_many([memory.id])[memory.id], now=self._act.at)
        return renewed


def hash_of(source: Source) -> str:
    """Equal while a document holds the same bytes and is read in the same way."""
    from hashlib import blake2b

    way = f"{source.format}/{RULES}".encode()[:16]
    return blake2b(source.raw, digest_size=16, person=way).hexdigest()


def _identity(content: str, fields: Mapping[str, Any]) -> tuple[str, str]:
    return content, str(fields.get("heading", ""))


def changes_json(changes: DocumentChanges) -> dict[str, Any]:
    """What happened, as plain data."""
    document = as_dict(changes)
    document["documents"] = [{"status": what, "path": path} for what, path in changes.documents]
    document["errors"] = [{"path": path, "error": why} for path, why in changes.errors]
    document["notices"] = list(changes.notices)
    return document
