"""The driver of every import: knows what came before, and takes the rest through the write door.

Records come in batches, each one transaction together with the keys that make a second run skip
them: an import that was interrupted goes on where it stopped when it is run again. Of a record that
is told several times the last version holds, so one that differs from what is known waits until
all are read.
"""

from __future__ import annotations

from itertools import count

from recairn.core.draft import Cleaner
from recairn.core.errors import RecairnError
from recairn.core.record import as_tuple, replace
from recairn.core.words import one_line
from recairn.memory import lifecycle
from recairn.memory.lookup import known_memory
from recairn.memory.remember import Door, remember, remember_all
from recairn.memory.review import still_open
from recairn.sources.deferred_links import Ties, bare
from recairn.sources.extras import Asides
from recairn.sources.format import COUNTS, Extra, Fault, ImportSummary, Known, Predecessor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Draft
    from recairn.embed.index import Meaning
    from recairn.sources.format import Record, Source
    from recairn.sources.readers.files import Origin
    from recairn.store.contract.base import Store

    Progress = Callable[[int, int], None]

# Records of one transaction: others wait for it about half a second.
_BATCH = 1000
# Characters of what names a record in its source.
_LONGEST_KEY = 1000
# Errors kept in full; beyond them they are only counted.
_KEPT_ERRORS = 100
# What of a record is changed in place when its text stays the same.
_IN_PLACE = ("kind", "fields", "category", "keywords", "scope", "importance", "confidence")
_SHOWN = 80


class Import:
    """One run of one source over one origin."""

    def __init__(
        self,
        store: Store,
        meaning: Meaning,
        prepare: Callable[[Draft], Prepared],
        act: Act,
        *,
        dry_run: bool = False,
        restore: bool = False,
    ) -> None:
        self._store = store
        self._meaning = meaning
        self._prepare = prepare
        self._act = act
        self._dry_run = dry_run
        self._restore = restore
        self._counts = dict.fromkeys(COUNTS, 0)
        self._errors: list[Fault] = []
        self._memories: list[int] = []
        self._warnings: list[str] = []
        self._asides: list[Extra] = []
        self._differing: dict[str, Record] = {}
        self._all_read = False
        self._would_know: dict[str, Known] = {}
        self._seen: set[str] = set()
        self._dropped: set[str] = set()
        self._unverified = 0
        self._positions = count()

    def run(
        self,
        source: Source,
        origin: Origin,
        project: str,
        report: Progress | None = None,
        allow: Sequence[str] = (),
    ) -> ImportSummary:
        """Imports what the source reads from the origin, and says what came of it."""
        whence = (source.name, project if source.everywhere else f"{project}:{origin.name}")
        self._ties = Ties(self._store, self._act, whence)
        for batch in self._batches(source, origin):
            if self._dry_run:
                self._look(batch, source, whence)
            else:
                with self._store.transaction():
                    self._take(batch, source, whence)
            if report is not None:
                report(origin.done, max(origin.size, origin.done))
        besides = Asides(self._store, self._act, whence, allow, self._fail, project)
        if self._dry_run:
            besides.look(self._asides)
        else:
            self._ties.link()
            besides.take(
                [
                    each
                    for each in self._asides
                    if str(each.values.get("memory")) not in self._dropped
                ]
            )
            self._ties.retire()
            self._counts["linked"] = self._ties.linked
            self._warnings += self._ties.warnings
        return ImportSummary(
            source=source.name,
            path=origin.name,
            **self._counts,
            gone=self._gone(whence) if source.complete else (),
            errors=tuple(self._errors),
            memories=tuple(self._memories),
            warnings=tuple(self._warnings),
            dry_run=self._dry_run,
            besides=besides.added,
            unverified=self._unverified,
            besides_unchanged=besides.unchanged,
        )

    def _batches(self, source: Source, origin: Origin) -> Iterator[list[Record]]:
        """The good records in batches, none with the same key twice; broken ones are noted.

        Where records are matched to former ones, all of them are needed at once. Elsewhere those
        that differ from what is known come once more at the end.
        """
        batch: dict[str, Record] = {}
        most = None if source.pairs is not None else _BATCH
        self._all_read = source.pairs is not None
        for each in source.read(origin):
            if isinstance(each, Fault):
                self._fail(each.place, each.reason)
                continue
            if isinstance(each, Extra):
                self._asides.append(each)
                continue
            if len(each.key) > _LONGEST_KEY:
                self._fail(each.place, f"its id is longer than {_LONGEST_KEY:,} characters")
                continue
            if each.key in batch or len(batch) == most:
                yield list(batch.values())
                batch = {}
            batch[each.key] = each
        yield list(batch.values())
        self._all_read, differing = True, list(self._differing.values())
        for start in range(0, len(differing), _BATCH):
            yield differing[start : start + _BATCH]

    def _fail(self, place: str, why: str) -> None:
        self._counts["failed"] += 1
        for name in (place, place.rpartition(":")[0]):  # named once is enough
            why = why.removeprefix(f"{name} ")
        if len(self._errors) < _KEPT_ERRORS:
            self._errors.append(Fault(place, why))

    # What is known already

    def _known(
        self, batch: Sequence[Record], source: Source, whence: tuple[str, str]
    ) -> tuple[dict[str, Known], dict[str, str]]:
        """What is known under each key, and the former keys of those that replace one."""
        keys = [each.key for each in batch]
        known = {row[0]: Known(*row) for row in self._store.imported(*whence, keys)}
        self._seen.update(keys)
        if source.pairs is None:
            return known, {}
        former = self._former(whence, known)
        fresh = [each for each in batch if each.key not in known]
        replaced = dict(source.pairs(fresh, [each for each, _ in former])) if former else {}
        before = {each.key: row for each, row in former}
        known.update({key: before[old] for key, old in replaced.items()})
        return known, replaced

    def _former(
        self, whence: tuple[str, str], known: dict[str, Known]
    ) -> list[tuple[Predecessor, Known]]:
        """The living memories of earlier runs whose records are not in the source any more."""
        rows = [Known(*row) for row in self._store.imported(*whence)]
        left = [row for row in rows if row.key not in known and row.live and row.own]
        memories = self._store.get_many([row.memory for row in left if row.memory is not None])
        found = []
        for row in left:
            if row.memory in memories:
                memory = memories[row.memory]
                told = Predecessor(
                    row.key, memory.id, memory.content, memory.category, row.position
                )
                found.append((told, row))
        return found

    def _gone(self, whence: tuple[str, str]) -> tuple[tuple[int, str], ...]:
        rows = [Known(*row) for row in self._store.imported(*whence)]
        left = [
            row.memory
            for row in rows
            if row.key not in self._seen and row.live and row.own and row.memory is not None
        ]
        memories = self._store.get_many(left)
        return tuple(
            (each, one_line(memories[each].title or memories[each].content, _SHOWN))
            for each in left
        )

    # Looking and taking

    def _look(self, batch: Sequence[Record], source: Source, whence: tuple[str, str]) -> None:
        """Counts what a run would do, without writing."""
        known, replaced = self._known(batch, source, whence)
        for each in batch:
            before, hashed = known.get(each.key, self._would_know.get(each.key)), record_hash(each)
            if self._settled(each, before, hashed):
                continue
            prepared = self._prepared(each)
            if prepared is None:
                continue
            if before is not None and _ours(before):
                self._counts["changed"] += 1
            else:
                self._counts["added"] += 1
                self._unverified += prepared.row["trust"] == "unverified"
            self._would_know[each.key] = Known(each.key, hashed, 0, True, 0)
        self._seen.update(replaced.values())

    def _take(self, batch: Sequence[Record], source: Source, whence: tuple[str, str]) -> None:
        known, replaced = self._known(batch, source, whence)
        fresh: list[tuple[Record, Prepared, str, int]] = []
        kept: list[tuple[str, str, int | None, bool, int]] = []
        for each, position in zip(batch, self._positions, strict=False):
            before, hashed = known.get(each.key), record_hash(each)
            if self._settled(each, before, hashed):
                if before and source.pairs is not None and before.position != position:
                    kept.append((each.key, before.hash, before.memory, before.own, position))
                continue
            prepared = self._prepared(each)
            if prepared is None:
                continue
            if before is not None and _ours(before):
                memory = self._change(before, each, prepared)
                kept.append(self._ties.row(each, (each.key, hashed, memory, True, position)))
            else:
                fresh.append((each, prepared, hashed, position))
        kept += self._add(fresh, "add" if source.distinct else "reinforce")
        self._store.drop_imported(*whence, replaced.values())
        self._store.put_imported(*whence, kept)

    def _settled(self, record: Record, before: Known | None, hashed: str) -> bool:
        """Whether nothing of a record is to be written now: it is known, or a later version may
        follow."""
        self._differing.pop(record.key, None)
        if before is None:
            return False
        if bare(before.hash) == hashed:
            self._count_unchanged(before, record)
            self._ties.resume(record, before)
            return True
        if not self._all_read:
            self._differing[record.key] = record
        return not self._all_read

    def _count_unchanged(self, known: Known, record: Record) -> None:
        if known.live or known.memory is None or not known.forgotten or record.retired:
            self._counts["unchanged"] += 1
        elif self._restore:
            self._counts["restored"] += 1
            if not self._dry_run:
                memory = lifecycle.restore(self._store, known.memory, self._act)
                self._meaning.renew(memory, now=self._act.at)
        else:
            self._counts["forgotten"] += 1

    def _prepared(self, record: Record) -> Prepared | None:
        """The record ready for the write door; None, and an error noted, when it is not fit."""
        draft = record.draft
        if not draft.source_ref:
            draft = replace(draft, source_ref=record.place)
        if draft.session is not None:
            # Writing in the name of a session would take it up again; `_bring` names it afterwards.
            draft = replace(draft, session=None, tier=_without_session(draft.tier))
        try:
            Cleaner().name("session", record.draft.session)
            prepared = self._prepare(draft)
        except RecairnError as error:
            self._fail(record.place, error.message)
            return None
        self._warnings += [f"{record.place}: {warning}" for warning in prepared.warnings]
        return prepared

    def _add(
        self, fresh: Sequence[tuple[Record, Prepared, str, int]], on_similar: str
    ) -> list[tuple[str, str, int | None, bool, int]]:
        """Remembers new records; those that say what is known already strengthen that instead."""
        door = Door(self._meaning, on_similar)
        fresh = self._still_open(fresh)
        results = remember_all(self._store, [prepared for _, prepared, _, _ in fresh], door)
        kept = []
        for (each, prepared, hashed, position), result in zip(fresh, results, strict=True):
            own = result.status == "added"
            self._counts["added" if own else "known"] += 1
            kept.append(self._ties.row(each, (each.key, hashed, result.id, own, position)))
            if own and result.id is not None:
                self._memories.append(result.id)
                self._unverified += prepared.row["trust"] == "unverified"
                self._bring(result.id, each)
        return kept

    def _still_open(
        self, fresh: Sequence[tuple[Record, Prepared, str, int]]
    ) -> Sequence[tuple[Record, Prepared, str, int]]:
        """Without the candidates that somebody has dropped in a review: a no holds."""
        waiting = [each[1] for each in fresh if each[1].row["trust"] == "unverified"]
        if not waiting:
            return fresh
        left = {id(each) for each in still_open(self._store, waiting)}
        dropped = {id(each) for each in waiting} - left
        self._counts["forgotten"] += len(dropped)
        self._dropped |= {each[0].key for each in fresh if id(each[1]) in dropped}
        return [each for each in fresh if id(each[1]) not in dropped]

    def _bring(self, memory: int, record: Record) -> None:
        """Gives a new memory what its record earned and belonged to where it was."""
        changes, draft = dict(record.earned or {}), record.draft
        session = Cleaner().name("session", draft.session) or None
        if session is not None:
            changes["session_id"] = session
        if changes:
            reason = "as it was where it came from"
            event = lifecycle.event_of("updated", memory, self._act, reason)
            self._store.change(memory, changes, event)
        if session is not None and draft.tier == "session":
            self._narrow(memory, session)

    def _narrow(self, memory: int, session: str) -> None:
        """Lets a new memory be seen in its session alone."""
        event = lifecycle.event_of("updated", memory, self._act, "of the session tier")
        self._store.change(memory, {"tier": "session"}, event)

    def _change(self, known: Known, record: Record, prepared: Prepared) -> int:
        """The memory that holds the changed record: the same one while its text is the same."""
        assert known.memory is not None
        self._counts["changed"] += 1
        before = known_memory(self._store, known.memory)
        if before.content_hash == prepared.row["content_hash"]:
            row = prepared.row
            given = {name: row[name] for name in _IN_PLACE if row[name] != getattr(before, name)}
            if given:
                lifecycle.edit(self._store, before.id, given, self._act, Cleaner())
            return before.id
        door = Door(self._meaning, "add", supersede=before.id)
        pieces = self._meaning.pieces_at_once([prepared.text])[0]
        result = remember(self._store, prepared, door, pieces)
        assert result.id is not None
        self._memories.append(result.id)
        self._bring(result.id, record)
        return result.id


def _ours(known: Known) -> bool:
    """Whether a changed record may replace the memory: this import made it, and it still holds."""
    return known.own and known.live and known.memory is not None


def _without_session(tier: str | None) -> str | None:
    return None if tier == "session" else tier


def record_hash(record: Record) -> str:
    """Equal while a record says the same, wherever in its source it stands."""
    from hashlib import blake2b

    retired = (record.retired,) if record.retired else ()
    told = "\x1f".join(map(str, (*as_tuple(record.draft), *record.links, *retired)))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
