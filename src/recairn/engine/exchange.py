"""The engine's ways to other databases and files."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, NotFound
from recairn.core.record import record, replace
from recairn.engine.base import MIRRORS, Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge, Memory
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.receive import Receipt

_BATCH = 500
# What is counted on both sides after a move.
_COUNTED = (
    "memories",
    "forgotten",
    "superseded",
    "events",
    "edges",
    "sessions",
    "tasks",
    "documents",
)


@record
class MirrorState:
    """A mirror: where it is, whether it is there, memories not written yet, open clashes.

    `incoming` counts what a pull would bring by what would become of it, and `problems` says what
    it could not read. In a database that cannot be written nobody can tell what would come.
    """

    path: str
    project: str
    there: bool
    behind: int
    clashes: tuple[tuple[int, int], ...]
    incoming: Mapping[str, int]
    problems: tuple[str, ...] = ()


@record
class MirrorPull:
    """What reading a mirror brought, and how many of its files were written."""

    path: str
    project: str
    taken: Receipt
    files: int
    problems: tuple[str, ...]
    forgotten: tuple[int, ...] = ()
    unlinked: int = 0


@record
class Move:
    """What a move brought to the other store; `missing` are uids that are here and not there.

    `short` says by noun how many records fewer there are there.
    """

    to: str
    memories: int
    taken: Receipt
    missing: tuple[str, ...]
    short: Mapping[str, int]


class Transfer(Base):
    """Export and import of everything."""

    def export_records(self) -> Generator[dict[str, Any]]:
        """Everything the database holds as records that `take_records` understands.

        Until they are read to the end, or closed, nothing can be written through this object.
        """
        from recairn.sync.export import all_records

        self.settle()
        return all_records(self.store)

    def every_memory(self, kinds: Sequence[str] = ()) -> Iterator[Memory]:
        """All memories, or those of some kinds, superseded and forgotten ones too."""
        from recairn.core.kinds import kind_named

        wanted = {kind_named(kind) for kind in kinds}
        numbers = self.store.all_numbers()
        for start in range(0, len(numbers), _BATCH):
            memories = self.store.get_many(numbers[start : start + _BATCH]).values()
            yield from (memory for memory in memories if not wanted or memory.kind in wanted)

    def take_records(
        self,
        records: Iterable[tuple[str, Mapping[str, Any]]],
        *,
        dry_run: bool = False,
        as_mine: bool = False,
        author: str = "import",
        is_whole: bool = False,
    ) -> Receipt:
        """Takes in the records of an export, each with the place it came from.

        What is new is the word of `author`, and its rules wait, unless it is taken `as_mine`: then
        trust, pins, tiers and authors are those of the records. `dry_run` only says what would
        happen. `is_whole`: they are a part of a whole database, of which all parts come.
        """
        from recairn.sync.arrival import Sender
        from recairn.sync.receive import preview, receive

        self.settle()
        where = self.store, self.meaning, self._act(), self._allowed()
        sender = Sender(author, as_mine, self.project, is_whole)
        if dry_run:
            return preview(records, *where, sender)
        receipt = receive(records, *where, sender)
        self.meaning.later(receipt.added, now=self._clock())
        self.meaning.embed_late()
        return receipt

    def move_to(
        self,
        address: str,
        *,
        dry_run: bool = False,
        report: Callable[[int, int], None] | None = None,
        size: int = 2000,
    ) -> Move:
        """Brings everything to the store at another address, by uid, `size` memories at a time.

        Nothing is removed here. What is there already is left alone or joined, so a move may be
        repeated; where one broke off, each memory is there with its history or not at all.
        `report` is told (done, total).
        """
        from recairn.engine import open_memory

        total = len(self.store.all_numbers())
        with open_memory(address, project=self.project, clock=self._clock) as there:
            if there.store.address == self.store.address:
                raise BadInput(f"the memories are at {self.store.address} already", "name another")
            if dry_run:
                records = _counted(self.export_records(), total, report)
                taken = there.take_records(records, dry_run=True, as_mine=True)
                return Move(there.store.address, total, taken, (), {})
            taken = self._send(there, total, report, size)
            arrived = there.store.uids().values()
            missing = tuple({*self.store.uids().values()}.difference(arrived))
            return Move(there.store.address, total, taken, missing, self._shortfall(there))

    def _send(
        self,
        there: Transfer,
        total: int,
        report: Callable[[int, int], None] | None,
        size: int,
    ) -> Receipt:
        """Sends one parcel after the other, each of which is kept before the next one is read."""
        from recairn.sync.move import joined, parcels, renamed, renames

        self.settle()
        names = renames(self.store, there.store)
        receipts, done, sent = [], 0, 0
        moving = parcels(self.store, size)
        try:
            for parcel in moving:
                if not parcel.records:
                    continue
                placed = [
                    (f"record {number}", renamed(values, names))
                    for number, values in enumerate(parcel.records, start=sent + 1)
                ]
                receipts.append(there.take_records(placed, as_mine=True, is_whole=True))
                done, sent = done + parcel.memories, sent + len(placed)
                if report is not None:
                    report(done, total)
        finally:
            moving.close()
        return joined(receipts)

    def _shortfall(self, there: Transfer) -> dict[str, int]:
        """How many records of a noun are here and not there, counted when all were sent."""
        ours, theirs = (side.store.stats(self._clock()) for side in (self, there))
        short = {noun: ours[noun] - theirs[noun] for noun in _COUNTED}
        return {noun: count for noun, count in short.items() if count > 0}

    # Mirrors

    def mirrors(self) -> list[MirrorState]:
        """The folders that are kept in step, how far each is behind, and what a pull would bring.

        Their files are read, and nothing is taken in.
        """
        from recairn.sync.merge import CLASH_MAKER
        from recairn.sync.mirror.known_files import KnownFiles

        self.settle()
        clashes = [(edge.source, edge.target) for edge in self.store.edges_created_by(CLASH_MAKER)]
        states = []
        for folder in self._folders():
            there = os.path.isdir(folder.path)
            changes = self.store.changed_after(KnownFiles(folder, self.store).position)
            incoming, problems = self._incoming(folder) if there else ({}, ())
            states.append(
                MirrorState(
                    folder.path,
                    folder.project,
                    there,
                    behind=len(changes.memories),
                    clashes=tuple(clashes),
                    incoming=incoming,
                    problems=problems,
                )
            )
        return states

    def mirror_troubles(self) -> list[tuple[str, str]]:
        """What keeps mirrors from being written, each with the way out."""
        from recairn.sync.mirror.follow import troubles

        return troubles(self.store.config().get(MIRRORS))

    def _incoming(self, folder: Folder) -> tuple[dict[str, int], tuple[str, ...]]:
        """What a pull would bring, and what it could not read."""
        from recairn.sync.mirror.pull import look

        contents = look(folder, self.store)
        by_hand = set(contents.by_hand())
        receipt = None
        if not self.store.read_only:
            records = [entry for entry in contents.records if entry[0] not in by_hand]
            receipt = self.take_records(records, dry_run=True, author=folder.author)
        counts = {"added": len(by_hand)}
        faults = list(contents.faults)
        if receipt is not None:
            counts["added"] += len(receipt.added)
            counts["updated"] = len(receipt.updated)
            counts["joined"] = len(receipt.joined)
            counts["clashes"] = len(receipt.clashes)
            counts["links"] = receipt.belongings.get("edge", 0)
            faults += receipt.faults
        return counts, tuple(map(str, faults))

    def start_mirror(self, path: str | os.PathLike[str], *, as_mine: bool = False) -> MirrorPull:
        """Keeps a folder in step with this project from now on; what it holds is taken in first.

        What others wrote is theirs, and their rules wait, unless all is taken `as_mine`.
        """
        from recairn.sync.mirror.folder import Folder, make

        self._move_in()
        if not self.project:
            raise BadInput("a mirror belongs to a project", "run it in a checkout, or --project")
        folder = Folder(os.path.abspath(os.fspath(path)), self.project)
        make(folder)
        pull = self._pull(folder, as_mine=as_mine)
        self._set_folders([*self._folders(), folder])
        return pull

    def stop_mirror(self, path: str | os.PathLike[str]) -> None:
        """Leaves a folder as it is from now on."""
        folder = self._folder(os.fspath(path))
        self._set_folders([other for other in self._folders() if other.path != folder.path])

    def pull_mirror(
        self, path: str | os.PathLike[str] | None = None, *, as_mine: bool = False
    ) -> MirrorPull:
        """Takes in what others, or a person by hand, wrote into a mirror; then writes it anew.

        What others wrote is theirs, and their rules wait, unless all is taken `as_mine`.
        """
        self.settle()
        folder = self._folder(None if path is None else os.fspath(path))
        return self._pull(folder, as_mine=as_mine)

    def rebuild_from_mirror(
        self, path: str | os.PathLike[str] | None = None, *, as_mine: bool = False
    ) -> MirrorPull:
        """The same, with the files as the truth: what they do not hold is forgotten or unlinked.

        Use, outcomes and the access log stay; the indexes are made anew.
        """
        self.settle()
        folder = self._folder(None if path is None else os.fspath(path))
        return self._pull(folder, rebuild=True, as_mine=as_mine)

    def _pull(self, folder: Folder, *, rebuild: bool = False, as_mine: bool = False) -> MirrorPull:
        if as_mine:
            from recairn.memory.authority import guard_person

            guard_person(self._act(), "take a mirror as their own word", "mirror pull --as-mine")
        from recairn.sync.mirror.link_lines import absent_links
        from recairn.sync.mirror.pull import (
            absent_memories,
            adopt,
            as_written,
            look,
            of_other_projects,
            read,
        )
        from recairn.sync.mirror.push import write

        everything = rebuild or as_mine
        contents = read(folder) if everything else look(folder, self.store)
        if adopt(folder, contents, self._clock()):
            contents = read(folder) if everything else look(folder, self.store)
        # What the files do not hold now: what comes of taking them in is not meant.
        memories = absent_memories(self.store, folder) if rebuild else []
        edges = absent_links(self.store, folder) if rebuild else []
        receipt = self.take_records(contents.records, as_mine=as_mine, author=folder.author)
        others, elsewhere = of_other_projects(self.store, folder, contents)
        if rebuild:
            self._let_go(memories, edges, f"not in {folder.path}")
            self.store.rebuild_indexes()
        faulty = {fault.place for fault in receipt.faults}
        files = write(self.store, folder, contents=contents, faulty=faulty, unsettled=elsewhere)
        faults = as_written(folder, contents, [*contents.faults, *receipt.faults])
        return MirrorPull(
            folder.path,
            folder.project,
            taken=replace(receipt, unchanged=receipt.unchanged + contents.unchanged),
            files=files,
            problems=(*map(str, faults), *others),
            forgotten=tuple(memories),
            unlinked=len(edges),
        )

    def _let_go(self, memories: Sequence[int], edges: Sequence[Edge], reason: str) -> None:
        """Forgets memories and ends links, as far as they still hold."""
        from recairn.memory import lifecycle, links

        act = self._act(reason)
        with self.store.transaction():
            for edge in edges:
                in_force = self.store.edges_between(edge.source, edge.target)
                if any(other.relation == edge.relation for other in in_force):
                    links.unlink(self.store, edge.source, edge.target, edge.relation, act)
            for memory in memories:
                lifecycle.forget(self.store, memory, act)

    def _folders(self) -> list[Folder]:
        from recairn.sync.mirror.follow import folders_of

        return folders_of(self.store.config().get(MIRRORS))

    def _set_folders(self, folders: Sequence[Folder]) -> None:
        from json import dumps

        projects = {folder.path: folder.project for folder in folders}
        self.set_config(MIRRORS, dumps(projects) if projects else None)

    def _folder(self, path: str | None) -> Folder:
        """The mirror meant: the one named, or the only one of the project."""
        folders = self._folders()
        if path is not None:
            matches = [folder for folder in folders if folder.path == os.path.abspath(path)]
        else:
            matches = [folder for folder in folders if folder.project == self.project]
        if len(matches) == 1:
            return matches[0]
        if path is not None:
            what = f"{path} is no mirror"
        elif matches:
            what = f"{len(matches)} mirrors belong to {self.project}"
        else:
            what = f"{self.project or 'this folder'} has no mirror"
        paths = ", ".join(folder.path for folder in folders)
        way = f"name one of: {paths}" if paths else "recairn mirror on FOLDER starts one"
        raise NotFound(what, way)


def _counted(
    records: Generator[dict[str, Any]], total: int, report: Callable[[int, int], None] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records, each with its place; after every memory the report is told."""
    done = 0
    try:
        for number, values in enumerate(records, start=1):
            yield f"record {number}", values
            if values["type"] == "memory":
                done += 1
                if report is not None:
                    report(done, total)
    finally:
        records.close()
