"""Writing vectors: blocks are filled, emptied and marked in the memory's own transaction."""

from __future__ import annotations

from array import array
from zlib import crc32

import apsw

from recairn.core.errors import ModelFailed
from recairn.ranking.codes import sketch
from recairn.store.rows import VectorCount
from recairn.store.sqlite.recall import MARK, vector_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Vectors
    from recairn.store.rows import ModelRow
    from recairn.store.sqlite.connection import Connection

    # (memory, piece, codes, hash of the text) of one vector.
    Entry = tuple[int, int, bytes, str]

# Vectors in a block: one write rewrites its block, one scan reads them all.
BLOCK = 512
# So many changed blocks are named; where there are more, all are read anew. So many characters of
# earlier marks are kept beside the new one: some twenty writes.
_NAMED = 8
_KEPT = 500
# The first vector of a memory, and its block where both are of the present text and place.
_CURRENT = (
    f"vectors v on v.id = {vector_id('m.id', '?')}"
    " left join vector_blocks b on b.id = v.block and b.reach = m.reach"
    " and v.source_hash = m.content_hash"
)
_FREE_MODEL = (
    "select min(free) from (select 1 as free union select id + 1 from models)"
    " where free not in (select id from models)"
)
_INSERT = (
    "insert into vectors(id, memory, model, piece, block, slot, source_hash, crc, codes)"
    f" values ({vector_id('?1', '?2', '?3')}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
)


class VectorWrites:
    """The part of the store that keeps vectors in step with memories."""

    _c: Connection

    if TYPE_CHECKING:  # a part of the store beside this one

        def active_model(self) -> ModelRow | None: ...

        def _models(self, where: str, values: Sequence[Any] = ()) -> list[ModelRow]: ...

    def add_model(self, model: Mapping[str, object], *, at: int) -> int:
        """Registers a model (fingerprint, name, revision, dim); the first one answers at once."""
        for known in self._models("fingerprint = ?", (model["fingerprint"],)):
            return known.id
        state = "active" if self.active_model() is None else "building"
        return self._c.insert(
            "insert into models(id, fingerprint, name, revision, dim, normalisation, state,"
            f" created_at) values (({_FREE_MODEL}), ?, ?, ?, ?, 'l2', ?, ?)",
            (model["fingerprint"], model["name"], model["revision"], model["dim"], state, at),
        )

    def activate_model(self, model: int) -> None:
        """Lets a complete model answer from now on, and drops the vectors of the one before."""
        self._c.run("delete from models where state = 'active' and id <> ?", (model,))
        self._c.run("update models set state = 'active' where id = ?", (model,))
        mark_changed(self._c)

    def remove_model(self, model: int) -> None:
        """Drops a model and its vectors."""
        self._c.run("delete from models where id = ?", (model,))
        mark_changed(self._c)

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had; in the caller's transaction."""
        if not vectors:
            return
        self._check_dimension(model, vectors)
        self.drop_vectors([vector.memory for vector in vectors], model)
        by_reach: dict[str, list[Entry]] = {}
        for vector in vectors:
            for piece, codes in enumerate(vector.pieces):
                entry = (vector.memory, piece, codes, vector.source_hash)
                by_reach.setdefault(vector.reach, []).append(entry)
        blocks = [
            block
            for reach, entries in by_reach.items()
            for block in self._place(model, reach, entries)
        ]
        mark_changed(self._c, blocks)

    def _check_dimension(self, model: int, vectors: Sequence[Vectors]) -> None:
        """One vector of another length would make a whole block unreadable."""
        dim = self._c.value("select dim from models where id = ?", (model,))
        for vector in vectors:
            if not {dim}.issuperset(map(len, vector.pieces)):
                raise ModelFailed(
                    f"a vector of #{vector.memory} does not have the {dim} dimensions of its model",
                    "recairn model list",
                )

    def _place(self, model: int, reach: str, entries: Sequence[Entry]) -> list[int]:
        """Fills the gaps of a reach's blocks, then opens new ones; the blocks that changed."""
        left, blocks = list(entries), []
        while left:
            row = self._c.row(
                "select id, members, bits from vector_blocks"
                f" where model = ? and reach = ? and count < {BLOCK} order by count desc limit 1",
                (model, reach),
            )
            block, members, bits = (None, b"", b"") if row is None else row
            held, rows = array("q", members), bytearray(bits)
            slots = _free_slots(held)
            part, left = left[: len(slots)], left[len(slots) :]
            placed = list(zip(slots, part, strict=False))
            for slot, (memory, _, codes, _) in placed:
                sketched = sketch(codes)
                if slot == len(held):
                    held.append(memory)
                    rows += sketched
                else:
                    held[slot] = memory
                    rows[slot * len(sketched) : (slot + 1) * len(sketched)] = sketched
            block = self._write_block(block, (model, reach), held, rows)
            blocks.append(block)
            self._c.run_many_unsummed(
                _INSERT,
                [
                    (memory, model, piece, block, slot, source, crc32(codes), codes)
                    for slot, (memory, piece, codes, source) in placed
                ],
            )
        return blocks

    def _write_block(
        self, block: int | None, owner: tuple[int, str], held: array[int], rows: bytearray
    ) -> int:
        count = len(held) - held.count(0)
        if block is None:
            return self._c.insert(
                "insert into vector_blocks(model, reach, count, members, bits)"
                " values (?, ?, ?, ?, ?)",
                (*owner, count, held.tobytes(), bytes(rows)),
            )
        self._c.run(
            "update vector_blocks set count = ?, members = ?, bits = ? where id = ?",
            (count, held.tobytes(), bytes(rows), block),
        )
        return block

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories, of one model or of all; no bit of them stays."""
        if not memories:
            return
        only = "" if model is None else f" and model = {int(model)}"
        where = f"memory in (select value from carray(?)){only}"
        listed = apsw.carray(array("q", memories))
        slots: dict[int, list[int]] = {}
        for block, slot in self._c.rows(
            f"select block, slot from vectors where {where}", (listed,)
        ):
            slots.setdefault(block, []).append(slot)
        if not slots:
            return
        for block, emptied in slots.items():
            self._empty(block, emptied)
        self._c.run(f"delete from vectors where {where}", (listed,))
        mark_changed(self._c, slots)

    def _empty(self, block: int, emptied: Sequence[int]) -> None:
        row = self._c.row("select members, bits from vector_blocks where id = ?", (block,))
        if row is None:
            return
        held, rows = array("q", row[0]), bytearray(row[1])
        width = len(rows) // len(held)
        for slot in emptied:
            held[slot] = 0
            rows[slot * width : (slot + 1) * width] = bytes(width)
        if any(held):
            self._write_block(block, (0, ""), held, rows)
        else:
            self._c.run("delete from vector_blocks where id = ?", (block,))

    def without_vectors(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of memories without a vector of this model, text and reach."""
        rows = self._c.rows(
            f"select m.id from memories m left join {_CURRENT}"
            " where m.id > ? and m.deleted_at is null and b.id is null order by m.id limit ?",
            (model, after, limit),
        )
        return [row[0] for row in rows]

    def living(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of all memories a model should have vectors of."""
        rows = self._c.rows(
            "select id from memories where id > ? and deleted_at is null order by id limit ?",
            (after, limit),
        )
        return [row[0] for row in rows]

    def vector_counts(self, model: int) -> VectorCount:
        """How far a model has come: counted by indexes, since whatever changes a text drops what
        was made of it."""
        from recairn.store.statements.tallies import LIVING

        row = self._c.row(
            "select (select count(*) from vectors where model = ?1 and piece = 0)"
            " - (select count(*) from memories m join vectors v"
            f" on v.id = {vector_id('m.id', '?1')} where m.deleted_at is not null),"
            f" ({LIVING})",
            (model,),
        )
        assert row is not None
        return VectorCount._make(row)


def mark_changed(c: Connection, blocks: Collection[int] | None = None) -> None:
    """Tells every process that what it keeps of some blocks, or of all, is out of date.

    A random mark with the blocks behind it, before those of earlier changes: unlike a counter it is
    never taken twice when a transaction rolls back. Who does not find the mark he knows, since it
    was cut off, reads all of them.
    """
    named = blocks is not None and len(blocks) <= _NAMED
    listed = ",".join(map(str, blocks or ())) if named else ""
    before = f" || substr(' ' || value, 1, {_KEPT})" if named else ""
    c.run(
        f"insert into meta values ('{MARK}', hex(randomblob(8)) || ':' || ?)"
        f" on conflict(key) do update set value = excluded.value{before}",
        (listed,),
    )


def _free_slots(held: array[int]) -> list[int]:
    """Where a block has room: its gaps, then its end."""
    gaps = [slot for slot, memory in enumerate(held) if not memory] if held.count(0) else []
    return [*gaps, *range(len(held), BLOCK)]
