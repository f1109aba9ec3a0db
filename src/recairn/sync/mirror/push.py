"""From the database into the folder: what changed since it was last written."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.fields import SAID, STANDING
from recairn.core.model import Filter
from recairn.core.record import replace
from recairn.core.times import iso
from recairn.host.files import write_lines
from recairn.memory.versions import changed_at, is_destroyed, successor_of, version_of
from recairn.store.tables import BEGINNING
from recairn.sync.export import said_in, versions_before
from recairn.sync.markdown import markdown_entry
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
from recairn.sync.mirror.jsonl import lines_of, rewrite, uid_key, value_of
from recairn.sync.mirror.link_lines import LinkLines
from recairn.sync.record_format import record_of, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store
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
        self._uids = store.uids()
        # The memories whose lines may change.
        self._changing = {self._uids[number] for number in numbers if number in self._uids}
        self._memories = shared_memories(store, numbers, folder.project)
        self._lines: dict[str, dict[str, str]] = {name: {} for name in (*MIRROR_KINDS, FORGOTTEN)}
        # What each says now, and everything it ever said.
        self._version: dict[str, str] = {}
        self._versions: dict[str, set[str]] = {}
        for memory in self._memories.values():
            self._add(store, memory)
        # When each of those that are no more was destroyed, and what says so.
        self._erased: dict[str, int] = {}
        self._stubs: dict[str, str] = {}
        for number in numbers:
            if number not in self._memories:
                self._add_erased(store, number)
        if everything:
            # What moved to another project or tier left the folder then; others may still hold it.
            self._changing = {*self._versions, *self._erased}
        # What others wrote and what waits here for the person's word: their lines are left alone.
        self._changing -= waiting_uids(store, numbers, folder)
        self._links = LinkLines(store, folder, self._memories, self._uids)
        self._readable = {
            name: _readable(store, folder.project, kind)
            for kind, name in READABLE.items()
            if self._concerns(store, kind)
        }

    def _concerns(self, store: Store, kind: str) -> bool:
        """Whether the readable file of a kind may differ now."""
        if any(memory.kind == kind for memory in self._memories.values()):
            return True
        path = os.path.join(self._folder.path, READABLE[kind])
        return any(f"`{uid}`" in (_content(path) or "") for uid in self._changing)

    def _add(self, store: Store, memory: Memory) -> None:
        events = store.history(memory.id)
        said = said_in(memory, events, self._uids)
        past = versions_before(memory, events, self._uids)
        version = version_of(said)
        changed = changed_at(memory, events)
        self._version[memory.uid] = version
        self._versions[memory.uid] = {version, *past}
        if memory.deleted_at is not None:
            # Who destroyed it knows no versions any more; all say the same of it.
            versions = [] if is_destroyed(events) else sorted({version, *past})
            self._lines[FORGOTTEN][memory.uid] = _stub(
                memory.uid, memory.deleted_at, changed, versions
            )
            return
        # What each reader decides for themselves is not part of it, nor when it was decided.
        line = record_of(memory.uid, said, changed)
        for name in ("project", *STANDING):
            line.pop(name, None)
        line["version"] = version
        if past:
            line["past"] = past
        self._lines[memory.kind][memory.uid] = _line(line)

    def _add_erased(self, store: Store, number: int) -> None:
        uid = self._uids.get(number)
        erased = [event for event in store.history(number) if event.event == "erased"]
        if uid is not None and erased and store.get(number) is None:
            self._erased[uid] = erased[-1].after.get("changed_at", erased[-1].at)
            self._stubs[uid] = _stub(uid, erased[-1].at, self._erased[uid], ())

    def write_lines(self) -> int:
        """Writes every file that differs; how many did."""
        old_lines = self._old_lines()
        ahead = {
            uid
            for uid, lines in old_lines.items()
            if any(self._is_ahead(uid, line) for line in lines)
        }
        changing = self._changing - ahead
        for uid in self._stubs.keys() & old_lines.keys() - ahead:
            # Of several that say so one is enough, and the same one everywhere.
            stubs = [line for line in old_lines[uid] if "content" not in (value_of(line) or ())]
            self._lines[FORGOTTEN][uid] = max(stubs, default=self._stubs[uid])
        count = 0
        for name, lines in self._lines.items():
            changes: dict[str, str | None] = dict.fromkeys(sorted(changing))
            changes.update({uid: line for uid, line in lines.items() if uid in changing})
            path = self._folder.file(name)
            if lines or os.path.lexists(path):
                count += rewrite(path, changes, uid_key, self._outdated)
        return count + self._links.write(changing, self._inbox)

    def _old_lines(self) -> dict[str, list[str]]:
        """The lines that the folder holds of the memories something happened to."""
        lines: dict[str, list[str]] = {}
        for name in self._lines:
            for line in lines_of(self._folder.file(name)):
                uid = uid_key(line)
                if uid in self._changing:
                    lines.setdefault(uid, []).append(line)
        return lines

    def _is_ahead(self, uid: str, line: str) -> bool:
        """Whether others went on from what is known here: then their line is left as it is."""
        values = self._values(line)
        if values is None:
            return False
        if uid in self._erased:
            return bool(values["changed_at"] > self._erased[uid])
        follows = self._version.get(uid) in values.get("past", ())
        return follows and not self._outdated(uid, line)

    def _outdated(self, uid: str, line: str) -> bool:
        """Whether the database knows what a line says, so that it may give way."""
        if line in self._inbox:
            return True
        value = value_of(line)
        if not isinstance(value, dict):
            return False
        versions = self._versions.get(uid)
        if versions is None or "content" not in value:
            return True
        values = self._values(line)
        if values is None:
            return False
        return version_of({name: values.get(name) for name in SAID}) in versions

    def _values(self, line: str) -> dict[str, Any] | None:
        """The columns that the line of a memory spells; None for one that is wrong, and a stub."""
        value = value_of(line)
        if not isinstance(value, dict) or not isinstance(value.get("past", []), list):
            return None
        try:
            return values_of({**value, "project": self._folder.project})
        except BadInput:
            return None

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


def _stub(uid: str, at: int, changed: int, past: Sequence[str]) -> str:
    """What is left in the folder of a memory that was forgotten."""
    stub: dict[str, Any] = {"uid": uid, "deleted_at": iso(at)}
    if changed != at:
        stub["changed_at"] = iso(changed)
    return _line({**stub, "past": list(past)} if past else stub)


def _line(record: Mapping[str, Any]) -> str:
    from json import dumps

    return dumps(record, ensure_ascii=False)
