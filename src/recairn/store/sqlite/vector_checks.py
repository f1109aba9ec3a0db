"""Do the vectors keep their promises, and how their blocks are made anew from the codes."""

from __future__ import annotations

from array import array
from zlib import crc32

from recairn.core.report import Problem
from recairn.ranking.codes import sketch
from recairn.store.sqlite.recall import vector_id
from recairn.store.sqlite.vector_writes import BLOCK, mark_changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.store.sqlite.connection import Connection

_REBUILD = "recairn doctor --repair"
_EMBED = "recairn embed"
# Memories named in one finding.
_NAMED = 5


def check_vectors(c: Connection) -> Iterator[Problem]:
    """Every fault of the stored vectors; a missing vector is none."""
    yield from _models(c)
    problems: dict[tuple[str, str], list[int]] = {}
    blocks = {row[0]: row[1:] for row in c.iterate(_BLOCKS)}
    used: dict[int, set[int]] = {}
    for memory, model, block, slot, filed, *rest in c.iterate(_VECTORS):
        held = blocks.get(block)
        if not filed:
            problems.setdefault(("are filed under a wrong number", _REBUILD), []).append(memory)
        for fault in _faults(memory, model, slot, held, rest):
            problems.setdefault(fault, []).append(memory)
        if slot in used.setdefault(block, set()):
            problems.setdefault(("share a place in their block", _REBUILD), []).append(memory)
        used[block].add(slot)
    for (what, remedy), memories in problems.items():
        ids = sorted(number for number in set(memories) if isinstance(number, int))
        if not ids:
            continue  # of no memory: the check for orphans names them
        more = ", …" if len(ids) > _NAMED else ""
        named = ", ".join(f"#{memory}" for memory in ids[:_NAMED]) + more
        yield Problem("vectors", f"vectors of {len(ids)} memories {what} ({named})", remedy)
    wrong = sum(not _block_agrees(blocks[block], used.get(block, set())) for block in blocks)
    if wrong:
        yield Problem("vectors", f"{wrong} blocks hold what no memory has", _REBUILD)


_ID = vector_id("v.memory", "v.model", "v.piece")
# dim, state and memory columns are NULL where there is no such model or memory.
_VECTORS = f"""
    select v.memory, v.model, v.block, v.slot, v.id = {_ID}, v.codes, v.crc, d.dim, m.reach,
        v.source_hash = m.content_hash or m.deleted_at is not null,
        v.piece >= (select count(*) from vectors n where n.memory = v.memory and n.model = v.model)
    from vectors v left join models d on d.id = v.model left join memories m on m.id = v.memory
"""
_BLOCKS = "select id, model, reach, count, members, bits from vector_blocks"


def _models(c: Connection) -> Iterator[Problem]:
    active = c.value("select count(*) from models where state = 'active'")
    if active > 1:
        yield Problem("vectors", f"{active} models claim to be the active one", _REBUILD)
    for table in ("vectors", "vector_blocks"):
        count = c.value(f"select count(*) from {table} where model not in (select id from models)")
        if count:
            yield Problem("vectors", f"{count} rows of {table} are of no known model", _REBUILD)


def _faults(
    memory: int, model: int, slot: int, held: tuple[object, ...] | None, rest: list[object]
) -> Iterator[tuple[str, str]]:
    """(what is wrong, remedy) of one vector."""
    codes, crc, dim, reach, current, gap = rest
    if not _is_sound(codes, crc):
        yield "fail their checksum", _REBUILD
    if not isinstance(codes, bytes) or not codes:
        return
    if dim is not None and len(codes) != dim:
        yield "have not the dimensions of their model", _REBUILD
    if gap:
        yield "lack a piece", _REBUILD
    if reach is not None and not current:
        yield "are of an older text", _EMBED
    if held is None or not _in_place(held, (memory, model, slot), codes):
        yield "are not where their block has them", _REBUILD
    elif reach is not None and held[1] != reach:
        yield "lie where others may see them", _EMBED


def _is_sound(codes: object, crc: object) -> bool:
    """Whether a vector's bytes are as written; in a damaged file they may be of any type."""
    return isinstance(codes, bytes) and codes != b"" and crc32(codes) == crc


def _in_place(held: tuple[object, ...], place: tuple[int, int, int], codes: bytes) -> bool:
    memory, model, slot = place
    block_model, _, _, members, bits = held
    if not (isinstance(members, bytes) and isinstance(bits, bytes) and isinstance(slot, int)):
        return False
    sketched = sketch(codes)
    return (
        block_model == model
        and members[8 * slot : 8 * slot + 8] == array("q", [memory]).tobytes()
        and bits[slot * len(sketched) : (slot + 1) * len(sketched)] == sketched
    )


def _block_agrees(held: tuple[object, ...], used: set[int]) -> bool:
    """Whether a block's own figures fit, and its members are the vectors that name it."""
    _, _, count, members, bits = held
    if not (isinstance(members, bytes) and isinstance(bits, bytes)):
        return False
    if len(members) % 8 or not members:
        return False
    ids = array("q", members)
    taken = {slot for slot, memory in enumerate(ids) if memory}
    return taken == used and count == len(taken) and len(ids) <= BLOCK and not len(bits) % len(ids)


def rebuild_blocks(c: Connection) -> None:
    """Drops vectors that are stale or damaged, and makes every block anew from the codes left."""
    c.run("delete from vectors where memory not in (select id from memories)")
    c.run("delete from vectors where model not in (select id from models)")
    c.run(
        "update models set state = 'building' where state = 'active'"
        " and id > (select min(id) from models where state = 'active')"
    )
    unsound = {
        (memory, model)
        for memory, model, _, _, filed, codes, crc, dim, _, current, gap in c.iterate(_VECTORS)
        if not (filed and current) or gap or not _is_sound(codes, crc) or len(codes) != dim
    }
    c.run_many("delete from vectors where memory = ? and model = ?", unsound)
    c.run("delete from vector_blocks")
    owners = c.rows(
        "select distinct v.model, m.reach from vectors v join memories m on m.id = v.memory"
    )
    for model, reach in owners:
        _fill_blocks(c, model, reach)
    mark_changed(c)


def _fill_blocks(c: Connection, model: int, reach: str) -> None:
    rows = c.rows(
        "select v.id, v.memory, v.codes from vectors v join memories m on m.id = v.memory"
        " where v.model = ? and m.reach = ? order by v.id",
        (model, reach),
    )
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        block = c.insert(
            "insert into vector_blocks(model, reach, count, members, bits) values (?, ?, ?, ?, ?)",
            (
                model,
                reach,
                len(part),
                array("q", [row[1] for row in part]).tobytes(),
                b"".join([sketch(row[2]) for row in part]),
            ),
        )
        c.run_many(
            "update vectors set block = ?, slot = ? where id = ?",
            [(block, slot, row[0]) for slot, row in enumerate(part)],
        )
