"""The engine's way of changing what is remembered."""

from __future__ import annotations

from recairn.core.ids import row_number
from recairn.engine.options import moment, refuse_unknown
from recairn.engine.projects import Projects
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Event, Memory
    from recairn.memory.erasure import Erased
    from recairn.memory.undo import Undone
    from recairn.store.work_rows import Evidence

# Events after which the vectors of a memory may be of another text or in another place.
_MOVES_MEANING = ("updated", "merged", "promoted")


class Changing(Projects):
    """Editing, forgetting, replacing, rating, and taking it all back."""

    if TYPE_CHECKING:  # a part of the engine that is loaded when it is called

        def destroy(
            self, reference: int | str, *, reason: str = "", force: bool = False
        ) -> Erased: ...

    def edit(
        self,
        reference: int | str,
        *,
        force: bool = False,
        expect: str | None = None,
        **changes: Any,
    ) -> Memory:
        """Changes fields of a memory; every index and the history follow.

        Conflict where it is of another `version` by now than the one to `expect`.
        """
        from recairn.core.draft import Cleaner
        from recairn.memory import lifecycle

        memory = self._changeable(reference, force=force)
        for name in ("expires_at", "valid_from", "valid_until"):
            if name in changes:
                changes[name] = moment(changes[name], self._clock())
        self._guard_tier(changes.get("tier"))
        if changes.get("project") is not None:
            changes["project"] = self._home(changes["project"]).name
        if changes.get("branch"):
            changes["branch"] = self._branch(changes["branch"])
        with self.store.transaction():
            self._expect(memory, expect, changes)
            after = lifecycle.edit(
                self.store, memory, changes, self._act(), Cleaner(self._allowed())
            )
            self.meaning.renew(after, now=self._clock())
        return after

    def forget(
        self,
        reference: int | str,
        *,
        hard: bool = False,
        reason: str = "",
        force: bool = False,
        expect: str | None = None,
    ) -> Memory:
        """Hides a memory (`restore` brings it back), or with `hard` destroys it for good."""
        from recairn.memory import lifecycle

        if hard:
            return self.destroy(reference, reason=reason, force=force).memory
        memory = self._changeable(reference, force=force)
        with self.store.transaction():
            self._expect(memory, expect)
            return lifecycle.forget(self.store, memory, self._act(reason))

    def restore(self, reference: int | str) -> Memory:
        """Brings back a memory that was forgotten, archived, or has expired."""
        from recairn.memory import lifecycle

        with self.store.transaction():
            memory = lifecycle.restore(
                self.store, self.resolve(reference, change=True), self._act()
            )
            # Another model may have taken over while it was away.
            self.meaning.renew(memory, now=self._clock())
        return memory

    def supersede(
        self, old: int | str, new: int | str, *, force: bool = False, expect: str | None = None
    ) -> Memory:
        """Replaces a memory by another one, or by a new text; returns the old one."""
        with self.store.transaction():
            self._expect(self.resolve(old, change=True), expect, {"content": new})
            return self._supersede(old, new, force=force)

    def _supersede(self, old: int | str, new: int | str, *, force: bool) -> Memory:
        from recairn.memory import lifecycle

        memory = self._changeable(old, force=force)
        if isinstance(new, int) or row_number(new.strip()) or self.store.find(new.strip()):
            successor = self.resolve(new, change=True)
            return lifecycle.supersede(self.store, memory, successor, self._act())
        known = known_memory(self.store, memory)
        self.remember(
            new,
            kind=known.kind,
            project=known.project,
            category=known.category,
            tier=known.tier,
            supersede=memory,
            force=True,
        )
        return known_memory(self.store, memory)

    def feedback(
        self,
        reference: int | str,
        score: float = 1.0,
        *,
        source: str = "user",
        query: str = "",
        note: str = "",
    ) -> Memory:
        """Records how much a memory helped, from 0 (harmful) to 1.

        `query` is what it was the answer to; by default the last search that found it.
        """
        from recairn.core.draft import MAX_REFERENCE, Cleaner
        from recairn.work.feedback import Rating, rate_directly

        self.settle()
        clean = Cleaner(self._allowed())
        if source == "user" and not self._writer().is_own:
            source = "agent"
        rating = Rating(
            score,
            clean.name("source", source),
            query=clean.name("query", query, MAX_REFERENCE),
            note=clean.name("note", note, MAX_REFERENCE),
        )
        return rate_directly(self.store, self.resolve(reference, change=True), rating, self._act())

    def evidence(self, reference: int | str) -> list[Evidence]:
        """What was said about a memory by people, tasks and tests, oldest first."""
        self.settle()
        return self.store.feedback(memory=self.resolve(reference))

    def reinforce(self, reference: int | str, amount: float = 0.1) -> Memory:
        """Strengthens a memory."""
        from recairn.memory import lifecycle

        memory = self.resolve(reference, change=True)
        return lifecycle.reinforce(self.store, memory, self._act(), amount)

    def deemphasize(self, reference: int | str, amount: float = 0.2) -> Memory:
        """Weakens a memory."""
        from recairn.memory import lifecycle

        memory = self.resolve(reference, change=True)
        return lifecycle.deemphasize(self.store, memory, self._act(), amount)

    def undo(self, reference: int | str | None = None, **options: Any) -> list[Undone]:
        """Takes back the last change of a memory, or all of a `source`, `session`, `since` a time.

        `event` takes back one event of a history, or several, by their numbers. Changes of memories
        of other projects stay, unless `all_projects` says otherwise. `change` takes back what was
        done to a project (`project_changes`). `dry_run` only says what would be taken back.
        """
        from recairn.memory.authority import guard_undo
        from recairn.memory.undo import Undone, undo, with_consequences

        names = ("event", "source", "session", "since", "change", "dry_run", "all_projects")
        refuse_unknown("undo", options, names)
        self.settle()
        dry_run = bool(options.get("dry_run"))
        if options.get("change") is not None:
            return self._undo_change(options["change"], dry_run=dry_run)
        meant: dict[str, Any] = {
            "memory": None if reference is None else self._undoable(reference),
            "source": options.get("source"),
            "session": options.get("session"),
            "since": moment(options.get("since"), self._clock()),
            "project": None if options.get("all_projects") else self.project,
        }
        numbers = _numbers(options.get("event"))
        if dry_run:
            chosen = with_consequences(self.store, self._undo_events(numbers, meant))
            planned = [Undone(event.id, event.memory, event.event) for event in chosen]
            return [*self._undo_changes(meant, dry_run=True), *planned]
        with self.store.transaction():
            # Chosen under the lock: what another process has just taken back is not taken twice.
            act = self._act()
            projects = self._undo_changes(meant, dry_run=False)
            events = self._undo_events(numbers, meant)
            if not act.is_own:
                guard_undo(self.store, with_consequences(self.store, events), act)
            undone = undo(self.store, events, act)
            for memory in {event.memory for event in undone if event.what in _MOVES_MEANING}:
                if memory is not None:
                    self.meaning.renew(known_memory(self.store, memory), now=self._clock())
        return [*projects, *undone]

    def _undo_events(self, numbers: tuple[int, ...], meant: Mapping[str, Any]) -> list[Event]:
        """The events that are to be taken back: those of the numbers, else what else is meant."""
        from recairn.memory.undo import events_of, numbered_events

        if numbers:
            return numbered_events(self.store, numbers, meant["project"])
        return events_of(self.store, **meant)

    def _expect(
        self, memory: int, version: str | None, wanted: Mapping[str, Any] | None = None
    ) -> None:
        """Conflict when a memory is not of the version expected; in the caller's transaction."""
        if version is None:
            return
        from recairn.core.errors import Conflict
        from recairn.memory.versions import memory_at, version_here

        current = known_memory(self.store, memory)
        standing = version_here(current)
        if standing != version:
            base = memory_at(current, self.store.history(memory), version)
            raise Conflict(current, wanted or {}, standing, base)

    def _undoable(self, reference: int | str) -> int:
        """The memory meant; one that was moved away from this project last may be had back."""
        from recairn.core.errors import OtherProject
        from recairn.memory.undo import last_change, took_from

        try:
            return self.resolve(reference, change=True)
        except OtherProject:
            (memory,) = self.store.find(str(reference).strip())
            if not took_from(self.project, last_change(self.store, memory)[0]):
                raise
            return memory


def _numbers(event: Any) -> tuple[int, ...]:
    """The numbers of events as they were named: one or several."""
    if event is None:
        return ()
    from recairn.core.errors import BadInput

    numbers = tuple(event) if isinstance(event, list | tuple) else (event,)
    if not numbers or not all(isinstance(number, int) for number in numbers):
        raise BadInput(f"{event!r} is not the number of an event", "recairn history ID lists them")
    return numbers
