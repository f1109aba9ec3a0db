"""The engine's ways to other databases and files."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, NotFound
from recairn.core.record import record
from recairn.engine.base import MIRRORS, Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge, Memory
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.receive import Taken

_BATCH = 500


@record
class MirrorState:
    """A mirror: where it is, whether it is there, memories not written yet, open clashes."""

    path: str
    project: str
    there: bool
    behind: int
    clashes: tuple[tuple[int, int], ...]


@record
class MirrorDone:
    """What reading a mirror brought, and how many of its files were written."""

    path: str
    project: str
    taken: Taken
    files: int
    problems: tuple[str, ...]
    forgotten: tuple[int, ...] = ()
    unlinked: int = 0


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
            found = self.store.get_many(numbers[start : start + _BATCH])
            yield from (each for each in found.values() if not wanted or each.kind in wanted)

    def take_records(
        self, told: Iterable[tuple[str, Mapping[str, Any]]], *, dry_run: bool = False
    ) -> Taken:
        """Takes in the records of an export, each with the place it came from.

        `dry_run` only says what would happen.
        """
        from recairn.sync.receive import take, would_take

        self.settle()
        if dry_run:
            return would_take(told, self.store, self.meaning, self._act(), self._allowed())
        taken = take(told, self.store, self.meaning, self._act(), self._allowed())
        self.meaning.later(taken.added, now=self._clock())
        self.meaning.embed_late()
        return taken

    # Mirrors

    def mirrors(self) -> list[MirrorState]:
        """The folders that are kept in step, and how far each is behind."""
        from recairn.sync.merge import CLASHED
        from recairn.sync.mirror.folder import position_of

        self.settle()
        listed = []
        for folder in self._folders():
            there = os.path.isdir(folder.path)
            behind = len(self.store.changed_after(position_of(folder, self.store.address))[1])
            clashes = [(edge.source, edge.target) for edge in self.store.edges_created_by(CLASHED)]
            listed.append(MirrorState(folder.path, folder.project, there, behind, tuple(clashes)))
        return listed

    def start_mirror(self, path: str | os.PathLike[str]) -> MirrorDone:
        """Keeps a folder in step with this project from now on; what it holds is taken in first."""
        from recairn.sync.mirror.folder import Folder, made

        if not self.project:
            raise BadInput("a mirror belongs to a project", "run it in a checkout, or --project")
        folder = Folder(os.path.abspath(os.fspath(path)), self.project)
        made(folder)
        done = self._pull(folder)
        kept = {each.path: each.project for each in self._folders()}
        self._keep_folders({**kept, folder.path: folder.project})
        return done

    def stop_mirror(self, path: str | os.PathLike[str]) -> None:
        """Leaves a folder as it is from now on."""
        folder = self._folder(os.fspath(path))
        kept = {each.path: each.project for each in self._folders() if each.path != folder.path}
        self._keep_folders(kept)

    def pull_mirror(self, path: str | os.PathLike[str] | None = None) -> MirrorDone:
        """Takes in what others, or a person by hand, wrote into a mirror; then writes it anew."""
        self.settle()
        return self._pull(self._folder(None if path is None else os.fspath(path)))

    def rebuild_from_mirror(self, path: str | os.PathLike[str] | None = None) -> MirrorDone:
        """The same, with the files as the truth: what they do not hold is forgotten or unlinked.

        Use, outcomes and the access log stay; the indexes are made anew.
        """
        self.settle()
        return self._pull(self._folder(None if path is None else os.fspath(path)), rebuild=True)

    def _pull(self, folder: Folder, *, rebuild: bool = False) -> MirrorDone:
        from recairn.sync.mirror.link_lines import absent_links
        from recairn.sync.mirror.pull import absent, adopt, of_other_projects, read

        adopt(folder, self._clock())
        found = read(folder)
        # What the files do not hold now: what comes of taking them in is not meant.
        gone = absent(self.store, folder) if rebuild else []
        ended = absent_links(self.store, folder) if rebuild else []
        taken = self.take_records(found.told)
        others = of_other_projects(self.store, folder, found)
        problems = (*found.problems, *taken.problems, *others)
        if rebuild:
            self._let_go(gone, ended, f"not in {folder.path}")
            self.store.rebuild_indexes()
        files = self._write(folder, found.taken(problems))
        return MirrorDone(
            folder.path, folder.project, taken, files, problems, tuple(gone), len(ended)
        )

    def _let_go(self, memories: Sequence[int], edges: Sequence[Edge], reason: str) -> None:
        """Forgets memories and ends links, as far as they still hold."""
        from recairn.memory import lifecycle, links

        act = self._act(reason)
        with self.store.transaction():
            for edge in edges:
                if any(
                    each.relation == edge.relation
                    for each in self.store.edges_between(edge.source, edge.target)
                ):
                    links.unlink(self.store, edge.source, edge.target, edge.relation, act)
            for memory in memories:
                lifecycle.forget(self.store, memory, act)

    def _write(self, folder: Folder, taken: Collection[str] = ()) -> int:
        from recairn.sync.mirror.push import write

        return write(self.store, folder, everything=True, taken=taken)

    def _folders(self) -> list[Folder]:
        from recairn.sync.mirror.follow import folders_of

        return folders_of(self.store.config().get(MIRRORS))

    def _keep_folders(self, kept: Mapping[str, str]) -> None:
        from json import dumps

        self.set_config(MIRRORS, dumps(kept) if kept else None)

    def _folder(self, path: str | None) -> Folder:
        """The mirror meant: the one named, or the only one of the project."""
        folders = self._folders()
        if path is not None:
            found = [each for each in folders if each.path == os.path.abspath(path)]
        else:
            found = [each for each in folders if each.project == self.project]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(each.path for each in folders)
        if path is not None:
            what = f"{path} is no mirror"
        elif found:
            what = f"{len(found)} mirrors belong to {self.project}"
        else:
            what = f"{self.project or 'this folder'} has no mirror"
        way = f"name one of: {listed}" if listed else "recairn mirror on FOLDER starts one"
        raise NotFound(what, way)
