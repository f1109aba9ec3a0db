"""Memory rows as a server takes them in: all of a put in one message, with their text index."""

from __future__ import annotations

from recairn.store.postgres.postings import index, is_indexed, unindex
from recairn.store.statements.base import batches, marks
from recairn.store.statements.memories import MemoryStatements
from recairn.store.statements.memory_columns import AUTHORED, authored_values, row_hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.memory_rows import NewMemory
    from recairn.store.postgres.connection import Connection

_INSERTED = ("id", *AUTHORED, "updated_at", "decayed_at", "row_hash")
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ?"
_KEYS = "insert into look_alikes(key, memory) values ? on conflict do nothing"
_CREATED = "insert into history(memory, at, event, session_id, author) values ?"
_NEXT = (
    "select 1 + greatest(coalesce((select max(id) from memories), 0),"
    " coalesce((select max(memory) from history), 0))"
)


class MemoryRows(MemoryStatements):
    """The part of the store that takes memories in."""

    _c: Connection

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def put(self, memories: Sequence[NewMemory]) -> list[int]:
        """Inserts prepared rows with their look-alike keys and `created` events; the new ids."""
        if not memories:
            return []
        with self._c.transaction():
            first = self._next_id()
            ids = list(range(first, first + len(memories)))
            authored = [authored_values(row) for row, _ in memories]
            moments = [row["updated_at"] for row, _ in memories]
            made = zip(ids, authored, moments, row_hashes(authored), strict=True)
            self._insert_rows(
                _INSERT, [(memory, *values, at, at, hashed) for memory, values, at, hashed in made]
            )
            keyed = zip(ids, memories, strict=True)
            self._insert_keys(
                [value for memory, (_, keys) in keyed for key in keys for value in (key, memory)]
            )
            sessions = [row["session_id"] for row, _ in memories]
            authors = [row["author"] for row, _ in memories]
            created = list(zip(ids, moments, sessions, authors, strict=True))
            for part in batches(created):
                self._c.insert_rows(
                    _CREATED,
                    [
                        (memory, at, "created", session, author)
                        for memory, at, session, author in part
                    ],
                )
            links = [
                (session, memory, "created", at)
                for memory, at, session, _ in created
                if session is not None
            ]
            if links:
                self._link_sessions(links)
        return ids

    def _insert_rows(self, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Runs an insert for rows that begin with id and authored columns; indexes their text."""
        head, _, _ = insert.partition("values")
        for part in batches(rows):
            self._c.insert_rows(f"{head}values ?", part)
        index(self._c, [(row[0], dict(zip(AUTHORED, row[1:], strict=False))) for row in rows])

    def _insert_keys(self, flat: Sequence[int]) -> None:
        """Inserts look-alike keys, given as key, memory, key, memory, ..."""
        for part in batches(list(zip(flat[::2], flat[1::2], strict=True))):
            self._c.insert_rows(_KEYS, part)

    def _next_id(self) -> int:
        """The next number, never one used before; it is this writer's turn, so it stays ours."""
        return int(self._c.value(_NEXT))

    def _reindex(
        self, memory: int, before: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> None:
        """The text index follows a changed memory; `after` is None for a destroyed one."""
        if after is not None and not is_indexed(
            [name for name, value in after.items() if value != before[name]]
        ):
            return
        unindex(self._c, memory, before)
        if after is not None:
            index(self._c, [(memory, after)])

    def taken_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the look-alike keys under which some memory is known."""
        return {
            row[0]
            for part in batches(keys)
            for row in self._c.rows(
                f"select distinct key from look_alikes where key in ({marks(part)})", part
            )
        }
