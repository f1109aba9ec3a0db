"""From the database into the folder: what changed since it was last written."""

from __future__ import annotations

import os

from recairn.errors import BadInput
from recairn.export import said_in, versions_before
from recairn.files import write_lines
from recairn.mirror.folder import (
    FORGOTTEN,
    KINDS_KEPT,
    READABLE,
    Locked,
    check_there,
    is_shared,
    made,
    position_of,
    remember_position,
    shared_memories,
)
from recairn.mirror.lines import parsed, rewrite, uid_key
from recairn.mirror.linking import LinkLines
from recairn.model import Filter
from recairn.portable import SAID, record_of, values_of
from recairn.readable import markdown_entry
from recairn.times import iso
from recairn.versions import changed_at, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.mirror.folder import Folder
    from recairn.model import Memory
    from recairn.store.base import Store


def write(
    store: Store, folder: Folder, *, everything: bool = False, taken: Collection[str] = ()
) -> int:
    """Brings the folder up to date: all of it, or what changed since; how many files changed.

    `taken` are lines of it that were just taken in, and may give way.
    """
    check_there(folder)
    made(folder)
    with Locked(folder):
        with store.snapshot():
            since = 0 if everything else position_of(folder, store.path)
            last, changed = store.changed_after(since)
            if since == last:
                return 0
            changes = Changes(store, folder, changed, taken)
        count = changes.write_lines() + changes.write_readable()
        remember_position(folder, store.path, last)
        return count


class Changes:
    """The lines that a folder should hold for some memories, read in one snapshot."""

    def __init__(
        self, store: Store, folder: Folder, numbers: Sequence[int], taken: Collection[str]
    ) -> None:
        self._folder = folder
        self._taken = taken
        self._uids = store.uids()
        self._touched = {self._uids[each] for each in numbers if each in self._uids}
        self._memories = shared_memories(store, numbers, folder.project)
        self._lines: dict[str, dict[str, str]] = {name: {} for name in (*KINDS_KEPT, FORGOTTEN)}
        self._versions: dict[str, set[str]] = {}
        for memory in self._memories.values():
            self._add(store, memory)
        here = {each.uid for each in self._memories.values()}
        for uid in self._touched - here:
            self._add_erased(store, uid)
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
        return any(f"`{uid}`" in (_content(path) or "") for uid in self._touched)

    def _add(self, store: Store, memory: Memory) -> None:
        events = store.history(memory.id)
        said = said_in(memory, self._uids)
        past = versions_before(store, memory, self._uids)
        version = version_of(said)
        self._versions[memory.uid] = {version, *past}
        if memory.deleted_at is not None:
            stub = {"uid": memory.uid, "deleted_at": iso(memory.deleted_at), "past": past}
            self._lines[FORGOTTEN][memory.uid] = _line(stub)
            return
        line = record_of(memory.uid, said, memory.updated_at)
        changed = changed_at(memory, events)
        if changed != memory.updated_at:
            line["changed_at"] = iso(changed)
        del line["project"]
        line["version"] = version
        if past:
            line["past"] = past
        self._lines[memory.kind][memory.uid] = _line(line)

    def _add_erased(self, store: Store, uid: str) -> None:
        """What was destroyed for good is named as forgotten, if it ever stood here."""
        number = next(number for number, each in self._uids.items() if each == uid)
        if store.get(number) is not None:
            return  # it moved to another project or tier
        erased = [event for event in store.history(number) if event.event == "erased"]
        if erased:
            stub = {"uid": uid, "deleted_at": iso(erased[-1].at)}
            self._lines[FORGOTTEN][uid] = _line(stub)

    def write_lines(self) -> int:
        """Writes every file that differs; how many did."""
        count = 0
        for name, lines in self._lines.items():
            changes: dict[str, str | None] = dict.fromkeys(sorted(self._touched))
            changes.update(lines)
            path = self._folder.file(name)
            if lines or os.path.lexists(path):
                count += rewrite(path, changes, uid_key, self._outdated)
        return count + self._links.write(self._touched, self._taken)

    def _outdated(self, uid: str, line: str) -> bool:
        """Whether the database knows what a line says, so that it may give way."""
        if line in self._taken:
            return True
        value = parsed(line)
        if not isinstance(value, dict):
            return False
        known = self._versions.get(uid)
        if known is None or "content" not in value:
            return True
        try:
            values = values_of({**value, "project": self._folder.project})
        except BadInput:
            return False
        return version_of({name: values.get(name) for name in SAID}) in known

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
    """All of a kind that was not forgotten, oldest first."""
    everything = Filter(project=project, kinds=(kind,), tier="project", include_superseded=True)
    listed = store.listing(everything, order="oldest", limit=-1)
    entries = [markdown_entry(each, "##") for each in listed if is_shared(each, project)]
    return "\n".join([f"# {kind.capitalize()}s\n", *entries])


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _line(record: Mapping[str, Any]) -> str:
    from json import dumps

    return dumps(record, ensure_ascii=False)
