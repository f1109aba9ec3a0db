"""A record on its way in, and what is wrong with one."""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@record
class Entry:
    """A record, and the place it came from, by which a problem names it."""

    place: str
    record: Mapping[str, Any]


@record
class Fault:
    """A record that cannot be imported: where it stands, and why. The others go on."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"
