"""The engine's team: its members, and what each keeps to themselves."""

from __future__ import annotations

from recairn.core.members import WRITER
from recairn.engine.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.store.member_rows import MemberRow, Sharing


class Teaming(Base):
    """Members, and who sees what."""

    def members(self) -> list[MemberRow]:
        """All who are or were members of the team, by name."""
        self.settle()
        return self.store.members()

    def add_member(self, name: str, *, role: str = WRITER) -> MemberRow:
        """Makes somebody a member, or gives a member another role."""
        from recairn.memory.sharing import put_member

        self.settle()
        return put_member(self.store, name, role, self._clock())

    def revoke_member(self, name: str) -> MemberRow:
        """Ends a membership; what they wrote stays under their name."""
        from recairn.memory.sharing import revoke_member

        self.settle()
        return revoke_member(self.store, name, self._clock())

    def share(self, reference: int | str) -> Memory:
        """Shows a memory to all of the team; `undo` takes it back."""
        return self._set_private(reference, private=False)

    def withhold(self, reference: int | str) -> Memory:
        """Keeps a memory for its writer alone; `undo` takes it back."""
        return self._set_private(reference, private=True)

    def sharing(self, ids: Sequence[int]) -> dict[int, Sharing]:
        """Who wrote memories, and whether all of the team see them."""
        self.settle()
        return self.store.sharing(ids)

    def _set_private(self, reference: int | str, *, private: bool) -> Memory:
        from recairn.memory.sharing import set_private

        self.settle()
        memory = self.resolve(reference, change=True)
        return set_private(self.store, memory, self._act(), private=private)
