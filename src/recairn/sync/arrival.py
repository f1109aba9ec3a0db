"""Records of memories on their way in, read and checked; also the stubs of forgotten ones."""

from __future__ import annotations

from recairn.core.author import role_of
from recairn.core.errors import BadInput
from recairn.core.fields import EARNED, NOTHING_EARNED
from recairn.core.ids import is_uid
from recairn.core.record import record, replace
from recairn.memory.versions import SYNCED, changed_at
from recairn.store.tables import WholeMemory
from recairn.sync.merge_rule import Stub
from recairn.sync.record_format import moment, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Event, Memory
    from recairn.sync.entry import Entry

_TEXT = frozenset({"title", "content", "fields"})


@record
class Arrival:
    """A memory on its way in: where its record stood, and what it says.

    `number` is the one it has elsewhere, `past` are the versions it went through there.
    """

    place: str
    uid: str
    number: int | None
    values: dict[str, Any]
    past: frozenset[str]

    @property
    def changed_at(self) -> int:
        return int(self.values["changed_at"])

    @property
    def updated_at(self) -> int:
        return int(self.values["updated_at"])


@record
class Sender:
    """Whose records come: the author they get here, and whether it is the person's own word.

    What names no project goes to `project`. Of a whole database the links come, too, in another
    parcel.
    """

    author: str
    is_own: bool
    project: str = ""
    is_whole: bool = False


def as_theirs(arrival: Arrival, sender: Sender) -> Arrival:
    """A memory as it comes from somebody else: what it says, and nothing of how much it counts."""
    values = arrival.values
    project = values.get("project") or sender.project
    forced = {
        "project": project,
        "tier": values.get("tier") if values.get("tier") == "session" else "project",
        "importance": None,
        "pinned": False,
        "immutable": False,
        "author": sender.author,
        **NOTHING_EARNED,
        "decayed_at": values["updated_at"],
    }
    return replace(arrival, values={**values, **forced})


@record
class Company:
    """What comes along with the memories of one import, by uid.

    Of the `erased` only the history comes; of those in `histories` it comes from the creation on;
    the `absent` were forgotten before they could come.
    """

    erased: frozenset[str]
    histories: frozenset[str]
    absent: frozenset[str]


def arrival_of(entry: Entry) -> Arrival:
    """The memory that a record describes. Raises BadInput."""
    values = values_of(entry.record)
    uid, number = values["uid"], entry.record.get("id")
    if not isinstance(uid, str) or not is_uid(uid):
        raise BadInput(f"{str(uid)[:40]!r} is no uid")
    if number is not None and (type(number) is not int or not 0 < number < 2**53):
        raise BadInput(f"{str(number)[:40]!r} is no memory number")
    past = entry.record.get("past", ())
    if not isinstance(past, list | tuple) or not all(isinstance(each, str) for each in past):
        raise BadInput("past must be a list of versions")
    return Arrival(entry.place, uid, number, values, frozenset(past))


def by_creation(arrival: Arrival) -> tuple[int, int, str]:
    """In one moment many may be made: then the numbers they have elsewhere tell the order."""
    return arrival.values["created_at"], arrival.number or 0, arrival.uid


def stub_of(entry: Entry) -> Stub:
    """The forgotten memory that a record describes. Raises BadInput."""
    uid, past = entry.record.get("uid"), entry.record.get("past", [])
    deleted_at = moment("deleted_at", entry.record.get("deleted_at"))
    listed = isinstance(past, list) and all(isinstance(each, str) for each in past)
    if not isinstance(uid, str) or deleted_at is None or not listed:
        raise BadInput("a forgotten record needs uid, deleted_at and a list past")
    changed_at = moment("changed_at", entry.record.get("changed_at"))
    return Stub(uid, deleted_at, deleted_at if changed_at is None else changed_at, frozenset(past))


def is_edited_file(
    arrival: Arrival, memory: Memory, sender: Sender, events: Sequence[Event]
) -> bool:
    """Whether somebody edited a file by hand that was taken in before, and nobody its text here.

    Then it says something else of a moment that is known; lines of a mirror name their version.
    """
    if "version" in arrival.values or role_of(memory.author) != role_of(sender.author):
        return False
    if any(event.event != SYNCED and not _TEXT.isdisjoint(event.before) for event in events):
        return False
    # When it was changed as far as was known after each event.
    return any(
        changed_at(memory, events[:count]) == arrival.changed_at for count in range(len(events) + 1)
    )


def with_hand_edit(arrival: Arrival, version: str, now: int, former: str = "") -> Arrival:
    """The arrival; where somebody edited its line by hand, as a change made now.

    Such a line still names the version that it said before, or that is known from elsewhere.
    """
    written = arrival.values.get("version") or former
    if not isinstance(written, str) or written in ("", version):
        return arrival
    moment_of_edit = max(now, arrival.changed_at + 1)
    values = {**arrival.values, "changed_at": moment_of_edit, "updated_at": moment_of_edit}
    return replace(arrival, values=values, past=arrival.past | {written})


def whole(arrival: Arrival, prepared: Prepared) -> WholeMemory:
    """A new memory for the store: what the write door made, and what it earned elsewhere."""
    row = {
        **prepared.row,
        **{name: arrival.values[name] for name in EARNED},
        "uid": arrival.uid,
        "deleted_at": arrival.values["deleted_at"],
        "updated_at": arrival.values["updated_at"],
    }
    return WholeMemory(arrival.number, arrival.values["superseded_by"], row, prepared.keys)
