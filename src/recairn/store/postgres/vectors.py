"""Vectors on a server: ranked by their sketches in the index alone, scored here by their codes.

The sketch is a bit string, its distance `bit_count(a # b)` of the server's core: no extension. The
filter is applied to the nearest by sketch, and before the cut where it narrows or lets few through.
"""

from __future__ import annotations

from zlib import crc32

from recairn.core.errors import ModelFailed
from recairn.ranking.codes import cosines, halvings, sketch
from recairn.store.postgres.spelling import listed
from recairn.store.rows import Match, VectorCount
from recairn.store.statements.base import Statements, batches, limit_of, marks
from recairn.store.statements.memory_table import conditions, narrows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Filter, Vectors
    from recairn.store.postgres.connection import Connection

# How many of the nearest by their sketches are scored exactly; see the SQLite store.
SHORTLIST = 200
# Where a scope has no more memories than this, a file scores them all. Here each costs a row of the
# answer, and the nearest of them by their sketches hold nearly all that count.
_FEW, _OF_FEW = 600, 400
# Under a narrow filter more are scored.
FILTERED_SHORTLIST = 1000
_INSERT = (
    "insert into vectors(model, memory, piece, reach, owner, source_hash, crc, codes, sketch)"
    " select v.model, v.memory, v.piece, s.reach, s.owner, v.source_hash, v.crc, v.codes,"
    " v.sketch::bit varying from unnest(?::text[], ?::bigint[], ?::bigint[], ?::integer[],"
    " ?::text[], ?::bigint[], ?::bytea[], ?::text[])"
    " v(token, model, memory, piece, source_hash, crc, codes, sketch)"
    " join memories m on m.id = v.memory"
    # A model that another client has removed meanwhile has no vectors any more.
    " join scopes s on s.token = v.token and s.owner = m.owner join models d on d.id = v.model"
)
# A reach that no memory has yet gets its number along the way.
_SCOPE = (
    "insert into scopes(token, owner, memories, terms, words) values (?, ?, 0, 0, 0)"
    " on conflict do nothing"
)
# The first vector of a memory, where it is of the present text and place.
_CURRENT = (
    "(select v.memory from vectors v join memories n on n.id = v.memory"
    " join scopes s on s.token = n.reach and s.owner = n.owner"
    " where v.model = ? and v.piece = 0 and v.reach = s.reach and v.source_hash = n.content_hash)"
)
# As a file does it: distances are halved until a byte holds them, and with the last that is looked
# at all are that are as far; so half as many again are kept while the others go by. `with ties`
# would say the same and sort all of them. Distance and memory are one number, which takes a sixth
# less than two to sort by.
_NEAR = """
select n.near & {below} as memory from (
    select k.near, rank() over (order by k.near >> {bits}) as place from (
        select ((bit_count(v.sketch # ?::bit varying) >> {shift}) << {bits}) | v.memory as near
        from vectors v {join} where v.model = {model} and {seen} {passing}
        order by near limit {limit} * 3 / 2
    ) k
) n where n.place <= {limit}
"""
# Bits of a memory's number; a distance has eight.
_NUMBER_BITS = 54
_NUMBER = {"bits": _NUMBER_BITS, "below": 2**_NUMBER_BITS - 1}
_CUT = "(select case when memories > {few} then {most} else {of_few} end from figures)"


def bits(codes: bytes) -> str:
    """The sketch of a vector as the server reads bit strings."""
    sketched = sketch(codes)
    return format(int.from_bytes(sketched, "big"), f"0{8 * len(sketched)}b")


def shortlist(limit: int, memories: int) -> int:
    """How many pieces of a scope with so many memories are looked at before the filter."""
    return max(SHORTLIST if memories > _FEW else _OF_FEW, 2 * limit)


def near_sql(model: int, codes: bytes, filter: Filter, limit: int, *, before: bool) -> Any:
    """The nearest pieces by their sketches; the filter before the cut, or left to the caller.

    (statement, values); the statement stands behind those of the scope and its figures.
    """
    seen = "v.reach = any(array(select reach from scope))" if filter.project is not None else "true"
    sketched = bits(codes)
    shift = halvings(len(sketched))
    if before:
        where, values = conditions(filter)
        sql = _NEAR.format(
            shift=shift,
            model=int(model),
            join="join memories m on m.id = v.memory",
            seen=seen,
            passing=f"and {where}",
            limit=max(FILTERED_SHORTLIST, limit),
            **_NUMBER,
        )
        return sql, [sketched, *values]
    most, of_few = shortlist(limit, _FEW + 1), shortlist(limit, 0)
    cut = _CUT.format(few=_FEW, most=most, of_few=of_few)
    parts = {"shift": shift, "model": int(model), "join": "", "seen": seen, "passing": ""}
    parts |= _NUMBER
    return _NEAR.format(limit=cut, **parts), [sketched]


class VectorTable(Statements):
    """The part of the store that answers questions by meaning."""

    _c: Connection

    if TYPE_CHECKING:  # a part of the store beside this one

        def dimension(self, model: int) -> int | None: ...

    # Writing

    def put_vectors(self, model: int, vectors: Sequence[Vectors]) -> None:
        """Stores the vectors of memories, replacing what they had; in the caller's transaction."""
        if not vectors:
            return
        with self._c.transaction():
            self._check_dimension(model, vectors)
            self.drop_vectors([vector.memory for vector in vectors], model)
            tokens = {vector.reach for vector in vectors}
            owners = {0, self._c.member}
            for token in tokens:
                for owner in owners:
                    self._c.post(_SCOPE, (token, owner), kept=True)
            rows = [
                (vector.reach, model, vector.memory, piece, vector.source_hash, crc32(codes), codes)
                for vector in vectors
                for piece, codes in enumerate(vector.pieces)
            ]
            for part in batches(rows):
                columns = zip(*[(*row, bits(row[-1])) for row in part], strict=True)
                self._c.post(_INSERT, [listed(column) for column in columns], kept=True)

    def _check_dimension(self, model: int, vectors: Sequence[Vectors]) -> None:
        """One vector of another length could not be compared with the others."""
        dim = self.dimension(model)
        for vector in vectors:
            if any(len(codes) != dim for codes in vector.pieces):
                raise ModelFailed(
                    f"a vector of #{vector.memory} does not have the {dim} dimensions of its model",
                    "recairn model list",
                )

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories, of one model or of all."""
        only = "" if model is None else f" and model = {int(model)}"
        for part in batches(memories):
            self._c.post(
                f"delete from vectors where memory = any(?::bigint[]){only}",
                (listed(part),),
                kept=True,
            )

    # Reading

    def match_vector(self, model: int, codes: bytes, filter: Filter, limit: int) -> list[Match]:
        """Memories by cosine, nearest first, of those the filter lets through."""
        if not any(codes):
            return []
        nearest, cut = self._near(model, codes, filter, limit, before=narrows(filter))
        if len(nearest) < limit and cut:
            nearest, _ = self._near(model, codes, filter, limit, before=True)
        ordered = sorted(cosines(codes, nearest).items(), key=lambda pair: (-pair[1], pair[0]))
        return list(map(Match._make, ordered[:limit]))

    def _near(
        self, model: int, codes: bytes, filter: Filter, limit: int, *, before: bool
    ) -> tuple[dict[int, list[bytes]], bool]:
        """The codes of the nearest that pass, and whether there may be others that do."""
        from recairn.store.postgres.match import scope_sql

        scope, tokens = scope_sql(filter)
        near, values = near_sql(model, codes, filter, limit, before=before)
        where, passing = conditions(filter)
        # `offset 0` as in the statement of a search: the few near ones first, then each of them.
        rows = self._c.rows(
            f"with {scope}, near as materialized ({near}),"
            " chosen as materialized (select distinct memory from near)"
            " select c.memory, v.codes, (select count(*) from near), f.memories"
            " from figures f cross join chosen c cross join lateral"
            f" (select 1 from memories m where m.id = c.memory and {where} offset 0) passing"
            " cross join lateral (select v.codes, v.piece from vectors v where v.memory = c.memory"
            f" and v.model + 0 = {int(model)} offset 0) v order by c.memory, v.piece",
            (*tokens, *values, *passing),
            kept=True,
        )
        by_memory: dict[int, list[bytes]] = {}
        for memory, piece, _, _ in rows:
            by_memory.setdefault(memory, []).append(piece)
        cut = not rows or rows[0][2] >= shortlist(limit, rows[0][3])
        return by_memory, cut and not before

    def codes(self, model: int, ids: Sequence[int]) -> dict[int, list[bytes]]:
        """The int8 codes of each memory's pieces."""
        by_memory: dict[int, list[bytes]] = {}
        for part in batches(sorted(set(ids))):
            for memory, piece in self._c.rows(
                f"select memory, codes from vectors where memory in ({marks(part)}) and model = ?"
                " order by memory, piece",
                (*part, model),
            ):
                by_memory.setdefault(memory, []).append(piece)
        return by_memory

    def passing(self, ids: Sequence[int], filter: Filter) -> set[int]:
        """Those of the memories that the filter lets through."""
        where, values = conditions(filter)
        return {
            row[0]
            for part in batches(sorted(ids))
            for row in self._c.rows(
                f"select m.id from memories m where m.id in ({marks(part)}) and {where}",
                (*part, *values),
            )
        }

    # What is missing

    def without_vectors(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of memories without a vector of this model, text and reach."""
        rows = self._c.rows(
            "select m.id from memories m where m.id > ? and m.deleted_at is null"
            f" and m.id not in {_CURRENT} order by m.id limit ?",
            (after, model, limit_of(limit)),
        )
        return [row[0] for row in rows]

    def living(self, model: int, limit: int, after: int = 0) -> list[int]:
        """Ids above `after` of all memories a model should have vectors of."""
        rows = self._c.rows(
            "select id from memories where id > ? and deleted_at is null order by id limit ?",
            (after, limit_of(limit)),
        )
        return [row[0] for row in rows]

    def vector_counts(self, model: int) -> VectorCount:
        """How far a model has come."""
        from recairn.store.statements.tallies import LIVING

        row = self._c.row(
            "select (select count(*) from vectors where model = ? and piece = 0)"
            " - (select count(*) from memories m join vectors v on v.memory = m.id"
            " where m.deleted_at is not null and v.model = ? and v.piece = 0),"
            f" ({LIVING})",
            (model, model),
        )
        assert row is not None
        return VectorCount(int(row[0]), int(row[1]))
