"""What a stretch of work has written, by number, so that exactly that can be taken back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType

    from recairn.store.contract.base import Store


class Journal:
    """Everything inside happens in one transaction; afterwards the numbers of what was written.

    `events` are those of histories, for `undo(event=...)`, `changes` those of projects, for
    `undo(change=...)`.
    """

    __slots__ = ("_before", "_store", "_transaction", "changes", "events")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._transaction: AbstractContextManager[None] = store.transaction()
        self._before = 0, 0
        self.events: tuple[int, ...] = ()
        self.changes: tuple[int, ...] = ()

    def __enter__(self) -> Journal:
        store = self._store
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
            store = self._store
            self.events = tuple(store.events_after(event))
            numbers = [row.id for row in store.project_changes() if row.id > change]
            self.changes = tuple(sorted(numbers))
        self._transaction.__exit__(kind, error, trace)
