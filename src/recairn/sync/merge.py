"""Memories of another database taken in, through the write door, under the uids they have.

A memory is known by its uid. One that is here already is left alone, brought up to date, or joined
with what was said here meanwhile (`versions`). Whatever is wrong with a record stops that record
alone.
"""

from __future__ import annotations

from recairn.core.draft import prepare
from recairn.core.errors import BadInput
from recairn.core.fields import EARNED, NOTHING_EARNED, SAID
from recairn.core.ids import is_uid
from recairn.core.model import Draft, Edge, Event
from recairn.core.record import record, replace
from recairn.memory import lifecycle
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import link_mentions, relink
from recairn.memory.versions import (
    ABSENT,
    DESTROYED,
    SYNCED,
    changed_at,
    clash_uid,
    common_version,
    join,
    past_versions,
    restored_at,
    same_text,
    seen_elsewhere,
    successor_of,
    version_of,
)
from recairn.sync.record_format import said_of, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Memory
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store

    Said = Mapping[str, Any]

# The versions of one text that both sides had changed are linked so, and marked so.
CLASH, CLASHED = "alternative_to", "sync"
_BATCH = 500
_DRAFTED = tuple(
    name
    for name in SAID
    if name in Draft.__slots__ and name != "session_id"  # type: ignore[attr-defined]
)


@record
class Arrival:
    """A memory on its way in: where it stood in its file, and what its record says."""

    place: str
    uid: str
    number: int | None
    values: dict[str, Any]
    past: frozenset[str]


class Counted:
    """What became of the records, and what was wrong with some."""

    def __init__(self) -> None:
        self.added: list[int] = []
        self.updated: list[int] = []
        self.joined: list[int] = []
        self.clashes: list[int] = []
        self.unchanged = 0
        self.problems: list[str] = []


class Arrivals:
    """One import into one database, inside the caller's transaction."""

    def __init__(self, store: Store, meaning: Meaning, act: Act, allow: Sequence[str] = ()) -> None:
        self.store = store
        self.act = act
        self.done = Counted()
        self._meaning = meaning
        self._allow = allow
        self._uids = store.uids()
        self.numbers = {uid: number for number, uid in self._uids.items()}
        self.known_before = frozenset(self.numbers)
        # Numbers of memories that exist in a history alone.
        self.destroyed = self._uids.keys() - set(store.all_numbers())
        self._erased: frozenset[str] = frozenset()
        self._told: frozenset[str] = frozenset()
        self._absent: frozenset[str] = frozenset()
        self._unlinked: list[tuple[int, Prepared]] = []

    def number_of(self, name: str) -> int | None:
        """The number of a memory here, also of one that was erased where the records come from."""
        if name not in self.numbers and name in self._erased:
            self.numbers[name] = 1 + max(self.numbers.values(), default=0)
            self.destroyed.add(self.numbers[name])
        return self.numbers.get(name)

    def was_here(self, number: int) -> bool:
        """Whether a memory was here before the records came."""
        return self._uids.get(number) in self.known_before

    def expect_erased(self, uids: Iterable[str]) -> None:
        """Tells of memories that exist only in the history that will arrive."""
        self._erased = frozenset(uid for uid in uids if is_uid(uid))

    def expect_absent(self, uids: Iterable[str]) -> None:
        """Tells of memories that were forgotten before they could arrive."""
        self._absent = frozenset(uids)

    def expect_histories(self, uids: Iterable[str]) -> None:
        """Tells of memories whose history will arrive, from their creation on."""
        self._told = frozenset(uids)

    def arrival(self, place: str, given: Mapping[str, Any]) -> Arrival | None:
        """The arrival a record describes; None, and a problem noted, for one that is no memory."""
        try:
            values = values_of(given)
            uid, number, past = values["uid"], given.get("id"), given.get("past", ())
            if not isinstance(uid, str) or not is_uid(uid):
                raise BadInput(f"{str(uid)[:40]!r} is no uid")
            if number is not None and (type(number) is not int or not 0 < number < 2**53):
                raise BadInput(f"{str(number)[:40]!r} is no memory number")
            if not isinstance(past, list | tuple) or not all(isinstance(v, str) for v in past):
                raise BadInput("past must be a list of versions")
            return Arrival(place, uid, number, values, frozenset(past))
        except BadInput as error:
            self.done.problems.append(f"{place}: {error.message}")
            return None

    def memories(self, arrivals: Sequence[Arrival]) -> None:
        """Takes memories in; several versions of one may come."""
        known: list[Arrival] = []
        fresh: dict[str, Arrival] = {}
        for each in arrivals:
            if each.uid in self.numbers or each.uid in fresh:
                known.append(each)
            else:
                fresh[each.uid] = each
        self._add(list(fresh.values()))
        for start in range(0, len(known), _BATCH):
            part = known[start : start + _BATCH]
            present = self.store.get_many([self.numbers[each.uid] for each in part])
            for each in part:
                memory = present.get(self.numbers[each.uid])
                if memory is not None:
                    self._meet(each, memory)

    # New ones

    def _add(self, arrivals: Sequence[Arrival]) -> None:
        ready: list[tuple[Arrival, Prepared]] = []
        for each in arrivals:
            try:
                ready.append((each, self._prepared(each.values)))
            except BadInput as error:
                self.done.problems.append(f"{each.place}: {error.message}")
        numbers = self.store.free_numbers([each.number for each, _ in ready])
        for number, (each, _) in zip(numbers, ready, strict=True):
            self.numbers[each.uid] = number
            self._uids[number] = each.uid
        rows = [
            (number, self._row(each, prepared), prepared.keys)
            for number, (each, prepared) in zip(numbers, ready, strict=True)
        ]
        self.store.put_whole(rows)
        self._unlinked += [
            (number, prepared)
            for number, (each, prepared) in zip(numbers, ready, strict=True)
            if self.known_before or each.uid not in self._told
        ]
        self._embed(numbers, [prepared for _, prepared in ready])
        for number, (each, prepared) in zip(numbers, ready, strict=True):
            if each.uid not in self._told:
                self._begin_history(number, each, prepared.row["session_id"])
        self.done.added += numbers

    def _prepared(self, values: Mapping[str, Any]) -> Prepared:
        draft = Draft(**{name: values[name] for name in _DRAFTED if name in values})
        return prepare(
            draft,
            project="",
            session=values["session_id"],
            allow=self._allow,
            now=values["updated_at"],
        )

    def _row(self, each: Arrival, prepared: Prepared) -> dict[str, Any]:
        successor = each.values["superseded_by"]
        number = self._living(successor)
        if successor is not None and successor not in self.numbers.keys() | self._absent:
            self.done.problems.append(f"{each.place}: its successor {successor} is nowhere")
        return {
            **prepared.row,
            **{name: each.values[name] for name in EARNED},
            "uid": each.uid,
            "deleted_at": each.values["deleted_at"],
            "updated_at": each.values["updated_at"],
            "superseded_by": number,
        }

    def _embed(self, numbers: Sequence[int], prepared: Sequence[Prepared]) -> None:
        from recairn.core.model import Vectors

        for start in range(0, len(numbers), _BATCH):
            part = prepared[start : start + _BATCH]
            made = self._meaning.pieces_at_once([each.text for each in part])
            self._meaning.put(
                [
                    Vectors(number, each.row["reach"], each.row["content_hash"], pieces)
                    for number, each, pieces in zip(numbers[start:], part, made, strict=False)
                    if pieces
                ],
                now=self.act.at,
            )

    def _begin_history(self, number: int, each: Arrival, session: str | None) -> None:
        """A memory whose history does not come along begins with its creation."""
        created = each.values["created_at"]
        self.store.note(Event(0, number, created, "created", "", {}, {}, session, None))
        changed = each.values["changed_at"] != each.values["updated_at"]
        if each.past or changed or self._is_absent(each.values["superseded_by"]):
            self._remark(number, each, each.past)

    # Known ones

    def _meet(self, each: Arrival, memory: Memory) -> None:
        ours = self._said(memory)
        # A project is called differently elsewhere, and a memory stays where it is.
        each = replace(each, values={**each.values, "project": memory.project})
        theirs = {name: each.values[name] for name in SAID if name in each.values}
        if theirs == ours:
            self._same(memory, ours, each)
            return
        try:
            theirs = self._clean(each)
        except BadInput as error:
            self.done.problems.append(f"{each.place}: {error.message}")
            return
        if ours == theirs:
            self._same(memory, ours, each)
            return
        ours_is, theirs_is = version_of(ours), version_of(theirs)
        each = self._as_edited(each, theirs_is)
        events = self.store.history(memory.id)
        past = past_versions(ours, events, self._uids.get)
        changed = changed_at(memory, events)
        # A version that comes back (by undo) is known to both; then the times tell who went on.
        if each.values["changed_at"] <= changed and (
            theirs_is in past or theirs_is in seen_elsewhere(events)
        ):
            self.done.unchanged += 1
            return
        if ours_is in each.past and each.values["changed_at"] >= changed:
            self._rewrite(memory, theirs, each, each.values["changed_at"])
            self.done.updated.append(memory.id)
            return
        newer = (changed, ours_is) > (each.values["changed_at"], theirs_is)
        base = common_version(past, each.past)
        joined = join(base, ours, theirs, ours_is_newer=newer)
        last = max(changed, each.values["changed_at"])
        self._rewrite(memory, joined.said, each, last, (theirs_is,))
        self.done.joined.append(memory.id)
        if joined.gave_way is not None:
            older, when = (theirs_is, each.values["changed_at"]) if newer else (ours_is, changed)
            self._keep_beside(memory, joined.gave_way, clash_uid(memory.uid, older), when)

    def _same(self, memory: Memory, said: Said, each: Arrival) -> None:
        """Both say the same; what others went through to say it is noted."""
        self.done.unchanged += 1
        successor = self._living(said["superseded_by"])
        if memory.superseded_by is None and successor is not None:
            event = lifecycle.event_of(SYNCED, memory.id, self.act, "its successor arrived")
            self.store.change(memory.id, {"superseded_by": successor}, event)
        if not each.past and memory.updated_at >= max(
            each.values["updated_at"], each.values["changed_at"]
        ):
            return
        events = self.store.history(memory.id)
        known = {*past_versions(said, events, self._uids.get), *seen_elsewhere(events)}
        unseen = each.past - known
        later = {"updated_at": max(memory.updated_at, each.values["updated_at"])}
        if later["updated_at"] != memory.updated_at:
            remark = {"past": sorted(unseen), "changed_at": each.values["changed_at"]}
            event = lifecycle.event_of(SYNCED, memory.id, self.act, "")
            self.store.change(memory.id, later, replace(event, after=remark))
        elif unseen or each.values["changed_at"] > changed_at(memory, events):
            self._remark(memory.id, each, unseen)

    def _remark(self, memory: int, each: Arrival, past: Collection[str]) -> None:
        """Notes what others went through before they said what is said here."""
        remark = {"past": sorted(past), "changed_at": each.values["changed_at"]}
        if self._is_absent(each.values["superseded_by"]):
            remark[ABSENT] = each.values["superseded_by"]
        self.store.note(Event(0, memory, self.act.at, SYNCED, "", {}, remark, None, None))

    def forgotten(self, uid: str, at: int, changed: int, past: Collection[str]) -> None:
        """Forgets a memory that was forgotten elsewhere, unless somebody here went on with it.

        `changed` is when that was said, as `versions.changed_at` counts.
        """
        number = self.numbers.get(uid)
        memory = None if number is None else self.store.get(number)
        if memory is None:
            return
        said = self._said(memory)
        events = self.store.history(memory.id)
        last = changed_at(memory, events)
        before = past_versions(said, events, self._uids.get)
        unseen = sorted({*past} - {version_of(said), *before} - seen_elsewhere(events))
        if memory.deleted_at is not None:
            follows = (last, memory.deleted_at) < (changed, at)
        elif not past:
            follows = last <= changed
        else:
            base = common_version({version_of(said): said, **before}, past)
            kept = base is None or not same_text(base, said)
            follows = not kept and restored_at(memory, events) <= changed
        event = lifecycle.event_of(SYNCED, memory.id, self.act, "forgotten elsewhere")
        event = replace(event, after={"past": unseen, "changed_at": max(last, changed)})
        if follows:
            if not past:
                event = replace(event, after={**event.after, DESTROYED: True})
            self.store.change(memory.id, {"deleted_at": at}, event)
            self.done.updated.append(memory.id)
        elif unseen and memory.deleted_at is not None:
            self.store.note(replace(event, reason=""))

    def _as_edited(self, each: Arrival, version: str) -> Arrival:
        """The arrival; when its line was edited by hand, as a change made now."""
        written = each.values.get("version")
        if not isinstance(written, str) or written == version:
            return each
        now = max(self.act.at, each.values["changed_at"] + 1)
        values = {**each.values, "changed_at": now, "updated_at": now}
        return replace(each, values=values, past=each.past | {written})

    def _living(self, uid: str | None) -> int | None:
        """The number of a memory that was not destroyed."""
        number = None if uid is None else self.numbers.get(uid)
        return None if number in self.destroyed else number

    def _is_absent(self, uid: str | None) -> bool:
        return uid is not None and self._living(uid) is None

    def _said(self, memory: Memory) -> dict[str, Any]:
        # Only what has ended may have a successor.
        events = () if memory.valid_until is None else self.store.history(memory.id)
        return said_of(memory, successor_of(memory, events, self._uids.get))

    def _clean(self, each: Arrival) -> dict[str, Any]:
        """What a record says, as the write door would store it."""
        row = self._prepared(each.values).row
        flags = {name: bool(row[name]) for name in ("pinned", "immutable")}
        kept = {name: each.values[name] for name in ("deleted_at", "superseded_by")}
        return {**{name: row[name] for name in SAID}, **flags, **kept}

    def _rewrite(
        self, memory: Memory, said: Said, each: Arrival, changed: int, seen: Sequence[str] = ()
    ) -> None:
        """Brings a memory to another version, as one event, with every index that follows."""
        successor = said["superseded_by"]
        changes = {
            **{name: said[name] for name in SAID},
            "superseded_by": self._living(successor),
            "updated_at": max(memory.updated_at, each.values["updated_at"]),
        }
        remark = {"past": sorted({*each.past, *seen}), "changed_at": changed}
        was_absent = memory.superseded_by is None and self._said(memory)["superseded_by"]
        if was_absent or self._is_absent(successor):
            remark[ABSENT] = successor if self._is_absent(successor) else None
        event = lifecycle.event_of(SYNCED, memory.id, self.act, f"from {each.place}")
        self.store.change(memory.id, changes, replace(event, after=remark))
        after = known_memory(self.store, memory.id)
        relink(self.store, after, self.act.at)
        self._meaning.renew(after, now=self.act.at)

    def _keep_beside(self, memory: Memory, text: Said, uid: str, when: int) -> None:
        """Stores the text that gave way as a memory of its own, linked to the one that stayed."""
        if uid not in self.numbers:
            values = {
                **text,
                **dict.fromkeys(("superseded_by", "external_id", "deleted_at", "valid_until")),
                **NOTHING_EARNED,
                "uid": uid,
                "updated_at": when,
                "changed_at": when,
                "decayed_at": when,
            }
            self._add([Arrival(memory.uid, uid, None, values, frozenset())])
            self.done.clashes.append(self.numbers[uid])
        edge = Edge(self.numbers[uid], memory.id, CLASH, 1.0, 1.0, CLASHED, when, when, None)
        self.store.put_edges([edge], replace=False)

    def link_names(self) -> None:
        """Links new memories to the entities they name.

        Not those of a whole database that come into an empty one: their links come along.
        """
        waiting, self._unlinked = self._unlinked, []
        link_mentions(self.store, [n for n, _ in waiting], [each for _, each in waiting])
