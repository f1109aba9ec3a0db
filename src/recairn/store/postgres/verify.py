"""Do the tables of a team keep their promises? The server's own pages are the server's to check."""

from __future__ import annotations

from zlib import crc32

from recairn.core.report import Problem, Report
from recairn.store.postgres.postings import INDEXED, Entry, index
from recairn.store.postgres.vectors import bits
from recairn.store.statements import tallies
from recairn.store.statements.checks import REBUILD, checked, history, row_hashes, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.store.postgres.connection import Connection

_RESTORE = "restore the server's backup"
_EMBED = "recairn embed"
_NAMED = 5
# What tells tallies apart besides: who alone sees the memories.
_OWNER = "owner, "
# Tables with a checksum, and of what the server computes it.
_SUMMED = """
select table_name, generation_expression from information_schema.columns
where table_schema = current_schema() and column_name = 'checksum' order by table_name
"""


def verify(c: Connection) -> Report:
    return checked(c, _CHECKS, _RESTORE)


def rebuild_indexes(c: Connection) -> None:
    """Makes everything that derives from the rows anew."""
    with c.transaction():
        c.post("delete from postings")
        c.post("update scopes set memories = 0, terms = 0, words = 0")
        c.post("delete from look_alikes where memory not in (select id from memories)")
        columns = ("id", "reach", "owner", "words", *INDEXED)
        rows = c.rows(f"select {', '.join(columns)} from memories order by id")
        index(c, [(row[0], dict(zip(columns, row, strict=True))) for row in rows])
        c.post("delete from tallies")
        c.post(
            f"insert into tallies({tallies.key(_OWNER)}, memories)"
            f" {tallies.counted('memories m where true', _OWNER)}"
        )
        _rebuild_vectors(c)


def _rebuild_vectors(c: Connection) -> None:
    """Drops vectors that are stale, damaged or misplaced."""
    unsound = {(row[0], row[1]) for row in c.rows(_VECTORS) if next(_faults(row), None) is not None}
    c.run_many("delete from vectors where memory = ? and model = ?", unsound)
    c.post(
        "update models set state = 'building' where state = 'active'"
        " and id > (select min(id) from models where state = 'active')"
    )


def _tallies(c: Connection) -> Iterator[Problem]:
    """Counts are kept up by triggers, and shown without reading a memory."""
    wrong = {row[:-1] for row in c.rows(tallies.miscounted(_OWNER))}
    if wrong:
        yield Problem("tallies", f"{len(wrong)} counts differ from the memories there are", REBUILD)


def _full_text(c: Connection) -> Iterator[Problem]:
    """Compares the index with what the memories say: every term of every memory, and no other."""
    columns = ("id", "reach", "owner", "words", *INDEXED)
    stored = {
        row[0]: row[1:]
        for row in c.rows(
            "select p.memory, count(*), sum(p.frequency), min(s.token), max(s.token)"
            " from postings p join scopes s on s.reach = p.reach group by p.memory"
        )
    }
    wrong = 0
    counts: dict[tuple[str, int], list[int]] = {}
    for row in c.rows(f"select {', '.join(columns)} from memories"):
        values = dict(zip(columns, row, strict=True))
        entry, token = Entry(values), values["reach"]
        counted = (len(entry.frequencies), sum(entry.frequencies.values()), token, token)
        index_row = stored.pop(row[0], None)
        wrong += index_row != counted and bool(entry.frequencies or index_row)
        seen = counts.setdefault((token, values["owner"]), [0, 0, 0])
        for at, added in enumerate((1, entry.length, values["words"])):
            seen[at] += added
    if wrong or stored:
        many = wrong + len(stored)
        yield Problem("full text", f"the index of {many} memories is not as they are", REBUILD)
    kept = c.rows("select token, owner, memories, terms, words from scopes where memories <> 0")
    if {row[:2]: list(row[2:]) for row in kept} != counts:
        yield Problem("full text", "the figures of the index are not as the memories", REBUILD)


def _row_hashes(c: Connection) -> Iterator[Problem]:
    return row_hashes(c, _RESTORE)


def _checksums(c: Connection) -> Iterator[Problem]:
    """Every row that the server's own checksum does not fit any more; it is no part of a key."""
    for table, content in c.rows(_SUMMED):
        count = c.value(f"select count(*) from {table} where checksum is distinct from ({content})")
        if count:
            what = f"{count} rows of {table} hold something else than was written"
            yield Problem("checksums", what, _RESTORE)


def _orphans(c: Connection) -> Iterator[Problem]:
    count = c.value(
        "select count(*) from look_alikes where memory not in (select id from memories)"
    )
    if count:
        yield Problem("orphans", f"{count} rows of look_alikes belong to no memory", REBUILD)


_VECTORS = """
select v.memory, v.model, v.codes, v.crc, v.sketch::text, d.dim,
    s.token = m.reach and s.owner = m.owner,
    v.source_hash = m.content_hash or m.deleted_at is not null,
    v.piece >= count(*) over (partition by v.memory, v.model)
from vectors v join models d on d.id = v.model join memories m on m.id = v.memory
left join scopes s on s.reach = v.reach
"""


def _faults(row: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    """(what is wrong, remedy) of one vector."""
    _, _, codes, crc, sketched, dim, in_place, current, gap = row
    if not codes or crc32(codes) != crc:
        yield "fail their checksum", REBUILD
        return
    if len(codes) != dim:
        yield "have not the dimensions of their model", REBUILD
    elif bits(codes) != sketched:
        yield "have the sketch of another", REBUILD
    if gap:
        yield "lack a piece", REBUILD
    if not current:
        yield "are of an older text", _EMBED
    if not in_place:
        yield "lie where others may see them", _EMBED


def _vectors(c: Connection) -> Iterator[Problem]:
    active = c.value("select count(*) from models where state = 'active'")
    if active > 1:
        yield Problem("vectors", f"{active} models claim to be the active one", REBUILD)
    damaged: dict[tuple[str, str], set[int]] = {}
    for row in c.iterate(_VECTORS):
        for fault in _faults(row):
            damaged.setdefault(fault, set()).add(row[0])
    for (what, remedy), memories in damaged.items():
        ids = sorted(memories)
        more = ", …" if len(ids) > _NAMED else ""
        named = ", ".join(f"#{memory}" for memory in ids[:_NAMED]) + more
        yield Problem("vectors", f"vectors of {len(ids)} memories {what} ({named})", remedy)


def _history(c: Connection) -> Iterator[Problem]:
    return history(c, _RESTORE)


_CHECKS = (
    ("full text", _full_text),
    ("row hashes", _row_hashes),
    ("checksums", _checksums),
    ("orphans", _orphans),
    ("tallies", _tallies),
    ("vectors", _vectors),
    ("history", _history),
    ("times", times),
)
