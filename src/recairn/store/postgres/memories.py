"""Memory rows as a server takes them in: all of a put in one message, with their text index."""

from __future__ import annotations

from recairn.core.errors import NotFound
from recairn.core.members import AUDIENCE, TEAM
from recairn.store.memory_rows import EntityRow, LookAlike
from recairn.store.postgres.postings import index, is_indexed, unindex
from recairn.store.postgres.spelling import listed
from recairn.store.statements.base import batches, from_json, limit_of
from recairn.store.statements.edges import LIVE
from recairn.store.statements.memories import MemoryStatements
from recairn.store.statements.memory_table import (
    AMONG_FEW,
    AUTHORED,
    COUNTERS,
    SELECT,
    authored_rows,
    conditions,
    memory_from_row,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter, Memory
    from recairn.store.memory_rows import NewMemory
    from recairn.store.postgres.connection import Connection

_INSERTED = ("id", *AUTHORED, "updated_at", "decayed_at", "row_hash")
_INSERT = f"insert into memories({', '.join(_INSERTED)}) values ?"
_KEYS = (
    "insert into look_alikes(key, memory) select * from unnest(?::bigint[], ?::bigint[])"
    " on conflict do nothing"
)
_CREATED = "insert into history(memory, at, event, session_id, author) values ?"
_NEWEST = "m.created_at desc, m.id desc"
# Also of those that this member does not see.
_NEXT = "select next_memories()"

_ENTITIES = (
    "select m.id, m.project, m.tier, m.title, substr(m.content, 1, 100), m.fields from memories m"
    f" where {AMONG_FEW} and m.kind = 'entity' and {LIVE} order by m.id"
)
# Of each key only the newest are looked at, so that a family of thousands costs no more.
_ALIKE = (
    """
with asked(key, worth) as (select * from unnest(?::bigint[], ?::integer[])), shared as (
    select n.memory, sum(a.worth) as worth from asked a cross join lateral (
        select l.memory from look_alikes l join memories m on m.id = l.memory
        where l.key = a.key and m.deleted_at is null and m.valid_until is null
            and (m.expires_at is null or m.expires_at > ?)
        order by l.memory desc limit 24
    ) n group by n.memory order by worth desc, n.memory desc limit ?
), upcoming(number, entities) as (select ("""
    + _NEXT
    + "), (select json_agg(json_build_array(e.id, e.project, e.tier, e.title, e.content, e.fields)"
    " order by e.id)::text from ("
    + _ENTITIES
    + """) e(id, project, tier, title, content, fields)))
select u.number, u.entities, m.id, m.uid, m.title, m.content, m.details, m.content_hash
from upcoming u left join shared s on true left join memories m on m.id = s.memory
order by s.worth desc, s.memory desc
"""
)
_HOLDERS = """
select a.key, n.memory from (values {keys}) a(key) cross join lateral (
    select l.memory from look_alikes l join memories m on m.id = l.memory
    where l.key = a.key order by l.memory desc limit 24
) n
"""
# Saying exactly the same outweighs sharing all other keys.
_SAME, _ALIKE_WORTH = 100, 1


class _Upcoming:
    """Something read in a writer's turn, which is true until the turn ends or it is changed."""

    __slots__ = ("turn", "value")

    def __init__(self, turn: int, value: Any) -> None:
        self.turn = turn
        self.value = value


def _entity(row: Sequence[Any]) -> EntityRow:
    return EntityRow._make((*row[:5], from_json(row[5], {}).get("aliases") or []))


class MemoryRows(MemoryStatements):
    """The part of the store that takes memories in."""

    _c: Connection
    _upcoming: _Upcoming | None
    _known_entities: _Upcoming | None

    if TYPE_CHECKING:  # a part of the store that is loaded when it is called

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

        def config(self) -> dict[str, str]: ...

    def put(self, memories: Sequence[NewMemory]) -> list[int]:
        """Inserts prepared rows with their look-alike keys and `created` events; the new ids."""
        if not memories:
            return []
        with self._c.transaction():
            first = self._next_id()
            ids = list(range(first, first + len(memories)))
            entities = self._known_entities
            authored = authored_rows([row for row, _ in memories])
            moments = [row["updated_at"] for row, _ in memories]
            made = zip(ids, authored, moments, strict=True)
            self._insert_rows(
                _INSERT,
                [(memory, *values, at, at, hashed) for memory, (values, hashed), at in made],
                [row.get("private") for row, _ in memories],
            )
            if all(row["kind"] != "entity" for row, _ in memories):
                self._known_entities = entities
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
            self.queue_memories(ids)
        return ids

    def _insert_rows(
        self,
        insert: str,
        rows: Sequence[tuple[Any, ...]],
        private: Sequence[bool | None] = (),
    ) -> None:
        """Runs an insert for rows that begin with id and authored columns; indexes their text.

        `private` says of each whether only the asking member sees it; None: what is usual.
        """
        self._wrote_memories()
        owned = []
        for row, wish in zip(rows, private or [None] * len(rows), strict=True):
            values = dict(zip(AUTHORED, row[1:], strict=False))
            owned.append((row, {**values, "owner": self._owner(values, wish)}))
        head, _, _ = insert.partition(")")
        for part in batches(owned):
            made = [(*row, values["owner"]) for row, values in part]
            self._c.insert_rows(f"{head}, owner) values ?", made)
        own = [row[0] for row, values in owned if values["owner"]]
        if own:
            from recairn.store.postgres.sharing import hide

            hide(self._c, own)
        index(self._c, [(row[0], values) for row, values in owned])

    def _owner(self, values: Mapping[str, Any], wish: bool | None) -> int:
        """The member who alone is to see a new memory; 0 for all of the team."""
        if wish is None:
            if not self._c.member or values["kind"] == "chunk":
                return 0
            wish = values["tier"] != "project" or self.config().get(AUDIENCE) != TEAM
        from recairn.store.postgres.sharing import owner_for

        return owner_for(self._c, private=wish)

    def _columns(self, memory: int) -> dict[str, Any]:
        """The columns of a memory as they are stored, but for its number; and who sees it."""
        columns = (*AUTHORED, *COUNTERS, "stamps", "owner")
        row = self._c.row(f"select {', '.join(columns)} from memories where id = ?", (memory,))
        if row is None:
            raise NotFound(f"there is no memory #{memory}", "recairn recent")
        return dict(zip(columns, row, strict=True))

    def _insert_keys(self, flat: Sequence[int]) -> None:
        """Inserts look-alike keys, given as key, memory, key, memory, ..."""
        for part in batches(list(zip(flat[::2], flat[1::2], strict=True))):
            keys, memories = zip(*part, strict=True)
            self._c.post(_KEYS, (listed(keys), listed(memories)), kept=True)

    def _key_tables(self) -> Sequence[str]:
        """The tables that hold look-alike keys."""
        return ("look_alikes",)

    def _next_id(self) -> int:
        """The next number, never one used before; it is this writer's turn, so it stays ours."""
        upcoming = self._upcoming
        if upcoming is not None and upcoming.turn == self._c.turn:
            return int(upcoming.value)
        return int(self._c.value(_NEXT))

    def _wrote_memories(self) -> None:
        """What was read of numbers and entities in this turn is no longer true."""
        self._upcoming = self._known_entities = None

    def look_alikes(self, keys: Sequence[int], limit: int, *, now: int) -> list[LookAlike]:
        """The live memories under these keys, most alike first; the last key is the text's own.

        What a put asks next, its number and the entities a text may name, comes along.
        """
        if not keys:
            return []
        worths = [_ALIKE_WORTH] * (len(keys) - 1) + [_SAME]
        rows = self._c.rows(_ALIKE, (listed(keys), listed(worths), now, limit), kept=True)
        self._upcoming = self._known_entities = None
        if self._c.in_transaction:  # else another client may be next
            self._upcoming = _Upcoming(self._c.turn, rows[0][0])
            self._known_entities = _Upcoming(self._c.turn, rows[0][1])
        return [LookAlike._make(row[2:]) for row in rows if row[2] is not None]

    def entities(self) -> list[EntityRow]:
        """Every live entity and what it goes by."""
        kept = self._known_entities
        if kept is None or kept.turn != self._c.turn:
            return [_entity(row) for row in self._c.rows(_ENTITIES)]
        from recairn.core.fastjson import loads

        return [_entity(row) for row in (loads(kept.value) if kept.value else [])]

    def newest_of(self, filters: Sequence[Filter], limits: Sequence[int]) -> list[list[Memory]]:
        """The newest memories that each filter lets through, in one message."""
        parts, bound = [], []
        for number, (filter, limit) in enumerate(zip(filters, limits, strict=True)):
            where, values = conditions(filter)
            parts.append(
                f"select * from (select {number} as part, {SELECT} from memories m where {where}"
                f" order by {_NEWEST} limit ?) of_{number}"
            )
            bound += [*values, limit_of(limit)]
        together = " union all ".join(parts)
        listings: list[list[Memory]] = [[] for _ in filters]
        for row in self._c.rows(f"{together} order by part, created_at desc, id desc", bound):
            listings[row[0]].append(memory_from_row(row[1:], self.damaged))
        return listings

    def _reindex(
        self, memory: int, before: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> None:
        """The text index follows a changed memory; `after` is None for a destroyed one."""
        self._wrote_memories()
        if after is not None and not is_indexed(
            [name for name, value in after.items() if value != before[name]]
        ):
            return
        unindex(self._c, memory, before)
        if after is not None:
            index(self._c, [(memory, after)])

    def key_holders(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Of the look-alike keys under which memories are known, the newest of these."""
        holders: dict[int, list[int]] = {}
        for part in batches(sorted(set(keys))):
            values = ", ".join(["(?::bigint)"] * len(part))
            for key, memory in self._c.rows(_HOLDERS.format(keys=values), part):
                holders.setdefault(key, []).append(memory)
        return holders
