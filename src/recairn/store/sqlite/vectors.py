"""Vectors inside SQLite: written in the memory's own transaction, scanned exactly, filter first.

Sign bits lie in blocks of some hundred vectors, apart by who may see them (`reach`), so that a
search reads only what it may see. A scan ranks by Hamming distance; the filter is applied to the
nearest, reaching further out until enough pass; those are scored by the cosine of their int8 codes.
"""

from __future__ import annotations

from array import array
from zlib import crc32

import apsw

from recairn.reach import visible_tokens
from recairn.store.quantise import matrix, sign_bits, within
from recairn.store.sqlite.filters import conditions
from recairn.store.sqlite.records import Records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.model import Filter, Vectors

# Vectors in a block: one write rewrites its block, one scan reads them all.
BLOCK = 512
# How many of the nearest by sign bits are scored exactly (recall@10 .99 at 100,000 vectors).
SHORTLIST = 600
# When a filter lets too few through, look this much further each time.
_WIDEN = 6


class VectorTable(Records):
    """The part of the store that answers questions by meaning."""

    _scan_cache: tuple[object, bytes, array[int]] | None = None

    # Models

    def models(self) -> list[dict[str, object]]:
        """Every model that has or had vectors here: id, fingerprint, name, dim, state."""
        names = ("id", "fingerprint", "name", "revision", "dim", "state")
        rows = self._c.rows(f"select {', '.join(names)} from models order by id")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def model_id(self, fingerprint: str) -> int | None:
        found = self._c.value("select id from models where fingerprint = ?", (fingerprint,))
        return None if found is None else int(found)

    def active_model(self) -> tuple[int, str, str] | None:
        """(id, name, fingerprint) of the model that answers searches."""
        row = self._c.row("select id, name, fingerprint from models where state = 'active'")
        return None if row is None else (row[0], row[1], row[2])

    def add_model(self, model: Mapping[str, object], *, at: int) -> int:
        """Registers a model (fingerprint, name, revision, dim); the first one answers at once."""
        known = self.model_id(str(model["fingerprint"]))
        if known is not None:
            return known
        state = "active" if self.active_model() is None else "building"
        return self._c.insert(
            "insert into models(fingerprint, name, revision, dim, normalisation, state, created_at)"
            " values (?, ?, ?, ?, 'l2', ?, ?)",
            (model["fingerprint"], model["name"], model["revision"], model["dim"], state, at),
        )

    def activate_model(self, model: int) -> None:
        """Lets a complete model answer from now on, and drops the vectors of the one before."""
        self._c.run("delete from models where state = 'active' and id <> ?", (model,))
        self._c.run("update models set state = 'active' where id = ?", (model,))

    def remove_model(self, model: int) -> None:
        """Drops a model and its vectors."""
        self._c.run("delete from models where id = ?", (model,))

    # Writing

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had; in the caller's transaction."""
        if not vectors:
            return
        self.drop_vectors([each.memory for each in vectors], model)
        by_reach: dict[str, list[tuple[int, int, bytes, str]]] = {}
        for each in vectors:
            for piece, codes in enumerate(each.pieces):
                entry = (each.memory, piece, codes, each.source_hash)
                by_reach.setdefault(each.reach, []).append(entry)
        for reach, entries in by_reach.items():
            self._append(model, reach, entries)

    def _append(
        self, model: int, reach: str, entries: Sequence[tuple[int, int, bytes, str]]
    ) -> None:
        """Fills the last block of a reach, then opens new ones."""
        last = self._c.row(
            "select id, count, members, bits from vector_blocks where model = ? and reach = ?"
            " order by id desc limit 1",
            (model, reach),
        )
        start = 0
        while start < len(entries):
            if last is None or last[1] >= BLOCK:
                fresh = self._c.insert(
                    "insert into vector_blocks(model, reach, count, members, bits)"
                    " values (?, ?, 0, x'', x'')",
                    (model, reach),
                )
                last = (fresh, 0, b"", b"")
            block, count, members, bits = last
            part = entries[start : start + BLOCK - count]
            members += array("q", [entry[0] for entry in part]).tobytes()
            bits += b"".join([sign_bits(entry[2]) for entry in part])
            self._c.run(
                "update vector_blocks set count = ?, members = ?, bits = ? where id = ?",
                (count + len(part), members, bits, block),
            )
            self._c.run_many(
                "insert into vectors values (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (memory, model, piece, block, count + index, codes, source, crc32(codes))
                    for index, (memory, piece, codes, source) in enumerate(part)
                ],
            )
            last = None
            start += len(part)

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories, of one model or of all."""
        only = "" if model is None else f" and model = {int(model)}"
        listed = apsw.carray(array("q", memories)) if memories else None
        if listed is None:
            return
        where = f"memory in (select value from carray(?)){only}"
        slots: dict[int, list[int]] = {}
        for block, slot in self._c.rows(
            f"select block, slot from vectors where {where}", (listed,)
        ):
            slots.setdefault(block, []).append(slot)
        for block, emptied in slots.items():
            members = array(
                "q", self._c.value("select members from vector_blocks where id = ?", (block,))
            )
            for slot in emptied:
                members[slot] = 0
            self._c.run(
                "update vector_blocks set members = ? where id = ?", (members.tobytes(), block)
            )
        if slots:
            self._c.run(f"delete from vectors where {where}", (listed,))

    # Reading

    def match_vector(
        self, model: int, codes: bytes, filter: Filter, limit: int
    ) -> list[tuple[int, float]]:
        """(id, cosine), nearest first; only memories the filter lets through."""
        bits, members = self._scanned(model, filter)
        if not members or not any(codes):
            return []
        asked = sign_bits(codes)
        distances = _hamming(asked, bits, len(members))
        wanted, kept, beyond = max(SHORTLIST, limit), set[int](), -1
        reach_for = wanted
        while beyond < 255 and len(kept) < wanted:
            positions, beyond = within(distances, reach_for, beyond)
            kept |= self._passing({members[at] for at in positions} - {0}, filter)
            reach_for *= _WIDEN
        scored = self.cosines(model, codes, sorted(kept))
        return sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def cosines(self, model: int, codes: bytes, ids: Iterable[int]) -> dict[int, float]:
        """The cosine of each memory that has vectors: that of its nearest piece."""
        listed = array("q", ids)
        if not listed or not any(codes):
            return {}
        rows = self._c.rows(
            "select memory, codes from vectors where model = ?"
            " and memory in (select value from carray(?))",
            (model, apsw.carray(listed)),
        )
        if not rows:
            return {}
        stacked = b"".join([row[1] for row in rows])
        best: dict[int, float] = {}
        for (memory, _), cosine in zip(rows, _cosines(codes, stacked, len(rows)), strict=True):
            best[memory] = max(best.get(memory, -1.0), cosine)
        return best

    def _scanned(self, model: int, filter: Filter) -> tuple[bytes, array[int]]:
        """All sign bits the filter's project may see, with the memory each row belongs to."""
        reaches = None
        if filter.project is not None:
            reaches = tuple(visible_tokens(filter.project, filter.session))
        key = (model, reaches, self._c.state())
        if self._scan_cache is not None and self._scan_cache[0] == key:
            return self._scan_cache[1:]
        only = "" if reaches is None else f" and reach in ({', '.join('?' * len(reaches))})"
        rows = self._c.rows(
            f"select members, bits from vector_blocks where model = ?{only} and count > 0",
            (model, *(reaches or ())),
        )
        members = array("q", b"".join([row[0] for row in rows]))
        bits = b"".join([row[1] for row in rows])
        self._scan_cache = (key, bits, members)
        return bits, members

    def _passing(self, ids: set[int], filter: Filter) -> set[int]:
        where, values = conditions(filter)
        rows = (
            self._c.rows(
                "select m.id from memories m where m.id in (select value from carray(?))"
                f" and {where}",
                (apsw.carray(array("q", sorted(ids))), *values),
            )
            if ids
            else []
        )
        return {row[0] for row in rows}

    # What is missing

    def without_vectors(self, model: int, limit: int) -> list[int]:
        """Ids of memories that have no vector of this model, or one of an older text."""
        rows = self._c.rows(
            """
            select m.id from memories m
            left join vectors v on v.memory = m.id and v.model = ? and v.piece = 0
            where m.deleted_at is null and (v.memory is null or v.source_hash <> m.content_hash)
            order by m.id limit ?
            """,
            (model, limit),
        )
        return [row[0] for row in rows]

    def vector_counts(self, model: int) -> tuple[int, int]:
        """(memories with an up-to-date vector of this model, live memories)."""
        row = self._c.row(
            """
            select count(v.memory), count(*) from memories m left join vectors v
            on v.memory = m.id and v.model = ? and v.piece = 0 and v.source_hash = m.content_hash
            where m.deleted_at is null
            """,
            (model,),
        )
        assert row is not None
        return row[0], row[1]


def _hamming(asked: bytes, bits: bytes, count: int) -> bytes:
    """The number of differing bits of each row, as one byte each."""
    import simsimd

    # One byte holds up to 255 of at most 384 bits. A vector that far off is nobody's neighbour; one
    # that wraps round is scored exactly like the others and falls out.
    found: Any = simsimd.cdist(
        matrix(asked, 1, "B"),
        matrix(bits, count, "B"),
        "hamming",
        dtype="bin8",
        out_dtype="B",  # type: ignore[arg-type]  # the stub knows only the floating types
    )
    return memoryview(found).cast("B").tobytes()


def _cosines(codes: bytes, stacked: bytes, count: int) -> list[float]:
    import simsimd

    found: Any = simsimd.cdist(
        matrix(codes, 1, "b"), matrix(stacked, count, "b"), "cosine", dtype="int8"
    )
    return [1.0 - distance for distance in memoryview(found).cast("B").cast("d")]
