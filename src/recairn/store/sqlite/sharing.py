"""What is kept from a team, in a file: a mark that travels with the memory, for one reader."""

from __future__ import annotations

from recairn.store.member_rows import Sharing
from recairn.store.statements.base import batches, marks
from recairn.store.statements.members import MemberStatements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SharedRows(MemberStatements):
    """The part of the store that knows what is private."""

    def set_private(self, memory: int, private: bool) -> None:
        """Marks a memory as its writer's own, or takes the mark away."""
        if private:
            self._c.run(
                "insert into private_memories(memory) values (?) on conflict do nothing", (memory,)
            )
        else:
            self._c.run("delete from private_memories where memory = ?", (memory,))

    def sharing(self, ids: Sequence[int]) -> dict[int, Sharing]:
        """Which memories are marked, of those that are there."""
        return {
            row[0]: Sharing("", bool(row[1]))
            for part in batches(ids)
            for row in self._c.rows(
                "select m.id, p.memory is not null from memories m left join private_memories p"
                f" on p.memory = m.id where m.id in ({marks(part)})",
                part,
            )
        }
