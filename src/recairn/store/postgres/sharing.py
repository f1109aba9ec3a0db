"""What a member keeps from the team: row-level security hides it, here it changes hands."""

from __future__ import annotations

from recairn.core.errors import Refused
from recairn.store.member_rows import Sharing
from recairn.store.postgres.postings import index, unindex
from recairn.store.statements.base import batches, marks
from recairn.store.statements.members import MemberStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.store.postgres.connection import Connection

_HIDE = (
    "insert into private_memories(memory, owner) values ?"
    " on conflict (team, memory) do update set owner = excluded.owner"
)
_VECTORS = (
    "update vectors v set owner = s.owner, reach = s.reach from scopes s"
    " where v.memory = ? and s.token = ? and s.owner = ?"
)


def owner_for(c: Connection, *, private: bool) -> int:
    """The member who alone sees what is private; Refused where nobody was named."""
    if private and not c.member:
        raise Refused(
            f"{c.place} names no member, and what is private is somebody's",
            "add ?member=NAME to the address (recairn member list)",
        )
    return c.member if private else 0


def hide(c: Connection, memories: Sequence[int]) -> None:
    """Notes that memories are the asking member's own, for all rows about them."""
    for part in batches(memories):
        c.insert_rows(_HIDE, [(memory, c.member) for memory in part])


class SharedRows(MemberStatements):
    """The part of the store that knows what is private, and whose."""

    _c: Connection

    if TYPE_CHECKING:  # parts of the store that are loaded when they are called

        def _columns(self, memory: int) -> dict[str, Any]: ...

    def set_private(self, memory: int, private: bool) -> None:
        """Keeps a memory for its writer alone, or shows it to all of the team."""
        with self._c.transaction():
            row, owner = self._columns(memory), owner_for(self._c, private=private)
            if row["owner"] == owner:
                return
            unindex(self._c, memory, row)
            if owner:
                hide(self._c, [memory])
            self._c.post("update memories set owner = ? where id = ?", (owner, memory))
            index(self._c, [(memory, {**row, "owner": owner})])
            self._c.post(_VECTORS, (memory, row["reach"], owner))
            if not owner:
                self._c.post("delete from private_memories where memory = ?", (memory,))

    def sharing(self, ids: Sequence[int]) -> dict[int, Sharing]:
        """Who wrote memories and whether all of the team see them, of those that are there."""
        return {
            row[0]: Sharing(row[1], bool(row[2]))
            for part in batches(ids)
            for row in self._c.rows(
                "select m.id, coalesce(w.name, ''), m.owner <> 0 from memories m"
                f" left join members w on w.id = m.member where m.id in ({marks(part)})",
                part,
            )
        }
