"""The lines of links: one for each between two living memories of the folder, ended ones too."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.times import iso
from recairn.memory.link_state import follows_from_text
from recairn.memory.links import REPLACING
from recairn.sync.mirror.folder import FORGOTTEN, LINKS, shared_memories
from recairn.sync.mirror.jsonl import (
    lines_about,
    lines_of,
    link_ends,
    link_key,
    rewrite,
    uid_key,
    value_of,
)
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge, Memory
    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder


class LinkLines:
    """The links of memories that something happened to, read in the caller's snapshot."""

    def __init__(
        self,
        store: Store,
        folder: Folder,
        memories: Mapping[int, Memory],
        edges: Sequence[Edge],
        uids: Mapping[int, str],
    ) -> None:
        self._folder = folder
        self._lines: dict[str, str | None] = {}
        self._said_at: dict[str, int] = {}
        self._living = {memory.uid for memory in memories.values() if memory.deleted_at is None}
        ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
        shared = shared_memories(store, ends, folder.project)
        living = {number for number, memory in shared.items() if memory.deleted_at is None}
        for edge in edges:
            if edge.source in living and edge.target in living and not follows_from_text(edge):
                line = _line(edge, uids)
                self._lines[link_key(line)] = line
                self._said_at[link_key(line)] = edge.said_at
        self._strangers = self._unknown(store)

    def _unknown(self, store: Store) -> set[str]:
        """The forgotten memories of the folder that never were here."""
        stubs = {uid_key(line) for line in lines_of(self._folder.file(FORGOTTEN))}
        known = {row.uid for row in store.erased(stubs)} | store.numbers_of(stubs).keys()
        return stubs - known

    def write(self, uids: Collection[str], inbox: Collection[str]) -> bool:
        """Writes the links of some memories into their file; whether that made a difference.

        What leads to a memory that was forgotten leaves the file with it, and comes back with it.
        """
        path = self._folder.file(LINKS)
        if not self._lines and not os.path.lexists(path):
            return False
        gone = {*uids, *self._strangers} - self._living
        changes = dict(self._lines)
        for line in lines_about(path, gone):
            if not gone.isdisjoint(link_ends(line)):
                changes[link_key(line)] = None
        if not changes:
            return False

        def outdated(key: str, line: str) -> bool:
            return line in inbox or changes[key] is None or self._is_older(key, line)

        return rewrite(path, changes, link_key, outdated)

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
    keys = {link_key(line) for line in lines_of(folder.file(LINKS))}
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
