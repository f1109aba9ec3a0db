"""All of a database in parcels, each of which another one takes in with one transaction.

First what belongs to no memory; then memories with their histories and all that is only about one
of them, so that each is whole or not there; then what connects them, and the logs. A move that
broke off is begun again: what is there is recognised by uid and key, and left alone.
"""

from __future__ import annotations

from recairn.core.record import record
from recairn.store.tables import SHAPE_OF
from recairn.sync.export import erased_records, memory_records, shape_records, spelled_records
from recairn.sync.receive import Receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store

# Memories of one parcel: so many take a few seconds, for which writers there wait.
SIZE = 2000
_BEFORE = ("session", "task", "dependency", "task event", "document", "project", "alias", "mark")
_WITH_MEMORY = ("event", "private", "use", "access", "staleness", "feedback")
# Each of these at once: an injection is known by its number to what was in it.
_AFTER = (
    *(("edge",), ("compaction",), ("injection", "injected"), ("query",), ("miss",), ("read",)),
    *(("import",), ("setting",)),
)


@record
class Parcel:
    """Records that come in together; so many of them are memories."""

    records: Sequence[Mapping[str, Any]]
    memories: int


def parcels(store: Store, size: int = SIZE) -> Generator[Parcel]:
    """Everything, read in one snapshot."""
    with store.snapshot():
        uids = store.uids()
        yield Parcel(_of_shapes(store, _BEFORE, uids), 0)
        numbers = store.all_numbers()
        for part in _with_successors(store, numbers, size):
            records = list(memory_records(store, part, uids))
            records += _about(store, part, uids)
            yield Parcel(records, len(part))
        erased = sorted(uids.keys() - set(numbers))
        yield Parcel([*erased_records(store), *_about(store, erased, uids)], 0)
        for nouns in _AFTER:
            yield Parcel(_of_shapes(store, nouns, uids), 0)


def renames(here: Store, there: Store) -> dict[str, str]:
    """What projects are to be called there: by a mark that is known there as that leads, and
    another name where the same one belongs to a project of other places."""
    names = {}
    for row in here.projects():
        marks = here.marks_of(row.id)
        leads = [
            known.name for mark in marks for known in there.known_places(mark.kind, [mark.value])
        ]
        other = there.project_named(row.name)
        if leads and leads[0] != row.name:
            names[row.name] = leads[0]
        elif not leads and marks and other is not None and there.marks_of(other.id):
            names[row.name] = _free_name(there, row.name)
    return names


def _free_name(there: Store, name: str) -> str:
    number = 2
    while there.project_named(f"{name}-{number}") or there.is_name_in_use(f"{name}-{number}"):
        number += 1
    return f"{name}-{number}"


def renamed(record: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """A record with the names that its project has there."""
    column = "name" if record.get("type") == "project" else "project"
    name = record.get(column)
    return {**record, column: names[name]} if isinstance(name, str) and name in names else record


def _of_shapes(store: Store, nouns: Sequence[str], uids: Mapping[int, str]) -> list[dict[str, Any]]:
    return [record for noun in nouns for record in shape_records(store, SHAPE_OF[noun], uids)]


def _about(store: Store, numbers: Sequence[int], uids: Mapping[int, str]) -> list[dict[str, Any]]:
    return [
        record
        for noun in _WITH_MEMORY
        for record in spelled_records(SHAPE_OF[noun], store.records_about(noun, numbers), uids)
    ]


def _with_successors(store: Store, numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    """The numbers in parts, the newest first: what replaced a memory comes before it or with it."""
    waiting = set(numbers)
    for start in range(len(numbers), 0, -size):
        part: list[int] = []
        wanted = set(numbers[max(0, start - size) : start]) & waiting
        while wanted:
            part += sorted(wanted)
            waiting -= wanted
            successors = {
                memory.superseded_by for memory in store.get_many(sorted(wanted)).values()
            }
            wanted = {number for number in successors if number is not None} & waiting
        if part:
            yield part


def joined(receipts: Sequence[Receipt]) -> Receipt:
    """What became of all parcels."""
    belongings: dict[str, int] = {}
    for receipt in receipts:
        for noun, count in receipt.belongings.items():
            belongings[noun] = belongings.get(noun, 0) + count
    return Receipt(
        tuple(number for receipt in receipts for number in receipt.added),
        tuple(number for receipt in receipts for number in receipt.updated),
        tuple(number for receipt in receipts for number in receipt.joined),
        tuple(number for receipt in receipts for number in receipt.clashes),
        sum(receipt.unchanged for receipt in receipts),
        belongings,
        tuple(fault for receipt in receipts for fault in receipt.faults),
        tuple(key for receipt in receipts for key in receipt.settings_left_out),
        sum(receipt.waiting for receipt in receipts),
    )
