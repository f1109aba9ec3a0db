"""Vectors on a server: ranked by their sketches in the index alone, scored here by their codes.

The sketch is a bit string, its distance `bit_count(a # b)` of the server's core: no extension. The
filter is applied to the nearest by sketch, and before the cut where it narrows or lets few through.
"""

from __future__ import annotations

from zlib import crc32

from recairn.core.errors import ModelFailed
from recairn.core.visibility import visible_tokens
from recairn.ranking.cosine import cosines
from recairn.store.quantise import sketch
from recairn.store.rows import Match, VectorCount
from recairn.store.statements.base import Statements, batches, marks
from recairn.store.statements.filters import conditions, narrows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Filter, Vectors
    from recairn.store.postgres.connection import Connection

# How many of the nearest by their sketches are scored exactly; see the SQLite store.
SHORTLIST = 200
# So few vectors are all scored, as there. With 400 of them .996 of the hits are the same as in a
# file, with 200 .981.
FEW = 600
# Under a narrow filter more are scored.
FILTERED_SHORTLIST = 1000
_INSERT = (
    "insert into vectors(model, memory, piece, reach, owner, source_hash, crc, codes, sketch)"
    " select v.model, v.memory, v.piece, s.reach, s.owner, v.source_hash, v.crc, v.codes,"
    " v.sketch::bit varying from (values ?)"
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
_NEAR = """
select v.memory, v.piece, bit_count(v.sketch # ?::bit varying) as distance
from vectors v {join} where v.model = ? and {seen} {passing}
order by distance, v.memory, v.piece limit {limit}
"""


def bits(codes: bytes) -> str:
    """The sketch of a vector as the server reads bit strings."""
    sketched = sketch(codes)
    return format(int.from_bytes(sketched, "big"), f"0{8 * len(sketched)}b")


def seen_reaches(filter: Filter, column: str) -> tuple[str, list[Any]]:
    """The condition that a row lies where the filter's project and session see it."""
    if filter.project is None:
        return "true", []
    tokens = visible_tokens(filter.project, filter.session, filter.parent)
    asked = f"select reach from scopes where token in ({marks(tokens)})"
    return f"{column} = any(array({asked}))", list(tokens)


def shortlist(limit: int) -> int:
    """How many pieces are looked at where the filter comes after the cut."""
    return max(SHORTLIST, 2 * limit)


def near_sql(model: int, codes: bytes, filter: Filter, limit: int, *, before: bool) -> Any:
    """The nearest pieces by their sketches; the filter before the cut, or left to the caller.

    (statement, values, how many at most)
    """
    seen, tokens = seen_reaches(filter, "v.reach")
    if before:
        where, values = conditions(filter)
        most = max(FILTERED_SHORTLIST, limit)
        sql = _NEAR.format(
            join="join memories m on m.id = v.memory",
            seen=seen,
            passing=f"and {where}",
            limit=most,
        )
        return sql, [bits(codes), model, *tokens, *values], most
    most = shortlist(limit)
    few = f"select 1 from vectors v where v.model = {int(model)} and {seen} limit {FEW + 1}"
    cut = f"(select case when count(*) > {FEW} then {most} else {FEW} end from ({few}) counted)"
    sql = _NEAR.format(join="", seen=seen, passing="", limit=cut)
    return sql, [bits(codes), model, *tokens, *tokens], most


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
            self.drop_vectors([each.memory for each in vectors], model)
            tokens = {each.reach for each in vectors}
            owners = {0, self._c.member}
            self._c.run_many(_SCOPE, [(token, owner) for token in tokens for owner in owners])
            rows = [
                (each.reach, model, each.memory, piece, each.source_hash, crc32(codes), codes)
                for each in vectors
                for piece, codes in enumerate(each.pieces)
            ]
            for part in batches(rows):
                self._c.insert_rows(_INSERT, [(*row, bits(row[-1])) for row in part])

    def _check_dimension(self, model: int, vectors: Sequence[Vectors]) -> None:
        """One vector of another length could not be compared with the others."""
        dim = self.dimension(model)
        for each in vectors:
            if any(len(codes) != dim for codes in each.pieces):
                raise ModelFailed(
                    f"a vector of #{each.memory} does not have the {dim} dimensions of its model",
                    "recairn model list",
                )

    def drop_vectors(self, memories: Sequence[int], model: int | None = None) -> None:
        """Removes the vectors of memories, of one model or of all."""
        only = "" if model is None else f" and model = {int(model)}"
        for part in batches(memories):
            self._c.post(f"delete from vectors where memory in ({marks(part)}){only}", part)

    # Reading

    def match_vector(self, model: int, codes: bytes, filter: Filter, limit: int) -> list[Match]:
        """Memories by cosine, nearest first, of those the filter lets through."""
        if not any(codes):
            return []
        found, looked_at, most = self._near(model, codes, filter, limit, before=narrows(filter))
        if len(found) < limit and looked_at >= most and not narrows(filter):
            found, _, _ = self._near(model, codes, filter, limit, before=True)
        ordered = sorted(cosines(codes, found).items(), key=lambda pair: (-pair[1], pair[0]))
        return list(map(Match._make, ordered[:limit]))

    def _near(
        self, model: int, codes: bytes, filter: Filter, limit: int, *, before: bool
    ) -> tuple[dict[int, list[bytes]], int, int]:
        """The codes of the nearest that pass, how many pieces were looked at, and the most."""
        near, values, most = near_sql(model, codes, filter, limit, before=before)
        where, passing = conditions(filter)
        rows = self._c.rows(
            f"with near as materialized ({near}), chosen as (select distinct memory from near)"
            " select v.memory, v.codes, (select count(*) from near) from chosen c"
            " join memories m on m.id = c.memory join vectors v on v.memory = m.id"
            f" and v.model = ? where {where} order by v.memory, v.piece",
            (*values, model, *passing),
        )
        found: dict[int, list[bytes]] = {}
        for memory, piece, _ in rows:
            found.setdefault(memory, []).append(piece)
        return found, rows[0][2] if rows else most, most

    def codes(self, model: int, ids: Sequence[int]) -> dict[int, list[bytes]]:
        """The int8 codes of each memory's pieces."""
        found: dict[int, list[bytes]] = {}
        for part in batches(sorted(set(ids))):
            for memory, piece in self._c.rows(
                f"select memory, codes from vectors where memory in ({marks(part)}) and model = ?"
                " order by memory, piece",
                (*part, model),
            ):
                found.setdefault(memory, []).append(piece)
        return found

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
            (after, model, limit),
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
