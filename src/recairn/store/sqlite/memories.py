"""Memory rows: put, change, erase, read. Every change writes its history along with it."""

from __future__ import annotations

from array import array

import apsw

from recairn.core.errors import BadInput, NotFound
from recairn.core.ids import looks_like_uid_prefix, row_number
from recairn.core.record import replace
from recairn.core.salience import left_sql
from recairn.store.rows import LookAlike
from recairn.store.statements.filters import AMONG_FEW, FEW, conditions
from recairn.store.statements.history import HistoryStatements
from recairn.store.statements.memory_columns import (
    AUTHORED,
    CHANGEABLE,
    COUNTERS,
    SELECT,
    as_stored,
    authored_values,
    memory_from_row,
    row_hash,
    row_hashes,
)
from recairn.store.statements.sessions import SessionStatements
from recairn.store.statements.values import from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Event, Filter, Memory
    from recairn.store.rows import NewMemory
    from recairn.store.sqlite.connection import Connection

_INSERTED = ("id", *AUTHORED, "updated_at", "decayed_at", "row_hash")
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ({', '.join('?' * len(_INSERTED))})"
# From this many rows on they are indexed together by one statement: after every statement that
# touches it, the full-text engine writes its pending terms out, which costs as much as the row.
_MANY = 32
_INDEXED = "title, content, details, keywords, category, idents, dates, reach"
_INDEX = (
    f"insert into memories_fts(rowid, {_INDEXED})"
    f" select id, {_INDEXED} from memories where id in (select value from carray(?)) order by id"
)
_INSERT_KEY = "insert or ignore into look_alikes values (?, ?)"
_KEYS_AT_ONCE = 500
_INSERT_KEYS = _INSERT_KEY + ", (?, ?)" * (_KEYS_AT_ONCE - 1)
# What other columns follow from, and what the look-alike keys are made of.
_LEADING = ("title", "content", "fields", "tier", "project", "session_id", "created_at")
_KEYED = ("kind", "title", "content", "details", "reach")
_DELETE_KEY = "delete from look_alikes where key = ? and memory = ?"
_INSERT_CREATED = "insert into history(memory, at, event, session_id) values (?, ?, 'created', ?)"
_ORDERS = {
    "newest": "m.created_at desc, m.id desc",
    "oldest": "m.created_at, m.id",
    "used": "coalesce(m.last_used_at, 0) desc, m.id desc",
    "salient": "{salience} desc, m.id desc",
    "changed": "m.updated_at desc, m.id desc",
    "id": "m.id",
}
# The newest live memories under one look-alike key; {worth} says how much sharing it counts.
_UNDER_KEY = """
select * from (
    select l.memory, {worth} from look_alikes l join memories m on m.id = l.memory
    where l.key = ? and m.deleted_at is null and m.valid_until is null
        and (m.expires_at is null or m.expires_at > ?)
    order by l.memory desc limit 24
)
"""
# Saying exactly the same outweighs sharing all other keys.
_SAME, _ALIKE = 100, 1
# SQLite takes 32,766 bound values; stay well below.
_BATCH = 500


class MemoryRows(HistoryStatements, SessionStatements):
    """The part of the store that keeps memories."""

    _c: Connection

    def put(self, memories: Sequence[NewMemory]) -> list[int]:
        """Inserts prepared rows with their look-alike keys and `created` events; the new ids."""
        if not memories:
            return []
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
        created = list(zip(ids, moments, sessions, strict=True))
        self._c.run_many(_INSERT_CREATED, created)
        links = [
            (session, memory, "created", at)
            for memory, at, session in created
            if session is not None
        ]
        if links:
            self._link_sessions(links)
        return ids

    def _insert_rows(self, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Runs an insert for rows that begin with their ids, and indexes their text."""
        if len(rows) < _MANY:
            self._c.run_many(insert, rows)
            return
        self._c.run_many_untriggered(insert, rows)
        self._c.run(_INDEX, (apsw.carray(array("q", [row[0] for row in rows])),))

    def _insert_keys(self, flat: Sequence[int]) -> None:
        """Inserts look-alike keys, given as key, memory, key, memory, ..."""
        step = 2 * _KEYS_AT_ONCE
        whole = len(flat) - len(flat) % step
        self._c.run_many(_INSERT_KEYS, [flat[at : at + step] for at in range(0, whole, step)])
        rest = flat[whole:]
        self._c.run_many(_INSERT_KEY, zip(rest[::2], rest[1::2], strict=True))

    def _next_id(self) -> int:
        """The next row number, never one used before; the write lock is held, so it stays ours."""
        return 1 + int(
            self._c.value(
                "select max(coalesce((select max(id) from memories), 0),"
                " coalesce((select max(memory) from history), 0))"
            )
        )

    def change(self, memory: int, changes: Mapping[str, Any], event: Event) -> None:
        """Writes changed fields, what follows from them, and the event, with before and after.

        What the event says of itself beside fields is kept with it.
        """
        unknown = set(changes) - CHANGEABLE
        if unknown:
            raise BadInput(f"a memory has no field {sorted(unknown)[0]!r}")
        before = self._columns(memory)
        changed = {
            name: value for name, value in changes.items() if as_stored(name, value) != before[name]
        }
        changed.update(_following(before, changed))
        after = {
            name: stored
            for name, value in changed.items()
            if (stored := as_stored(name, value)) != before[name]
        }
        merged = {**before, **after}
        hashed = row_hash([merged[name] for name in AUTHORED])
        assignments = ", ".join(f"{name} = ?" for name in (*after, "row_hash"))
        self._c.run(
            f"update memories set {assignments} where id = ?", (*after.values(), hashed, memory)
        )
        if not after.keys().isdisjoint(_KEYED):
            self._rekey(memory, before, merged)
        self.note(
            replace(
                event,
                memory=memory,
                before={name: before[name] for name in after},
                after={**event.after, **after},
            )
        )

    def _columns(self, memory: int) -> dict[str, Any]:
        """The columns of a memory as they are stored, but for its number."""
        columns = (*AUTHORED, *COUNTERS)
        row = self._c.row(f"select {', '.join(columns)} from memories where id = ?", (memory,))
        if row is None:
            raise NotFound(f"there is no memory #{memory}", "recairn recent")
        return dict(zip(columns, row, strict=True))

    def _rekey(self, memory: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Replaces the look-alike keys of a memory whose words or readers changed."""
        from recairn.core.derived import keys_of_row

        self._c.run_many(_DELETE_KEY, [(key, memory) for key in keys_of_row(before)])
        self._c.run_many(_INSERT_KEY, [(key, memory) for key in keys_of_row(after)])

    def remake_keys(self) -> None:
        """Writes the look-alike keys of every memory that has lost them."""
        from recairn.core.derived import keys_of_row

        columns = ("kind", "title", "content", "details", "content_hash", "reach")
        with self._c.transaction():
            for number, *values in self._c.rows(f"select id, {', '.join(columns)} from memories"):
                keys = keys_of_row(dict(zip(columns, values, strict=True)))
                self._c.run_many(_INSERT_KEY, [(key, number) for key in keys])

    def erase(self, memory: int, event: Event) -> None:
        """Removes a memory and every trace of its text; the history keeps that it existed."""
        from recairn.core.derived import keys_of_row

        row = self._columns(memory)
        self._c.run_many(_DELETE_KEY, [(key, memory) for key in keys_of_row(row)])
        self._c.run("delete from memories where id = ?", (memory,))
        self._c.run("update history set before = '{}', after = '{}' where memory = ?", (memory,))
        self._c.run("delete from access_log where memory = ?", (memory,))
        self.note(replace(event, memory=memory, before={"uid": row["uid"]}))

    # Reading

    def get(self, memory: int) -> Memory | None:
        found = self._c.row(f"select {SELECT} from memories m where m.id = ?", (memory,))
        return None if found is None else memory_from_row(found)

    def get_many(self, ids: Sequence[int]) -> dict[int, Memory]:
        found: dict[int, Memory] = {}
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            marks = ", ".join("?" * len(part))
            for row in self._c.rows(
                f"select {SELECT} from memories m where m.id in ({marks})", part
            ):
                found[row[0]] = memory_from_row(row)
        return found

    def find(self, reference: str) -> list[int]:
        """Ids that `#42`, `42`, a uid (or six letters of its beginning) or a foreign id mean."""
        if not reference.isprintable():
            return []
        number = row_number(reference)
        if number is not None:
            found = self._c.rows("select id from memories where id = ?", (number,))
            if found:
                return [number]
        named = self._c.rows(
            "select id from memories where external_id = ? order by id limit 9", (reference,)
        )
        if len(named) > 1:  # a record that was imported again and again means what holds now
            held = self._c.rows(
                "select id from memories where external_id = ? and superseded_by is null"
                " and deleted_at is null order by id limit 9",
                (reference,),
            )
            named = held or named
        if not named and looks_like_uid_prefix(reference):
            low = reference.lower()
            named = self._c.rows(
                "select id from memories where uid >= ? and uid < ? order by uid limit 9",
                (low, low + "~"),
            )
        return [row[0] for row in named]

    def listing(self, filter: Filter, *, order: str, limit: int, offset: int = 0) -> list[Memory]:
        where, values = conditions(filter)
        if filter.kinds and all(kind in FEW for kind in filter.kinds):
            where = f"{AMONG_FEW} and {where}"
        by = _ORDERS[order]
        if order == "salient":
            by = by.format(salience=left_sql(filter.now))
        rows = self._c.rows(
            f"select {SELECT} from memories m where {where} order by {by} limit ? offset ?",
            (*values, limit, offset),
        )
        return [memory_from_row(row) for row in rows]

    def visible_ids(self, filter: Filter) -> list[int]:
        """Ids of the memories the filter lets through, in order."""
        where, values = conditions(filter)
        rows = self._c.rows(f"select m.id from memories m where {where} order by m.id", values)
        return [row[0] for row in rows]

    def passing(self, ids: Sequence[int], filter: Filter) -> set[int]:
        """Those of the memories that the filter lets through."""
        if not ids:
            return set()
        where, values = conditions(filter)
        rows = self._c.rows(
            "select m.id from carray(?) asked cross join memories m on m.id = asked.value"
            f" where {where}",
            (apsw.carray(array("q", sorted(ids))), *values),
        )
        return {row[0] for row in rows}

    def count(self, filter: Filter) -> int:
        where, values = conditions(filter)
        return int(self._c.value(f"select count(*) from memories m where {where}", values))

    def taken_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the look-alike keys under which some memory is known."""
        if not keys:
            return set()
        wanted = apsw.carray(array("q", keys))
        found = self._c.rows(
            "select distinct key from look_alikes where key in (select value from carray(?))",
            (wanted,),
        )
        return {row[0] for row in found}

    def look_alikes(self, keys: Sequence[int], limit: int, *, now: int) -> list[LookAlike]:
        """The live memories under these keys, most alike first.

        The last key is that of the very same text. Of each key only the newest are looked at, so
        that a family of thousands costs no more.
        """
        if not keys:
            return []
        worths = [_SAME] + [_ALIKE] * (len(keys) - 1)
        branches = [_UNDER_KEY.format(worth=worth) for worth in worths]
        values = [value for key in reversed(keys) for value in (key, now)]
        shared: dict[int, int] = {}
        for memory, worth in self._c.rows(" union all ".join(branches), values):
            shared[memory] = shared.get(memory, 0) + worth
        ids = sorted(shared, key=lambda memory: (-shared[memory], -memory))[:limit]
        if not ids:
            return []
        marks = ", ".join("?" * len(ids))
        rows = self._c.rows(
            "select id, uid, title, content, details, content_hash from memories"
            f" where id in ({marks})",
            ids,
        )
        return sorted(map(LookAlike._make, rows), key=lambda row: ids.index(row.id))

    def dropped_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the keys under which a memory was forgotten before anyone verified it."""
        marks = ", ".join("?" * len(keys))
        rows = self._c.rows(
            "select distinct l.key from look_alikes l join memories m on m.id = l.memory"
            f" where l.key in ({marks}) and m.deleted_at is not null and m.trust = 'unverified'",
            list(keys),
        )
        return {row[0] for row in rows}

    def predecessors(self, memory: int) -> list[int]:
        """Ids of the memories this one replaced."""
        rows = self._c.rows(
            "select id from memories where superseded_by = ? order by id", (memory,)
        )
        return [row[0] for row in rows]

    def from_source(self, source: str) -> list[int]:
        """Ids of the memories not forgotten whose source reference or source type this is.

        A file is the source of all its lines: `CLAUDE.md` finds `CLAUDE.md:12`.
        """
        rows = self._c.rows(
            "select id from memories where deleted_at is null and id in ("
            "select id from memories where source_ref = ? and source_ref <> ''"
            " union select id from memories where source_ref > ? and source_ref < ?"
            " and source_ref <> ''"
            " union select id from memories where source_type = ?) order by id",
            # A semicolon comes right after a colon: everything between begins with `source:`.
            (source, f"{source}:", f"{source};", source),
        )
        return [row[0] for row in rows]


def _following(before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from changed ones; the row before is as it is stored."""
    if changes.keys().isdisjoint(_LEADING):
        return {}
    from recairn.core.derived import following

    row = {**before, **changes}
    if isinstance(row["fields"], str):
        row["fields"] = from_json(row["fields"])
    return following(row, changes)
