"""Documents that are searched, and their pieces."""

from __future__ import annotations

from recairn.surfaces.render.documents import chunk_json, document_json
from recairn.surfaces.web.answers.brief import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_LISTED = 150
_PIECES = 30
_PIECE = 900


def listing(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The documents of the project by path; `q` narrows them by path or title."""
    wanted = (parameters.text("q") or "").lower()
    documents = [
        (document, chunks)
        for document, chunks in memory.documents()
        if wanted in f"{document.path} {document.title}".lower()
    ]
    return {
        "documents": [document_json(*entry) for entry in documents[:_LISTED]],
        "total": len(documents),
    }


def show(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """One document with its first pieces."""
    document = memory.find_documents(parameters.path["id"])[0]
    chunks = memory.document_chunks(document)
    start = parameters.number("from", 1, 1_000_000) - 1
    pieces = [chunk_json(chunk) for chunk in chunks[start : start + _PIECES]]
    for piece in pieces:
        piece["content"] = clipped(piece["content"], _PIECE)
    return {
        **document_json(document, len(chunks)),
        "pieces": pieces,
        "from": start + 1,
    }
