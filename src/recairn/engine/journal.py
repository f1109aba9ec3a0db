"""The engine's memory of its own changes: which events something wrote, and versions to expect."""

from __future__ import annotations

from recairn.engine.base import Base
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType


class Journal:
    """Everything inside happens in one transaction; afterwards the numbers of what was written.

    `events` are those of histories, for `undo(event=...)`, `changes` those of projects, for
    `undo(change=...)`.
    """

    __slots__ = ("_before", "_memory", "_transaction", "changes", "events")

    def __init__(self, memory: Journaling) -> None:
        self._memory = memory
        self._transaction: AbstractContextManager[None] = memory.store.transaction()
        self._before = 0, 0
        self.events: tuple[int, ...] = ()
        self.changes: tuple[int, ...] = ()

    def __enter__(self) -> Journal:
        store = self._memory.store
        self._memory.settle()
        self._transaction.__enter__()
        newest = max((change.id for change in store.project_changes()), default=0)
        self._before = store.last_event(), newest
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            event, change = self._before
            store = self._memory.store
            self.events = tuple(store.events_after(event))
            numbers = [each.id for each in store.project_changes() if each.id > change]
            self.changes = tuple(sorted(numbers))
        self._transaction.__exit__(kind, error, trace)


class Journaling(Base):
    """What was written, for whoever wants to take exactly that back; and what is expected."""

    def journal(self) -> Journal:
        """For a `with`: all inside is one transaction, and `events` says what it has written."""
        return Journal(self)

    def version(self, reference: int | str) -> str:
        """Sixteen hex digits that are others when a memory says something else.

        Ratings, uses and how much it counts for whom do not change them. `edit(expect=VERSION)`.
        """
        from recairn.memory.versions import version_here

        self.settle()
        return version_here(known_memory(self.store, self.resolve(reference)))
