"""Everything a database holds, as records that another one can take in again.

The first record names the format; then come the memories, then one shape after the other
(`store.tables`). Two exports of the same database are equal byte by byte.
"""

from __future__ import annotations

from recairn.core.settings import is_personal
from recairn.core.stamps import OWN
from recairn.core.times import iso
from recairn.memory.versions import successor_of
from recairn.store.tables import SHAPES
from recairn.sync.known import state_of
from recairn.sync.merge_rule import travelling
from recairn.sync.record_format import earned_of, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store
    from recairn.store.tables import Column, Shape
    from recairn.sync.merge_rule import State

FORMAT, VERSION = "recairn", 1
_BATCH = 500


def all_records(store: Store) -> Generator[dict[str, Any]]:
    """Every record, read in one snapshot."""
    with store.snapshot():
        uids = store.uids()
        yield {"type": FORMAT, "version": VERSION}
        yield from memory_records(store, store.all_numbers(), uids)
        yield from erased_records(store)
        for shape in SHAPES:
            yield from shape_records(store, shape, uids)


def memory_records(
    store: Store, numbers: Sequence[int], uids: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """The records of memories with what they earned, and when each part was said."""
    for start in range(0, len(numbers), _BATCH):
        part = numbers[start : start + _BATCH]
        stamps = store.stamps_of(part)
        for memory in store.get_many(part).values():
            state = known_state(store, memory, stamps[memory.id], uids)
            values = {**state.values, **earned_of(memory)}
            record = record_of(memory.uid, values, memory.updated_at)
            own = travelling(state.stamps, OWN)
            is_changed = own or memory.updated_at != memory.created_at
            tail = {**state.kept, "stamps": own} if is_changed else state.kept
            yield {"type": "memory", "id": memory.id, **record, **tail}


def erased_records(store: Store) -> Iterator[dict[str, Any]]:
    """What is left of those that were destroyed."""
    for row in store.erased():
        yield {"type": "erased", "uid": row.uid, "project": row.project, "erased": list(row.stamp)}


def known_state(store: Store, memory: Memory, stamps: str, uids: Mapping[int, str]) -> State:
    """What is known of a memory, in words that every database knows."""
    # Only what has ended may have a successor.
    events = () if memory.valid_until is None else store.history(memory.id)
    return state_of(memory, successor_of(memory, events, uids.get), stamps)


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
