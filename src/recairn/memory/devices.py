"""The machines of a team's members: each shows a token, of which only the digest is kept."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound
from recairn.core.members import ADMIN
from recairn.core.times import DAY
from recairn.memory.sharing import guard_role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.contract.base import Store
    from recairn.store.member_rows import DeviceRow

# How every token begins, so that it is known as one where it should not stand.
PREFIX = "rcn_"
# Bytes of chance in a token: nobody guesses one.
_CHANCE = 32
# Days a token counts at most; who leaves and is not revoked is gone after that.
MOST_DAYS = 3_650
# Characters of the name of a machine.
_LONGEST = 63


def digest(token: str) -> str:
    """What is kept of a token; it has enough chance in it to need no slow hash."""
    from hashlib import sha256

    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def put_device(
    store: Store, member: str, name: str, *, projects: Sequence[str], days: int, at: int
) -> tuple[DeviceRow, str]:
    """Lets a machine of a member show a new token, and that token, which nobody can read again.

    A machine of the same name shows its old one in vain from now on.
    """
    from secrets import token_urlsafe

    _check(name, projects, days)
    token = PREFIX + token_urlsafe(_CHANCE)
    with store.transaction():
        guard_role(store, ADMIN, "to give out a token")
        rows = {row.name: row for row in store.members() if row.revoked_at is None}
        if member not in rows:
            raise NotFound(f"there is no member {member}", f"recairn member add {member}")
        for former in _named(store, member, name):
            store.revoke_device(former.id, at)
        kept = "\n".join(projects)
        until = at + days * DAY
        store.put_device(rows[member].id, name, digest(token), kept, at=at, until=until)
        row = store.device_of(digest(token))
    assert row is not None
    return row, token


def _check(name: str, projects: Sequence[str], days: int) -> None:
    if not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise BadInput(f"{name!r} is no name of a device", f"1 to {_LONGEST} characters")
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(f"a token counts for 1 to {MOST_DAYS:,} days, not {days}")
    if any(not project or not project.isprintable() for project in projects):
        raise BadInput("a project has a name of printable characters", "recairn project list")


def revoke_device(store: Store, member: str, name: str, at: int) -> DeviceRow:
    """Lets the token of a machine count no longer."""
    with store.transaction():
        guard_role(store, ADMIN, "to revoke a token")
        devices = _named(store, member, name)
        if not devices:
            raise NotFound(f"{member} has no device {name}", "recairn member list")
        for row in devices:
            store.revoke_device(row.id, at)
        return next(row for row in store.devices() if row.id == devices[-1].id)


def _named(store: Store, member: str, name: str) -> list[DeviceRow]:
    return [
        row
        for row in store.devices()
        if (row.member, row.name) == (member, name) and row.revoked_at is None
    ]


def shown_by(store: Store, token: str, at: int) -> DeviceRow | None:
    """The machine that shows a token; None for one that counts no longer, or never did."""
    if not token.startswith(PREFIX):
        return None
    row = store.device_of(digest(token))
    if row is None or row.revoked_at is not None or row.expires_at <= at:
        return None
    return row
