"""Vectors inside SQLite: written in the memory's own transaction, scanned exactly, filter first.

Sketches of two bits a dimension lie in blocks of some hundred vectors, apart by who may see them
(`reach`), so that a search reads only what it may see. A scan ranks them by Hamming distance; the
nearest that pass the filter are scored by the cosine of their int8 codes.
"""

from __future__ import annotations

from array import array
from zlib import crc32

import apsw

from recairn.core.errors import ModelFailed
from recairn.core.kinds import visible_tokens
from recairn.store.quantise import cosines_of, hamming, sketch, within
from recairn.store.rows import Match, ModelRow, VectorCount
from recairn.store.statements.filters import conditions, narrows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter, Vectors
    from recairn.store.sqlite.connection import Connection

    # (memory, piece, codes, hash of the text) of one vector.
    Entry = tuple[int, int, bytes, str]
    # A filter, and what it lets through where that is known already.
    Passing = tuple[Filter, set[int] | None]
    # (memory, codes) of one piece each.
    Pieces = Sequence[tuple[int, bytes]]

# Vectors in a block: one write rewrites its block, one scan reads them all.
BLOCK = 512
# How many of the nearest by their sketches are scored exactly, where the filter lets most through:
# recall@10 is then .98. Each costs a page to read.
SHORTLIST = 200
# So few vectors are all scored: it costs a millisecond or two and leaves nothing to chance.
_FEW = 600
# And so few that a filter lets through.
_EXACT = 5_000
# Under a narrow filter finding them costs more than scoring them, so more are scored.
FILTERED_SHORTLIST = 1000
# With a smaller share let through, the filter is applied before anything is scored.
_MOST = 0.5
# So many are checked before a share is believed.
_SOME = 50
# A look further goes a little beyond the estimate, so that one more look is the exception.
_MARGIN = 1.25
# In `meta`: changes with every change of a vector.
_MARK = "vectors"
# A vector's id is memory, model and piece in one number: see the schema. Numbers of models are
# used again, and the longest memory has not that many pieces.
_MEMORY_BITS, _MODEL_BITS = 28, 16
_MOST_PIECES = 1 << _MODEL_BITS


def vector_id(memory: str, model: str, piece: str = "0") -> str:
    """The number of a vector as an expression of SQL, from those of its parts."""
    return f"({memory} << {_MEMORY_BITS}) + ({model} << {_MODEL_BITS}) + {piece}"


# The first vector of a memory, and its block where both are of the present text and place.
_CURRENT = (
    f"vectors v on v.id = {vector_id('m.id', '?')}"
    " left join vector_blocks b on b.id = v.block and b.reach = m.reach"
    " and v.source_hash = m.content_hash"
)
# Pieces of the memories listed, in the order of the list and of the text. Joined, not `in`: that
# would first sort the list into a table of its own, and takes twice as long.
_OF_MEMORIES = (
    "from carray(?1) asked cross join vectors v on v.id between"
    f" {vector_id('asked.value', '?2')} and {vector_id('asked.value', '?2', str(_MOST_PIECES - 1))}"
)
_FREE_MODEL = (
    "select min(free) from (select 1 as free union select id + 1 from models)"
    " where free not in (select id from models)"
)
_INSERT = (
    "insert into vectors(id, memory, model, piece, block, slot, source_hash, crc, codes)"
    f" values ({vector_id('?1', '?2', '?3')}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
)


class VectorTable:
    """The part of the store that answers questions by meaning."""

    _c: Connection

    _scan_cache: tuple[object, list[bytes], array[int]] | None

    if TYPE_CHECKING:  # a part of the store beside this one

        def few_passing(self, filter: Filter) -> set[int] | None: ...

    # Models

    def models(self) -> list[ModelRow]:
        """Every model that has or had vectors here."""
        return self._models("true")

    def active_model(self) -> ModelRow | None:
        """The model that answers searches."""
        return next(iter(self._models("state = 'active'")), None)

    def _models(self, where: str, values: Sequence[Any] = ()) -> list[ModelRow]:
        columns = ", ".join(ModelRow._fields)
        rows = self._c.rows(f"select {columns} from models where {where} order by id", values)
        return list(map(ModelRow._make, rows))

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

    # Writing

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had; in the caller's transaction."""
        if not vectors:
            return
        self._check_dimension(model, vectors)
        self.drop_vectors([each.memory for each in vectors], model)
        by_reach: dict[str, list[Entry]] = {}
        for each in vectors:
            for piece, codes in enumerate(each.pieces):
                entry = (each.memory, piece, codes, each.source_hash)
                by_reach.setdefault(each.reach, []).append(entry)
        for reach, entries in by_reach.items():
            self._place(model, reach, entries)
        mark_changed(self._c)

    def _check_dimension(self, model: int, vectors: Sequence[Vectors]) -> None:
        """One vector of another length would make a whole block unreadable."""
        dim = self._c.value("select dim from models where id = ?", (model,))
        for each in vectors:
            if any(len(codes) != dim for codes in each.pieces):
                raise ModelFailed(
                    f"a vector of #{each.memory} does not have the {dim} dimensions of its model",
                    "recairn model list",
                )

    def _place(self, model: int, reach: str, entries: Sequence[Entry]) -> None:
        """Fills the gaps of a reach's blocks, then opens new ones."""
        left = list(entries)
        while left:
            found = self._c.row(
                "select id, members, bits from vector_blocks"
                f" where model = ? and reach = ? and count < {BLOCK} order by count desc limit 1",
                (model, reach),
            )
            block, members, bits = (None, b"", b"") if found is None else found
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
            self._c.run_many(
                _INSERT,
                [
                    (memory, model, piece, block, slot, source, crc32(codes), codes)
                    for slot, (memory, piece, codes, source) in placed
                ],
            )

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
        mark_changed(self._c)

    def _empty(self, block: int, emptied: Sequence[int]) -> None:
        found = self._c.row("select members, bits from vector_blocks where id = ?", (block,))
        if found is None:
            return
        held, rows = array("q", found[0]), bytearray(found[1])
        width = len(rows) // len(held)
        for slot in emptied:
            held[slot] = 0
            rows[slot * width : (slot + 1) * width] = bytes(width)
        if any(held):
            self._write_block(block, (0, ""), held, rows)
        else:
            self._c.run("delete from vector_blocks where id = ?", (block,))

    # Reading

    def match_vector(self, model: int, codes: bytes, filter: Filter, limit: int) -> list[Match]:
        """Memories by cosine, nearest first, of those the filter lets through."""
        few = self.few_passing(filter) if narrows(filter) else None
        return self.match_pieces(model, codes, filter, limit, few)[0]

    def match_pieces(
        self, model: int, codes: bytes, filter: Filter, limit: int, few: set[int] | None
    ) -> tuple[list[Match], Pieces]:
        """The same with the pieces that were scored; `few` is all that passes, where known."""
        if not any(codes):
            return [], []
        if few is not None and len(few) <= _EXACT:
            near, pieces = self._ordered(model, codes, few)
            return list(map(Match._make, near[:limit])), pieces
        blocks, members = self._scanned(model, filter)
        if not members:
            return [], []
        if len(members) <= _FEW:
            ordered, pieces = self._ordered(model, codes, set(members) - {0})
            near = self._first_passing(ordered, filter, limit, least=0.0)
            return list(map(Match._make, near[:limit])), pieces
        distances = hamming(sketch(codes), blocks)
        near, pieces, reach = [], (), 0
        if few is None:
            positions, reach = within(distances, max(SHORTLIST, 2 * limit))
            nearest = {members[at] for at in positions} - {0}
            ordered, pieces = self._ordered(model, codes, nearest)
            near = self._first_passing(ordered, filter, limit)
        if reach < 255 and len(near) < limit:
            wanted = max(FILTERED_SHORTLIST, limit)
            passed = self._nearest_passing(distances, members, (filter, few), wanted)
            near, pieces = self._ordered(model, codes, passed)
        return list(map(Match._make, near[:limit])), pieces

    def _ordered(
        self, model: int, codes: bytes, ids: Collection[int]
    ) -> tuple[list[tuple[int, float]], Pieces]:
        """(memory, cosine of its nearest piece), nearest first, and the pieces themselves."""
        pieces = self._pieces(model, array("q", sorted(ids))) if ids else []
        if not pieces:
            return [], []
        stacked = b"".join([piece[1] for piece in pieces])
        cosines = _pooled([piece[0] for piece in pieces], cosines_of(codes, stacked, len(pieces)))
        return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0])), pieces

    def _first_passing(
        self,
        ordered: Sequence[tuple[int, float]],
        filter: Filter,
        limit: int,
        least: float = _MOST,
    ) -> list[tuple[int, float]]:
        """The first of the memories that pass; gives up where a smaller share than `least` does."""
        found: list[tuple[int, float]] = []
        step = max(limit, _SOME)
        # Where nearly all pass, a few more than wanted are enough.
        start, hurried = 0, limit + limit // 2
        for end in (
            *([hurried] if hurried < step else []),
            *range(step, len(ordered) + step, step),
        ):
            part = ordered[start:end]
            passing = self.passing([memory for memory, _ in part], filter)
            found += [pair for pair in part if pair[0] in passing]
            few = end >= step and len(found) < least * (start + len(part))
            if len(found) >= limit or few:
                break
            start = end
        return found

    def _nearest_passing(
        self, distances: bytes, members: array[int], passing: Passing, wanted: int
    ) -> set[int]:
        """About `wanted` memories that pass, nearest by their sketches; all where fewer pass."""
        filter, allowed = passing
        kept, beyond, looked_at, step = set[int](), -1, 0, wanted
        while beyond < 255 and len(kept) < wanted:
            positions, beyond = within(distances, step, beyond)
            looked_at += len(positions)
            near = {members[at] for at in positions} - {0}
            kept |= self.passing([*near], filter) if allowed is None else near & allowed
            step = _further(wanted, len(kept), looked_at, len(members))
        return kept

    def codes(self, model: int, ids: Sequence[int], known: Pieces = ()) -> dict[int, list[bytes]]:
        """The int8 codes of each memory's pieces; those of `known` pieces are not read again."""
        if not ids:
            return {}
        wanted = set(ids)
        pieces = [piece for piece in known if piece[0] in wanted]
        unread = sorted(wanted.difference([piece[0] for piece in pieces]))
        if unread:
            pieces += self._pieces(model, array("q", unread))
        codes: dict[int, list[bytes]] = {memory: [] for memory in sorted(wanted)}
        for memory, piece in pieces:
            codes[memory].append(piece)
        return {memory: own for memory, own in codes.items() if own}

    def _pieces(self, model: int, ids: array[int]) -> list[tuple[int, bytes]]:
        """(memory, codes) of every piece."""
        asked = f"select v.memory, v.codes {_OF_MEMORIES}"
        return self._c.rows(asked, (apsw.carray(ids), model))

    def _mark(self) -> object:
        """Another one after every change of a vector."""
        return self._c.value(f"select value from meta where key = '{_MARK}'")

    def _scanned(self, model: int, filter: Filter) -> tuple[list[bytes], array[int]]:
        """All sketches the filter's project may see, with the memory each row belongs to."""
        reaches = None
        if filter.project is not None:
            reaches = tuple(visible_tokens(filter.project, filter.session, filter.parent))
        key = (model, reaches, self._mark())
        if self._scan_cache is not None and self._scan_cache[0] == key:
            _, blocks, members = self._scan_cache
            if len(blocks) > 1:  # who asks once need not pay for joining them
                self._scan_cache = (key, [b"".join(blocks)], members)
            return self._scan_cache[1:]
        only = "" if reaches is None else f" and reach in ({', '.join('?' * len(reaches))})"
        rows = self._c.rows(
            f"select members, bits from vector_blocks where model = ?{only}",
            (model, *(reaches or ())),
        )
        members = array("q", b"".join([row[0] for row in rows]))
        self._scan_cache = (key, [row[1] for row in rows], members)
        return self._scan_cache[1:]

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

    # What is missing

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


def mark_changed(c: Connection) -> None:
    """Tells every process that what it keeps of the blocks is out of date.

    A random mark: unlike a counter it is never taken twice when a transaction rolls back.
    """
    c.run(
        f"insert into meta values ('{_MARK}', hex(randomblob(8)))"
        " on conflict(key) do update set value = excluded.value"
    )


def _free_slots(held: array[int]) -> list[int]:
    """Where a block has room: its gaps, then its end."""
    gaps = [slot for slot, memory in enumerate(held) if not memory] if held.count(0) else []
    return [*gaps, *range(len(held), BLOCK)]


def _further(wanted: int, kept: int, looked_at: int, there_are: int) -> int:
    """How many more to look at, by the share that passed; all of them where that is most."""
    more = int(_MARGIN * (wanted - kept) * looked_at / max(kept, 1)) + 1
    return there_are if 3 * (looked_at + more) > there_are else more


def _pooled(memories: Sequence[int], cosines: Sequence[float]) -> dict[int, float]:
    """The one figure of each memory: its nearest piece counts."""
    best: dict[int, float] = {}
    for memory, cosine in zip(memories, cosines, strict=True):
        if cosine > best.get(memory, -2.0):
            best[memory] = cosine
    return best
