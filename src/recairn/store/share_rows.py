"""What a store says of projects that are shared with a server."""

from __future__ import annotations

from recairn.core.record import record


@record
class Share:
    """A project that goes to a server: what it is called there, and how far it was read.

    `position` is the server's own word for that; `waiting` things have not been sent yet, of all
    shared projects together.
    """

    project: str
    name: str
    server: str
    position: str
    created_at: int
    pulled_at: int | None


@record
class Queued:
    """A thing that others are to hear of; its mark is another after each change."""

    noun: str
    name: str
    mark: int


@record
class Refusal:
    """A thing that a server does not take, and why."""

    noun: str
    name: str
    project: str
    why: str
    at: int


@record
class Kept:
    """A record that cannot be read here, or not until `waits_for` is: as it came."""

    noun: str
    name: str
    project: str
    waits_for: str
    record: str


@record
class FeedRow:
    """A thing that changed, under the number of its last change."""

    number: int
    noun: str
    name: str


@record
class ErasedRow:
    """What was destroyed: the number it had here, or 0, and when and by which replica."""

    uid: str
    memory: int
    project: str
    at: int
    replica: str

    @property
    def stamp(self) -> tuple[int, str]:
        return self.at, self.replica


@record
class Acknowledgement:
    """What was destroyed, and a device that holds nothing of it any more; "" for none yet."""

    uid: str
    at: int
    replica: str
