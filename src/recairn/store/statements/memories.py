"""Memories: changed, destroyed and read. Every change writes its history along with it."""

from __future__ import annotations

from recairn.core.errors import BadInput, NotFound
from recairn.core.ids import looks_like_uid_prefix, row_number
from recairn.core.model import left_sql
from recairn.core.record import replace
from recairn.store.statements.base import batches, from_json, limit_of, marks
from recairn.store.statements.history import HistoryStatements
from recairn.store.statements.memory_table import (
    AUTHORED,
    CHANGEABLE,
    COUNTERS,
    SELECT,
    as_stored,
    conditions,
    memory_from_row,
    of_the_few,
    readers,
    row_hash,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Event, Filter, Memory
    from recairn.core.stamps import Stamp
    from recairn.store.memory_rows import LookAlike
    from recairn.store.statements.connection import SqlConnection

INSERT_KEY = "insert into look_alikes(key, memory) values (?, ?)"
_UNLESS_KNOWN = " on conflict do nothing"
# What other columns follow from, and what the look-alike keys are made of.
_LEADING = ("title", "content", "fields", "tier", "project", "session_id", "created_at")
_KEYED = ("kind", "title", "content", "details", "reach")
_ORDERS = {
    "newest": "m.created_at desc, m.id desc",
    "oldest": "m.created_at, m.id",
    "used": "coalesce(m.last_used_at, 0) desc, m.id desc",
    "salient": "{salience} desc, m.id desc",
    "changed": "m.updated_at desc, m.id desc",
    "id": "m.id",
}
_PART = "select * from (select m.id from memories m where {where} order by {by} limit ?) part"
# The parts come first: the engine would else go through all rows in their order.
_LISTED = (
    "select {select} from ({parts}) listed cross join memories m where m.id = listed.id"
    " order by {by} limit ? offset ?"
)
# Memories that are looked at under one look-alike key, at most.
NEWEST = 24
# The newest live ones under one key.
_UNDER_KEY = f"""
select * from (
    select l.key, l.memory from {{keys}} l join memories m on m.id = l.memory
    where l.key = ? and m.deleted_at is null and m.valid_until is null
        and (m.expires_at is null or m.expires_at > ?)
    order by l.memory desc limit {NEWEST}
) newest
"""
# Rows that are read at once where all of them are.
_SOME = 1000
# Saying exactly the same outweighs sharing all other keys.
_SAME, _ALIKE = 100, 1


class MemoryStatements(HistoryStatements):
    """The part of a store that keeps memories."""

    if TYPE_CHECKING:  # the engine's own, or a part of the store that is loaded when it is called

        def _key_tables(self) -> Sequence[str]: ...
        def replica(self) -> str: ...
        def incarnation(self, at: int) -> str: ...
        def put_erased(self, uid: str, memory: int, project: str, stamp: Stamp) -> None: ...
        def note_left(self, project: str, uid: str) -> None: ...

    def change(
        self, memory: int, changes: Mapping[str, Any], event: Event, stamps: str | None = None
    ) -> None:
        """Writes changed fields, what follows from them, and the event, with before and after.

        What the event says of itself beside fields is kept with it. Stamps are those of a change
        made here, unless they come from elsewhere.
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
        if stamps is None:
            stamps = self._stamps_after(before, after, event.at)
        assignments = ", ".join(f"{name} = ?" for name in (*after, "row_hash", "stamps"))
        self._c.run(
            f"update memories set {assignments} where id = ?",
            (*after.values(), hashed, stamps, memory),
        )
        if "project" in after:
            self.note_left(before["project"], before["uid"])
        if "project" in after or "tier" in after:
            # Links go along where both ends are shared.
            rows = self._c.rows("select source from edges where target = ?", (memory,))
            self.queue_memories([row[0] for row in rows])
        if not after.keys().isdisjoint(_KEYED):
            self._rekey(memory, before, merged)
        self._reindex(memory, before, merged)
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
        columns = (*AUTHORED, *COUNTERS, "stamps")
        row = self._c.row(f"select {', '.join(columns)} from memories where id = ?", (memory,))
        if row is None:
            raise NotFound(f"there is no memory #{memory}", "recairn recent")
        return dict(zip(columns, row, strict=True))

    def _rekey(self, memory: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Replaces the look-alike keys of a memory whose words or readers changed."""
        from recairn.core.derived import keys_of_row

        self._drop_keys(memory, keys_of_row(before))
        self._c.run_many(INSERT_KEY + _UNLESS_KNOWN, [(key, memory) for key in keys_of_row(after)])

    def _drop_keys(self, memory: int, keys: Sequence[int]) -> None:
        """Removes look-alike keys of a memory, wherever they are."""
        for table in self._key_tables():
            delete = f"delete from {table} where key = ? and memory = ?"
            self._c.run_many(delete, [(key, memory) for key in keys])

    def _reindex(
        self, memory: int, before: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> None:
        """Where the text index does not follow by itself, it follows a changed memory here."""

    def _stamps_after(self, before: Mapping[str, Any], after: Mapping[str, Any], at: int) -> str:
        """The stamps of a memory that is changed here."""
        from recairn.core.stamps import STAMPED, after_change

        if STAMPED.isdisjoint(after):
            return str(before["stamps"])
        names = self.replica(), self.incarnation(at)
        return after_change(before["stamps"], before, after, at, names)

    def remake_keys(self) -> None:
        """Writes the look-alike keys of every memory that has lost them; in a transaction."""
        remake_keys(self._c)

    def erase(self, memory: int, event: Event, stamp: Stamp | None = None) -> None:
        """Removes a memory and every trace of its text; the history keeps that it existed.

        The stamp is that of an erasure made here, unless it comes from elsewhere.
        """
        from recairn.core.derived import keys_of_row
        from recairn.core.stamps import latest, parsed

        row = self._columns(memory)
        place = self._known_in(memory, row["project"])
        self._drop_keys(memory, keys_of_row(row))
        self._reindex(memory, row, None)
        self._c.run("delete from memories where id = ?", (memory,))
        self._c.run(
            "update history set reason = '', before = '{}', after = '{}' where memory = ?",
            (memory,),
        )
        self._c.run("delete from access_log where memory = ?", (memory,))
        last = latest(parsed(row["stamps"]), row["created_at"]) + 1
        self.put_erased(row["uid"], memory, place, stamp or (max(event.at, last), self.replica()))
        self.note(replace(event, memory=memory, before={"uid": row["uid"]}))

    def _known_in(self, memory: int, project: str) -> str:
        """The project in which others know a memory: its own, or the shared one that it left."""
        shared = {row[0] for row in self._c.rows("select project from shares")}
        if project in shared or not shared:
            return project
        rows = self._c.rows(
            "select before from history where memory = ? order by id desc", (memory,)
        )
        left = (str(from_json(row[0], {}).get("project")) for row in rows)
        return next((name for name in left if name in shared), project)

    def get(self, memory: int) -> Memory | None:
        row = self._c.row(f"select {SELECT} from memories m where m.id = ?", (memory,))
        return None if row is None else memory_from_row(row, self.damaged)

    def get_many(self, ids: Sequence[int]) -> dict[int, Memory]:
        return {
            row[0]: memory_from_row(row, self.damaged)
            for part in batches(ids)
            for row in self._c.rows(
                f"select {SELECT} from memories m where m.id in ({marks(part)})", part
            )
        }

    def find(self, reference: str) -> list[int]:
        """Ids that `#42`, `42`, a uid (or six letters of its beginning) or a foreign id mean."""
        if not reference.isprintable():
            return []
        number = row_number(reference)
        if number is not None:
            rows = self._c.rows("select id from memories where id = ?", (number,))
            if rows:
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
        sql, values = listing_sql(filter, order, limit, offset)
        rows = self._c.rows(sql, values)
        return [memory_from_row(row, self.damaged) for row in rows]

    def newest_of(self, filters: Sequence[Filter], limits: Sequence[int]) -> list[list[Memory]]:
        """The newest memories that each of the filters lets through."""
        asked = zip(filters, limits, strict=True)
        return [self.listing(filter, order="newest", limit=limit) for filter, limit in asked]

    def visible_ids(self, filter: Filter) -> list[int]:
        """Ids of the memories the filter lets through, in order."""
        parts = readers(filter)
        asked = " union all ".join(
            [f"select m.id from memories m where {part}" for part, _ in parts]
        )
        rows = self._c.rows(asked, [value for _, own in parts for value in own])
        return sorted([row[0] for row in rows])

    def count(self, filter: Filter) -> int:
        from recairn.store.statements.tallies import is_tallied, tallied

        if is_tallied(filter):
            return sum(int(count) for _, count in self._c.rows(*tallied(filter)))
        parts = readers(filter)
        counts = [f"(select count(*) from memories m where {part})" for part, _ in parts]
        asked = f"select {' + '.join(counts)}"
        return int(self._c.value(asked, [value for _, own in parts for value in own]))

    def look_alikes(self, keys: Sequence[int], limit: int, *, now: int) -> list[LookAlike]:
        """The live memories under these keys, most alike first.

        The last key is that of the very same text. Of each key only the newest are looked at, so
        that a family of thousands costs no more.
        """
        if not keys:
            return []
        under: dict[int, list[int]] = {key: [] for key in keys}
        tables = self._key_tables()
        branches = [_UNDER_KEY.format(keys=table) for table in tables for _ in under]
        values = [value for key in under for value in (key, now)] * len(tables)
        for key, memory in self._c.rows(" union all ".join(branches), values):
            under[key].append(memory)
        worths = [_SAME] + [_ALIKE] * (len(keys) - 1)
        shared: dict[int, int] = {}
        for key, worth in zip(reversed(keys), worths, strict=True):
            for memory in sorted(under[key])[-NEWEST:]:
                shared[memory] = shared.get(memory, 0) + worth
        ids = sorted(shared, key=lambda memory: (-shared[memory], -memory))[:limit]
        if not ids:
            return []
        from recairn.store.memory_rows import LookAlike

        rows = self._c.rows(
            "select id, uid, title, content, details, content_hash from memories"
            f" where id in ({marks(ids)})",
            ids,
        )
        return sorted(map(LookAlike._make, rows), key=lambda row: ids.index(row.id))

    def alike(self, ids: Sequence[int], *, now: int) -> list[LookAlike]:
        """Those of the memories that are live, as look-alikes."""
        from recairn.store.memory_rows import LookAlike

        return [
            LookAlike._make(row)
            for part in batches(ids)
            for row in self._c.rows(
                "select m.id, m.uid, m.title, m.content, m.details, m.content_hash"
                f" from memories m where m.id in ({marks(part)}) and m.deleted_at is null"
                " and m.valid_until is null and (m.expires_at is null or m.expires_at > ?)",
                (*part, now),
            )
        ]

    def dropped_keys(self, keys: Sequence[int]) -> set[int]:
        """Those of the keys under which a memory was forgotten before anyone verified it."""
        if not keys:
            return set()
        rows = self._c.rows(
            f"select distinct l.key from {self._ALL_KEYS} l join memories m on m.id = l.memory"
            f" where l.key in ({marks(keys)}) and m.deleted_at is not null"
            " and m.trust = 'unverified'",
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


def listing_sql(filter: Filter, order: str, limit: int, offset: int) -> tuple[str, list[Any]]:
    """The statement that lists memories, and its values.

    Who may see them is asked part by part, each by its own index, which mostly has the order too.
    """
    by = _ORDERS[order]
    if order == "salient":
        by = by.format(salience=left_sql(filter.now))
    # Few are looked for where all of their kind lie, and sorted: not row by row in that order.
    inner = by.replace("m.created_at", "+m.created_at") if of_the_few(filter) else by
    parts, values = [], []
    # Of what waits there is little as well: its own index has the order, for all projects at once.
    waiting = filter.trust == "unverified"
    for where, own in [conditions(filter)] if waiting else readers(filter):
        if waiting:
            where = f"m.trust = 'unverified' and {where}"
        parts.append(_PART.format(where=where, by=inner))
        values += [*own, limit_of(limit if limit < 0 else limit + offset)]
    listed = _LISTED.format(select=SELECT, parts=" union all ".join(parts), by=by)
    return listed, [*values, limit_of(limit), offset]


def remake_keys(c: SqlConnection) -> None:
    """Writes the look-alike keys of every memory that lacks them; in a transaction."""
    from recairn.core.derived import keys_of_row

    columns = ("kind", "title", "content", "details", "content_hash", "reach")
    some = f"select id, {', '.join(columns)} from memories where id > ? order by id limit {_SOME}"
    last = 0
    while rows := c.rows(some, (last,)):
        last = rows[-1][0]
        keyed = [(row[0], keys_of_row(dict(zip(columns, row[1:], strict=True)))) for row in rows]
        made = [(key, memory) for memory, keys in keyed for key in keys]
        c.run_many(INSERT_KEY + _UNLESS_KNOWN, made)


def _following(before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from changed ones; the row before is as it is stored."""
    if changes.keys().isdisjoint(_LEADING):
        return {}
    from recairn.core.derived import following

    row = {**before, **changes}
    if isinstance(row["fields"], str):
        row["fields"] = from_json(row["fields"], {})
    return following(row, changes)
