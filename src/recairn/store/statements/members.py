"""The members of a team."""

from __future__ import annotations

from recairn.store.member_rows import DeviceRow, MemberRow
from recairn.store.statements.base import Statements

_DEVICES = (
    "select d.id, m.name, m.role, d.name, d.projects, d.created_at, d.expires_at,"
    " coalesce(d.revoked_at, m.revoked_at), d.seen_at from devices d join members m"
    " on m.id = d.member"
)


class MemberStatements(Statements):
    """The part of a store that knows its members."""

    def members(self) -> list[MemberRow]:
        """All who are or were members, by name."""
        columns = ", ".join(MemberRow._fields)
        rows = self._c.rows(f"select {columns} from members order by name")
        return [MemberRow._make(row) for row in rows]

    def put_member(self, name: str, role: str, at: int) -> int:
        """Makes somebody a member, or gives a member another role; their number.

        Who was revoked is a member again.
        """
        return self._c.insert(
            "insert into members(name, role, created_at) values (?, ?, ?)"
            f" on conflict {self._c.unique('name')} do update set"
            " role = excluded.role, revoked_at = null",
            (name, role, at),
        )

    def revoke_member(self, member: int, at: int) -> None:
        """Ends a membership; what they wrote stays under their name."""
        self._c.run("update members set revoked_at = ? where id = ?", (at, member))

    def devices(self) -> list[DeviceRow]:
        """The machines of all members, by member and name."""
        rows = self._c.rows(f"{_DEVICES} order by m.name, d.name, d.id")
        return [DeviceRow._make(row) for row in rows]

    def device_of(self, token: str) -> DeviceRow | None:
        """The machine whose token has this digest, whether it still counts or not."""
        row = self._c.row(f"{_DEVICES} where d.token = ?", (token,))
        return None if row is None else DeviceRow._make(row)

    def put_device(
        self, member: int, name: str, token: str, projects: str, *, at: int, until: int
    ) -> int:
        """Lets a machine of a member show a token, of which the digest is kept; its number."""
        return self._c.insert(
            "insert into devices(member, name, token, projects, created_at, expires_at)"
            " values (?, ?, ?, ?, ?, ?)",
            (member, name, token, projects, at, until),
        )

    def revoke_device(self, device: int, at: int) -> None:
        """Lets the token of a machine count no longer."""
        self._c.run(
            "update devices set revoked_at = ? where id = ? and revoked_at is null", (at, device)
        )

    def note_device(self, device: int, at: int) -> None:
        """Notes when a machine was last heard of."""
        self._c.run("update devices set seen_at = ? where id = ?", (at, device))
