"""What one search asks of the store: candidates by both arms, and all that is known of them.

By words `match.py` finds them, by meaning this does: vectors are scanned exactly, filter first.
Sketches of two bits a dimension lie in blocks of some hundred vectors, apart by who may see them
(`reach`), so that a search reads only what it may see. A scan ranks them by Hamming distance; the
nearest that pass the filter are scored by the cosine of their int8 codes.
"""

from __future__ import annotations

from array import array

import apsw

from recairn.core.kinds import visible_tokens
from recairn.core.model import FOUND, left_sql, lifted_sql
from recairn.ranking.codes import cosines_to, hamming, sketch, within
from recairn.store.rows import Candidates, FactRow, Match
from recairn.store.statements.base import insertion
from recairn.store.statements.memory_table import (
    conditions,
    narrows,
    readers,
    shown_from_rows,
    shown_sql,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.rows import QueryVector, Shown
    from recairn.store.sqlite.connection import Connection
    from recairn.store.sqlite.text_index import Held, TextScope

    # A filter, and what it lets through where that is known already.
    Passing = tuple[Filter, set[int] | None]
    # (memory, codes) of one piece each.
    Pieces = Sequence[tuple[int, bytes]]

# What was checked against the repository before its last change says nothing any more.
_FACTS = """
select m.id, m.kind, m.project, m.tier, m.sector, m.created_at, m.last_used_at, m.usage_count,
    m.salience, m.decayed_at, m.importance, m.confidence, m.helpful, m.harmful, m.outcome_score,
    m.valid_until, m.source_ref, m.words, coalesce(
        (select value from staleness where memory = m.id and checked_at >= m.updated_at), 0.0
    )
from carray(?) asked cross join memories m on m.id = asked.value
"""
_ACCESS = "insert into access_log(memory, at, source, session_id) values (?, ?, ?, ?)"

# A filter that lets no more through comes first, and both arms look at those alone. Listing them
# reads an index that holds what filters ask for; asking the rows of a hundredth costs as much.
_FEW_PASS = 20_000

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
# In `meta`: changes with every change of a vector, and says of the last ones where they were.
MARK = "vectors"
_MARK_LENGTH = 16
# A vector's id is memory, model and piece in one number: see the schema. Numbers of models are
# used again, and the longest memory has not that many pieces.
_MEMORY_BITS, _MODEL_BITS = 28, 16
_MOST_PIECES = 1 << _MODEL_BITS


def vector_id(memory: str, model: str, piece: str = "0") -> str:
    """The number of a vector as an expression of SQL, from those of its parts."""
    return f"({memory} << {_MEMORY_BITS}) + ({model} << {_MODEL_BITS}) + {piece}"


# Pieces of the memories listed, in the order of the list and of the text. Joined, not `in`: that
# would first sort the list into a table of its own, and takes twice as long.
_OF_MEMORIES = (
    "from carray(?1) asked cross join vectors v on v.id between"
    f" {vector_id('asked.value', '?2')} and {vector_id('asked.value', '?2', str(_MOST_PIECES - 1))}"
)


class Sketches:
    """All sketches of a model that some readers see, kept from one scan to the next."""

    members: array[int]
    bits: list[bytes | bytearray]

    def __init__(self, connection: Connection, model: int, reaches: Sequence[str] | None) -> None:
        self._c = connection
        self.seen = model, reaches
        self._load()

    def _load(self) -> None:
        self._mark = self._marks()[0]
        rows = self._read()
        # The vectors of each block, in the order in which they lie in what follows.
        self._sizes = {block: len(members) // 8 for block, members, _ in rows}
        self.members = array("q", b"".join([members for _, members, _ in rows]))
        # Block by block: who asks once need not pay for joining them.
        self.bits = [bits for _, _, bits in rows]

    def renew(self) -> None:
        """Makes it what it would be if all were read anew."""
        marks = self._marks()
        if self._mark not in marks:
            self._load()
            return
        self.bits = [self._joined()]
        newer = marks[: marks.index(self._mark)]
        if newer:
            blocks = ",".join([mark[_MARK_LENGTH + 1 :] for mark in newer])
            self._replace({int(block) for block in blocks.split(",") if block})
            self._mark = newer[0]

    def _replace(self, changed: Collection[int]) -> None:
        """Reads some blocks anew, puts each where it was, and new ones at the end."""
        where = f" and id in ({', '.join(map(str, changed))})"
        blocks_read = {block: (members, bits) for block, members, bits in self._read(where)}
        joined, sizes, at = self._joined(), {}, 0
        width = len(joined) // max(len(self.members), 1)
        for block, size in self._sizes.items():
            if block in changed:
                members, bits = blocks_read.pop(block, (b"", b""))
                self.members[at : at + size] = array("q", members)
                joined[at * width : (at + size) * width] = bits
                size = len(members) // 8
            sizes[block] = size
            at += size
        for block, (members, bits) in blocks_read.items():
            self.members.frombytes(members)
            joined += bits
            sizes[block] = len(members) // 8
        self._sizes = {block: size for block, size in sizes.items() if size}
        self.bits = [joined]

    def _joined(self) -> bytearray:
        first = self.bits[0] if len(self.bits) == 1 else b""
        return first if isinstance(first, bytearray) else bytearray().join(self.bits)

    def _marks(self) -> list[str]:
        """The mark of the last change and what it changed, behind it those before."""
        value = self._c.value(f"select value from meta where key = '{MARK}'")
        return str(value or "").split(" ")

    def _read(self, where: str = "") -> list[tuple[int, bytes, bytes]]:
        model, reaches = self.seen
        only = "" if reaches is None else f" and reach in ({', '.join('?' * len(reaches))})"
        return self._c.rows(
            f"select id, members, bits from vector_blocks where model = ?{only}{where}",
            (model, *(reaches or ())),
        )


class RecallRows:
    """The part of the store that answers searches."""

    _c: Connection

    _sketches: Sketches | None

    if TYPE_CHECKING:  # parts of the store that are loaded when they are called
        damaged: set[int]

        def text_scope(self, filter: Filter) -> TextScope: ...

        def match_in(
            self,
            scope: TextScope,
            plan: Plan,
            limit: int,
            few: set[int] | None = None,
            near: Collection[int] = (),
        ) -> tuple[list[Match], Held]: ...

        def _link_sessions(self, links: Sequence[tuple[str, int, str, int]]) -> None: ...

    def candidates(
        self, plan: Plan | None, vector: QueryVector | None, filter: Filter, limit: int
    ) -> Candidates:
        """What may answer, by words and by meaning, scored by both arms whoever found each."""
        scope = self.text_scope(filter)
        few = self.few_passing(filter) if narrows(filter) else None
        by_meaning: dict[int, float] = {}
        pieces: Pieces = ()
        if vector is not None:
            near, pieces = self.match_pieces(vector.model, vector.codes, filter, limit, few)
            by_meaning = dict(near)
        by_words: dict[int, float] = {}
        held: Held | None = None
        if plan is not None:
            matched, held = self.match_in(scope, plan, limit, few, by_meaning)
            by_words = dict(matched)
        facts = {row[0]: row for row in self.facts([*{*by_words, *by_meaning}])}
        ids = list(facts)
        codes = self.codes(vector.model, ids, pieces) if vector is not None else {}
        matches = held.matches(ids) if held is not None and ids else None
        passing = None if few is None else len(few)
        return Candidates._make((by_words, by_meaning, facts, codes, matches, scope.size, passing))

    def few_passing(self, filter: Filter) -> set[int] | None:
        """All that the filter lets through; None where they are not few."""
        passing = set[int]()
        for where, values in readers(filter):
            rows = self._c.rows(
                f"select m.id from memories m where {where} limit ?",
                (*values, _FEW_PASS + 1 - len(passing)),
            )
            passing.update([row[0] for row in rows])
            if len(passing) > _FEW_PASS:
                return None
        return passing

    def facts(self, ids: Sequence[int]) -> list[FactRow]:
        """What ranking computes with, of each memory, ordered by id."""
        if not ids:
            return []
        rows = self._c.rows(_FACTS, (apsw.carray(array("q", sorted(ids))),))
        return list(map(FactRow._make, rows))

    def shown(self, ids: Sequence[int]) -> dict[int, Shown]:
        """All that a reader sees of the chosen ones that are still there."""
        if not ids:
            return {}
        among = f"in ({', '.join('?' * len(ids))})"
        return shown_from_rows(self._c.rows(shown_sql(among), list(ids)), self.damaged)

    def log_search(self, entry: Mapping[str, Any], used: Sequence[int]) -> None:
        """Logs a search and each access; a use counts, and lifts the memory's salience a little."""
        self._c.run(*insertion("query_log", entry))
        if not used:
            return
        at, session = entry["at"], entry.get("session_id")
        self._c.run_many(
            "update memories as m set usage_count = usage_count + 1, last_used_at = ?,"
            f" salience = {lifted_sql(left_sql(at), FOUND)}, decayed_at = ? where id = ?",
            [(at, at, memory) for memory in used],
        )
        self._c.run_many(_ACCESS, [(memory, at, entry["tool"], session) for memory in used])
        if session is not None:
            self._link_sessions([(session, memory, "recalled", at) for memory in used])

    # By meaning

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
        sketches = self._scanned(model, filter)
        members = sketches.members
        if not members:
            return [], []
        if len(members) <= _FEW:
            ordered, pieces = self._ordered(model, codes, set(members) - {0})
            near = self._first_passing(ordered, filter, limit, least=0.0)
            return list(map(Match._make, near[:limit])), pieces
        distances = hamming(sketch(codes), sketches.bits)
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
        cosines = _pooled([piece[0] for piece in pieces], cosines_to(codes, stacked, len(pieces)))
        return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0])), pieces

    def _first_passing(
        self,
        ordered: Sequence[tuple[int, float]],
        filter: Filter,
        limit: int,
        least: float = _MOST,
    ) -> list[tuple[int, float]]:
        """The first of the memories that pass; gives up where a smaller share than `least` does."""
        let_through: list[tuple[int, float]] = []
        step = max(limit, _SOME)
        # Where nearly all pass, a few more than wanted are enough.
        start, hurried = 0, limit + limit // 2
        for end in (
            *([hurried] if hurried < step else []),
            *range(step, len(ordered) + step, step),
        ):
            part = ordered[start:end]
            passing = self.passing([memory for memory, _ in part], filter)
            let_through += [pair for pair in part if pair[0] in passing]
            few = end >= step and len(let_through) < least * (start + len(part))
            if len(let_through) >= limit or few:
                break
            start = end
        return let_through

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
        codes: dict[int, list[bytes]] = {memory: [] for memory in sorted(ids)}
        for memory, piece in known:
            if memory in codes:
                codes[memory].append(piece)
        unread = [memory for memory, own in codes.items() if not own]
        for memory, piece in self._pieces(model, array("q", unread)) if unread else ():
            codes[memory].append(piece)
        return {memory: own for memory, own in codes.items() if own}

    def _pieces(self, model: int, ids: array[int]) -> list[tuple[int, bytes]]:
        """(memory, codes) of every piece."""
        asked = f"select v.memory, v.codes {_OF_MEMORIES}"
        return self._c.rows(asked, (apsw.carray(ids), model))

    def _scanned(self, model: int, filter: Filter) -> Sketches:
        """All sketches the filter's project may see, with the memory each row belongs to."""
        reaches = None
        if filter.project is not None:
            reaches = tuple(visible_tokens(filter.project, filter.session, filter.parent))
        sketches = self._sketches
        if sketches is None or sketches.seen != (model, reaches):
            sketches = self._sketches = Sketches(self._c, model, reaches)
        else:
            sketches.renew()
        return sketches

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
