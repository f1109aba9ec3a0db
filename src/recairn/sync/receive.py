"""An export read back: records into the database, in one transaction."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.ids import is_uid
from recairn.core.record import record
from recairn.memory.versions import ABSENT
from recairn.store.tables import SHAPE_OF
from recairn.sync.arrival import Company, arrival_of, uids_in
from recairn.sync.entry import Entry, Fault
from recairn.sync.export import FORMAT, VERSION
from recairn.sync.merge import Arrivals
from recairn.sync.merge_links import break_circles, follow_successors, receive_links
from recairn.sync.merge_tables import LINK, TableMerge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store
    from recairn.sync.arrival import Arrival, Sender

_MEMORY, _FORGOTTEN, _ERASED = "memory", "forgotten", "erased"


@record
class Receipt:
    """What became of the records of an export; memories by their numbers here.

    So many of them wait for a person's review, among them rules that others have rewritten. The
    `erased`, by uid, were destroyed because others have destroyed them. Of those `as_said` nothing
    is known here but what their records say.
    """

    added: tuple[int, ...]
    updated: tuple[int, ...]
    joined: tuple[int, ...]
    clashes: tuple[int, ...]
    unchanged: int
    belongings: Mapping[str, int]
    faults: tuple[Fault, ...]
    settings_left_out: tuple[str, ...]
    waiting: int = 0
    erased: tuple[str, ...] = ()
    as_said: frozenset[str] = frozenset()

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong with some of the records, each with its place."""
        return tuple(map(str, self.faults))


class Cargo:
    """The records of one import by what they are: memories, stubs of forgotten ones, others."""

    def __init__(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self.memories: list[Arrival] = []
        self.others: dict[str, list[Entry]] = {}
        self.faults: list[Fault] = []
        # Everything that may be the uid of a memory: only those are looked for.
        self.uids: set[str] = set()
        for place, values in records:
            self.uids.update(_named_in(values) if _is_memory(values) else uids_in(values))
            self._add(Entry(place, values))
        self.stubs = [*self.others.pop(_ERASED, []), *self.others.pop(_FORGOTTEN, [])]
        self.forgotten = {str(stub.record.get("uid")) for stub in self.stubs}

    def _add(self, entry: Entry) -> None:
        noun = entry.record.get("type", _MEMORY)
        if noun == _MEMORY:
            try:
                self.memories.append(arrival_of(entry))
            except BadInput as error:
                self.faults.append(Fault(entry.place, error.message))
        elif isinstance(noun, str) and (noun in SHAPE_OF or noun in (_FORGOTTEN, _ERASED)):
            self.others.setdefault(noun, []).append(entry)
        elif noun == FORMAT:
            _check_version(entry.record)
        else:
            self.faults.append(Fault(entry.place, f"unknown type {str(noun)[:40]!r}"))

    def company(self) -> Company:
        """What the other records say of memories."""
        events = [entry.record for entry in self.others.get("event", ())]
        return Company(
            erased=frozenset(uid for uid in _memories_of(events, "erased") if is_uid(uid)),
            histories=frozenset(_memories_of(events, "created")),
            absent=frozenset({*self.forgotten, *_absent_successors(events)}),
            uids=frozenset(self.uids),
        )


def receive(
    records: Iterable[tuple[str, Mapping[str, Any]]],
    store: Store,
    meaning: Meaning,
    act: Act,
    allow: Sequence[str],
    sender: Sender,
) -> Receipt:
    """Takes in records, each with the place to name in a problem; none of them or all that are
    sound, in one transaction."""
    with store.transaction():
        cargo = Cargo(records)
        arrivals = Arrivals(store, meaning, act, allow, cargo.company(), sender)
        # What was destroyed goes first, so that nothing of it is made anew.
        ends = [stub for stub in cargo.stubs if stub.record.get("type") == _ERASED]
        for stub in ends:
            arrivals.forget(stub)
        arrivals.receive(cargo.memories)
        for stub in cargo.stubs[len(ends) :]:
            arrivals.forget(stub)
        names = arrivals.names()
        tables = TableMerge(store, names, allow, "" if sender.is_own else sender.author)
        tables.receive(cargo.others)
        # What was forgotten before it came here took its links with it.
        gone = cargo.forgotten - names.numbers.keys()
        links = tables.links(
            [entry for entry in cargo.others.get(LINK, ()) if gone.isdisjoint(_ends(entry))]
        )
        residents = arrivals.resident_numbers
        # In parcels of a whole database links come after the histories that tell of them.
        ids = frozenset[int]() if sender.is_whole else residents
        tables.added[LINK], targets = receive_links(store, links, ids, act)
        changed = {*targets, *arrivals.updated, *arrivals.joined}
        changed |= break_circles(store, {*arrivals.updated, *arrivals.joined}, act)
        follow_successors(store, changed & residents, act)
        arrivals.link_names()
        return Receipt(
            tuple(arrivals.added),
            tuple(arrivals.updated),
            tuple(arrivals.joined),
            tuple(arrivals.clashes),
            arrivals.unchanged,
            tables.added,
            (*cargo.faults, *arrivals.faults, *tables.faults),
            tuple(dict.fromkeys(tables.personal.values())),
            arrivals.waiting,
            tuple(arrivals.erased),
            frozenset(arrivals.as_said - {_ends(link)[0] for link in cargo.others.get(LINK, ())}),
        )


def _is_memory(values: Mapping[str, Any]) -> bool:
    return bool(values.get("type", _MEMORY) == _MEMORY)


def _named_in(values: Mapping[str, Any]) -> Iterator[str]:
    """The same of a memory's own record: itself, what replaced it, and what it is a copy of."""
    for name in ("uid", "superseded_by", "stamps"):
        if name in values:
            yield from uids_in(values[name])


class _OnlyLooking(Exception):
    """Ends a transaction that nobody wants to keep."""


def preview(
    records: Iterable[tuple[str, Mapping[str, Any]]],
    store: Store,
    meaning: Meaning,
    act: Act,
    allow: Sequence[str],
    sender: Sender,
) -> Receipt:
    """What `receive` would do: done, and undone before anybody sees it."""
    receipts: list[Receipt] = []
    try:
        with store.transaction():
            receipts.append(receive(records, store, meaning, act, allow, sender))
            raise _OnlyLooking
    except _OnlyLooking:
        return receipts[0]


def _ends(link: Entry) -> tuple[str, str]:
    return str(link.record.get("source")), str(link.record.get("target"))


def _memories_of(events: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    """The uids of the memories that such an event happened to."""
    for event in events:
        memory = event.get("memory")
        if event.get("event") == name and isinstance(memory, str):
            yield memory


def _absent_successors(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The uids of successors that were not there either where the records come from."""
    for event in events:
        after = event.get("after")
        if isinstance(after, dict) and isinstance(after.get(ABSENT), str):
            yield after[ABSENT]


def _check_version(header: Mapping[str, Any]) -> None:
    version = header.get("version")
    if type(version) is not int or version > VERSION:
        raise BadInput(
            f"this export has the format version {version}, and version {VERSION} is the newest"
            " known here",
            "update recairn, and try again",
        )
