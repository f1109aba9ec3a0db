"""Documents and their pieces, as text and as JSON."""

from __future__ import annotations

from recairn.core.times import age, iso
from recairn.core.words import counted, one_line
from recairn.sources.documents.collection import changes_json
from recairn.surfaces.render.json_objects import marked_html
from recairn.surfaces.render.text import indented, percent, place_of, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Hit, Memory, SearchResult
    from recairn.sources.documents.collection import DocumentChanges
    from recairn.store.work_rows import Document

__all__ = ["changes_json"]

# Characters of a piece that a list shows.
_PREVIEW = 160
_INDENT = "      "
_STATES = ("added", "changed", "moved", "unchanged", "missing", "removed")
_TOLD = ("moved", "missing", "removed")


def pieces(count: int) -> str:
    """`1 piece`, `41 pieces`."""
    return counted(count, "piece")


def changes_text(changes: DocumentChanges) -> str:
    """`3 added, 12 unchanged (41 pieces written)`, and a line for each that is missing or gone."""
    counts = [f"{count:,} {what}" for what in _STATES if (count := changes.count(what))]
    would = "dry run: " if changes.dry_run else ""
    written = f" ({pieces(changes.chunks)} written)" if changes.chunks else ""
    none = "nothing was written" if changes.errors else "nothing to do"
    text = f"{would}{', '.join(counts) or none}{written}\n"
    for what, path in changes.documents:
        if what in _TOLD:
            text += f"  {what}: {without_marks(path)}\n"
    if changes.count("missing"):
        text += "  recairn doc refresh once more removes what is missing\n"
    return text


def document_json(document: Document, chunks: int) -> dict[str, Any]:
    """A document; times are ISO 8601 with Z."""
    return {
        "uid": document.uid,
        "path": document.path,
        "url": document.url or None,
        "title": document.title,
        "project": document.project,
        "format": document.format,
        "size": document.size,
        "chunks": chunks,
        "modified_at": iso(document.modified_at),
        "missing_since": iso(document.missing_since),
        "created_at": iso(document.created_at),
        "updated_at": iso(document.updated_at),
    }


def document_row(document: Document, chunks: int, now: int) -> tuple[str, ...]:
    """A line of the list: path, title, format, pieces, age."""
    state = "missing" if document.missing_since is not None else age(document.updated_at, now)
    title = one_line(without_marks(document.title), 40)
    return without_marks(document.path), title, document.format, str(chunks), state


def chunk_json(memory: Memory) -> dict[str, Any]:
    """A piece of a document, with the place it stands at."""
    fields = memory.fields
    return {
        "id": memory.id,
        "uid": memory.uid,
        "document": fields.get("document"),
        "path": fields.get("path"),
        "line": fields.get("line"),
        "end_line": fields.get("end_line"),
        "page": fields.get("page"),
        "heading": fields.get("heading", ""),
        "title": memory.title,
        "content": memory.content,
    }


def chunk_text(memory: Memory, *, full: bool) -> str:
    """`#42 docs/mirror.md:12-40  Heading` and the text or its beginning."""
    text = f"{styled(f'#{memory.id}', 'name')} {_heading(memory)}\n"
    content = without_marks(memory.content)
    return text + indented(content if full else one_line(content, _PREVIEW), _INDENT) + "\n"


def hits_json(result: SearchResult) -> dict[str, Any]:
    """The answer of a search in documents."""
    meta = result.meta
    return {
        "query": meta.query,
        "hits": [
            {
                **chunk_json(hit.memory),
                "score": hit.score,
                "match": hit.match,
                "snippet": marked_html(hit.snippet),
                "chance": hit.chance,
            }
            for hit in result.hits
        ],
        "meta": {
            "candidates": meta.candidates,
            "returned": meta.returned,
            "duration_ms": meta.duration_ms,
            "model": meta.model,
            "project": meta.project,
            "searched": meta.searched,
            "notices": list(meta.notices),
        },
    }


def hits_text(hits: Sequence[Hit], *, full: bool) -> str:
    """`[71%] docs/mirror.md:12-40  Heading` and where it matched."""
    entries = []
    for hit in hits:
        entry = f"{styled(f'[{percent(hit.shown)}]', 'bold')} {_heading(hit.memory)}\n"
        if full:
            entry += indented(without_marks(hit.memory.content), _INDENT) + "\n"
        else:
            entry += indented(hit.snippet or _beginning(hit.memory), _INDENT) + "\n"
        entries.append(entry)
    return ("\n" if full else "").join(entries)


def _beginning(memory: Memory) -> str:
    return one_line(without_marks(memory.content), _PREVIEW)


def _heading(memory: Memory) -> str:
    """Place, last line and heading of a piece."""
    place, last = place_of(memory), memory.fields.get("end_line")
    if last and not memory.fields.get("page") and last != memory.fields.get("line"):
        place += f"-{last}"
    title = memory.title or str(memory.fields.get("heading", ""))
    heading = one_line(without_marks(title), _PREVIEW)
    return f"{styled(place or f'#{memory.id}', 'name')}  {heading}"
