"""From the database into the folder: what changed since it was last written."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.fields import SAID, STANDING
from recairn.core.model import Filter
from recairn.core.record import replace
from recairn.core.stamps import ALL, SEEN, SHARED, latest
from recairn.core.times import iso
from recairn.host.files import write_lines
from recairn.memory.versions import successor_of, version_of
from recairn.store.tables import BEGINNING
from recairn.sync.arrival import arrival_of, stub_of
from recairn.sync.entry import Entry
from recairn.sync.export import known_state
from recairn.sync.markdown import markdown_entry
from recairn.sync.merge_rule import gone, is_gone, join, loser, same, travelling
from recairn.sync.mirror.folder import (
    FORGOTTEN,
    MIRROR_KINDS,
    READABLE,
    Lock,
    check_there,
    is_shared,
    make,
    position_of,
    remember_position,
    shared_memories,
    waiting_uids,
)
from recairn.sync.mirror.jsonl import lines_about, rewrite, uid_key, value_of
from recairn.sync.mirror.link_lines import LinkLines
from recairn.sync.record_format import record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.core.stamps import Stamp
    from recairn.store.contract.base import Store
    from recairn.sync.merge_rule import State
    from recairn.sync.mirror.folder import Folder


def write(
    store: Store, folder: Folder, *, everything: bool = False, inbox: Collection[str] = ()
) -> int:
    """Brings the folder up to date: all of it, or what changed since; how many files changed.

    `inbox` are lines of it that the database has just taken in: they may give way.
    """
    check_there(folder)
    make(folder)
    with Lock(folder):
        with store.snapshot():
            seen = BEGINNING if everything else position_of(folder, store.address)
            changes = store.changed_after(seen)
            if changes.position == seen:
                return 0
            lines = FolderLines(store, folder, changes.memories, inbox, everything=everything)
        count = lines.write_lines() + lines.write_readable()
        remember_position(folder, store.address, changes.position)
        return count


class FolderLines:
    """The lines that a folder should hold for some memories, read in one snapshot."""

    def __init__(
        self,
        store: Store,
        folder: Folder,
        numbers: Sequence[int],
        inbox: Collection[str],
        *,
        everything: bool,
    ) -> None:
        self._folder = folder
        self._inbox = inbox
        uids = store.uids_of(numbers)
        self._memories = shared_memories(store, numbers, folder.project)
        edges = store.edges_touching(sorted(self._memories))
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        ends |= {memory.superseded_by or 0 for memory in self._memories.values()}
        names = {**uids, **store.uids_of(ends - uids.keys() - {0})}
        # The memories whose lines may change.
        self._changing = set(uids.values())
        self._lines: dict[str, dict[str, str]] = {name: {} for name in (*MIRROR_KINDS, FORGOTTEN)}
        # What is known of each, and since when those that are no more are destroyed.
        self._states: dict[str, State] = {}
        stamps = store.stamps_of(list(self._memories))
        for memory in self._memories.values():
            self._add(memory, known_state(store, memory, stamps[memory.id], names))
        absent = [uid for number, uid in uids.items() if number not in self._memories]
        for row in store.erased(absent):
            self._states[row.uid] = gone(row.stamp)
        if everything:
            # What moved to another project or tier left the folder then; others may still hold it.
            self._changing = {*self._states}
        # What others wrote and what waits here for the person's word: their lines are left alone.
        self._changing -= waiting_uids(store, numbers, folder)
        self._links = LinkLines(store, folder, self._memories, edges, names)
        self._readable = {
            name: _readable(store, folder.project, kind)
            for kind, name in READABLE.items()
            if self._concerns(kind)
        }

    def _concerns(self, kind: str) -> bool:
        """Whether the readable file of a kind may differ now."""
        if any(memory.kind == kind for memory in self._memories.values()):
            return True
        path = os.path.join(self._folder.path, READABLE[kind])
        return any(f"`{uid}`" in (_content(path) or "") for uid in self._changing)

    def _add(self, memory: Memory, state: State) -> None:
        self._states[memory.uid] = state
        stamps = travelling(state.stamps, SHARED)
        if is_gone(state):
            stub: dict[str, Any] = {
                "uid": memory.uid,
                "deleted_at": iso(state.values["deleted_at"]),
            }
            if state.values["expires_at"] is not None:
                stub["expires_at"] = iso(state.values["expires_at"])
            told = {name: stamps[name] for name in ("life", SEEN, ALL) if name in stamps}
            told = told or {"life": [memory.created_at, ""]}
            self._lines[FORGOTTEN][memory.uid] = _line({**stub, "stamps": told})
            return
        # What each reader decides for themselves is not part of it, nor when it was decided.
        changed = latest(stamps, memory.created_at, SHARED)
        line = record_of(memory.uid, state.values, changed)
        for name in ("project", *STANDING):
            line.pop(name, None)
        line["version"] = version_of(state.values)
        if stamps:
            line["stamps"] = stamps
        self._lines[memory.kind][memory.uid] = _line({**line, **state.kept})

    def write_lines(self) -> int:
        """Writes every file that differs; how many did."""
        old_lines = self._old_lines()
        ahead = {
            uid
            for uid, lines in old_lines.items()
            if any(self._is_ahead(uid, line) for line in lines)
        }
        changing = self._changing - ahead
        for uid in changing & self._states.keys():
            state = self._states[uid]
            if state.erased is not None and uid in old_lines:
                # Of several that say so one is enough, and the same one everywhere.
                stamps = [self._erased_in(uid, line) for line in old_lines[uid]]
                latest_one = max([state.erased, *(stamp for stamp in stamps if stamp)])
                self._lines[FORGOTTEN][uid] = _line({"uid": uid, "erased": list(latest_one)})
        count = 0
        for name, lines in self._lines.items():
            changes: dict[str, str | None] = dict.fromkeys(sorted(changing))
            changes.update({uid: line for uid, line in lines.items() if uid in changing})
            if not changing.isdisjoint(lines) or name in self._holding:
                count += rewrite(self._folder.file(name), changes, uid_key, self._outdated)
        return count + self._links.write(changing, self._inbox)

    def _old_lines(self) -> dict[str, list[str]]:
        """The lines that the folder holds of the memories something happened to."""
        lines: dict[str, list[str]] = {}
        # The files that have such lines, or lines of which nobody knows what they are about.
        self._holding: set[str] = set()
        for name in self._lines:
            for line in lines_about(self._folder.file(name), self._changing):
                uid = uid_key(line)
                if uid in self._changing:
                    lines.setdefault(uid, []).append(line)
                    self._holding.add(name)
        return lines

    def _is_ahead(self, uid: str, line: str) -> bool:
        """Whether others went on from what is known here: then their line is left as it is."""
        ours, theirs = self._states.get(uid), self._state(line)
        if ours is None or theirs is None or ours.erased:
            return False
        if theirs.erased:
            return True
        if self._is_by_hand(line) or loser(ours, theirs):
            return False
        groups = SHARED if theirs.has_text else ("life",)
        joined = join(ours, theirs, groups)
        return not same(joined, ours, groups) and (
            not theirs.has_text or same(joined, theirs, groups)
        )

    def _outdated(self, uid: str, line: str) -> bool:
        """Whether the database knows what a line says, so that it may give way."""
        if line in self._inbox:
            return True
        value = value_of(line)
        if not isinstance(value, dict):
            return False
        ours, theirs = self._states.get(uid), self._state(line)
        if ours is None or ours.erased:
            return ours is not None or theirs is None or not theirs.has_text
        if theirs is None or theirs.erased or self._is_by_hand(line):
            return False
        groups = SHARED if theirs.has_text else ("life",)
        return same(join(ours, theirs, groups), ours, groups) and loser(ours, theirs) is not theirs

    def _state(self, line: str) -> State | None:
        """What a line says of a memory; None for one that is wrong."""
        value = value_of(line)
        if not isinstance(value, dict):
            return None
        entry = Entry("", {"kind": "note", **value, "project": self._folder.project})
        try:
            return arrival_of(entry).state if "content" in value else stub_of(entry)[1]
        except BadInput:
            return None

    def _is_by_hand(self, line: str) -> bool:
        """Whether somebody edited a line: then it does not say what its version was made of."""
        value = value_of(line)
        if "content" not in value or "version" not in value:
            return False
        state = self._state(line)
        return (
            state is None or version_of({**dict.fromkeys(SAID), **state.values}) != value["version"]
        )

    def _erased_in(self, uid: str, line: str) -> Stamp | None:
        state = self._state(line)
        return None if state is None else state.erased

    def write_readable(self) -> int:
        """Writes decisions and patterns once more, for reading; how many files changed."""
        count = 0
        for name, text in self._readable.items():
            path = os.path.join(self._folder.path, name)
            if _content(path) != text:
                write_lines(path, [text], private=False)
                count += 1
        return count


def _readable(store: Store, project: str, kind: str) -> str:
    """All of a kind that was not forgotten, in the order of the lines."""
    everything = Filter(project=project, kinds=(kind,), tier="project", include_superseded=True)
    memories = store.listing(everything, order="oldest", limit=-1)
    shared = sorted(
        (memory for memory in memories if is_shared(memory, project)),
        key=lambda memory: memory.uid,
    )
    entries = [markdown_entry(_with_successor(store, memory), "##") for memory in shared]
    return "\n".join([f"# {kind.capitalize()}s\n", *entries])


def _with_successor(store: Store, memory: Memory) -> Memory:
    """The memory; replaced also where what replaced it never came here."""
    if memory.superseded_by is not None or memory.valid_until is None:
        return memory
    absent = successor_of(memory, store.history(memory.id), lambda _: None)
    return memory if absent is None else replace(memory, superseded_by=memory.id)


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _line(record: Mapping[str, Any]) -> str:
    from json import dumps

    return dumps(record, ensure_ascii=False)
