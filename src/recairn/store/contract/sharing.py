"""What a store promises about the members of a team, and about what each keeps to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.member_rows import DeviceRow, MemberRow, Sharing


class Shared(Protocol):
    """Who is on the team, and who sees what."""

    # Who of the team asks, and what they may do; "" where the whole team, or who is alone, does.
    member: str
    role: str

    def members(self) -> list[MemberRow]:
        """All who are or were members, by name."""

    def put_member(self, name: str, role: str, at: int) -> int:
        """Makes somebody a member, or gives a member another role; their number.

        Who was revoked is a member again.
        """

    def revoke_member(self, member: int, at: int) -> None:
        """Ends a membership; what they wrote stays under their name."""

    def devices(self) -> list[DeviceRow]:
        """The machines of all members, by member and name."""

    def device_of(self, token: str) -> DeviceRow | None:
        """The machine whose token has this digest, whether it still counts or not."""

    def put_device(
        self, member: int, name: str, token: str, projects: str, *, at: int, until: int
    ) -> int:
        """Lets a machine of a member show a token, of which the digest is kept; its number."""

    def revoke_device(self, device: int, at: int) -> None:
        """Lets the token of a machine count no longer."""

    def note_device(self, device: int, at: int) -> None:
        """Notes when a machine was last heard of."""

    def set_private(self, memory: int, private: bool) -> None:
        """Keeps a memory for its writer alone, or shows it to all of the team.

        In a database of one reader it is marked, and nothing else changes.
        """

    def sharing(self, ids: Sequence[int]) -> dict[int, Sharing]:
        """Who wrote memories and whether all of the team see them, of those that are there."""
