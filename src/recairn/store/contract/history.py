"""What a store promises about the past of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Event


class History(Protocol):
    """Events, appended and never changed.

    `author` is who writes through this store; empty until it is named or asked for.
    """

    author: str

    def writer(self) -> str:
        """The author of changes that name none: who was named, else who types here."""

    def note(self, event: Event) -> None:
        """Appends an event that changed no column of its memory."""

    def note_beginnings(self, events: Sequence[Event]) -> None:
        """Appends the first events of memories that `put_whole` brought in this transaction."""

    def history(self, memory: int) -> list[Event]:
        """Every event of a memory, oldest first."""

    def events(self, *, since: int | None, session: str | None) -> list[Event]:
        """Events since a time, or of a session, oldest first."""

    def events_named(self, names: Sequence[str]) -> list[Event]:
        """All events of those names, oldest first."""

    def events_numbered(self, numbers: Sequence[int]) -> list[Event]:
        """The events of those numbers that there are, oldest first."""

    def last_event(self) -> int:
        """The number of the newest event; 0 where there is none."""

    def events_after(self, number: int) -> list[int]:
        """The numbers of all newer events, in order."""

    def undone(self) -> set[int]:
        """Ids of the events that were taken back."""
