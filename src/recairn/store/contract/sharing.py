"""What a store promises about the members of a team, and about what each keeps to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.member_rows import MemberRow, Sharing


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

    def set_private(self, memory: int, private: bool) -> None:
        """Keeps a memory for its writer alone, or shows it to all of the team.

        In a database of one reader it is marked, and nothing else changes.
        """

    def sharing(self, ids: Sequence[int]) -> dict[int, Sharing]:
        """Who wrote memories and whether all of the team see them, of those that are there."""
