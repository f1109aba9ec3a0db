"""One run of an import: tells new records from known ones, and takes them through the write door.

Records come in batches, each one transaction together with the rows that make a second run skip
them: an import that was interrupted goes on where it stopped when it is run again. Of a record that
stands in its source several times the last version holds, so one that differs from what is known
waits until all are read.
"""

from __future__ import annotations

from itertools import count

from recairn.core.draft import Cleaner, prepare
from recairn.core.errors import RecairnError
from recairn.core.record import Row, replace
from recairn.memory import lifecycle
from recairn.memory.authority import RULE
from recairn.memory.lookup import known_memory
from recairn.memory.remember import Door, foreseen, remember, remember_all
from recairn.memory.review import still_open
from recairn.sources import imported
from recairn.sources.deferred_links import Deferred, link_records, retire_records
from recairn.sources.extras import count_extras, write_extras
from recairn.sources.format import COUNTS, REPLACED, Extra, Fault, ImportSummary, Omission
from recairn.store.contract.imported import OWED, SETTLED, ImportedRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.embed.index import Meaning
    from recairn.memory.likeness import Known
    from recairn.sources.format import Record, Source
    from recairn.sources.imported import Incoming, Target
    from recairn.sources.readers.files import Origin

    Progress = Callable[[int, int], None]

# Characters of what names a record in its source.
_LONGEST_KEY = 1000
# Faults kept in full; beyond them they are only counted.
_KEPT_FAULTS = 100
# What of a record is changed in place when its text stays the same.
_IN_PLACE = ("kind", "fields", "category", "keywords", "scope", "importance", "confidence")


class _Entry(Row):
    """The same, ready for the write door."""

    record: Record
    prepared: Prepared
    hash: str
    position: int


class ImportRun:
    """One run of one source over one origin."""

    def __init__(
        self,
        source: Source,
        target: Target,
        meaning: Meaning,
        *,
        dry_run: bool = False,
        restore: bool = False,
        prune: bool = False,
    ) -> None:
        self._source = source
        self._target = target
        self._identified = self._partial = False
        self._store = target.store
        self._act = target.act
        self._meaning = meaning
        self._dry_run = dry_run
        self._restore = restore
        self._prune = prune
        self._counts = dict.fromkeys(COUNTS, 0)
        self._unverified = 0
        self._faults: list[Fault] = []
        self._omissions: dict[tuple[str, str, bool], int] = {}
        self._projects: dict[str, int] = {}
        self._warnings: list[str] = []
        self.memories: list[int] = []
        self._extras: list[Extra] = []
        self._deferred: dict[str, Deferred] = {}
        # By key: what differs from the row that is kept of it.
        self._changed: dict[str, Incoming] = {}
        # By key: the rows that a dry run would have kept.
        self._planned: dict[str, ImportedRow] = {}
        self._keys: set[str] = set()
        # What dry runs over these files would have added, by the keys of look-alikes.
        self.coming: dict[int, list[Known]] = {}
        self._door = Door(self._meaning, "add" if self._source.distinct else "reinforce")
        # The keys of records whose successor is nowhere.
        self._orphans: set[str] = set()
        self._dropped: set[str] = set()
        self._positions = count()
        self._all_read = False

    def run(self, origin: Origin, report: Progress | None = None) -> ImportSummary:
        """Imports what the source reads from the origin, and sums up what came of it."""
        self._read(origin, report)
        if self._dry_run:
            extras = count_extras(self._target, self._extras)
        else:
            if deferred := list(self._deferred.values()):
                self._counts["linked"], warnings = link_records(self._target, deferred)
                self._warnings += warnings
            extras = write_extras(self._target, self._wanted_extras())
            if deferred:
                retire_records(self._target, deferred)
        for fault in extras.faults:
            self._note(fault)
        for omission in extras.omissions:
            self._omit(omission)
        gone: Sequence[tuple[int, str]] = ()
        if self._source.complete and not self._partial:
            gone, warnings = imported.absent(self._target, self._keys, self._extras)
            self._warnings += warnings
        if self._prune and gone and self._counts["failed"]:
            self._warnings.append("nothing is forgotten while some of it cannot be read")
        elif self._prune:
            pruned = imported.forget_absent(self._target, gone, dry_run=self._dry_run)
            self._counts["pruned"] = pruned
        return ImportSummary(
            source=self._source.name,
            path=origin.name,
            **self._counts,
            gone=gone,
            errors=tuple(self._faults),
            memories=tuple(self.memories),
            warnings=tuple(self._warnings),
            dry_run=self._dry_run,
            besides=extras.added,
            settings_left_out=(),
            unverified=self._unverified,
            besides_unchanged=extras.unchanged,
            left_out=[
                Omission(things, why, count, kept)
                for (things, why, kept), count in self._omissions.items()
            ],
            projects=self._projects,
        )

    def _read(self, origin: Origin, report: Progress | None) -> None:
        """Takes in every record; extras and faults are put by.

        Where records are matched to former ones, all of them are needed at once. Elsewhere those
        that differ from what is known come once more at the end.
        """
        size = None if self._source.pairs is not None else imported.BATCH
        self._all_read = size is None
        batch: dict[str, Incoming] = {}
        # Whether what replaced a record is there at all is known when everything is read.
        replaced: dict[str, Incoming] = {}

        def write(records: Iterable[Incoming]) -> None:
            self._identify(origin, records)
            self._write(list(records))
            if report is not None:
                report(origin.done, max(origin.size, origin.done))

        for item in imported.incoming(self._records(origin)):
            key = item.record.key
            if item.replaced:
                replaced[key] = item
                continue
            if key in batch and size is None:
                self._omit(Omission("records", "told again further on"))
            elif key in batch or len(batch) == size:
                write(batch.values())
                batch = {}
            batch[key] = item
        self._identify(origin, batch.values())
        self._note_orphans(replaced.values(), {*batch, *replaced})
        batch.update(replaced)
        records = list(batch.values())
        for start in range(0, len(records), size or len(records) or 1):
            write(records[start : start + (size or len(records))])
        self._all_read = True
        changed = list(self._changed.values())
        for start in range(0, len(changed), imported.BATCH):
            write(changed[start : start + imported.BATCH])

    def _records(self, origin: Origin) -> Iterator[Record]:
        """The records of the source; what else it reads is put by."""
        for item in self._source.read(origin):
            if isinstance(item, Fault):
                self._note(item)
            elif isinstance(item, Extra):
                self._extras.append(item)
            elif isinstance(item, Omission):
                self._omit(item)
            elif len(item.key) > _LONGEST_KEY:
                reason = f"its id is longer than {_LONGEST_KEY:,} characters"
                self._note(Fault(item.place, reason))
            else:
                yield item

    def _identify(self, origin: Origin, records: Iterable[Incoming]) -> None:
        """Finds out, by the first records, where rows of this source are kept already."""
        if self._identified:
            return
        self._identified = True
        sample = {item.record.key: item.hash for item in records}
        self._target, self._partial = imported.identify(self._target, self._source, origin, sample)
        if not self._dry_run:
            imported.adopt_whole(self._target)

    def _note_orphans(self, records: Iterable[Incoming], coming: Container[str]) -> None:
        """Notes which records were replaced by one that is nowhere: those are put away."""
        for item, _, _ in records:
            others = [key for relation, key in item.links if relation == REPLACED]
            missing = [key for key in others if key not in self._keys and key not in coming]
            if missing and not imported.kept_rows(self._target, missing):
                self._orphans.add(item.key)

    def _omit(self, one: Omission) -> None:
        key = (one.things, one.why, one.kept)
        self._omissions[key] = self._omissions.get(key, 0) + one.count

    def _note(self, fault: Fault) -> None:
        self._counts["failed"] += 1
        reason = fault.reason
        for name in (fault.place, fault.place.rpartition(":")[0]):  # named once is enough
            reason = reason.removeprefix(f"{name} ")
        if len(self._faults) < _KEPT_FAULTS:
            self._faults.append(Fault(fault.place, reason))

    # What is known already

    def _rows(self, records: Sequence[Incoming]) -> tuple[dict[str, ImportedRow], dict[str, str]]:
        """The row kept of each key, and the former keys of those that replace one."""
        keys = [item.record.key for item in records]
        rows = imported.kept_rows(self._target, keys)
        self._keys.update(keys)
        if self._source.pairs is None:
            return rows, {}
        former = imported.predecessors(self._target, rows)
        fresh = [item.record for item in records if item.record.key not in rows]
        replaced = dict(self._source.pairs(fresh, [one for one, _ in former])) if former else {}
        rows_before = {one.key: row for one, row in former}
        rows.update({key: rows_before[old] for key, old in replaced.items()})
        self._keys.update(replaced.values())
        return rows, replaced

    # Records

    def _write(self, records: Sequence[Incoming]) -> None:
        """Takes in a batch in one transaction; a dry run only counts."""
        if not records:
            return
        if self._dry_run:
            fresh, changed, _ = self._sorted(records, self._rows(records)[0])
            self._plan(fresh, changed)
            return
        with self._store.transaction():
            imported.adopt(self._target, [item.record.key for item in records])
            rows, replaced = self._rows(records)
            fresh, changed, kept = self._sorted(records, rows)
            kept += [self._change(entry, memory) for entry, memory in changed]
            kept += self._add(fresh)
            self._store.drop_imported(*self._target.where, replaced.values())
            self._store.put_imported(*self._target.where, kept)

    def _sorted(
        self, records: Sequence[Incoming], rows: dict[str, ImportedRow]
    ) -> tuple[list[_Entry], list[tuple[_Entry, int]], list[ImportedRow]]:
        """The new records; the changed ones, with the memories they became before; and the rows of
        those that only moved within their source."""
        fresh: list[_Entry] = []
        changed: list[tuple[_Entry, int]] = []
        moved: list[ImportedRow] = []
        for arrival, position in zip(records, self._positions, strict=False):
            item, hashed, _ = arrival
            row = rows.get(item.key, self._planned.get(item.key))
            self._changed.pop(item.key, None)
            if row is not None and (row.hash == hashed or item.stand_in):
                self._pass(item, row)
                if self._source.pairs is not None and row.position != position:
                    moved.append(row._replace(key=item.key, position=position))
            elif row is not None and not self._all_read:
                self._changed[item.key] = arrival  # a later version may follow
            elif (prepared := self._prepared(item)) is not None:
                entry = _Entry._make((item, prepared, hashed, position))
                # What somebody else made, or has replaced since, is not this import's to change.
                if row is not None and row.own and row.live and row.memory is not None:
                    changed.append((entry, row.memory))
                elif row is not None and self._is_what_it_was(row, prepared):
                    self._pass(item, row)
                    moved.append(row._replace(key=item.key, hash=hashed, position=position))
                else:
                    fresh.append(entry)
        return fresh, changed, moved

    def _is_what_it_was(self, row: ImportedRow, prepared: Prepared) -> bool:
        """Whether a record still says what was forgotten or replaced here: that stays so."""
        if row.memory is None or row.live:
            return False
        before = known_memory(self._store, row.memory)
        return bool(before.content_hash == prepared.row["content_hash"])

    def _plan(self, fresh: Sequence[_Entry], changed: Sequence[tuple[_Entry, int]]) -> None:
        """Counts what would be written, and remembers it for a later version of a record."""
        self._counts["changed"] += len(changed)
        fresh = self._undecided(fresh)
        drafts = [entry.prepared for entry in fresh]
        outlook = foreseen(self._store, drafts, self._door, self.coming)
        for entry, new in zip(fresh, outlook, strict=True):
            self._counts["added" if new else "known"] += 1
            if new:
                self._unverified += entry.prepared.row["trust"] == "unverified"
                self._count_project(entry)
        for entry in (*fresh, *(entry for entry, _ in changed)):
            key = entry.record.key
            self._planned[key] = ImportedRow(key, entry.hash, 0, True, entry.position)

    def _pass(self, item: Record, row: ImportedRow) -> None:
        """Leaves alone a record that says what it said before, and takes up what is left to do."""
        if row.memory is None or not row.forgotten or self._why_retired(item):
            self._counts["unchanged"] += 1
        elif self._restore:
            self._counts["restored"] += 1
            # Two records may have become one memory: it is brought back once.
            if not self._dry_run and known_memory(self._store, row.memory).deleted_at is not None:
                memory = lifecycle.restore(self._store, row.memory, self._act)
                self._meaning.renew(memory, now=self._act.at)
        else:
            self._counts["forgotten"] += 1
        if row.state != SETTLED and row.memory is not None and not row.forgotten:
            self._deferred[item.key] = Deferred(item, row.memory, row)

    def _prepared(self, item: Record) -> Prepared | None:
        """The record ready for the write door; None, and a fault noted, when it is not fit."""
        draft = item.draft
        changes: dict[str, Any] = {}
        if not draft.source_ref:
            changes["source_ref"] = item.place
        if draft.created_at is None and item.written_at is not None:
            changes["created_at"] = min(item.written_at, self._act.at)
        if draft.session is not None:
            # Written in the name of a session it would take that up again; `_bring` names it later.
            changes |= {"session": None, "tier": None if draft.tier == "session" else draft.tier}
        try:
            if draft.session is not None:
                Cleaner().name("session", draft.session)
            prepared = prepare(
                replace(draft, **changes) if changes else draft,
                writer=self._target.writer,
                project=self._target.project,
                session=self._act.session,
                allow=self._target.allow,
                now=self._act.at,
            )
        except RecairnError as error:
            self._note(Fault(item.place, error.message))
            return None
        self._warnings += [f"{item.place}: {warning}" for warning in prepared.warnings]
        return prepared

    def _add(self, entries: Sequence[_Entry]) -> list[ImportedRow]:
        """Remembers new records; those that say what is known already strengthen that instead."""
        entries = self._undecided(entries)
        results = remember_all(self._store, [entry.prepared for entry in entries], self._door)
        rows = []
        for entry, result in zip(entries, results, strict=True):
            own = result.status == "added"
            self._counts["added" if own else "known"] += 1
            rows.append(self._row(entry, result.id, own=own))
            if own and result.id is not None:
                self.memories.append(result.id)
                self._unverified += entry.prepared.row["trust"] == "unverified"
                self._count_project(entry)
                self._bring(result.id, entry.record)
        return rows

    def _count_project(self, entry: _Entry) -> None:
        project = entry.prepared.row["project"]
        if project and project != self._target.project:
            self._projects[project] = self._projects.get(project, 0) + 1

    def _undecided(self, entries: Sequence[_Entry]) -> Sequence[_Entry]:
        """Without the candidates that somebody has dropped in a review: a no holds."""
        waiting = [one.prepared for one in entries if one.prepared.row["trust"] == "unverified"]
        if not waiting:
            return entries
        dropped = set(map(id, waiting)) - set(map(id, still_open(self._store, waiting)))
        self._counts["forgotten"] += len(dropped)
        self._dropped |= {one.record.key for one in entries if id(one.prepared) in dropped}
        return [one for one in entries if id(one.prepared) not in dropped]

    def _wanted_extras(self) -> list[Extra]:
        """The extras, without those that belong to candidates somebody has dropped."""
        return [one for one in self._extras if str(one.values.get("memory")) not in self._dropped]

    def _row(self, entry: _Entry, memory: int | None, *, own: bool) -> ImportedRow:
        """The row to keep of a record that came in; its links are made when all are in."""
        item, key = entry.record, entry.record.key
        state = OWED if memory is not None and (item.links or (own and item.retired)) else SETTLED
        row = ImportedRow._make((key, entry.hash, memory, own, entry.position, state, True, False))
        if memory is None or state == SETTLED:
            self._deferred.pop(key, None)
        else:
            item = replace(item, retired=self._why_retired(item))
            self._deferred[key] = Deferred(item, memory, row)
        return row

    def _why_retired(self, item: Record) -> str:
        if item.key in self._orphans and not item.retired:
            return "superseded by what is not there"
        return item.retired

    def _bring(self, memory: int, item: Record) -> None:
        """Gives a new memory what its record earned and belonged to where it was."""
        changes, session = dict(item.earned or {}), None
        if item.draft.session is not None:
            session = Cleaner().name("session", item.draft.session) or None
        if session is not None:
            changes["session_id"] = session
        if changes:
            reason = "as it was where it came from"
            event = lifecycle.event_of("updated", memory, self._act, reason)
            self._store.change(memory, changes, event)
        if session is not None and item.draft.tier == "session":
            event = lifecycle.event_of("updated", memory, self._act, "of the session tier")
            self._store.change(memory, {"tier": "session"}, event)

    def _change(self, entry: _Entry, memory: int) -> ImportedRow:
        """Changes the memory in place while its text is the same, and else supersedes it."""
        before, row = known_memory(self._store, memory), entry.prepared.row
        if before.content_hash == row["content_hash"]:
            edits = {name: row[name] for name in _IN_PLACE if row[name] != getattr(before, name)}
            self._counts["changed" if edits else "unchanged"] += 1
            if edits:
                if not self._target.writer.is_own and RULE in (before.kind, row["kind"]):
                    edits["trust"] = "unverified"  # a file makes no rule, nor changes one
                act = replace(self._act, is_own=True)
                lifecycle.edit(self._store, before.id, edits, act, Cleaner())
            return self._row(entry, before.id, own=True)
        self._counts["changed"] += 1
        door = Door(self._meaning, "add", supersede=before.id)
        pieces = self._meaning.pieces_at_once([entry.prepared.text])[0]
        result = remember(self._store, entry.prepared, door, pieces)
        assert result.id is not None
        self.memories.append(result.id)
        self._bring(result.id, entry.record)
        return self._row(entry, result.id, own=True)
