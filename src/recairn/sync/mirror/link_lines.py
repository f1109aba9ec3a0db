"""The lines of links: one for each between two living memories of the folder, ended ones too."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.times import iso
from recairn.memory.link_state import follows_from_text
from recairn.memory.links import REPLACING
from recairn.sync.mirror.folder import FORGOTTEN, LINKS, shared_memories
from recairn.sync.mirror.jsonl import lines_of, link_ends, link_key, uid_key, value_of
from recairn.sync.mirror.stretches import Stretches
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge, Memory
    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.mirror.line_files import LineFiles
    from recairn.sync.mirror.pull import Contents


class LinkLines:
    """The links of memories that something happened to, read in the caller's snapshot."""

    def __init__(
        self,
        store: Store,
        files: LineFiles,
        folder: Folder,
        memories: Mapping[int, Memory],
        edges: Sequence[Edge],
    ) -> None:
        self._store = store
        self._files = files
        self._folder = folder
        self._edges = edges
        self._lines: dict[str, str] = {}
        self._ended: set[str] = set()
        self._said_at: dict[str, int] = {}
        self._here = {memory.uid for memory in memories.values()}
        self._living = {memory.uid for memory in memories.values() if memory.deleted_at is None}
        # The forgotten memories of the folder that never were here.
        self._strangers: set[str] = set()

    def read(self, uids: Mapping[int, str], contents: Contents | None) -> None:
        """Reads the lines there should be, and those that a forgotten memory takes along."""
        ends = sorted({end for edge in self._edges for end in (edge.source, edge.target)})
        shared = shared_memories(self._store, ends, self._folder.project)
        living = {number for number, memory in shared.items() if memory.deleted_at is None}
        for edge in self._edges:
            if follows_from_text(edge):
                continue
            line = _line(edge, uids)
            key = link_key(line)
            self._said_at[key] = edge.said_at
            if edge.source in living and edge.target in living:
                self._lines[key] = line
            else:
                self._ended.add(key)
        if contents is not None:
            self._strangers = self._unknown(contents)

    def _unknown(self, contents: Contents) -> set[str]:
        """The forgotten memories that what was read tells of, and that never were here."""
        stubs, named = contents.stubs(), contents.link_ends()
        erased = {row.uid for row in self._store.erased(sorted(stubs | named))}
        erased |= self._store.numbers_of(sorted(stubs | named)).keys()
        absent = named - erased - stubs
        for file, uids in self._files.places(FORGOTTEN, absent).items():
            stubs |= absent & {uid_key(line) for line in self._files.about(file, uids)}
        return stubs - erased

    def write(self, uids: Collection[str], inbox: Collection[str]) -> int:
        """Writes the links of some memories into their files; how many of those changed.

        What leads to a memory that was forgotten leaves the file with it, and comes back with it.
        """
        gone = {*uids, *self._strangers} - self._living
        changes: dict[str, str | None] = {**self._lines}
        changes |= {key: None for key in self._ended if not gone.isdisjoint(key.split(" ")[:2])}
        files = {*self._files.by_place(LINKS, [*changes, *gone])}
        files |= {file for file in self._files.all_of(LINKS) if self._files.was_read(file)}
        if gone - self._here or self._files.is_whole:
            # Of links to what is not here nobody can tell where they begin.
            files = {*self._files.all_of(LINKS)}
        count = 0
        for file in sorted(files):
            count += self._write(file, changes, gone, inbox)
        return count

    def _write(
        self,
        file: str,
        lines: Mapping[str, str | None],
        gone: set[str],
        inbox: Collection[str],
    ) -> int:
        changes = {key: line for key, line in lines.items() if self._files.belongs(file, key)}
        for line in self._files.about(file, gone):
            if not gone.isdisjoint(link_ends(line)):
                changes[link_key(line)] = None
        was_read = self._files.was_read(file)
        if was_read:
            # What git put here and belongs elsewhere.
            held = {link_key(line) for line in lines_of(self._folder.file(file))}
            strays = {key for key in held & lines.keys() if not self._files.belongs(file, key)}
            changes |= dict.fromkeys(strays)
        there = os.path.lexists(self._folder.file(file))
        if not was_read and not any(changes.values()) and not (there and changes):
            return 0

        def outdated(key: str, line: str) -> bool:
            return line in inbox or changes[key] is None or self._is_older(key, line)

        return self._files.rewrite(file, changes, link_key, outdated)

    def _is_older(self, key: str, line: str) -> bool:
        """Whether a line says what was said before ours; another one waits to be taken in."""
        value = value_of(line)
        try:
            times = [
                moment(name, value.get(name))
                for name in ("valid_from", "valid_until", "changed_at")
            ]
        except BadInput:
            return False
        return (times[2] or max(times[0] or 0, times[1] or 0)) < self._said_at[key]


def absent_links(store: Store, folder: Folder) -> list[Edge]:
    """The links in force between living memories of the project that no line holds.

    What replaces is no link of its own: the line of what was replaced says so.
    """
    uids = store.uids()
    keys = {
        link_key(line)
        for file in Stretches(folder, (LINKS,)).of(LINKS)
        for line in lines_of(folder.file(file))
    }
    shared = shared_memories(store, store.all_numbers(), folder.project)
    living = {number for number, memory in shared.items() if memory.deleted_at is None}
    return [
        edge
        for edge in store.edges_touching(sorted(living))
        if edge.valid_until is None and edge.source in living and edge.target in living
        if edge.relation != REPLACING and not follows_from_text(edge)
        if link_key(_line(edge, uids)) not in keys
    ]


def _line(edge: Edge, uids: Mapping[int, str]) -> str:
    from json import dumps

    record: dict[str, Any] = {
        "source": uids[edge.source],
        "target": uids[edge.target],
        "relation": edge.relation,
        "weight": edge.weight,
        "confidence": edge.confidence,
        "created_by": edge.created_by,
        "created_at": iso(edge.created_at),
        "valid_from": iso(edge.valid_from),
        "valid_until": iso(edge.valid_until),
    }
    if edge.changed_at is not None:
        record["changed_at"] = iso(edge.changed_at)
    return dumps(record, ensure_ascii=False)
