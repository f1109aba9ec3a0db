"""Who of a team sees a memory, and who of its members may do what."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.kinds import one_of
from recairn.core.members import ADMIN, ROLES, may
from recairn.memory.authority import guard_person
from recairn.memory.lifecycle import event_of
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Act, Event, Memory
    from recairn.store.contract.base import Store
    from recairn.store.member_rows import MemberRow

SHARED, WITHHELD = "shared", "withheld"
# Characters of a member's name, which also stands in addresses.
_LONGEST = 63
_SIGNS = "-_.@"


def guard_role(store: Store, needed: str, what: str) -> None:
    """Refused for a member whose role does not go so far."""
    if not may(store.role, needed):
        raise Refused(
            f"{store.member} is a {store.role} of the team, and {what} needs a role of {needed}",
            f"an admin may give it: recairn member add {store.member} --role {needed}",
        )


def set_private(store: Store, memory: int, act: Act, *, private: bool) -> Memory:
    """Keeps a memory for its writer alone, or shows it to all of the team."""
    if not private:
        guard_person(act, "share what is private", f"share {memory}")
    with store.transaction():
        current = known_memory(store, memory)
        state = store.sharing([memory])[memory]
        if state.is_private == private:
            return current
        if private and state.writer != store.member:
            guard_role(store, ADMIN, f"to withhold what {state.writer or 'the team'} wrote")
        store.set_private(memory, private)
        store.note(event_of(WITHHELD if private else SHARED, memory, act))
        return current


def take_back(store: Store, event: Event, reverse: Event) -> None:
    """Undoes that a memory was shared or withheld."""
    store.set_private(event.memory, event.event == SHARED)
    store.note(reverse)


def put_member(store: Store, name: str, role: str, at: int) -> MemberRow:
    """Makes somebody a member, or gives a member another role."""
    if not name or len(name) > _LONGEST or not all(c.isalnum() or c in _SIGNS for c in name):
        raise BadInput(
            f"{name!r} is no name of a member",
            f"letters, digits and {' '.join(_SIGNS)}, {_LONGEST} at most",
        )
    role = one_of("role", role, ROLES)
    with store.transaction():
        guard_role(store, ADMIN, "to add a member")
        known = next((member for member in store.members() if member.name == name), None)
        if known is not None and role != ADMIN:
            _guard_last_admin(store, known)
        number = store.put_member(name, role, at)
        return next(member for member in store.members() if member.id == number)


def revoke_member(store: Store, name: str, at: int) -> MemberRow:
    """Ends a membership; what they wrote stays under their name."""
    with store.transaction():
        guard_role(store, ADMIN, "to revoke a member")
        known = next((member for member in store.members() if member.name == name), None)
        if known is None:
            raise NotFound(f"there is no member {name}", "recairn member list")
        if known.revoked_at is None:
            _guard_last_admin(store, known)
            store.revoke_member(known.id, at)
        return next(member for member in store.members() if member.id == known.id)


def _guard_last_admin(store: Store, member: MemberRow) -> None:
    """A team whose admins are all gone could never change its members again."""
    others = [
        member for member in store.members() if member.role == ADMIN and member.revoked_at is None
    ]
    if store.member and [other.name for other in others] == [member.name]:
        raise Refused(
            f"{member.name} is the team's only admin",
            "make another member one first: recairn member add NAME --role admin",
        )
