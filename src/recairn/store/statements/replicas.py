"""Which database said what: its own name as a replica, stamps, and what was destroyed."""

from __future__ import annotations

import os

from recairn.store.share_rows import ErasedRow
from recairn.store.statements.base import Statements, batches, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.stamps import Stamp

_REPLICA = "replica"
_LETTERS = 10
_PUT_META = (
    "insert into meta(key, value) values (?, ?) on conflict {key} do update set"
    " value = excluded.value"
)
# What was destroyed in a project of one's own, and others turn out to know, is told to them.
_TOLD = (
    "exists (select 1 from shares where project = excluded.project)"
    " and not exists (select 1 from shares where project = erased.project)"
)
_NEWER = (
    "(excluded.at > erased.at or excluded.at = erased.at and excluded.replica > erased.replica)"
)


class ReplicaStatements(Statements):
    """The part of a store that knows what was said where."""

    _replica: str
    _incarnation: str

    def replica(self) -> str:
        """The name of this database among those that exchange.

        A copy of the file is another replica: two that count under one name would lose changes.
        """
        if not self._replica:
            words = (self._c.value(f"select value from meta where key = '{_REPLICA}'") or "").split(
                " ", 1
            )
            if len(words) == 2 and words[1] == self._whereabouts():
                self._replica = words[0]
            else:
                self.new_replica()
        return self._replica

    def new_replica(self) -> str:
        """Takes another name, since somebody else counts under this one."""
        from recairn.core.ids import letters_of

        self._replica = letters_of(os.urandom(_LETTERS))
        self._c.run(
            _PUT_META.format(key=self._c.unique("key")),
            (_REPLICA, f"{self._replica} {self._whereabouts()}"),
        )
        return self._replica

    def incarnation(self, at: int) -> str:
        """The name under which what is rewritten while the database is open is counted.

        It is never kept: whoever opens a copy of the file, or one that was put back, has another.
        """
        if not self._incarnation:
            from recairn.core.ids import short_name

            self._incarnation = short_name(at)
        return self._incarnation

    def _whereabouts(self) -> str:
        """What is another for a copy of the database."""
        return ""

    def stamps_of(self, ids: Sequence[int]) -> dict[int, str]:
        """The stamps of memories as they are kept; "" for what was never changed."""
        return {
            row[0]: row[1]
            for part in batches(ids)
            for row in self._c.rows(
                f"select id, stamps from memories where id in ({marks(part)})", part
            )
        }

    def numbers_of(self, uids: Iterable[str]) -> dict[str, int]:
        """The numbers of the memories that are here, by uid."""
        return {
            row[0]: row[1]
            for part in batches(sorted(uids))
            for row in self._c.rows(
                f"select uid, id from memories where uid in ({marks(part)})", part
            )
        }

    def uids_of(self, ids: Iterable[int]) -> dict[int, str]:
        """The uids of memories, destroyed ones too, by number."""
        return {
            row[0]: row[1]
            for part in batches(sorted(ids))
            for row in self._c.rows(
                f"select id, uid from memories where id in ({marks(part)}) union all"
                f" select memory, uid from erased where memory in ({marks(part)})",
                (*part, *part),
            )
        }

    def erased(self, uids: Iterable[str] | None = None) -> list[ErasedRow]:
        """Those of the memories that were destroyed, or all that were."""
        columns = "select uid, memory, project, at, replica from erased"
        if uids is None:
            return [ErasedRow(*row) for row in self._c.rows(f"{columns} order by uid")]
        return [
            ErasedRow(*row)
            for part in batches(sorted(uids))
            for row in self._c.rows(f"{columns} where uid in ({marks(part)})", part)
        ]

    def put_erased(self, uid: str, memory: int, project: str, stamp: Stamp) -> None:
        """Notes that a memory was destroyed, also one that was never here (number 0)."""
        self._c.run(
            "insert into erased(uid, memory, project, at, replica) values (?, ?, ?, ?, ?)"
            f" on conflict {self._c.unique('uid')} do update set"
            " memory = case when erased.memory = 0 then excluded.memory else erased.memory end,"
            f" project = case when erased.project = '' or {_TOLD} then excluded.project"
            " else erased.project end,"
            f" at = case when {_NEWER} then excluded.at else erased.at end,"
            f" replica = case when {_NEWER} then excluded.replica else erased.replica end",
            (uid, memory, project, *stamp),
        )
        self.queue_name("memory", uid, project)
        for other in self.fed(uid):
            if other != project:  # it was read there before it went elsewhere
                self.note_left(other, uid)

    def fed(self, uid: str) -> list[str]:
        """The projects whose readers were told of a memory."""
        rows = self._c.rows(
            "select h.project from feed_heads h join feed f on f.project = h.project"
            " and f.noun = 'memory' and f.name = ? order by h.project",
            (uid,),
        )
        return [row[0] for row in rows]

    if TYPE_CHECKING:

        def queue_name(self, noun: str, name: str, project: str) -> None: ...
        def note_left(self, project: str, uid: str) -> None: ...
