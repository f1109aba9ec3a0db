"""Our own JSON lines: a whole export, or one draft a line.

An export (`recairn export`) is taken in whole, by uid, with history and links. Any other file holds
one draft a line, in the words `remember` knows; its key is `external_id`, or else its text.
"""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.kinds import nearest
from recairn.core.model import Draft
from recairn.sources.format import Fault, Record, Source, content_key
from recairn.sources.readers.files import head_of
from recairn.sync.export import FORMAT
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

_ENDINGS = (".jsonl", ".ndjson", ".json")
_FIELDS = tuple(Draft.__slots__)  # type: ignore[attr-defined]
_TIMES = ("created_at", "valid_from", "valid_until", "expires_at")
# `--format json` puts its records, one a line, between these lines.
BRACKETS = (b'{"records": [', b"]}")
# Bytes within which an export names its format.
_HEAD = 200


def is_export(path: str) -> bool:
    """Whether a file begins as `recairn export` writes it, in either of the complete formats."""
    head = "".join(head_of(path, _HEAD).decode("utf-8-sig", "replace").split())
    return f'"type":"{FORMAT}","version":' in head


def export_records(origin: Origin) -> Iterator[tuple[str, Mapping[str, Any]] | Fault]:
    """The records of an export, each with its place."""
    for line in origin.json_lines(BRACKETS):
        if isinstance(line, Fault):
            yield line
        elif isinstance(line[1], dict):
            yield origin.place(line[0]), line[1]
        else:
            yield Fault(origin.place(line[0]), "not an object")


def _read(origin: Origin) -> Iterator[Record | Fault]:
    keys: set[str] = set()
    for line in origin.json_lines():
        if isinstance(line, Fault):
            yield line
            continue
        number, value = line
        place = origin.place(number)
        try:
            draft = _draft(value)
        except BadInput as error:
            yield Fault(place, error.message)
            continue
        key = draft.external_id or content_key(draft.content, keys)
        keys.add(key)
        yield Record(key, draft, place)


def _draft(value: Any) -> Draft:
    if not isinstance(value, dict):
        raise BadInput("not an object")
    for name in value:
        if name not in _FIELDS:
            raise BadInput(f"a draft has no field {name!r}; {nearest(name, _FIELDS)}".rstrip("; "))
    if not isinstance(value.get("content"), str):
        raise BadInput("a draft needs content")
    times = {name: moment(name, value[name]) for name in _TIMES if value.get(name) is not None}
    external = value.get("external_id")
    if external is not None and not isinstance(external, str):
        raise BadInput("external_id must be text")
    return Draft(**{"source_type": "import", **value, **times})


SOURCE = Source(
    name="jsonl",
    about="a recairn export, or one draft a line",
    takes=lambda path: path.endswith(_ENDINGS[:2]) or (path.endswith(".json") and is_export(path)),
    find=lambda folder: [],
    read=_read,
    complete=True,
)
