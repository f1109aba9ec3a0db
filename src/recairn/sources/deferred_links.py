"""What waits until all records of a source are in: links between them, and putting some away.

The row of a record says what is left to do for it. So a run that was killed in between leaves a
note of what it owes, and the next one does it.
"""

from __future__ import annotations

from recairn.core.draft import MAX_REFERENCE, Cleaner
from recairn.core.model import Edge
from recairn.core.record import record, replace
from recairn.core.words import one_line
from recairn.memory import lifecycle, links
from recairn.memory.link_state import state_of
from recairn.memory.lookup import known_memory
from recairn.sources.format import REPLACED
from recairn.sources.imported import BATCH, linkable_rows, write_all
from recairn.store.contract.imported import OWED, SETTLED, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.sources.format import Record
    from recairn.sources.imported import Target
    from recairn.store.contract.imported import ImportedRow


@record
class Deferred:
    """A record that is in, the memory it became, and the row that is kept of it.

    An import does not put away what it did not make.
    """

    record: Record
    memory: int
    row: ImportedRow

    @property
    def retired(self) -> str:
        return self.record.retired if self.row.own else ""


def link_records(target: Target, deferred: Sequence[Deferred]) -> tuple[int, list[str]]:
    """Links memories to the records they name; the number of links made, and what to warn of."""
    linked = 0
    warnings: list[str] = []

    def write(link: tuple[Edge, str]) -> None:
        _write_link(target, *link)

    for start in range(0, len(deferred), BATCH):
        part = deferred[start : start + BATCH]
        keys = list(dict.fromkeys(key for item in part for _, key in item.record.links))
        rows = linkable_rows(target, keys)
        edges: dict[tuple[int, int, str], tuple[Edge, str]] = {}
        for item in part:
            warnings += _missing(item, rows)
            for edge in _edges(item, rows, target.act.at):
                ends = (edge.source, edge.target, edge.relation)
                # One that is there, or was: its weight, or its end, is what somebody wanted.
                if state_of(target.store, *ends) is None:
                    edges[ends] = (edge, item.record.because)
        refused = write_all(target.store, list(edges.values()), write)
        linked += len(edges) - len(refused)
        warnings += [
            f"#{edge.source} {edge.relation} #{edge.target}: {reason}"
            for (edge, _), reason in refused
        ]
        with target.store.transaction():
            rows_now = [item.row._replace(state=_state(item, rows)) for item in part]
            target.store.put_imported(*target.where, rows_now)
    return linked, warnings


def retire_records(target: Target, deferred: Sequence[Deferred]) -> None:
    """Puts away what the source had put away, now that links to it are made."""
    retired = [item for item in deferred if item.retired]
    if not retired:
        return
    with target.store.transaction():
        for item in retired:
            if known_memory(target.store, item.memory).deleted_at is None:
                act = replace(target.act, reason=item.retired)
                lifecycle.archive(target.store, item.memory, act)
        rows = [item.row._replace(state=SETTLED) for item in retired]
        target.store.put_imported(*target.where, rows)


def _missing(item: Deferred, rows: Mapping[str, ImportedRow]) -> list[str]:
    """A warning for each link that leads to nothing; once, not again with every run."""
    if item.row.state == WAITING:
        return []
    return [
        f"{item.record.place}: no record {key!r} to link"
        for _, key in item.record.links
        if key not in rows or rows[key].memory is None
    ]


def _edges(item: Deferred, rows: Mapping[str, ImportedRow], at: int) -> list[Edge]:
    """The links of a record. What an import did not make itself it does not replace."""
    edges = []
    for relation, key in item.record.links:
        row = rows.get(key)
        if row is None or row.memory is None or row.memory == item.memory:
            continue
        source, end = item.memory, row.memory
        replaceable = True
        if relation == REPLACED:
            source, end, relation = end, source, links.REPLACING
            replaceable = item.row.own
        elif relation == links.REPLACING:
            replaceable = row.own
        if replaceable:
            edges.append(Edge(source, end, relation, 1.0, 1.0, "import", at, at, None))
    return edges


def _write_link(target: Target, edge: Edge, because: str) -> None:
    act = target.act
    if because and edge.relation == links.REPLACING:
        reason = one_line(Cleaner().text("reason", because), MAX_REFERENCE)
        act = replace(act, reason=reason or act.reason)
    links.link(target.store, edge, act)


def _state(item: Deferred, rows: Mapping[str, ImportedRow]) -> str:
    """What is left to do once links are made; one to a missing record waits for it to come."""
    if item.retired:
        return OWED
    missing = any(key not in rows for _, key in item.record.links)
    return WAITING if missing else SETTLED
