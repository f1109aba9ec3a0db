"""Handlers of the commands about documents."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory
    from recairn.sources.documents.collection import DocumentChanges
    from recairn.surfaces.cli.call import Call

_STDIN = "-"
# What standard input is called when nobody says.
_UNTITLED = "standard-input.md"
_BYTES_PER_MB = 1_000_000
_USUAL_MB, _LARGEST_MB = 2, 200
_SHOWN = 5


def add(call: Call) -> int:
    from recairn.surfaces.cli.call import Bar
    from recairn.surfaces.cli.parse import Usage

    paths = call.arguments["path"]
    if _STDIN in paths:
        if len(paths) > 1:
            raise Usage("- stands alone", "add the files in a second command")
        return _add_stdin(call)
    if "title" in call.arguments:
        raise Usage("--title is for standard input", "recairn doc add - --title NAME")
    with call.open() as memory, Bar(call.screen, "documents") as bar:
        changes = memory.add_documents(
            paths, fetch="fetch" in call.arguments, report=bar, **_options(call)
        )
        notice = memory.embedding_notice
    return _say(call, changes, notice)


def _add_stdin(call: Call) -> int:
    import sys

    most = int(call.arguments.get("max_mb", _USUAL_MB) * _BYTES_PER_MB)
    raw = sys.stdin.buffer.read(most + 1)
    if len(raw) > most:
        raise BadInput(
            f"standard input is larger than {most / _BYTES_PER_MB:g} MB", "--max-mb sets the limit"
        )
    with call.open() as memory:
        title = call.arguments.get("title", _UNTITLED)
        changes = memory.add_text(raw, title, dry_run="dry_run" in call.arguments)
        notice = memory.embedding_notice
    return _say(call, changes, notice)


def refresh(call: Call) -> int:
    from recairn.surfaces.cli.call import Bar

    arguments = call.arguments
    with call.open() as memory, Bar(call.screen, "documents") as bar:
        changes = memory.refresh_documents(
            prune="prune" in arguments, fetch="fetch" in arguments, report=bar, **_options(call)
        )
        notice = memory.embedding_notice
    return _say(call, changes, notice)


def remove(call: Call) -> int:
    with call.open() as memory:
        changes = memory.remove_documents(call.arguments["path"])
    return _say(call, changes, "")


def _options(call: Call) -> dict[str, Any]:
    from recairn.surfaces.cli.parse import Usage

    options: dict[str, Any] = {"dry_run": "dry_run" in call.arguments}
    if "max_mb" in call.arguments:
        if not 0 < call.arguments["max_mb"] <= _LARGEST_MB:
            raise Usage(f"--max-mb takes a number up to {_LARGEST_MB}")
        options["max_bytes"] = int(call.arguments["max_mb"] * _BYTES_PER_MB)
    return options


def _say(call: Call, changes: DocumentChanges, notice: str) -> int:
    """Tells what became of the documents; exit status 1 when some could not be read."""
    from recairn.surfaces.render.documents import changes_json, changes_text

    if call.json:
        call.screen.document(changes_json(changes))
    else:
        call.screen.write(changes_text(changes))
        for line in (*changes.notices, *([notice] if notice else [])):
            call.screen.note(f"note: {line}")
        for path, why in changes.errors:
            call.screen.note(f"recairn: {path}: {why}")
    return 1 if changes.errors else 0


def list_(call: Call) -> None:
    from recairn.surfaces.render.documents import document_json, document_row

    with call.open() as memory:
        entries = memory.documents(transcripts="transcripts" in call.arguments)
    if call.json:
        call.screen.document({"documents": [document_json(*entry) for entry in entries]})
    elif entries:
        rows = [document_row(*entry, now_ms()) for entry in entries]
        call.screen.table(("path", "title", "format", "pieces", "updated"), rows)
    elif "transcripts" in call.arguments:
        call.say("no conversations\n  recairn import transcripts keeps those of this project")
    else:
        call.say("no documents\n  recairn doc add PATH makes some searchable")


def show(call: Call) -> None:
    from recairn.surfaces.render.documents import chunk_json, chunk_text, document_json, pieces

    reference, line = _with_line(call.arguments["path"])
    with call.open() as memory:
        matches = memory.find_documents(reference)
        listed = [(document, memory.document_chunks(document)) for document in matches]
    wanted = [
        (document, [chunk for chunk in chunks if _is_meant(chunk, reference, line)])
        for document, chunks in listed
    ]
    if call.json:
        documents = [
            {
                **document_json(document, len(chunks)),
                "pieces": [chunk_json(chunk) for chunk in chunks],
            }
            for document, chunks in wanted
        ]
        call.screen.document({"documents": documents})
        return
    for document, chunks in wanted:
        call.say(f"{document.path}  {document.title} ({document.format}, {pieces(len(chunks))})")
        for chunk in chunks:
            call.screen.write(chunk_text(chunk, full="full" in call.arguments))


def _with_line(reference: str) -> tuple[str, int | None]:
    path, colon, line = reference.rpartition(":")
    return (path, int(line)) if colon and line.isascii() and line.isdigit() else (reference, None)


def _is_meant(chunk: Memory, reference: str, line: int | None) -> bool:
    """Whether a piece holds the line, or is the one that was named by its number."""
    from recairn.core.ids import row_number

    if line is not None:
        return bool(chunk.fields.get("line", 0) <= line <= chunk.fields.get("end_line", 0))
    number = row_number(reference)
    return number is None or number == chunk.id


def search(call: Call) -> None:
    from recairn.surfaces.cli.call import text_from
    from recairn.surfaces.render.documents import hits_json, hits_text, pieces

    query = text_from(call.arguments["query"], "what to look for", call)
    options = {"limit": _SHOWN, **call.chosen("limit", "all_projects", "all", "mode")}
    with call.open() as memory:
        result = memory.search(query, kind="chunk", docs=True, tool="docs", **options)
        if call.json:
            call.screen.document(hits_json(result))
        elif result.hits:
            call.screen.write(hits_text(result.hits, full="full" in call.arguments))
        else:
            call.say(f"nothing relevant among {pieces(result.meta.searched or 0)} of documents")
            call.say("  recairn doc list shows what is searched; --all shows the nearest")
        for notice in () if call.json else result.meta.notices:
            call.screen.note(f"note: {notice}")
        call.screen.flush()
