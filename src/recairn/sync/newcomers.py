"""Memories of another database that are not here yet, taken in through the write door."""

from __future__ import annotations

from recairn.core.author import Writer
from recairn.core.draft import prepare
from recairn.core.errors import BadInput
from recairn.core.fields import SAID
from recairn.core.model import Draft, Event, Vectors
from recairn.core.record import replace
from recairn.memory.lifecycle import event_of
from recairn.memory.mentions import link_mentions
from recairn.memory.versions import ABSENT, SYNCED, successor_of
from recairn.store.share_rows import Kept
from recairn.sync.arrival import as_theirs, is_as_said, whole
from recairn.sync.entry import Fault
from recairn.sync.merge_tables import MemoryNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Act
    from recairn.core.stamps import Stamp
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store
    from recairn.sync.arrival import Arrival, Company, Sender

_BATCH = 500
# What is kept of a successor that is to come.
_SUCCESSOR = "successor"
_DRAFT_FIELDS = tuple(
    name
    for name in SAID
    if name in Draft.__slots__ and name != "session_id"  # type: ignore[attr-defined]
)


class Newcomers:
    """What an import brings that was not here, inside the caller's transaction."""

    def __init__(
        self,
        store: Store,
        meaning: Meaning,
        act: Act,
        allow: Sequence[str],
        company: Company,
        sender: Sender,
    ) -> None:
        self.added: list[int] = []
        self.updated: list[int] = []
        self.joined: list[int] = []
        self.clashes: list[int] = []
        self.erased: list[str] = []
        self.as_said: set[str] = set()
        self.unchanged = 0
        self.waiting = 0
        self.faults: list[Fault] = []
        self._store = store
        self._meaning = meaning
        self._act = act
        self._allow = allow
        self._company = company
        self._sender = sender
        self._projects: dict[str, str] = {}
        self._writers: dict[tuple[str, bool], Writer] = {}
        self._uids: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._destroyed: set[int] = set()
        self._gone: dict[str, Stamp] = {}
        self._find(company.uids)
        self._residents = frozenset(self._numbers)
        self.resident_numbers = frozenset(self._numbers.values())
        self._is_first = self._store.new_numbers(1) == [1]
        # New ones that are not linked yet to the entities they name.
        self._unlinked: list[tuple[int, Prepared]] = []

    def _find(self, uids: Collection[str]) -> None:
        """Learns which memories are here, and which were destroyed."""
        self._numbers.update(self._store.numbers_of(uids))
        for row in self._store.erased(uids):
            self._gone[row.uid] = row.stamp
            if row.memory:
                self._numbers[row.uid] = row.memory
                self._destroyed.add(row.memory)
        self._uids.update({number: uid for uid, number in self._numbers.items()})

    def _uid_of(self, number: int) -> str | None:
        if number not in self._uids:
            self._uids.update(self._store.uids_of([number]))
        return self._uids.get(number)

    def names(self) -> MemoryNames:
        """What the records that came along call memories, erased ones too; asked at the end."""
        erased = sorted(self._company.erased - self._numbers.keys())
        numbers = dict(zip(erased, self._store.new_numbers(len(erased)), strict=True))
        for uid, number in numbers.items():
            self._store.put_erased(uid, number, "", self._gone.get(uid, (self._act.at, "")))
        return MemoryNames(
            {**self._numbers, **numbers},
            self._destroyed.union(numbers.values()),
            self._residents,
            is_first=self._is_first,
            is_moved=self._sender.is_own and self._sender.is_whole,
        )

    def link_names(self) -> None:
        """Links new memories to the entities they name.

        Not those of a whole database that come into an empty one: their links come along.
        """
        link_mentions(
            self._store,
            [number for number, _ in self._unlinked],
            [prepared for _, prepared in self._unlinked],
        )
        self._unlinked = []

    def _add(self, arrivals: Sequence[Arrival], *, is_own: bool) -> None:
        newcomers: list[tuple[Arrival, Prepared]] = []
        for record in arrivals:
            arrival = record if is_own else as_theirs(record, self._sender)
            try:
                prepared = self._prepared(arrival.values, is_own=is_own)
            except BadInput as error:
                self.faults.append(Fault(arrival.place, error.message))
                continue
            newcomers.append((arrival, prepared))
            if self._sender.in_pages and is_as_said(arrival, prepared.row):
                self.as_said.add(arrival.uid)
        # What a server hands out it knows; where more is known here the caller finds out.
        is_heard = self._sender.in_pages and not self._sender.is_relay
        numbers = self._store.put_whole(
            [whole(*newcomer) for newcomer in newcomers], is_heard=is_heard
        )
        for number, (arrival, _) in zip(numbers, newcomers, strict=True):
            self._numbers[arrival.uid] = number
            self._uids[number] = arrival.uid
        self._embed(numbers, [prepared for _, prepared in newcomers])
        beginning: list[tuple[int, Arrival, Prepared]] = []
        for number, (arrival, prepared) in zip(numbers, newcomers, strict=True):
            self._check_successor(arrival)
            has_history = arrival.uid in self._company.histories
            if not has_history or (self._residents and not self._sender.is_whole):
                self._unlinked.append((number, prepared))
            if not has_history:
                beginning.append((number, arrival, prepared))
        self._begin_histories(beginning)
        self._follow_late([arrival.uid for arrival, _ in newcomers])
        self.added += numbers
        self.waiting += sum(draft.row["trust"] == "unverified" for _, draft in newcomers)

    def _prepared(self, values: Mapping[str, Any], *, is_own: bool = True) -> Prepared:
        """What the write door makes of a record."""
        said = {name: values[name] for name in _DRAFT_FIELDS if name in values}
        said["project"] = self._project(values.get("project") or "")
        return prepare(
            Draft(**said),
            writer=self._writer(values["author"], is_own),
            project="",
            session=values["session_id"],
            allow=self._allow,
            now=values["updated_at"],
        )

    def _writer(self, author: str, is_own: bool) -> Writer:
        if (author, is_own) not in self._writers:
            self._writers[author, is_own] = Writer(author, is_own)
        return self._writers[author, is_own]

    def _project(self, name: str) -> str:
        """What a project that was called so is called here."""
        if name not in self._projects:
            row = self._store.project_named(name) if name else None
            self._projects[name] = name if row is None else row.name
        return self._projects[name]

    def _check_successor(self, arrival: Arrival) -> None:
        uid = arrival.values["superseded_by"]
        if uid is None or uid in self._numbers or uid in self._company.absent:
            return
        if not self._sender.in_pages:
            self.faults.append(Fault(arrival.place, f"its successor {uid} is nowhere"))

    def _embed(self, numbers: Sequence[int], prepared: Sequence[Prepared]) -> None:
        for start in range(0, len(numbers), _BATCH):
            part = prepared[start : start + _BATCH]
            pieces = self._meaning.pieces_at_once([draft.text for draft in part])
            self._meaning.put(
                [
                    Vectors(number, draft.row["reach"], draft.row["content_hash"], vectors)
                    for number, draft, vectors in zip(
                        numbers[start : start + _BATCH], part, pieces, strict=False
                    )
                    if vectors
                ],
                now=self._act.at,
            )

    def _begin_histories(self, new: Sequence[tuple[int, Arrival, Prepared]]) -> None:
        """Memories whose history does not come along begin with their creation."""
        events: list[Event] = []
        for number, arrival, prepared in new:
            row, successor = prepared.row, arrival.values["superseded_by"]
            made, session, author = row["created_at"], row["session_id"], row["author"]
            events.append(Event(0, number, made, "created", "", {}, {}, session, None, author))
            if self._is_absent(successor):
                at, remark = self._act.at, {ABSENT: successor}
                events.append(Event(0, number, at, SYNCED, "", {}, remark, None, None))
                self._await(arrival.uid, row["project"], successor)
        self._store.note_beginnings(events)

    def _await(self, uid: str, project: str, successor: str) -> None:
        """Notes which memory is to follow another one when it arrives."""
        self._store.keep_record(Kept(_SUCCESSOR, uid, project, successor, "{}"))

    def _follow_late(self, uids: Sequence[str]) -> None:
        """Those that new memories replaced are told so, where that was known before they came."""
        for kept in self._store.records_waiting_for(uids):
            if kept.noun != _SUCCESSOR:
                continue
            self._store.drop_kept(kept.noun, kept.name)
            number = self._store.numbers_of([kept.name]).get(kept.name)
            memory = None if number is None else self._store.get(number)
            if memory is None or memory.superseded_by is not None:
                continue
            events = self._store.history(memory.id)
            if successor_of(memory, events, self._uid_of) == kept.waits_for:
                event = event_of(SYNCED, memory.id, self._act, "its successor arrived")
                self._store.change(
                    memory.id,
                    {"superseded_by": self._numbers[kept.waits_for]},
                    replace(event, after={ABSENT: None}),
                    self._store.stamps_of([memory.id])[memory.id],
                )

    def _living(self, uid: str | None) -> int | None:
        """The number of a memory that was not destroyed."""
        if uid is not None and uid not in self._numbers:
            self._find([uid])  # what is known here may name one that no record does
        number = None if uid is None else self._numbers.get(uid)
        return None if number in self._destroyed else number

    def _is_absent(self, uid: str | None) -> bool:
        return uid is not None and self._living(uid) is None
