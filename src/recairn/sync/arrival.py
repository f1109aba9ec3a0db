"""Records of memories on their way in, read and checked; also the stubs of forgotten ones."""

from __future__ import annotations

from operator import itemgetter

from recairn.core.author import role_of
from recairn.core.errors import BadInput
from recairn.core.fields import EARNED, NOTHING_EARNED, SAID
from recairn.core.ids import is_uid
from recairn.core.record import record, replace
from recairn.core.stamps import (
    ALL,
    COPY_OF,
    GROUPS,
    LOCAL,
    SEEN,
    SHARED,
    VECTOR,
    is_stamp,
    latest,
    spelled,
)
from recairn.memory.versions import SYNCED
from recairn.store.tables import WholeMemory
from recairn.sync.merge_rule import State, gone, is_gone, joined_vector, kept_stamps
from recairn.sync.record_format import moment, unknown_fields, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Event, Memory
    from recairn.sync.entry import Entry

_TEXT = frozenset(GROUPS["text"])
_said_to_others = itemgetter(*(name for group in (*SHARED, "place") for name in GROUPS[group]))
# Milliseconds that a stamp may name: as many as a number in JSON can, and as a column takes.
_LATEST = 2**53
# Replicas of a vector, and stamps beside those that are known: more are made up.
_MANY = 10_000


@record
class Arrival:
    """A memory on its way in: where its record stood, what it says, and when each part was said.

    `number` is the one it has elsewhere; `has_standing` says whether the record tells how much the
    memory counts there.
    """

    place: str
    uid: str
    number: int | None
    values: dict[str, Any]
    stamps: Mapping[str, Any]
    kept: Mapping[str, Any]
    has_standing: bool = False

    @property
    def updated_at(self) -> int:
        return int(self.values["updated_at"])

    @property
    def state(self) -> State:
        values = {name: self.values[name] for name in SAID if name in self.values}
        return State(values, self.stamps, self.values["created_at"], self.kept)


@record
class Sender:
    """Whose records come: the author they get here, and whether it is the person's own word.

    What names no project goes to `project`. Of a whole database the links come, too, in another
    parcel. A server only relays (`is_relay`): it knows who sent a record, and judges nothing.
    What comes `in_pages` may name what comes later.
    """

    author: str
    is_own: bool
    project: str = ""
    is_whole: bool = False
    is_relay: bool = False
    in_pages: bool = False

    @property
    def is_trusted(self) -> bool:
        """Whether what comes counts here as it is: nobody is asked about rules and their ends."""
        return self.is_own or self.is_relay


def as_theirs(arrival: Arrival, sender: Sender) -> Arrival:
    """A memory as it comes from somebody else: what it says, and nothing of how much it counts."""
    values = arrival.values
    project = values.get("project") or sender.project
    forced = {
        **values,
        "project": project,
        "tier": values.get("tier") if values.get("tier") == "session" else "project",
        "importance": None,
        "pinned": False,
        "immutable": False,
        "author": sender.author,
        **NOTHING_EARNED,
        "decayed_at": values["updated_at"],
    }
    return Arrival(
        arrival.place,
        arrival.uid,
        arrival.number,
        forced,
        arrival.stamps,
        arrival.kept,
        arrival.has_standing,
    )


@record
class Company:
    """What comes along with the memories of one import, by uid.

    Of the `erased` only the history comes; of those in `histories` it comes from the creation on;
    the `absent` were forgotten before they could come. `uids` are all that anything names.
    """

    erased: frozenset[str]
    histories: frozenset[str]
    absent: frozenset[str]
    uids: frozenset[str] = frozenset()


def arrival_of(entry: Entry) -> Arrival:
    """The memory that a record describes. Raises BadInput."""
    values = values_of(entry.record)
    uid, number = values["uid"], entry.record.get("id")
    if not isinstance(uid, str) or not is_uid(uid):
        raise BadInput(f"{str(uid)[:40]!r} is no uid")
    if number is not None and (type(number) is not int or not 0 < number < 2**53):
        raise BadInput(f"{str(number)[:40]!r} is no memory number")
    stamps = checked_stamps(entry.record.get("stamps"))
    if "stamps" not in entry.record and values["changed_at"] > values["created_at"]:
        # Written by hand, or before there were stamps.
        stamps = {ALL: [values["changed_at"], ""]}
    standing = "importance" in entry.record
    kept = unknown_fields(entry.record)
    return Arrival(entry.place, uid, number, values, stamps, kept, standing)


def checked_stamps(value: Any) -> dict[str, Any]:
    """The stamps of a record; BadInput for what cannot be any. Names of newer programs stay."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > _MANY:
        raise BadInput("stamps must be an object")
    for name, stamp in value.items():
        if name in (VECTOR, SEEN):
            numbers = stamp.values() if isinstance(stamp, dict) else (None,)
            good = len(numbers) < _MANY and all(
                type(number) is int and 0 < number < _LATEST for number in numbers
            )
        elif name == COPY_OF:
            good = isinstance(stamp, str) and is_uid(stamp)
        else:
            good = is_stamp(stamp) and 0 <= stamp[0] < _LATEST and len(stamp[1]) < 100
        if not good:
            raise BadInput(f"{name[:40]!r} of stamps is no stamp")
    return {**value}


def by_creation(arrival: Arrival) -> tuple[int, int, str]:
    """In one moment many may be made: then the numbers they have elsewhere tell the order."""
    return arrival.values["created_at"], arrival.number or 0, arrival.uid


def stub_of(entry: Entry) -> tuple[str, State]:
    """What is left of a memory that was forgotten or destroyed, and its uid. Raises BadInput."""
    uid = entry.record.get("uid")
    if not isinstance(uid, str) or not is_uid(uid):
        raise BadInput("a forgotten record needs a uid")
    stamps: Any = entry.record.get("stamps")
    erased = entry.record.get("erased")
    if erased is None and isinstance(stamps, dict):
        erased = stamps.get("erased")
    if erased is not None:
        if not is_stamp(erased) or not 0 <= erased[0] < _LATEST:
            raise BadInput("erased must be a stamp")
        return uid, gone((erased[0], erased[1]))
    deleted_at = moment("deleted_at", entry.record.get("deleted_at"))
    if deleted_at is None:
        raise BadInput("a forgotten record needs uid and deleted_at")
    changed_at = moment("changed_at", entry.record.get("changed_at")) or deleted_at
    values = {
        "deleted_at": deleted_at,
        "expires_at": moment("expires_at", entry.record.get("expires_at")),
    }
    checked = checked_stamps(stamps) or {ALL: [changed_at, ""]}
    return uid, State(values, checked, 0, {})


def edited_file(
    memory: Memory, arrival: Arrival, ours: State, sender: Sender, events: Sequence[Event]
) -> bool:
    """Whether somebody edited a file by hand that was taken in before, and nobody its text here.

    Then it says something else of a moment that is known; lines of a mirror name their version.
    """
    if "version" in arrival.values or role_of(memory.author) != role_of(sender.author):
        return False
    if any(event.event != SYNCED and not _TEXT.isdisjoint(event.before) for event in events):
        return False
    return arrival.state.stamp("text") <= ours.stamp("text")


def with_hand_edit(
    theirs: State, ours: State, earlier: Collection[str], at: int, names: tuple[str, str]
) -> State:
    """What a line says that somebody edited by hand: its changes are made here and now.

    `earlier` are texts that the memory had before: who says those has not edited the text. The
    names are those of the replica and of its incarnation.
    """
    replica, incarnation = names
    now = max(at, latest(ours.stamps, ours.created_at) + 1, latest(theirs.stamps, 0) + 1)
    stamps = dict(theirs.stamps)
    for group in SHARED:
        values = {name: theirs.values[name] for name in GROUPS[group] if name in theirs.values}
        if all(ours.values[name] == value for name, value in values.items()):
            continue
        is_new_text = group == "text" and theirs.values["content"] not in earlier
        if theirs.stamp(group) != ours.stamp(group) and not is_new_text:
            continue
        stamps[group] = [now, replica]
        if group == "text":
            count = ours.vector.get(incarnation, 0) + 1
            stamps[VECTOR] = joined_vector(theirs.vector, {incarnation: count})
    return replace(theirs, stamps=stamps)


def whole(arrival: Arrival, prepared: Prepared) -> WholeMemory:
    """A new memory for the store: what the write door made, and what it earned elsewhere."""
    values, row = arrival.values, prepared.row.copy()
    for name in EARNED:
        row[name] = values[name]
    row["uid"], row["updated_at"], row["stamps"] = arrival.uid, values["updated_at"], ""
    if arrival.stamps or arrival.kept or values["deleted_at"] is not None:
        state = arrival.state
        row["deleted_at"] = values["deleted_at"] if is_gone(state) else None
        row["stamps"] = spelled(kept_stamps(state))
    return WholeMemory(arrival.number, values["superseded_by"], row, prepared.keys)


def is_as_said(arrival: Arrival, row: Mapping[str, Any]) -> bool:
    """Whether a new memory is here exactly what its record says, and nothing hangs on it."""
    values = arrival.values
    if values["superseded_by"] is not None or values["deleted_at"] is not None or arrival.kept:
        return False
    if not LOCAL.isdisjoint(arrival.stamps):
        return False
    try:
        return bool(_said_to_others(values) == _said_to_others(row))
    except KeyError:
        return False  # a record says less than every memory has


def uids_in(value: Any) -> Iterator[str]:
    """Everything in a record that may be the uid of a memory."""
    if isinstance(value, str):
        if is_uid(value):
            yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from uids_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from uids_in(part)
