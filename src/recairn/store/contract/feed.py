"""What a store promises about what others read here, and about what it only keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.share_rows import Acknowledgement, FeedRow, Kept


class Feed(Protocol):
    """What a store promises about what others read here, and about what it only keeps."""

    def note_left(self, project: str, uid: str) -> None:
        """Notes for who reads a project here that a memory left it."""

    def fed(self, uid: str) -> list[str]:
        """The projects whose readers were told of a memory."""

    def host(self, project: str) -> None:
        """Lets others read a project here from now on, and all that it holds by now."""

    def hosted(self) -> list[str]:
        """The projects that others may read here."""

    def feed(self, project: str, after: int, limit: int) -> list[FeedRow]:
        """What changed after a number, in the order of the numbers."""

    def feed_last(self, project: str) -> int | None:
        """The last number given out for a project; None where nobody may read it."""

    def epoch(self) -> str:
        """The text that tells this sequence of numbers from one that a backup brought back."""

    def new_epoch(self) -> str:
        """Begins another sequence: who has read before compares everything once more."""

    def keep_record(self, kept: Kept) -> None:
        """Keeps a record that cannot be read here, in place of an older one."""

    def kept_records(self, noun: str, names: Sequence[str] | None = None) -> list[Kept]:
        """Those of the records of a noun, or all of it."""

    def records_waiting_for(self, names: Sequence[str]) -> list[Kept]:
        """The records that wait for one of these to arrive."""

    def drop_kept(self, noun: str, name: str) -> None:
        """Forgets a record that was read after all."""

    def acknowledge_erasures(self, replica: str, uids: Sequence[str], at: int) -> None:
        """Notes that a device holds nothing any more of memories."""

    def erasures(self, project: str) -> list[Acknowledgement]:
        """What was destroyed in a project, a row for each device that has acknowledged it."""
