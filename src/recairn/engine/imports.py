"""The engine's way of taking in what was remembered elsewhere."""

from __future__ import annotations

import os

from recairn.engine.exchange import Transfer
from recairn.engine.options import refuse_unknown
from recairn.engine.remember import Writing
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypedDict, Unpack

    from recairn.sources.documents.collection import DocumentChanges
    from recairn.sources.format import ImportSummary, Source
    from recairn.sources.readers.files import Origin

    class ImportOptions(TypedDict, total=False):
        """Keyword arguments of `import_from`."""

        dry_run: bool
        restore: bool
        prune: bool
        as_mine: bool
        report: Callable[[int, int], None] | None


_OPTIONS = ("dry_run", "restore", "prune", "as_mine", "report")


class Importing(Transfer, Writing):
    """Imports: a second run adds nothing, what changed supersedes."""

    def import_from(
        self,
        path: str | os.PathLike[str] | None = None,
        source: str | Source | None = None,
        **options: Unpack[ImportOptions],
    ) -> list[ImportSummary]:
        """What each file brought. Without a source the path decides, and of a folder every format
        takes what is its own; without a path the project is searched for files of that source.

        `dry_run` only says what would happen; `restore` brings back what was imported once and
        forgotten since; `prune` forgets what the source no longer has. `as_mine` takes it as the
        person's own word: rules hold at once, and what an export says of trust, pins and tiers is
        taken over. `report` is told how many bytes are done, of how many. Interrupted, it says what
        stays: ImportStopped.
        """
        from recairn.core.errors import BadInput
        from recairn.core.kinds import one_of
        from recairn.sources import SOURCES, source_named, sources_of

        wishes: dict[str, Any] = dict(options)
        refuse_unknown("import_from", wishes, _OPTIONS)
        self._guard_as_mine(wishes)
        self.settle()
        if not wishes.get("dry_run"):
            self._move_in()
        place = None if path is None else os.fspath(path)
        if source is None:
            if place is None:
                raise BadInput("nothing to import was named", f"sources: {', '.join(SOURCES)}")
            sources = sources_of(place)
        elif isinstance(source, str):
            sources = [source_named(one_of("source", source, tuple(SOURCES)))]
        else:
            sources = [source]
        here = _root()
        files = [(reader, file) for reader in sources for file in _files(reader, place, here)]
        return self._import_all(files, here, wishes)

    def _import_all(
        self, files: Sequence[tuple[Source, str]], here: str, wishes: Mapping[str, Any]
    ) -> list[ImportSummary]:
        """What each of the files brought, one after the other."""
        from recairn.core.errors import BadInput
        from recairn.sources.format import ImportStopped, unread
        from recairn.sources.readers.files import Origin, shown

        dry_run = bool(wishes.get("dry_run"))
        summaries: list[ImportSummary] = []
        wishes = {**wishes, "coming": {}}
        try:
            for source, file in files:
                origin = Origin(file, shown(file, here), self._project_of(dry_run=dry_run))
                try:
                    summary = self._import_one(source, origin, wishes)
                except BadInput as error:
                    if len(files) == 1:
                        raise
                    summary = unread(source.name, origin.name, error.message, dry_run=dry_run)
                summaries.append(summary)
            self.meaning.embed_late()
        except KeyboardInterrupt as stop:
            kept = stop.kept if isinstance(stop, ImportStopped) else 0
            before = 0 if dry_run else sum(summary.added for summary in summaries)
            raise ImportStopped(before + kept) from None
        return summaries

    def keep_conversation(self, path: str) -> int:
        """Keeps what was said in a transcript, turn by turn, redacted; how many turns were new.

        They are found with `search(..., transcripts=True)` alone.
        """
        from recairn.sources.readers.files import Origin

        written = self._keep_conversations(Origin(path, path, self._project_of(dry_run=False)))
        self.meaning.embed_late()
        return sum(changes.chunks for changes in written)

    def _with_conversations(self, summary: ImportSummary, origin: Origin) -> ImportSummary:
        """The summary of a transcript with the conversations that were kept."""
        from recairn.core.record import replace
        from recairn.sources.readers.files import Origin

        # Read once more, from its beginning.
        again = Origin(origin.path, origin.name, origin.project_of)
        written = self._keep_conversations(again, dry_run=summary.dry_run)
        new = sum(changes.count("added") + changes.count("changed") for changes in written)
        same = sum(changes.count("unchanged") for changes in written)
        summary = replace(summary, besides_unchanged=summary.besides_unchanged + same)
        if not new:
            return summary
        return replace(summary, besides={**summary.besides, "conversation": new})

    def _keep_conversations(
        self, origin: Origin, *, dry_run: bool = False
    ) -> list[DocumentChanges]:
        from functools import partial

        from recairn.core.author import DOCUMENT, Writer
        from recairn.core.draft import prepare
        from recairn.sources.conversations import ConversationCollection, conversations

        collections: dict[str, ConversationCollection] = {}
        act = self._act("transcript")
        for conversation in conversations(origin):
            folder = conversation.directory
            project = origin.project_of(folder) if os.path.isabs(folder) else self.project
            if project not in collections:
                prepared = partial(
                    prepare,
                    writer=Writer(DOCUMENT, is_own=False),
                    project=project,
                    session=None,
                    allow=self._allowed(),
                    now=act.at,
                )
                collections[project] = ConversationCollection(
                    self.store, self.meaning, prepared, act, project=project, dry_run=dry_run
                )
            collections[project].keep(conversation)
        return [collection.changes for collection in collections.values()]

    def _project_of(self, *, dry_run: bool) -> Callable[[str], str]:
        """What tells a source which project a folder belongs to; it is then kept as that one's."""
        from recairn.host.project import place_of
        from recairn.work.belonging import known_home
        from recairn.work.first_meeting import move_in, stranger

        def project_of(folder: str) -> str:
            place = place_of(folder)
            if dry_run:
                return (known_home(self.store, place) or stranger(self.store, place)).name
            with self.store.transaction():
                return move_in(self.store, place, self._clock()).name

        return project_of

    def _guard_as_mine(self, wishes: Mapping[str, Any]) -> None:
        """Refused where an agent would have something taken as the person's own word."""
        if wishes.get("as_mine"):
            from recairn.memory.authority import guard_person

            guard_person(self._act(), "take an import as their own word", "import --as-mine")

    def _import_one(
        self, source: Source, origin: Origin, wishes: Mapping[str, Any]
    ) -> ImportSummary:
        from recairn.core.author import Writer
        from recairn.core.guard import plain_name
        from recairn.core.record import replace
        from recairn.sources.format import ImportStopped
        from recairn.sources.import_run import ImportRun
        from recairn.sources.imported import Target
        from recairn.sources.jsonl import is_export

        if source.name == "jsonl" and is_export(origin.path):
            return self._take_export(origin, wishes)
        act = replace(self._act(), reason=f"import {source.name}")
        # A file may be named after a secret; the name is kept, so it is kept without that.
        name = plain_name(origin.name)
        where = self.project if source.everywhere else f"{self.project}:{name}"
        writer = Writer(_author(origin), is_own=bool(wishes.get("as_mine")))
        target = Target(
            self.store,
            act,
            (source.name, where),
            self.project,
            writer,
            self._allowed(),
            _root(),
        )
        flags = {name: bool(wishes.get(name)) for name in ("dry_run", "restore", "prune")}
        run = ImportRun(source, target, self.meaning, **flags)
        run.coming = wishes["coming"]
        try:
            summary = run.run(origin, wishes.get("report"))
        except KeyboardInterrupt:  # what was under way is undone
            raise ImportStopped(len(self.store.labels(run.memories))) from None
        self.meaning.later(summary.memories, now=act.at)
        conversed = source.name == "transcripts"
        return self._with_conversations(summary, origin) if conversed else summary

    def _take_export(self, origin: Origin, wishes: Mapping[str, Any]) -> ImportSummary:
        """An export of recairn's own, taken in whole."""
        from recairn.sources.format import Fault, ImportSummary
        from recairn.sources.jsonl import export_records

        faults: list[Fault] = []
        report, dry_run = wishes.get("report"), bool(wishes.get("dry_run"))

        def records() -> Iterator[tuple[str, Mapping[str, Any]]]:
            for item in export_records(origin):
                if isinstance(item, Fault):
                    faults.append(item)
                else:
                    yield item
                if report is not None:
                    report(origin.done, max(origin.size, origin.done))

        as_mine = bool(wishes.get("as_mine"))
        author = _author(origin)
        taken = self.take_records(records(), dry_run=dry_run, as_mine=as_mine, author=author)
        return ImportSummary(
            source="jsonl",
            path=origin.name,
            added=len(taken.added),
            changed=len(taken.updated) + len(taken.joined),
            unchanged=taken.unchanged,
            known=0,
            forgotten=0,
            restored=0,
            pruned=0,
            linked=taken.belongings.get("edge", 0),
            failed=len(faults) + len(taken.faults),
            gone=(),
            errors=(*faults, *taken.faults)[:100],
            memories=taken.added,
            warnings=(),
            dry_run=dry_run,
            besides={
                name: count for name, count in taken.belongings.items() if count and name != "edge"
            },
            settings_left_out=taken.settings_left_out,
            unverified=taken.waiting,
            left_out=(),
            projects={},
        )


def _root() -> str:
    """The folder from which on paths are told."""
    return root_of(os.getcwd()) or os.getcwd()


def _author(origin: Origin) -> str:
    """Who wrote what a file holds: a repository, where it lies in a checkout, or an import."""
    from recairn.core.author import IMPORT, REPOSITORY, author_named

    folder = os.path.dirname(os.path.abspath(origin.path))
    return author_named(IMPORT if root_of(folder) is None else REPOSITORY, origin.name)


def _files(source: Source, path: str | None, here: str) -> list[str]:
    """The files to read: the one named, or those the source finds in a folder or in the project."""
    from recairn.core.errors import NotFound

    if path is not None and not os.path.isdir(path):
        if not os.path.lexists(path):
            raise NotFound(f"there is no file {path}", "check the path")
        return [path]
    folder = here if path is None else path
    files = source.find(folder)
    if not files:
        raise NotFound(
            f"{folder} holds nothing that {source.name} reads",
            f"name the file: recairn import {source.name} PATH",
        )
    return files
