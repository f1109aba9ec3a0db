"""What a store promises about settings, readers and the state of the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.host.trust import PersonalSettings
    from recairn.store.memory_rows import StalenessRow


class Settings(Protocol):
    """Small facts that belong to the database as a whole."""

    # What a person set elsewhere for this database; then nothing of the kind counts that is in it.
    personal: PersonalSettings | None

    def config(self) -> dict[str, str]:
        """All settings."""

    def set_config(self, key: str, value: str | None, at: int) -> None:
        """Stores a setting; None removes it."""

    def seal(self) -> str:
        """The text that tells this database from any that is put in its place; "" without one."""

    def set_seal(self, seal: str) -> None:
        """Seals the database; it does not travel."""

    def read_position(self, reader: str, stream: str) -> int:
        """How far a reader has read a stream; 0 when never."""

    def move_reader(self, reader: str, stream: str, position: int, at: int) -> None:
        """Notes that a reader has read so far; never backwards."""

    def put_staleness(self, rows: Iterable[StalenessRow]) -> None:
        """Keeps what a look at the repository said, in place of what it said before."""

    def staleness(self, memories: Sequence[int] | None = None) -> dict[int, StalenessRow]:
        """What the last look said, of those ever checked, by memory."""
