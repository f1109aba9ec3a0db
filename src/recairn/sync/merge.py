"""Memories of another database taken in, through the write door, under the uids they have.

A memory is known by its uid. What comes of one that is here already `merge_rule` decides; this
module reads what the rule wants to know, and writes what it says. Whatever is wrong with a record
stops that record alone.
"""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.fields import NOTHING_EARNED, SAID, STANDING
from recairn.core.model import Edge
from recairn.core.record import replace
from recairn.core.stamps import (
    ALL,
    COPY_OF,
    LEFT,
    OWN,
    SHARED,
    latest,
    spelled,
)
from recairn.core.times import iso
from recairn.memory import endings, erasure, lifecycle
from recairn.memory.authority import RULE
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import relink
from recairn.memory.versions import ABSENT, SYNCED, past_versions, successor_of, version_of
from recairn.sync.arrival import (
    Arrival,
    by_creation,
    edited_file,
    stub_of,
    with_hand_edit,
)
from recairn.sync.entry import Fault
from recairn.sync.known import state_of
from recairn.sync.merge_rule import (
    State,
    clash_uid,
    is_gone,
    join,
    kept_stamps,
    loser,
    same,
    without_end,
)
from recairn.sync.newcomers import Newcomers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.core.stamps import Stamp
    from recairn.sync.entry import Entry

    Said = Mapping[str, Any]

# What a memory says, and as what it is taken.
_WORDING = ("kind", "title", "content", "fields", "scope")
# How the two texts of a clash are linked, and by whom.
CLASH_RELATION, CLASH_MAKER = "alternative_to", "sync"
_BATCH = 500


class Arrivals(Newcomers):
    """The memories of one import into one database, inside the caller's transaction."""

    def receive(self, arrivals: Sequence[Arrival]) -> None:
        """Takes memories in; several versions of one may come."""
        newcomers: dict[str, Arrival] = {}
        others: list[Arrival] = []
        for arrival in arrivals:
            if self._is_absorbed(arrival):
                self.unchanged += 1
            elif arrival.uid in self._numbers or arrival.uid in newcomers:
                others.append(arrival)
            else:
                newcomers[arrival.uid] = arrival
        # Numbers follow creation here as they do where each of them was made.
        in_order = sorted(newcomers.values(), key=by_creation)
        self._add(in_order, is_own=self._sender.is_trusted)
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

    def _is_absorbed(self, arrival: Arrival) -> bool:
        """Whether it was destroyed here, or is a copy of a text that was: nothing of it comes."""
        original = str(arrival.stamps.get(COPY_OF, ""))
        if arrival.uid not in self._gone and original in self._gone:
            number = self._numbers.get(arrival.uid)
            if number is not None:
                return False  # somebody made it a memory of its own before
            self._bury(arrival.uid, arrival.values.get("project") or "", self._gone[original])
        return arrival.uid in self._gone

    def _bury(self, uid: str, project: str, stamp: Stamp) -> None:
        """Notes the destruction of a memory that is not here."""
        number = self._numbers.get(uid, 0)
        self._gone[uid] = max(stamp, self._gone.get(uid, stamp))
        self._store.drop_kept("memory", uid)
        self._store.put_erased(uid, number, self._project(project), stamp)

    # Those that are here

    def _meet(self, arrival: Arrival, memory: Memory) -> None:
        """Brings a memory that is here together with what others know of it."""
        self.as_said.discard(arrival.uid)
        ours = self._state(memory)
        try:
            theirs = self._cleaned(arrival, memory, ours)
        except BadInput as error:
            self.faults.append(Fault(arrival.place, error.message))
            return
        takes_standing = self._sender.is_own and arrival.has_standing
        groups = OWN if takes_standing else SHARED
        theirs = self._with_hand_edit(arrival, memory, ours, theirs)
        beaten = loser(ours, theirs)
        joined = join(ours, theirs, groups)
        if not self._sender.is_trusted and endings.holds(memory):
            joined = self._lasting(memory, ours, joined)
        is_news = self._write(memory, ours, joined, arrival)
        if not is_news:
            self.unchanged += 1
        elif same(joined, theirs, groups):
            self.updated.append(memory.id)
        else:
            self.joined.append(memory.id)
        if beaten is not None:
            self._keep_beside(memory, beaten, is_own=beaten is ours or self._sender.is_trusted)

    def _state(self, memory: Memory) -> State:
        # Only what has ended may have a successor.
        events = () if memory.valid_until is None else self._store.history(memory.id)
        successor = successor_of(memory, events, self._uid_of)
        return state_of(memory, successor, self._store.stamps_of([memory.id])[memory.id])

    def _cleaned(self, arrival: Arrival, memory: Memory, ours: State) -> State:
        """What a record says of a memory here, as the write door would store it."""
        # A project is called differently elsewhere, and a memory stays where it is.
        here: dict[str, Any] = {"project": memory.project}
        if arrival.values["session_id"] is None:  # whose session it was nobody is told
            here["session_id"] = memory.session_id
        if not (self._sender.is_own and arrival.has_standing):
            here |= {name: getattr(memory, name) for name in STANDING}
        arrival = replace(arrival, values={**arrival.values, **here})
        theirs = arrival.state
        if all(ours.values[name] == value for name, value in theirs.values.items()):
            return theirs
        return replace(theirs, values=self._clean(arrival))

    def _with_hand_edit(
        self, arrival: Arrival, memory: Memory, ours: State, theirs: State
    ) -> State:
        """What a record says; what somebody changed in its file by hand is said here and now."""
        if self._sender.in_pages:
            return theirs  # nobody edits what a server hands out
        written = arrival.values.get("version")
        version = version_of({**ours.values, **theirs.values})
        if written is None and theirs.values == ours.values:
            return theirs
        is_line = isinstance(written, str) and written != version
        if not is_line and (written is not None or theirs.stamp("text") > ours.stamp("text")):
            return theirs
        events = self._store.history(memory.id)
        past = past_versions(ours.values, events, self._uid_of)
        if not is_line and (
            version in past or not edited_file(memory, arrival, ours, self._sender, events)
        ):
            return theirs
        earlier = {version["content"] for version in past.values()}
        names = self._store.replica(), self._store.incarnation(self._act.at)
        return with_hand_edit(theirs, ours, earlier, self._act.at, names)

    def _lasting(self, memory: Memory, ours: State, joined: State) -> State:
        """What others make of a rule in force, but for its end, for which the person is asked."""
        lasting = without_end(ours, joined)
        if lasting is not joined:
            self._ask_end(memory, latest(joined.stamps, memory.created_at, ("life", "valid")))
        return lasting

    def _ask_end(self, memory: Memory, at: int) -> None:
        act = replace(self._act, reason=f"ended by others at {iso(at)}")
        self.waiting += endings.ask(self._store, memory.id, act, self._sender.author)

    def _write(self, memory: Memory, ours: State, joined: State, arrival: Arrival) -> bool:
        """Brings a memory to what is known now, as one event; whether that is anything new."""
        stamps = spelled(kept_stamps(joined))
        successor = joined.values["superseded_by"]
        changes = {
            **{name: joined.values[name] for name in SAID if name != "project"},
            "superseded_by": self._living(successor),
            "deleted_at": joined.values["deleted_at"] if is_gone(joined) else None,
        }
        if LEFT in joined.stamps:
            changes["deleted_at"] = memory.deleted_at
        changes = {name: new for name, new in changes.items() if new != getattr(memory, name)}
        if not changes and stamps == self._store.stamps_of([memory.id])[memory.id]:
            return False
        remark: dict[str, Any] = {}
        was_absent = memory.superseded_by is None and ours.values["superseded_by"]
        if was_absent or self._is_absent(successor):
            remark[ABSENT] = successor if self._is_absent(successor) else None
            if successor is not None and self._is_absent(successor):
                self._await(memory.uid, memory.project, successor)
        if changes:
            changes["updated_at"] = max(memory.updated_at, arrival.updated_at)
        changes.update(self._consequences(memory, joined.values))
        event = lifecycle.event_of(SYNCED, memory.id, self._act, f"from {arrival.place}")
        author = "" if self._sender.is_own else self._sender.author
        event = replace(event, after=remark, author=author)
        self._store.change(memory.id, changes, event, stamps)
        after = known_memory(self._store, memory.id)
        if any(name in changes for name in (*_WORDING, "tier", "deleted_at")):
            relink(self._store, after, self._act.at)
            self._meaning.renew(after, now=self._act.at)
        return bool(changes)

    def _clean(self, arrival: Arrival) -> dict[str, Any]:
        """What a record says, as the write door would store it."""
        row = self._prepared(arrival.values).row
        return {
            **{name: row[name] for name in SAID},
            **{name: bool(row[name]) for name in ("pinned", "immutable")},
            **{name: arrival.values[name] for name in ("deleted_at", "superseded_by")},
        }

    def _consequences(self, memory: Memory, said: Said) -> dict[str, Any]:
        """What follows where others put other words into a memory: they are the author of them, and
        a rule waits for the person's word again."""
        changed = {name for name in _WORDING if said[name] != getattr(memory, name)}
        if self._sender.is_own or not changed:
            return {}
        if self._sender.is_relay:
            return {"author": self._sender.author}
        if RULE in (memory.kind, said["kind"]):
            self.waiting += memory.trust != "unverified"
            return {"trust": "unverified", "author": self._sender.author}
        if changed.isdisjoint(("title", "content", "fields")):
            return {}
        trust = "attributed" if memory.trust == "verified" else memory.trust
        return {"trust": trust, "author": self._sender.author}

    def _keep_beside(self, memory: Memory, beaten: State, *, is_own: bool) -> None:
        """Stores the text that gave way as a memory of its own, linked to the one that stayed."""
        uid, at = clash_uid(memory.uid, beaten.values), beaten.stamp("text")[0]
        self._find([uid])
        if uid in self._gone:
            return
        if uid not in self._numbers:
            values = {
                **beaten.values,
                **dict.fromkeys(("superseded_by", "external_id", "deleted_at", "valid_until")),
                **NOTHING_EARNED,
                "uid": uid,
                "updated_at": at,
                "changed_at": at,
                "decayed_at": at,
            }
            stamps = {ALL: list(beaten.stamp("text")), COPY_OF: memory.uid}
            self._add([Arrival(memory.uid, uid, None, values, stamps, {})], is_own=is_own)
            self.clashes.append(self._numbers[uid])
        ends = self._numbers[uid], memory.id
        if not any(
            edge.relation == CLASH_RELATION for edge in self._store.edges_between(*ends, ended=True)
        ):
            edge = Edge(*ends, CLASH_RELATION, 1.0, 1.0, CLASH_MAKER, at, at, None)
            self._store.put_edges([edge], replace=False)
            self._store.note(lifecycle.event_of(SYNCED, ends[0], self._act))

    # Forgotten ones

    def forget(self, entry: Entry) -> None:
        """Forgets or destroys a memory that was forgotten or destroyed elsewhere."""
        try:
            uid, stub = stub_of(entry)
        except BadInput as error:
            self.faults.append(Fault(entry.place, error.message))
            return
        self.as_said.discard(uid)
        number = self._numbers.get(uid)
        memory = None if number is None else self._store.get(number)
        if stub.erased is not None:
            self._erase(uid, memory, stub.erased, str(entry.record.get("project") or ""))
            return
        if memory is None:
            return
        ours = self._state(memory)
        joined = join(ours, stub, ("life",))
        if not self._sender.is_trusted and endings.holds(memory):
            joined = self._lasting(memory, ours, joined)
        arrival = Arrival(entry.place, uid, None, {"updated_at": memory.updated_at}, {}, {})
        if self._write(memory, ours, joined, arrival):
            self.updated.append(memory.id)

    def _erase(self, uid: str, memory: Memory | None, stamp: Stamp, project: str) -> None:
        """Destroys what others have destroyed, with the copies of its texts."""
        if memory is None:
            if self._gone.get(uid, (0, "")) < stamp:
                self._bury(uid, project, stamp)
            return
        if not self._sender.is_trusted and endings.holds(memory):
            self._ask_end(memory, stamp[0])
            return
        act = replace(self._act, reason="destroyed elsewhere")
        for number in erasure.erase_everywhere(self._store, memory.id, act, stamp):
            gone = self._uid_of(number) or ""
            self._destroyed.add(number)
            self._gone[gone] = stamp
            self.erased.append(gone)
        self.updated.append(memory.id)
