"""Memory rows as SQLite takes them in: many at once, with their full-text index."""

from __future__ import annotations

from array import array
from itertools import chain
from operator import itemgetter

import apsw

from recairn.store.statements.memories import INSERT_KEY, NEWEST, MemoryStatements
from recairn.store.statements.memory_table import AUTHORED, authored_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.store.memory_rows import NewMemory
    from recairn.store.sqlite.connection import Connection

_INSERTED = ("id", *AUTHORED, "updated_at", "decayed_at", "row_hash")
_REACH, _CREATED = _INSERTED.index("reach"), _INSERTED.index("created_at")
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ({', '.join('?' * len(_INSERTED))})"
# From this many rows on they are indexed together by one statement: after every statement that
# touches it, the full-text engine writes its pending terms out, which costs as much as the row.
_MANY = 32
# From this many rows on it is asked whether the text index lies scattered. A search in a project of
# 5,000 beside 200,000 took 1.3 times its time alone with nine pieces, 1.15 with one. To join them
# takes 2.4 s for a million memories: so much the less often, the larger the index is.
_VERY_MANY = 500
_SCATTERED = 0.2
_PAGES = 100
# From this many rows on more pages are kept: to take in 100,000 takes 2 % less.
_THOUSANDS = 2_000
# The tables of look-alike keys: the large one, and that in which those of many rows wait. Keys are
# as good as random: ten thousand memories beside a million touch every page of the large one.
_SETTLED, _RECENT = "look_alikes", "recent_keys"
_KEYS_AT_ONCE = 500
# From so many keys on that are asked for or put at once, more than a few rows are to come.
_MANY_KEYS = 5000
# Of a family of thousands the newest are enough. Most keys are nobody's: those are not looked at
# twice.
_HOLDERS = """
select l.key, l.memory from carray(?) asked cross join {keys} l
on l.key = asked.value and l.memory >= coalesce((
    select memory from {keys} where key = asked.value order by memory desc limit 1 offset {older}
), 0)
where exists (select 1 from {keys} where key = asked.value)
"""
_ANY_KEYS = "select exists (select 1 from {keys})"
_UNLESS_KNOWN = " on conflict do nothing"
_SETTLE = f"insert into {_SETTLED} select * from {_RECENT} where true{_UNLESS_KNOWN}"
_INSERT_CREATED = (
    "insert into history(memory, at, event, session_id, author) values (?, ?, 'created', ?, ?)"
)
_INSERT_NUMBERED = _INSERT_CREATED.replace("(memory", "(id, memory").replace("(?", "(?, ?")
# Whether others are to hear of new memories: most databases are one person's.
_SHARED = "select exists (select 1 from shares) or exists (select 1 from feed_heads)"
_PRIVATE = "insert into private_memories(memory) values (?)"


def settle_keys(c: Connection) -> None:
    """Moves the look-alike keys that wait to all others; in a transaction."""
    c.run_many_unsummed(_SETTLE, [()])
    c.run_many_unsummed(f"delete from {_RECENT}", [()])


class MemoryRows(MemoryStatements):
    """The part of the store that takes memories in."""

    _c: Connection

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def put(self, memories: Sequence[NewMemory]) -> list[int]:
        """Inserts prepared rows with their look-alike keys and `created` events; the new ids."""
        if not memories:
            return []
        first = self._next_id()
        ids = list(range(first, first + len(memories)))
        authored = authored_rows([row for row, _ in memories])
        moments = [row["updated_at"] for row, _ in memories]
        made = zip(ids, authored, moments, strict=True)
        self._insert_rows(
            _INSERT, [(memory, *values, at, at, hashed) for memory, (values, hashed), at in made]
        )
        own = [number for number, (row, _) in zip(ids, memories, strict=True) if row.get("private")]
        if own:
            self._c.run_many(_PRIVATE, [(number,) for number in own])
        keyed = zip(ids, memories, strict=True)
        # In their order: each page of the keys is then read and written once.
        ordered = [(key, memory) for memory, (_, keys) in keyed for key in keys]
        ordered.sort(key=itemgetter(0))
        self._insert_keys(list(chain.from_iterable(ordered)))
        sessions = [row["session_id"] for row, _ in memories]
        authors = [row["author"] for row, _ in memories]
        created = list(zip(ids, moments, sessions, authors, strict=True))
        self._note_created(created)
        links = [
            (session, memory, "created", at)
            for memory, at, session, _ in created
            if session is not None
        ]
        if links:
            self._link_sessions(links)
        if self._c.value(_SHARED):
            self.queue_memories(ids)
        return ids

    def _insert_rows(self, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Runs an insert for rows that begin with their ids, and indexes their text."""
        if len(rows) < _MANY:
            self._c.run_many(insert, rows)
            return
        from recairn.store.sqlite.checksums import of_new_memories
        from recairn.store.sqlite.tallies import count_in
        from recairn.store.sqlite.text_index import ADD_SOME, HOLD_FEW, HOLD_MANY, in_order

        if len(rows) >= _THOUSANDS:
            self._c.expect_many()
        self._c.run_many_alone(insert, rows)
        added = of_new_memories([(row[0], row[_CREATED], row[-2], row[-1]) for row in rows])
        self._c.sums["memories"] = self._c.sums.get("memories", 0) + added
        ids = array("q", [row[0] for row in rows])
        listed = array("q", in_order(ids, [row[_REACH] for row in rows]))
        if len(rows) < _VERY_MANY:
            self._c.run_many_unsummed(ADD_SOME, [(apsw.carray(listed),)])
        else:
            self._c.run(HOLD_MANY)
            self._c.run_many_unsummed(ADD_SOME, [(apsw.carray(listed),)])
            self._c.run(HOLD_FEW)
            self._join_pieces()
        count_in(self._c, ids)

    def _note_created(self, created: Sequence[tuple[int, int, str | None, str]]) -> None:
        """Appends the first events of new memories: memory, time, session and author."""
        if len(created) < _MANY:
            self._c.run_many(_INSERT_CREATED, created)
            return
        from recairn.store.sqlite.checksums import of_created

        first = 1 + int(self._c.value("select coalesce(max(id), 0) from history"))
        events = [(number, *event) for number, event in enumerate(created, first)]
        self._c.run_many_unsummed(_INSERT_NUMBERED, events)
        self._c.sums["history"] = self._c.sums.get("history", 0) + of_created(events)

    def _join_pieces(self) -> None:
        """Makes one piece of the text index where a part of it lies scattered."""
        from recairn.store.sqlite.text_index import JOIN, PIECES, piece_sizes

        sizes = piece_sizes(self._c.value(PIECES) or bytes(7))
        if sum(sizes) >= _PAGES and max(sizes) < (1.0 - _SCATTERED) * sum(sizes):
            self._c.run(JOIN)

    def _insert_keys(self, flat: Sequence[int]) -> None:
        """Inserts look-alike keys, given as key, memory, key, memory, ...

        Many wait until they are a tenth of all, which is when there are as many as memories.
        """
        count = len(flat) // 2
        memories = self._next_id() if count >= _MANY_KEYS else 0
        if count >= memories:
            self._put_keys(_SETTLED, flat)
            return
        self._put_keys(_RECENT, flat)
        if self._c.value(f"select count(*) from {_RECENT}") >= memories:
            settle_keys(self._c)

    def _put_keys(self, table: str, flat: Sequence[int]) -> None:
        step = 2 * _KEYS_AT_ONCE
        whole = len(flat) - len(flat) % step
        insert = INSERT_KEY.replace(_SETTLED, table)
        if whole:
            many = [flat[at : at + step] for at in range(0, whole, step)]
            marks = ", (?, ?)" * (_KEYS_AT_ONCE - 1)
            self._c.run_many_unsummed(f"{insert}{marks}{_UNLESS_KNOWN}", many)
        rest = flat[whole:]
        self._c.run_many_unsummed(insert + _UNLESS_KNOWN, zip(rest[::2], rest[1::2], strict=True))

    def _key_tables(self) -> Sequence[str]:
        """The tables that hold look-alike keys."""
        waits = self._c.value(_ANY_KEYS.format(keys=_RECENT))
        return (_SETTLED, _RECENT) if waits else (_SETTLED,)

    def _next_id(self) -> int:
        """The next row number, never one used before; the write lock is held, so it stays ours."""
        return 1 + int(
            self._c.value(
                "select max(coalesce((select max(id) from memories), 0),"
                " coalesce((select max(memory) from history), 0))"
            )
        )

    def key_holders(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Of the look-alike keys under which memories are known, the newest of these."""
        holders: dict[int, list[int]] = {}
        if len(keys) >= _MANY_KEYS and self._c.in_transaction:
            self._c.expect_many()
        listed = array("q", sorted(set(keys)))
        for table in (_SETTLED, _RECENT):
            if listed and self._c.value(_ANY_KEYS.format(keys=table)):
                asked = _HOLDERS.format(keys=table, older=NEWEST - 1)
                for key, memory in self._c.rows(asked, (apsw.carray(listed),)):
                    holders.setdefault(key, []).append(memory)
        return {key: sorted(memories)[-NEWEST:] for key, memories in holders.items()}
