"""What a store promises about what goes to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.share_rows import Queued, Refusal, Share


class Outbox(Protocol):
    """What a store promises about what goes to a server."""

    def shares(self) -> list[Share]:
        """The projects that go to a server, by name."""

    def put_share(self, share: Share) -> None:
        """Shares a project, or notes how far it was read."""

    def drop_share(self, project: str) -> None:
        """Ends sharing; what waited for other projects goes on waiting."""

    def queue_project(self, project: str) -> int:
        """Queues everything of a project; how much that is."""

    def queue_memories(self, memories: Sequence[int]) -> None:
        """Notes that others are to hear of memories, where anything is shared."""

    def queue_name(self, noun: str, name: str, project: str) -> None:
        """Notes that others are to hear of one thing of a project, where that is shared."""

    def outbox(self, limit: int) -> list[Queued]:
        """Things that wait to be sent, in a stable order."""

    def outbox_marks(self, noun: str, names: Sequence[str]) -> dict[str, int]:
        """The marks of those of the things that wait."""

    def outbox_size(self) -> int:
        """How much waits to be sent."""

    def unqueue(self, things: Sequence[Queued]) -> None:
        """Takes things out of the outbox, unless they have changed since."""

    def refuse(self, refusal: Refusal) -> None:
        """Notes that a server does not take a thing."""

    def refusals(self) -> list[Refusal]:
        """What servers did not take, oldest first."""

    def unrefuse(self, noun: str, name: str) -> None:
        """Forgets a refusal: the thing was taken after all."""
