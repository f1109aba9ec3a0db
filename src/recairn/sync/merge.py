"""Memories of another database taken in, through the write door, under the uids they have.

A memory is known by its uid. What comes of one that is here already `merge_rule` decides; this
module reads what the rule wants to know, and writes what it says. Whatever is wrong with a record
stops that record alone.
"""

from __future__ import annotations

from recairn.core.author import Writer
from recairn.core.draft import prepare
from recairn.core.errors import BadInput
from recairn.core.fields import NOTHING_EARNED, SAID, STANDING
from recairn.core.model import Draft, Edge, Event, Vectors
from recairn.core.record import replace
from recairn.core.times import iso
from recairn.memory import endings, lifecycle
from recairn.memory.authority import RULE
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import link_mentions, relink
from recairn.memory.versions import (
    ABSENT,
    DESTROYED,
    SYNCED,
    changed_at,
    past_versions,
    restored_at,
    seen_elsewhere,
    successor_of,
    version_of,
)
from recairn.sync.arrival import (
    Arrival,
    as_theirs,
    by_creation,
    is_edited_file,
    stub_of,
    whole,
    with_hand_edit,
)
from recairn.sync.entry import Fault
from recairn.sync.merge_rule import (
    FOLLOW,
    JOIN,
    KEEP,
    Ours,
    Theirs,
    clash_uid,
    is_forgotten,
    merge,
    without_end,
)
from recairn.sync.merge_tables import MemoryNames
from recairn.sync.record_format import said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Memory
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store
    from recairn.sync.arrival import Company, Sender
    from recairn.sync.entry import Entry
    from recairn.sync.merge_rule import Clash, Outcome

    Said = Mapping[str, Any]

# How the two texts of a clash are linked, and by whom.
# What a memory says, and as what it is taken.
_WORDING = ("kind", "title", "content", "fields", "scope")
CLASH_RELATION, CLASH_MAKER = "alternative_to", "sync"
_BATCH = 500
_DRAFT_FIELDS = tuple(
    name
    for name in SAID
    if name in Draft.__slots__ and name != "session_id"  # type: ignore[attr-defined]
)


class Arrivals:
    """The memories of one import into one database, inside the caller's transaction."""

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
        self.unchanged = 0
        self.waiting = 0
        self.faults: list[Fault] = []
        self._store = store
        self._meaning = meaning
        self._act = act
        self._allow = allow
        self._company = company
        self._sender = sender
        self._uids = store.uids()
        self._projects: dict[str, str] = {}
        self._numbers = {uid: number for number, uid in self._uids.items()}
        self._destroyed = frozenset(self._uids.keys() - set(store.all_numbers()))
        self._residents = frozenset(self._numbers)
        self.resident_numbers = frozenset(self._uids)
        # New ones that are not linked yet to the entities they name.
        self._unlinked: list[tuple[int, Prepared]] = []

    def receive(self, arrivals: Sequence[Arrival]) -> None:
        """Takes memories in; several versions of one may come."""
        newcomers: dict[str, Arrival] = {}
        others: list[Arrival] = []
        for arrival in arrivals:
            if arrival.uid in self._numbers or arrival.uid in newcomers:
                others.append(arrival)
            else:
                newcomers[arrival.uid] = arrival
        # Numbers follow creation here as they do where each of them was made.
        in_order = sorted(newcomers.values(), key=by_creation)
        self._add(in_order, is_own=self._sender.is_own)
        residents = [arrival for arrival in others if arrival.uid in self._numbers]
        for start in range(0, len(residents), _BATCH):
            part = residents[start : start + _BATCH]
            memories = self._store.get_many([self._numbers[arrival.uid] for arrival in part])
            for arrival in part:
                number = self._numbers[arrival.uid]
                # Read again for its next version: the first one may have changed it.
                memory = memories.pop(number, None) or self._store.get(number)
                if memory is not None:
                    self._meet(arrival, memory)
        # Where the first version of a newcomer was refused, the next one takes its place.
        left = [arrival for arrival in others if arrival.uid not in self._numbers]
        if left:
            self.receive(left)

    def names(self) -> MemoryNames:
        """What the records that came along call memories, erased ones too; asked at the end."""
        erased = sorted(self._company.erased - self._numbers.keys())
        numbers = dict(zip(erased, self._store.new_numbers(len(erased)), strict=True))
        return MemoryNames(
            {**self._numbers, **numbers},
            self._destroyed.union(numbers.values()),
            self._residents,
            is_first=not self._residents,
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

    # New ones

    def _add(self, arrivals: Sequence[Arrival], *, is_own: bool) -> None:
        newcomers: list[tuple[Arrival, Prepared]] = []
        for record in arrivals:
            arrival = record if is_own else as_theirs(record, self._sender)
            try:
                newcomers.append((arrival, self._prepared(arrival.values, is_own=is_own)))
            except BadInput as error:
                self.faults.append(Fault(arrival.place, error.message))
        numbers = self._store.put_whole([whole(*newcomer) for newcomer in newcomers])
        for number, (arrival, _) in zip(numbers, newcomers, strict=True):
            self._numbers[arrival.uid] = number
            self._uids[number] = arrival.uid
        self._embed(numbers, [prepared for _, prepared in newcomers])
        for number, (arrival, prepared) in zip(numbers, newcomers, strict=True):
            self._check_successor(arrival)
            has_history = arrival.uid in self._company.histories
            if not has_history or (self._residents and not self._sender.is_whole):
                self._unlinked.append((number, prepared))
            if not has_history:
                self._begin_history(number, arrival, prepared.row)
        self.added += numbers
        self.waiting += sum(each.row["trust"] == "unverified" for _, each in newcomers)

    def _prepared(self, values: Mapping[str, Any], *, is_own: bool = True) -> Prepared:
        """What the write door makes of a record."""
        draft = Draft(**{name: values[name] for name in _DRAFT_FIELDS if name in values})
        return prepare(
            replace(draft, project=self._project(draft.project or "")),
            writer=Writer(values["author"], is_own),
            project="",
            session=values["session_id"],
            allow=self._allow,
            now=values["updated_at"],
        )

    def _project(self, name: str) -> str:
        """What a project that was called so is called here."""
        if name not in self._projects:
            row = self._store.project_named(name) if name else None
            self._projects[name] = name if row is None else row.name
        return self._projects[name]

    def _check_successor(self, arrival: Arrival) -> None:
        uid = arrival.values["superseded_by"]
        if uid is not None and uid not in self._numbers and uid not in self._company.absent:
            self.faults.append(Fault(arrival.place, f"its successor {uid} is nowhere"))

    def _embed(self, numbers: Sequence[int], prepared: Sequence[Prepared]) -> None:
        for start in range(0, len(numbers), _BATCH):
            part = prepared[start : start + _BATCH]
            pieces = self._meaning.pieces_at_once([each.text for each in part])
            self._meaning.put(
                [
                    Vectors(number, each.row["reach"], each.row["content_hash"], vectors)
                    for number, each, vectors in zip(
                        numbers[start : start + _BATCH], part, pieces, strict=False
                    )
                    if vectors
                ],
                now=self._act.at,
            )

    def _begin_history(self, number: int, arrival: Arrival, row: Mapping[str, Any]) -> None:
        """A memory whose history does not come along begins with its creation."""
        created_at, session, author = row["created_at"], row["session_id"], row["author"]
        self._store.note(Event(0, number, created_at, "created", "", {}, {}, session, None, author))
        absent = self._is_absent(arrival.values["superseded_by"])
        if arrival.past or arrival.changed_at != arrival.updated_at or absent:
            self._note_past(number, arrival, arrival.past)

    # Those that are here

    def _meet(self, arrival: Arrival, memory: Memory) -> None:
        """Brings a memory that is here together with another version of it."""
        ours = self._said(memory)
        # A project is called differently elsewhere, and a memory stays where it is.
        claim, here = arrival, {name: getattr(memory, name) for name in STANDING}
        arrival = replace(arrival, values={**arrival.values, **here, "project": memory.project})
        theirs = {name: arrival.values[name] for name in SAID if name in arrival.values}
        if ours != theirs:
            try:
                theirs = self._clean(arrival)
            except BadInput as error:
                self.faults.append(Fault(arrival.place, error.message))
                return
        if self._sender.is_own and self._take_standing(memory, claim):
            self.joined.append(memory.id)
        if ours == theirs:
            self._agree(memory, ours, arrival)
            return
        known, version = self._ours(memory, ours), version_of(theirs)
        events = self._store.history(memory.id)
        is_edited = is_edited_file(arrival, memory, self._sender, events)
        former = version_of(ours) if is_edited and version not in known.past else ""
        arrival = with_hand_edit(arrival, version, self._act.at, former)
        outcome = merge(known, Theirs(theirs, arrival.changed_at, arrival.past))
        if not self._sender.is_own and endings.holds(memory):
            outcome = self._lasting(memory, ours, outcome)
        if outcome.way == KEEP:
            self.unchanged += 1
            return
        self._rewrite(memory, outcome, arrival)
        if outcome.way == FOLLOW:
            self.updated.append(memory.id)
        elif outcome.way == JOIN:
            self.joined.append(memory.id)
        if outcome.clash is not None:
            is_ours = outcome.clash.version == version_of(ours)
            self._keep_beside(memory, outcome.clash, is_own=is_ours or self._sender.is_own)

    def _lasting(self, memory: Memory, ours: Said, outcome: Outcome) -> Outcome:
        """What others make of a rule in force, but for its end, for which the person is asked."""
        lasting = without_end(ours, outcome)
        if lasting is not outcome:
            self._ask_end(memory, outcome.changed_at)
        return lasting

    def _ask_end(self, memory: Memory, at: int) -> None:
        act = replace(self._act, reason=f"ended by others at {iso(at)}")
        self.waiting += endings.ask(self._store, memory.id, act, self._sender.author)

    def _said(self, memory: Memory) -> dict[str, Any]:
        # Only what has ended may have a successor.
        events = () if memory.valid_until is None else self._store.history(memory.id)
        return said_of(memory, successor_of(memory, events, self._uids.get))

    def _ours(self, memory: Memory, said: Said) -> Ours:
        """What the rule wants to know of a memory here."""
        events = self._store.history(memory.id)
        return Ours(
            said,
            changed_at(memory, events),
            past_versions(said, events, self._uids.get),
            seen_elsewhere(events),
            restored_at(memory, events),
        )

    def _clean(self, arrival: Arrival) -> dict[str, Any]:
        """What a record says, as the write door would store it."""
        row = self._prepared(arrival.values).row
        return {
            **{name: row[name] for name in SAID},
            **{name: bool(row[name]) for name in ("pinned", "immutable")},
            **{name: arrival.values[name] for name in ("deleted_at", "superseded_by")},
        }

    def _agree(self, memory: Memory, said: Said, arrival: Arrival) -> None:
        """Both say the same; what others went through to say it is noted."""
        self.unchanged += 1
        successor = self._living(said["superseded_by"])
        if memory.superseded_by is None and successor is not None:
            event = lifecycle.event_of(SYNCED, memory.id, self._act, "its successor arrived")
            self._store.change(memory.id, {"superseded_by": successor}, event)
        if not arrival.past and memory.updated_at >= max(arrival.updated_at, arrival.changed_at):
            return
        ours = self._ours(memory, said)
        news = arrival.past - ours.past.keys() - {*ours.elsewhere}
        if arrival.updated_at > memory.updated_at:
            remark = {"past": sorted(news), "changed_at": arrival.changed_at}
            event = lifecycle.event_of(SYNCED, memory.id, self._act, "")
            self._store.change(
                memory.id, {"updated_at": arrival.updated_at}, replace(event, after=remark)
            )
        elif news or arrival.changed_at > ours.changed_at:
            self._note_past(memory.id, arrival, news)

    def _note_past(self, memory: int, arrival: Arrival, past: Collection[str]) -> None:
        """Notes what others went through before they said what is said here."""
        remark = {"past": sorted(past), "changed_at": arrival.changed_at}
        if self._is_absent(arrival.values["superseded_by"]):
            remark[ABSENT] = arrival.values["superseded_by"]
        self._store.note(Event(0, memory, self._act.at, SYNCED, "", {}, remark, None, None))

    def _living(self, uid: str | None) -> int | None:
        """The number of a memory that was not destroyed."""
        number = None if uid is None else self._numbers.get(uid)
        return None if number in self._destroyed else number

    def _is_absent(self, uid: str | None) -> bool:
        return uid is not None and self._living(uid) is None

    def _rewrite(self, memory: Memory, outcome: Outcome, arrival: Arrival) -> None:
        """Brings a memory to another version, as one event, with every index that follows."""
        successor = outcome.said["superseded_by"]
        changes = {
            **{name: outcome.said[name] for name in SAID},
            "superseded_by": self._living(successor),
            "updated_at": max(memory.updated_at, arrival.updated_at),
        }
        remark = {"past": sorted(outcome.past), "changed_at": outcome.changed_at}
        was_absent = memory.superseded_by is None and self._said(memory)["superseded_by"]
        if was_absent or self._is_absent(successor):
            remark[ABSENT] = successor if self._is_absent(successor) else None
        changes.update(self._consequences(memory, outcome.said))
        event = lifecycle.event_of(SYNCED, memory.id, self._act, f"from {arrival.place}")
        author = "" if self._sender.is_own else self._sender.author
        self._store.change(memory.id, changes, replace(event, after=remark, author=author))
        after = known_memory(self._store, memory.id)
        relink(self._store, after, self._act.at)
        self._meaning.renew(after, now=self._act.at)

    def _consequences(self, memory: Memory, said: Said) -> dict[str, Any]:
        """What follows where others put other words into a memory: they are the author of them, and
        a rule waits for the person's word again."""
        changed = {name for name in _WORDING if said[name] != getattr(memory, name)}
        if self._sender.is_own or not changed:
            return {}
        if RULE in (memory.kind, said["kind"]):
            self.waiting += memory.trust != "unverified"
            return {"trust": "unverified", "author": self._sender.author}
        if changed.isdisjoint(("title", "content", "fields")):
            return {}
        trust = "attributed" if memory.trust == "verified" else memory.trust
        return {"trust": trust, "author": self._sender.author}

    def _take_standing(self, memory: Memory, arrival: Arrival) -> bool:
        """Takes over how much a memory counts in another database of the same person, where it is
        more than here; whether it is."""
        theirs = arrival.values
        changes = {
            "pinned": memory.pinned or theirs["pinned"],
            "immutable": memory.immutable or theirs["immutable"],
            "trust": theirs["trust"] if memory.trust == "unverified" else memory.trust,
        }
        if theirs.get("importance") is not None:
            changes["importance"] = max(memory.importance, theirs["importance"])
        changes = {name: new for name, new in changes.items() if new != getattr(memory, name)}
        if changes:
            event = lifecycle.event_of(SYNCED, memory.id, self._act, f"from {arrival.place}")
            self._store.change(memory.id, changes, event)
        return bool(changes)

    def _keep_beside(self, memory: Memory, clash: Clash, *, is_own: bool) -> None:
        """Stores the text that gave way as a memory of its own, linked to the one that stayed."""
        uid, at = clash_uid(memory.uid, clash.version), clash.changed_at
        if uid not in self._numbers:
            values = {
                **clash.said,
                **dict.fromkeys(("superseded_by", "external_id", "deleted_at", "valid_until")),
                **NOTHING_EARNED,
                "uid": uid,
                "updated_at": at,
                "changed_at": at,
                "decayed_at": at,
            }
            self._add([Arrival(memory.uid, uid, None, values, frozenset())], is_own=is_own)
            self.clashes.append(self._numbers[uid])
        ends = self._numbers[uid], memory.id
        edge = Edge(*ends, CLASH_RELATION, 1.0, 1.0, CLASH_MAKER, at, at, None)
        self._store.put_edges([edge], replace=False)

    # Forgotten ones

    def forget(self, entry: Entry) -> None:
        """Forgets a memory that was forgotten elsewhere, if the rule says so."""
        try:
            stub = stub_of(entry)
        except BadInput as error:
            self.faults.append(Fault(entry.place, error.message))
            return
        number = self._numbers.get(stub.uid)
        memory = None if number is None else self._store.get(number)
        if memory is None:
            return
        ours = self._ours(memory, self._said(memory))
        news = stub.past - {version_of(ours.said), *ours.past, *ours.elsewhere}
        remark = {"past": sorted(news), "changed_at": max(ours.changed_at, stub.changed_at)}
        event = lifecycle.event_of(SYNCED, memory.id, self._act, "forgotten elsewhere")
        forgotten = is_forgotten(ours, stub)
        if forgotten and not self._sender.is_own and endings.holds(memory):
            self._ask_end(memory, stub.changed_at)
        elif forgotten:
            if not stub.past:
                remark[DESTROYED] = True
            self._store.change(
                memory.id, {"deleted_at": stub.deleted_at}, replace(event, after=remark)
            )
            self.updated.append(memory.id)
        elif news and memory.deleted_at is not None:
            self._store.note(replace(event, reason="", after=remark))
