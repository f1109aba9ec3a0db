"""The members of a team."""

from __future__ import annotations

from recairn.store.member_rows import MemberRow
from recairn.store.statements.base import Statements


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
