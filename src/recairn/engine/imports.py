"""The engine's way of taking in what was remembered elsewhere."""

from __future__ import annotations

import os

from recairn.engine.exchange import Transfer
from recairn.engine.remember import Writing
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from recairn.sources.format import ImportSummary, Source
    from recairn.sources.readers.files import Origin


class Importing(Transfer, Writing):
    """Imports: a second run adds nothing, what changed supersedes."""

    def import_from(
        self,
        path: str | os.PathLike[str] | None = None,
        source: str | Source | None = None,
        *,
        dry_run: bool = False,
        restore: bool = False,
        report: Callable[[int, int], None] | None = None,
    ) -> list[ImportSummary]:
        """What each file brought. Without a source the path decides; without a path the project is
        searched for files of that source.

        `dry_run` only says what would happen; `restore` brings back what was imported once and
        forgotten since. `report` is told how many bytes are done, of how many.
        """
        from recairn.core.errors import BadInput
        from recairn.core.kinds import one_of
        from recairn.sources import SOURCES, source_named, source_of
        from recairn.sources.format import unread
        from recairn.sources.readers.files import Origin, shown

        self.settle()
        given = None if path is None else os.fspath(path)
        if source is None and given is None:
            raise BadInput("nothing to import was named", f"sources: {', '.join(SOURCES)}")
        if source is None:
            chosen = source_of(given or "")
        elif isinstance(source, str):
            chosen = source_named(one_of("source", source, tuple(SOURCES)))
        else:
            chosen = source
        paths = _paths(chosen, given)
        done = []
        for each in paths:
            origin = Origin(each, shown(each, _here()))
            try:
                one = self._import_one(
                    chosen, origin, dry_run=dry_run, restore=restore, report=report
                )
            except BadInput as error:
                if len(paths) == 1:
                    raise
                one = unread(chosen.name, origin.name, error.message, dry_run=dry_run)
            done.append(one)
        self.meaning.embed_late()
        return done

    def _import_one(
        self,
        source: Source,
        origin: Origin,
        *,
        dry_run: bool,
        restore: bool,
        report: Callable[[int, int], None] | None,
    ) -> ImportSummary:
        from recairn.sources.import_run import ImportRun
        from recairn.sources.jsonl import is_export
        from recairn.sources.target import Target

        if source.name == "jsonl" and is_export(origin.path):
            return self._take_export(origin, dry_run=dry_run, report=report)
        act = self._act(f"import {source.name}")
        kept_as = self.project if source.everywhere else f"{self.project}:{origin.name}"
        target = Target(self.store, act, (source.name, kept_as), self.project, self._allowed())
        one = ImportRun(source, target, self.meaning, dry_run=dry_run, restore=restore)
        done = one.run(origin, report)
        self.meaning.later(done.memories, now=act.at)
        return done

    def _take_export(
        self, origin: Origin, *, dry_run: bool, report: Callable[[int, int], None] | None
    ) -> ImportSummary:
        """An export of recairn's own, taken in whole."""
        from recairn.sources.format import Fault, ImportSummary
        from recairn.sources.jsonl import told_by

        broken: list[Fault] = []

        def told() -> Iterator[tuple[str, Mapping[str, Any]]]:
            for each in told_by(origin):
                if isinstance(each, Fault):
                    broken.append(each)
                else:
                    yield each
                if report is not None:
                    report(origin.done, max(origin.size, origin.done))

        taken = self.take_records(told(), dry_run=dry_run)
        errors = [Fault(*problem.split(": ", 1)) for problem in taken.problems]
        return ImportSummary(
            source="jsonl",
            path=origin.name,
            added=len(taken.added),
            changed=len(taken.updated) + len(taken.joined),
            unchanged=taken.unchanged,
            known=0,
            forgotten=0,
            restored=0,
            linked=taken.belongings.get("edge", 0),
            failed=len(broken) + len(errors),
            gone=(),
            errors=(*broken, *errors)[:100],
            memories=taken.added,
            warnings=(),
            dry_run=dry_run,
            besides={
                name: count for name, count in taken.belongings.items() if count and name != "edge"
            },
        )


def _paths(source: Source, given: str | None) -> list[str]:
    """The files to read: the one given, or those the source finds in a folder or in the project."""
    from recairn.core.errors import NotFound

    if given is not None and not os.path.isdir(given):
        if not os.path.lexists(given):
            raise NotFound(f"there is no file {given}", "check the path")
        return [given]
    folder = given if given is not None else _here()
    found = source.find(folder)
    if not found:
        raise NotFound(
            f"{folder} holds nothing that {source.name} reads",
            f"name the file: recairn import {source.name} PATH",
        )
    return found


def _here() -> str:
    """The project's folder, or where one is outside of any."""
    return root_of(os.getcwd()) or os.getcwd()
