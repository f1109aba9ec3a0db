"""Lore's graph, mapped from its node ids to the records that the nodes stand for."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.kinds import relation_named
from recairn.sources.format import Extra, Fault
from recairn.sources.readers.json_document import json_document
from recairn.sources.readers.values import flag, moment, records_from, required, share, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Record
    from recairn.sources.readers.files import Origin

# Fields of a node that may hold the id of the record it stands for; then its name.
_IDS = ("journal_id", "pattern_id", "session_id", "failure_id", "concept_id", "observation_id")
# Relations of Lore that recairn has no word of its own for.
_RELATIONS = {
    "contains": "part_of",
    "grounds": "confirms",
    "hosts": "relates_to",
    "references": "relates_to",
}
# In these the whole comes first.
_TURNED = ("contains",)


def graph(origin: Origin, keys: Mapping[str, str]) -> Iterator[Record | Extra | Fault]:
    """A link for each edge between two records; nodes of files and projects are no records."""
    try:
        document = json_document(origin)
        if not isinstance(document, dict):
            raise BadInput("not an object")
        nodes, edges = document.get("nodes") or {}, document.get("edges") or []
        if not isinstance(nodes, dict) or not isinstance(edges, list):
            raise BadInput("nodes must be an object and edges a list")
    except BadInput as error:
        yield Fault(origin.place(1), error.message)
        return
    # An edge may name a record itself, without a node for it.
    named = {**keys, **{node: _record(value, keys) for node, value in nodes.items()}}
    rows = ((f"{origin.name}:edges/{at}", edge) for at, edge in enumerate(edges))
    yield from records_from(rows, lambda place, row: _edge(place, row, named))


def _record(node: Any, keys: Mapping[str, str]) -> str | None:
    """The key of the record that a node stands for; None where it stands for none."""
    if not isinstance(node, dict):
        return None
    data = node.get("data")
    if not isinstance(data, dict):
        data = {}
    names = [data.get(name) for name in _IDS] + [data.get("id"), node.get("name")]
    return next((keys[name] for name in names if isinstance(name, str) and name in keys), None)


def _edge(place: str, row: Mapping[str, Any], named: Mapping[str, str | None]) -> Iterator[Extra]:
    ends = required(row, "from"), required(row, "to")
    missing = [end for end in ends if end not in named]
    if missing:
        raise BadInput(f"there is no node {missing[0][:80]!r}")
    source, target = (named[end] for end in ends)
    relation = required(row, "relation")
    flag(row, "bidirectional")
    if source is None or target is None or text(row, "status") not in ("", "active"):
        return
    if relation in _TURNED:
        source, target = target, source
    spelled = relation_named(_RELATIONS.get(relation, relation))
    weight = share(row, "weight")
    values = {
        "source": source,
        "target": target,
        "relation": spelled,
        "weight": 1.0 if weight is None else weight,
        "created_at": moment(row, "created_at"),
    }
    yield Extra(f"{source} {spelled} {target}", "edge", values, place)
