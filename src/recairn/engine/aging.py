"""The engine's way of letting memory age: correct, promote, pin, expire, archive, check."""

from __future__ import annotations

import os

from recairn.core.kinds import one_of
from recairn.core.record import replace
from recairn.engine.changes import Changing
from recairn.engine.options import listing_from, moment
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recairn.core.model import Memory, Remembered
    from recairn.memory.staleness import Stale
    from recairn.recall.pinned_files import Pinned, Pins

# What nobody used for so long and that has faded so far may be put away (ccmemory's figures).
ARCHIVED_AFTER = "90d"
ARCHIVED_BELOW = 0.1
_PAGE = 500


class Tending(Changing):
    """What is done to memories so that the right ones stay."""

    def correct(self, reference: int | str, content: str, *, force: bool = False) -> Remembered:
        """Replaces a wrong memory by a right one in one step.

        Kind, category, keywords, scope, sector, tier and project are kept, the importance rises
        half-way to 1, and a `corrects` edge says what happened.
        """
        from recairn.core.errors import Refused
        from recairn.core.model import Edge
        from recairn.core.words import normalised
        from recairn.memory.link_state import begin

        memory = self._changeable(reference, force=force)
        with self.store.transaction():
            old = known_memory(self.store, memory)
            if old.superseded_by is not None:
                newer = old.superseded_by
                raise Refused(
                    f"#{memory} is superseded by #{newer}", f"recairn correct {newer} ..."
                )
            if old.deleted_at is not None:
                raise Refused(f"#{memory} was forgotten", f"recairn restore {memory}")
            if normalised(content) == normalised(old.content):
                raise Refused(f"#{memory} says that already", f"recairn show {memory}")
            outcome = self.remember(
                content,
                kind=old.kind,
                project=old.project,
                tier=old.tier,
                sector=old.sector,
                category=old.category,
                keywords=old.keywords,
                scope=old.scope,
                pinned=old.pinned,
                importance=old.importance + 0.5 * (1.0 - old.importance),
                session=old.session_id if old.tier == "session" else None,
                supersede=memory,
                force=force,
            )
            at = self._clock()
            if outcome.id is not None:
                edge = Edge(outcome.id, memory, "corrects", 1.0, 1.0, "user", at, at, None)
                begin(self.store, edge, at)
        return outcome

    def chain(self, reference: int | str) -> list[list[Memory]]:
        """What replaced what, from the first memories to the one that holds, by generation."""
        from recairn.memory.lifecycle import generations

        line = generations(self.store, self.resolve(reference))
        memories = self.store.get_many([number for generation in line for number in generation])
        return [[memories[number] for number in generation] for generation in line]

    def as_of(self, reference: int | str, at: int | str) -> Memory | None:
        """A memory as it was at a time; None when it was not there yet."""
        from recairn.memory.lifecycle import as_of

        self.settle()
        stored = known_memory(self.store, self.resolve(reference))
        when = moment(at, self._clock())
        return as_of(stored, self.store.history(stored.id), when or 0)

    def hidden(self, what: str, **options: Any) -> tuple[list[Memory], int]:
        """What `listing` leaves out because it is "deleted" or "expired"; and how much there is."""
        one_of("hidden", what, ("deleted", "expired"))
        extent = listing_from(options)
        self.settle()
        filter = replace(self._filter(options, self._clock()), hidden=what)
        return self.store.listing(filter, **extent), self.store.count(filter)

    def promote(self, reference: int | str, *, force: bool = False) -> Memory:
        """Widens who sees a memory by one step: session, project, global."""
        from recairn.memory import lifecycle
        from recairn.memory.lookup import known_memory

        memory = self._changeable(reference, force=force)
        if known_memory(self.store, memory).tier == "project":
            self._guard_tier("global")
        with self.store.transaction():
            after = lifecycle.promote(self.store, memory, self._act())
            self.meaning.renew(after, now=self._clock())
        return after

    def expire(
        self, reference: int | str, at: int | str | None = None, *, force: bool = False
    ) -> Memory:
        """Hides a memory from a time on, by default from now on; `restore` brings it back."""
        from recairn.memory import lifecycle

        memory = self._changeable(reference, force=force)
        return lifecycle.expire(self.store, memory, self._act(), moment(at, self._clock()))

    def pin(self, reference: int | str, *, pinned: bool = True) -> Memory:
        """Keeps a memory out of every clean-up, or with `pinned=False` lets it in again."""
        from recairn.memory import lifecycle

        self.settle()
        return lifecycle.pin(
            self.store, self.resolve(reference, change=True), self._act(), pinned=pinned
        )

    def pin_into(self, path: str | os.PathLike[str]) -> Pinned:
        """Keeps a block of the project's rules and pinned memories in a file of the project."""
        now = self._clock()
        self._move_in()
        return self._pins().into(os.fspath(path), self._filter({}, now), now)

    def unpin_from(self, path: str | os.PathLike[str]) -> Pinned:
        """Takes that block out of a file; everything around it stays as it is."""
        return self._pins().out_of(os.fspath(path), self._clock())

    def refresh_pins(self) -> list[Pinned]:
        """Brings the blocks of this project up to date; one look at the settings if it has none."""
        pins, now = self._pins(), self._clock()
        return pins.refresh(self._filter({}, now), now) if pins.files() else []

    def _pins(self) -> Pins:
        from recairn.recall.pinned_files import Pins

        self.settle()
        return Pins(self.store, self.project, self._work_root())

    def archive(
        self,
        *,
        before: int | str | None = None,
        below: float | None = None,
        all_projects: bool = False,
        dry_run: bool = True,
    ) -> list[Memory]:
        """The memories nobody used since `before` and whose salience is `below`; put away if asked.

        With neither given, 90 days and 0.1 count. Pinned and immutable memories and rules stay.
        """
        from recairn.core.draft import unit
        from recairn.memory.lifecycle import archive

        self.settle()
        if before is None and below is None:
            before, below = ARCHIVED_AFTER, ARCHIVED_BELOW
        act = self._act()
        cut = moment(before, act.at)
        faded = self._faded(
            cut, None if below is None else unit("below", below, below), all_projects
        )
        if not dry_run:
            with self.store.transaction():
                for memory in faded:
                    archive(self.store, memory.id, act)
        return faded

    def _faded(self, before: int | None, below: float | None, everywhere: bool) -> list[Memory]:
        from recairn.core.model import decayed
        from recairn.memory.lifecycle import may_be_archived

        now = self._clock()
        filter = self._filter({"all_projects": everywhere, "before": before}, now)
        faded: list[Memory] = []
        start = 0
        while page := self.store.listing(filter, order="id", limit=_PAGE, offset=start):
            start += len(page)
            for memory in page:
                used = max(memory.created_at, memory.last_used_at or 0)
                ours = everywhere or memory.project == self.project
                old = before is None or used < before
                weak = below is None or decayed(memory, now) < below
                if ours and old and weak and may_be_archived(memory):
                    faded.append(memory)
        return faded

    # Staleness

    def stale(self) -> list[Stale]:
        """What the last check found stale in this project, the stalest first."""
        from recairn.memory.staleness import known_stale

        return known_stale(self.store, self._filter({}, self._clock()))

    def checked_memories(self) -> list[int]:
        """The memories that were ever compared with a checkout."""
        return list(self.store.staleness())

    def check_stale(self, *, report: Callable[[int, int], None] | None = None) -> list[Stale]:
        """Compares what memories name with the checkout around the working directory."""
        from recairn.memory.staleness import check, known_stale

        self.settle()
        now = self._clock()
        filter = self._filter({}, now)
        check(self.store, filter, self._work_root(), now=now, report=report)
        return known_stale(self.store, filter)
