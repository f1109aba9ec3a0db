"""What a store promises about words that stay beside the memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recairn.store.work_rows import LogText


class Traces(Protocol):
    """What logs, sessions and the history say, so that a destroyed memory is not repeated there."""

    def log_texts(self) -> Iterator[LogText]:
        """Everything that logs, sessions and the history hold in words."""

    def logged_about(self, memory: int) -> dict[str, list[Any]]:
        """Log → keys of the entries that were made because of a memory."""

    def clear_logs(self, entries: Mapping[str, Sequence[Any]]) -> None:
        """Lets entries, log → keys, say nothing any more."""
