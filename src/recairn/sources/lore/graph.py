"""Lore's graph: nodes that no other file tells of, and a link for each edge.

Most nodes stand for a record, which they name. The others become memories themselves: lessons and
decisions as what they are, projects, files, concepts and the rest as entities.
"""

from __future__ import annotations

from functools import partial

from recairn.core.errors import BadInput
from recairn.core.kinds import relation_named
from recairn.core.model import Draft
from recairn.sources.format import Extra, Fault, Omission, Record
from recairn.sources.readers.json_document import json_document
from recairn.sources.readers.values import (
    all_required,
    amount,
    flag,
    mapping,
    moment,
    records_from,
    required,
    text,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]

# Fields of a node that may hold the id of the record it stands for; then its name.
_IDS = (
    "journal_id",
    "pattern_id",
    "session_id",
    "failure_id",
    "concept_id",
    "observation_id",
    "goal_id",
    "id",
)
# Relations of Lore that recairn has no word of its own for; what nobody has a word for relates.
_RELATIONS = {"contains": "part_of", "grounds": "confirms", "hosts": "relates_to"}
_PLAIN = "relates_to"
# In these the whole comes first.
_TURNED = ("contains",)
# Kinds of the nodes that are more than a name, and where their text stands.
_KINDS = {
    "decision": ("decision", "decision"),
    "pattern": ("pattern", "name"),
    "failure": ("failure", "error_message"),
    "observation": ("observation", "content"),
    "lesson": ("learning", "lesson"),
}
_SEVERITY = {"low": 0.4, "medium": 0.6, "high": 0.8, "critical": 0.9}
# Characters of a title.
_LONGEST_TITLE = 500
_MOST_KEYWORDS = 50


class Graph:
    """A graph that was read: its nodes and edges, or why it could not be."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._nodes: dict[str, Any] = {}
        self._edges: list[Any] = []
        self._fault: Fault | None = None
        try:
            document = json_document(origin)
            if not isinstance(document, dict):
                raise BadInput("not an object")
            nodes, edges = document.get("nodes") or {}, document.get("edges") or []
            if not isinstance(nodes, dict) or not isinstance(edges, list):
                raise BadInput("nodes must be an object and edges a list")
            self._nodes, self._edges = nodes, edges
        except BadInput as error:
            self._fault = Fault(origin.place(1), error.message)

    def projects(self) -> Iterator[str]:
        """The names of its nodes that stand for projects."""
        for node in self._nodes.values():
            if isinstance(node, dict) and node.get("type") == "project":
                yield str(node.get("name"))

    def read(self, keys: Collection[str], *, alone: bool) -> Iterator[Reading]:
        """What is new in it beside the records of those keys, then its edges.

        It is derived from the other files: a node that stands for a record which those no longer
        have is left out. Only where it comes `alone` does it tell of records itself.
        """
        if self._fault is not None:
            yield self._fault
        # An edge may name a record itself, without a node for it.
        ends: dict[str, str] = {key: key for key in keys}
        for name, node in self._nodes.items():
            place = f"{self._origin.name}:nodes/{name}"
            if not isinstance(node, dict):
                yield Fault(place, f"not an object but {type(node).__name__}")
                continue
            key = _key(name, node)
            if key not in keys and key != name and _is_stale(node, alone=alone):
                yield Omission("graph nodes", "the records they stand for are not there")
                continue
            ends[name] = key
            if key in keys:
                yield Omission("graph nodes", "as the records they stand for", kept=True)
            else:
                yield from records_from([(place, node)], partial(_node, key, key != name))
        rows = ((f"{self._origin.name}:edges/{at}", edge) for at, edge in enumerate(self._edges))
        yield from records_from(rows, lambda place, row: _edge(place, row, ends))


def _key(name: str, node: Row) -> str:
    """The key of the record that a node stands for; its own id where it stands for none."""
    data = node.get("data")
    values = [data.get(field) for field in _IDS] if isinstance(data, dict) else []
    name_there = next((value for value in values if isinstance(value, str) and value), None)
    if name_there is not None:
        return name_there
    title = node.get("name")
    return title if isinstance(title, str) and _is_id(title) else name


def _is_stale(node: Row, *, alone: bool) -> bool:
    """Whether a node for a record that did not come has nothing of its own to tell."""
    what, data = node.get("type"), node.get("data")
    if what not in _KINDS and what != "concept":
        return False
    field = _KINDS[what][1] if what in _KINDS else "definition"
    return not alone or not isinstance(data, dict) or not data.get(field)


def _is_id(name: str) -> bool:
    """Whether a node is called by the id of a record, such as `dec-00aefaff`."""
    kind, dash, rest = name.partition("-")
    return bool(dash and rest) and kind in _PREFIXES and " " not in name


_PREFIXES = ("dec", "pat", "anti", "fail", "obs", "sig", "evi", "con", "session", "goal")


def _node(key: str, is_stand_in: bool, place: str, row: Row) -> Iterator[Record]:
    what, name, data = text(row, "type"), required(row, "name"), mapping(row, "data")
    kind, field = _KINDS.get(what, ("entity", "description"))
    words = text(data, field) if isinstance(data.get(field), str) else ""
    if kind == "entity":
        about = words or text(data, "path", "summary", "goal")
        draft = Draft(
            about or name,
            kind=kind,
            title=name[:_LONGEST_TITLE],
            fields={"entity_type": what, "description": about},
            category=text(data, "kind", "type"),
            keywords=texts(data, "tags")[:_MOST_KEYWORDS],
            source_type="import",
            external_id=key,
            created_at=moment(row, "created_at"),
        )
    else:
        draft = Draft(
            words or name,
            kind=kind,
            category=text(data, "category", "error_type"),
            keywords=texts(data, "tags")[:_MOST_KEYWORDS],
            importance=_SEVERITY.get(text(data, "severity")),
            source_type="import",
            external_id=key,
            created_at=moment(row, "created_at"),
        )
    yield Record(key, draft, place, stand_in=is_stand_in)


def _edge(place: str, row: Row, ends: Mapping[str, str]) -> Iterator[Extra | Omission]:
    names = all_required(row, "from", "to")
    relation, status = required(row, "relation"), text(row, "status")
    flag(row, "bidirectional")
    if any(name not in ends for name in names):
        yield Omission("graph edges", "one end is not there")
        return
    if status not in ("", "active"):
        yield Omission("graph edges", f"{status[:40]} in Lore")
        return
    source, target = (ends[name] for name in names)
    if relation in _TURNED:
        source, target = target, source
    weight = amount(row, "weight")
    values = {
        "source": source,
        "target": target,
        "relation": _relation(relation),
        "weight": 1.0 if weight is None else min(1.0, weight),
        "created_at": moment(row, "created_at"),
    }
    yield Extra(f"{source} {relation} {target}", "edge", values, place)


def _relation(word: str) -> str:
    try:
        return relation_named(_RELATIONS.get(word, word))
    except BadInput:
        return _PLAIN
