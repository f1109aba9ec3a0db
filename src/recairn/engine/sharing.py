"""The engine's team: its members, and what each keeps to themselves."""

from __future__ import annotations

from recairn.core.errors import RecairnError
from recairn.core.members import WRITER
from recairn.engine.base import BOOKKEEPING_PATIENCE_S, Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.store.member_rows import DeviceRow, MemberRow, Sharing

# The setting that names the server this memory exchanges with.
SERVER = "sync.server"


class Teaming(Base):
    """Members, and who sees what."""

    def sync_later(self) -> None:
        """Lets a process of its own exchange with the team's server, where there is one."""
        if self.config().get(SERVER):
            from recairn.host.background import begin

            begin(("sync", "--quiet", "--db", self.database))

    def act_for(self, member: str, role: str) -> None:
        """Acts in a member's name from now on: in a file, which knows nobody by itself."""
        self.store.member, self.store.role = member, role

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

    def devices(self) -> list[DeviceRow]:
        """The machines of all members, by member and name; those that count no longer too."""
        self.settle()
        return self.store.devices()

    def add_device(
        self, member: str, device: str, *, projects: Sequence[str] = (), days: int = 365
    ) -> tuple[DeviceRow, str]:
        """A new token for a machine of a member, for these projects or for all of the team.

        Nobody can read it again; one that the machine had before counts no longer.
        """
        from recairn.memory.devices import put_device

        self.settle()
        at = self._clock()
        return put_device(self.store, member, device, projects=projects, days=days, at=at)

    def revoke_device(self, member: str, device: str) -> DeviceRow:
        """Lets the token of a machine count no longer."""
        from recairn.memory.devices import revoke_device

        self.settle()
        return revoke_device(self.store, member, device, self._clock())

    def device_with(self, token: str) -> DeviceRow | None:
        """The machine that shows a token; None for one that counts no longer, or never did."""
        from recairn.memory.devices import shown_by

        return shown_by(self.store, token, self._clock())

    def note_device(self, device: DeviceRow, every_ms: int) -> None:
        """Notes that a machine was heard of, unless that was noted within these milliseconds."""
        at = self._clock()
        if self.read_only or at - (device.seen_at or 0) < every_ms:
            return
        try:
            with self.store.bookkeeping(BOOKKEEPING_PATIENCE_S), self.store.transaction():
                self.store.note_device(device.id, at)
        except RecairnError:
            return  # who comes in matters more than when they last did

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
