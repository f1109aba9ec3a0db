"""mem0: an export, or the answer of get_all, as JSON: a list of memories or one under `results`."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Fault, Omission, Record, Source
from recairn.sources.readers.files import head_of, names_in
from recairn.sources.readers.json_document import json_document
from recairn.sources.readers.values import mapping, moment, records_from, required, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

# Names under which the list may stand.
_LISTS = ("results", "memories", "data")
# Bytes of an export; it is one JSON value and must be read at once.
_LARGEST = 64_000_000
# Characters of the beginning by which a file is known.
_HEAD = 4000
# Who a memory is of: kept as keywords, since recairn knows projects, not users.
_OWNERS = ("user_id", "agent_id", "app_id", "actor_id", "role")
_OWNED = 200


def takes(path: str) -> bool:
    if not path.endswith(".json"):
        return False
    head = head_of(path, _HEAD).decode("utf-8", "replace")
    return '"memory"' in head and any(
        f'"{name}"' in head for name in ("user_id", "hash", "agent_id")
    )


def find(folder: str) -> list[str]:
    names = [name for name in names_in(folder) if "mem0" in name.lower()]
    return [path for name in names if takes(path := os.path.join(folder, name))]


def read(origin: Origin) -> Iterator[Reading]:
    try:
        document = json_document(origin, _LARGEST)
        relations = document.get("relations") if isinstance(document, dict) else None
        if isinstance(document, dict):
            document = next((document[name] for name in _LISTS if name in document), document)
        if not isinstance(document, list):
            raise BadInput("there is no list of memories in it")
    except BadInput as error:
        yield Fault(origin.place(1), error.message)
        return
    items = ((f"{origin.name}:{at}", item) for at, item in enumerate(document, 1))
    yield from records_from(items, _memory)
    if isinstance(relations, list) and relations:
        yield Omission("relations", "between names in mem0's graph", len(relations))


def _memory(place: str, row: Mapping[str, Any]) -> Iterator[Record]:
    name, more = required(row, "id"), mapping(row, "metadata")
    owners = [f"{field}:{text(row, field)}"[:_OWNED] for field in _OWNERS if text(row, field)]
    kinds = texts(row, "categories")
    draft = Draft(
        required(row, "memory", "text", "data"),
        category=kinds[0] if kinds else text(more, "category", "type"),
        keywords=list(dict.fromkeys([*kinds, *owners, *_metadata_keywords(more)]))[:50],
        source_type="import",
        external_id=name,
        session=text(row, "run_id", "session_id") or None,
        created_at=moment(row, "created_at"),
        expires_at=moment(row, "expiration_date"),
    )
    yield Record(name, draft, place)


def _metadata_keywords(more: Mapping[str, Any]) -> list[str]:
    """Metadata as keywords, `name:value`; what is not short text or a number is left out."""
    return [
        f"{name}:{value}"
        for name, value in more.items()
        if isinstance(value, str | int | float) and len(f"{name}:{value}") <= _OWNED
    ]


SOURCE = Source(
    name="mem0",
    about="mem0: an export or the answer of get_all, as JSON",
    takes=takes,
    find=find,
    read=read,
    complete=True,
    distinct=True,
)
