"""Everything a database holds, as records that another one can take in again.

The first record names the format; then come the memories, then one shape after the other
(`store.tables`). Two exports of the same database are equal byte by byte.
"""

from __future__ import annotations

from recairn.core.settings import is_personal
from recairn.core.times import iso
from recairn.memory.versions import changed_at, past_versions, seen_elsewhere, successor_of
from recairn.store.tables import SHAPES
from recairn.sync.record_format import earned_of, record_of, said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Event, Memory
    from recairn.store.contract.base import Store
    from recairn.store.tables import Column, Shape

FORMAT, VERSION = "recairn", 1
_BATCH = 500


def all_records(store: Store) -> Generator[dict[str, Any]]:
    """Every record, read in one snapshot."""
    with store.snapshot():
        uids = store.uids()
        yield {"type": FORMAT, "version": VERSION}
        yield from memory_records(store, store.all_numbers(), uids)
        for shape in SHAPES:
            yield from shape_records(store, shape, uids)


def memory_records(
    store: Store, numbers: Sequence[int], uids: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """The records of memories with what they earned and the versions they went through."""
    for start in range(0, len(numbers), _BATCH):
        for memory in store.get_many(numbers[start : start + _BATCH]).values():
            events = store.history(memory.id)
            record = record_of(
                memory.uid,
                {**said_in(memory, events, uids), **earned_of(memory)},
                memory.updated_at,
            )
            changed = changed_at(memory, events)
            if changed != memory.updated_at:
                record["changed_at"] = iso(changed)
            past = versions_before(memory, events, uids)
            tail = {"past": past} if past else {}
            yield {"type": "memory", "id": memory.id, **record, **tail}


def said_in(memory: Memory, events: Sequence[Event], uids: Mapping[int, str]) -> dict[str, Any]:
    """What is said about a memory whose history this is, in words that every database knows."""
    return said_of(memory, successor_of(memory, events, uids.get))


def versions_before(memory: Memory, events: Sequence[Event], uids: Mapping[int, str]) -> list[str]:
    """The versions a memory went through, here or elsewhere, in a stable order."""
    known = past_versions(said_in(memory, events, uids), events, uids.get)
    return sorted({*known, *seen_elsewhere(events)})


def shape_records(store: Store, shape: Shape, uids: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """The records of one shape; those about a memory that nobody can name are left out."""
    return spelled_records(shape, store.records(shape.name), uids)


def spelled_records(
    shape: Shape, rows: Iterable[Mapping[str, Any]], uids: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """Rows of one shape as they are understood elsewhere."""
    for values in rows:
        record = {
            column.name: _spelling(shape, column, values[column.name], uids)
            for column in shape.columns
        }
        nameless = any(
            record[column.name] is None and values[column.name] is not None and not column.optional
            for column in shape.columns
        )
        if not nameless and not _stays_here(shape, record):
            yield {"type": shape.name, **record}


def _stays_here(shape: Shape, record: Mapping[str, Any]) -> bool:
    """Whether it is a setting that elsewhere nobody would take either: a person's own."""
    return shape.name == "setting" and is_personal(str(record["key"]))


def _spelling(shape: Shape, column: Column, value: Any, uids: Mapping[int, str]) -> Any:
    """A column's value as it is understood elsewhere; None for a memory nobody can name."""
    if value is None:
        return None
    if isinstance(value, bytes):
        # Where a flipped bit made a text something else, the rest must still be read.
        return value.decode("utf-8", "replace") if column.holds == "text" else None
    if column.holds == "time":
        return _moment(value)
    if column.holds == "memory":
        return uids.get(value)
    if column.holds == "memories":
        return [uids[number] for number in value if number in uids]
    if column.holds == "json" and shape.name == "event":
        return change_with_uids(value, uids)
    return value


def _moment(value: Any) -> str | None:
    """A time as it is spelled; None where a damaged row has none that could be."""
    try:
        return iso(value)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def change_with_uids(change: Any, uids: Mapping[int, str]) -> Any:
    """What an event says changed, with memories by uid."""
    if not isinstance(change, dict):
        return change
    change = dict(change)
    if change.get("superseded_by") is not None:
        change["superseded_by"] = uids.get(change["superseded_by"])
    edge = change.get("edge")
    if isinstance(edge, dict) and edge.get("target") is not None:
        change["edge"] = {**edge, "target": uids.get(edge["target"])}
    return change
