"""What can be done only when all records of a source are in: links between them, putting away.

Until it is done, the hash that is kept of a record begins with a mark. So a run that was killed in
between leaves a note of what it owes, and the next one pays it.
"""

from __future__ import annotations

from recairn.core.draft import MAX_REFERENCE, Cleaner
from recairn.core.model import Edge
from recairn.core.record import record, replace
from recairn.core.words import one_line
from recairn.memory import lifecycle, links
from recairn.memory.link_state import state_of
from recairn.memory.lookup import known_memory
from recairn.sources.extras import write_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Act
    from recairn.sources.format import Known, Record
    from recairn.store.contract.base import Store

    Row = tuple[str, str, int | None, bool, int]
    # By key: the memory, and whether this import made it.
    Targets = dict[str, tuple[int | None, bool]]

# Nothing was done yet; or all but the links to records that the source did not have.
_OWED, _WAITING = "~", "?"
# Records whose links are written at once: others wait for it about half a second.
_BATCH = 1000


@record
class Tie:
    """A record that is in, and what its source says of it beyond its text."""

    record: Record
    row: Row
    memory: int
    retired: str
    told: bool = False


class Ties:
    """The links and the retirements of one run."""

    def __init__(self, store: Store, act: Act, whence: tuple[str, str]) -> None:
        self.linked = 0
        self.warnings: list[str] = []
        self._store = store
        self._act = act
        self._whence = whence
        self._ties: dict[str, Tie] = {}

    def row(self, record: Record, row: Row) -> Row:
        """The row to keep of a record that came in, marked where links or more are owed."""
        key, hashed, memory, own, position = row
        retired = record.retired if own else ""
        if memory is None or not (record.links or retired):
            self._ties.pop(key, None)
            return row
        self._ties[key] = Tie(record, row, memory, retired)
        return key, _OWED + hashed, memory, own, position

    def resume(self, record: Record, known: Known) -> None:
        """Takes up what an earlier run owed to a record that is the same as then."""
        mark = known.hash[:1]
        if mark in (_OWED, _WAITING) and known.memory is not None and not known.forgotten:
            retired = record.retired if known.own else ""
            row = (known.key, bare(known.hash), known.memory, known.own, known.position)
            self._ties[known.key] = Tie(record, row, known.memory, retired, mark == _WAITING)

    def link(self) -> None:
        """Links memories to the records they name, wherever in the source those came."""
        ties = list(self._ties.values())
        for start in range(0, len(ties), _BATCH):
            part = ties[start : start + _BATCH]
            named = list(dict.fromkeys(key for tie in part for _, key in tie.record.links))
            rows = self._store.imported(*self._whence, named)
            known = {row[0]: (row[2], bool(row[3])) for row in rows}
            edges = {
                (edge.source, edge.target, edge.relation): (edge, tie.record.because)
                for tie in part
                for edge in self._edges(tie, known)
                if not self._was_linked(edge)
            }
            refused = write_each(self._store, list(edges.values()), self._write_link)
            self.linked += len(edges) - len(refused)
            self.warnings += [
                f"#{edge.source} {edge.relation} #{edge.target}: {why}"
                for (edge, _), why in refused
            ]
            self._keep(part, known)

    def retire(self) -> None:
        """Puts away what the source had put away, now that links to it are made."""
        ties = [tie for tie in self._ties.values() if tie.retired]
        with self._store.transaction():
            for tie in ties:
                if known_memory(self._store, tie.memory).deleted_at is None:
                    act = replace(self._act, reason=tie.retired)
                    lifecycle.archive(self._store, tie.memory, act)
            self._store.put_imported(*self._whence, [tie.row for tie in ties])

    def _edges(self, tie: Tie, known: Targets) -> list[Edge]:
        """The links of a record. What an import did not make itself it does not replace."""
        edges = []
        for relation, key in tie.record.links:
            target, own = known.get(key, (None, False))
            if target is None:
                if not tie.told:
                    self.warnings.append(f"{tie.record.place}: no record {key!r} to link")
                continue
            replaces = {"superseded_by": tie.row[3], links.REPLACING: own}
            if target != tie.memory and replaces.get(relation, True):
                edges.append(self._edge(tie.memory, target, relation))
        return edges

    def _edge(self, memory: int, target: int, relation: str) -> Edge:
        if relation == "superseded_by":
            memory, target, relation = target, memory, links.REPLACING
        return Edge(memory, target, relation, 1.0, 1.0, "import", self._act.at, self._act.at, None)

    def _was_linked(self, edge: Edge) -> bool:
        """Whether there is or was such a link: its weight, or its end, is what somebody wanted."""
        return state_of(self._store, edge.source, edge.target, edge.relation) is not None

    def _write_link(self, told: tuple[Edge, str]) -> None:
        edge, because = told
        act = self._act
        if because and edge.relation == links.REPLACING:
            reason = one_line(Cleaner().text("reason", because), MAX_REFERENCE)
            act = replace(act, reason=reason or act.reason)
        links.link(self._store, edge, act)

    def _keep(self, part: Sequence[Tie], known: Targets) -> None:
        """Notes what is done; a link to a record that is missing is made when that comes."""
        rows = []
        for tie in part:
            missing = any(key not in known for _, key in tie.record.links)
            mark = _OWED if tie.retired else _WAITING if missing else ""
            key, hashed, memory, own, position = tie.row
            rows.append((key, mark + hashed, memory, own, position))
        with self._store.transaction():
            self._store.put_imported(*self._whence, rows)


def bare(hashed: str) -> str:
    """The hash of a record without the mark of what is owed to it."""
    return hashed.lstrip(_OWED + _WAITING)
