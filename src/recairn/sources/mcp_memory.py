"""The knowledge graph of the reference memory server: a JSON line for each entity and relation.

An entity becomes an entity, each of its observations a fact that belongs to it, each relation a
link. Observations have no ids; they are known by their entity and their text.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.kinds import relation_named
from recairn.core.model import Draft
from recairn.sources.format import Extra, Fault, Record, Source, content_key
from recairn.sources.readers.files import head_of
from recairn.sources.readers.values import all_required, records_from, required, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

_NAMES = ("memory.jsonl", "memory.json")
_HEAD = 2000


def takes(path: str) -> bool:
    if not path.endswith((".json", ".jsonl")):
        return False
    head = "".join(head_of(path, _HEAD).decode("utf-8", "replace").split())
    return ('"type":"entity"' in head and '"entityType"' in head) or '"relationType"' in head


def find(folder: str) -> list[str]:
    return [path for name in _NAMES if takes(path := os.path.join(folder, name))]


def read(origin: Origin) -> Iterator[Reading]:
    lines = (
        line if isinstance(line, Fault) else (origin.place(line[0]), line[1])
        for line in origin.json_lines()
    )
    yield from records_from(lines, _line)


def _line(place: str, row: Mapping[str, Any]) -> Iterator[Record | Extra]:
    kind = text(row, "type")
    if kind == "entity":
        yield from _entity(place, row)
    elif kind == "relation":
        yield _relation(place, row)
    else:
        raise BadInput(f"unknown type {kind[:40]!r}")


def _entity(place: str, row: Mapping[str, Any]) -> Iterator[Record]:
    name, kind = required(row, "name"), text(row, "entityType")
    observations = texts(row, "observations")
    draft = Draft(
        f"{name} ({kind})" if kind else name,
        kind="entity",
        title=name,
        fields={"entity_type": kind},
        category=kind,
        source_type="import",
        external_id=name[:200],
    )
    yield Record(_key(name), draft, place)
    keys: set[str] = set()
    for observation in observations:
        key = content_key(observation, keys)
        keys.add(key)
        fact = Draft(observation, kind="fact", title=name, category=kind, source_type="import")
        yield Record(f"{_key(name)}:{key}", fact, place, [("part_of", _key(name))])


def _relation(place: str, row: Mapping[str, Any]) -> Extra:
    """A link; a relation that recairn has no word for is a plain one."""
    source, target = all_required(row, "from", "to")
    word = required(row, "relationType")
    try:
        relation = relation_named(word)
    except BadInput:
        relation = "relates_to"
    values = {"source": _key(source), "target": _key(target), "relation": relation}
    return Extra(f"{source} {word} {target}", "edge", values, place)


def _key(name: str) -> str:
    return f"entity:{name}"


SOURCE = Source(
    name="mcp-memory",
    about="the memory server of the Model Context Protocol: entities, observations, relations",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
