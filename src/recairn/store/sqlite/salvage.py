"""Getting memories out of a damaged file: every row that can still be read goes into a fresh one.

The rows are walked by number, so that a broken page costs the rows on it and no others. The row
hash tells an intact memory from one whose bytes changed; those are kept, and named.
"""

from __future__ import annotations

import os

import apsw

from recairn.core.derived import text_columns
from recairn.core.errors import StoreDamaged
from recairn.core.ids import new_uid
from recairn.core.kinds import KINDS, SECTORS, SOURCE_TYPES, TIERS, reach_tokens
from recairn.core.record import record
from recairn.store.sqlite import SqliteStore
from recairn.store.sqlite.connection import Connection
from recairn.store.sqlite.copies import SIDE_FILES, copy_bytes, read_bytes
from recairn.store.sqlite.files import create_private, open_immutable
from recairn.store.sqlite.text_index import MEMORY
from recairn.store.statements.base import from_json
from recairn.store.statements.memory_table import AUTHORED, COUNTERS, as_stored, row_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_COLUMNS = ("id", *AUTHORED, *COUNTERS)
_INSERT = (
    f"insert or ignore into memories({', '.join(_COLUMNS)}, row_hash)"
    f" values ({', '.join('?' * (len(_COLUMNS) + 1))})"
)
# Rows asked for at once; where that fails they are asked for one by one.
_BATCH = 200
# Vectors are made from the memories again; look-alike keys and the full-text index too.
_DERIVED = (
    *("memories", "look_alikes", "recent_keys", "vectors", "vector_blocks", "models"),
    *("checksums", "tallies", "sqlite_sequence"),
)
# Where ids of memories are written down besides their own table.
_ID_SOURCES = (
    "select distinct memory from history where event in ('created', 'imported')",
    "select id from memories indexed by memories_by_project where project >= ''",
    f"select id & {MEMORY} from memories_fts_docsize",
    "select distinct memory from look_alikes",
    "select distinct memory from recent_keys",
)
# What stands in for a column whose value is no longer of its type.
_STAND_INS: dict[str, Any] = {
    **dict.fromkeys(("uid", "title", "details", "project", "category", "idents", "reach"), ""),
    **dict.fromkeys(("scope", "source_ref", "content_hash", "author", "branch"), ""),
    "kind": "note",
    "tier": "project",
    "sector": "semantic",
    "trust": "unverified",
    "source_type": "manual",
    "fields": "{}",
    "keywords": "[]",
    "concepts": "[]",
    **dict.fromkeys(("importance", "confidence", "salience"), 0.5),
    **dict.fromkeys(("helpful", "harmful"), 0.0),
    **dict.fromkeys(("created_at", "updated_at", "decayed_at", "valid_from"), 0),
    **dict.fromkeys(("pinned", "immutable", "usage_count"), 0),
}
_ONE_OF = {"kind": KINDS, "tier": TIERS, "sector": SECTORS, "source_type": SOURCE_TYPES}
_MAY_BE_NONE: dict[str, Any] = {
    **dict.fromkeys(("valid_until", "superseded_by", "expires_at", "deleted_at"), int),
    "last_used_at": int,
    "outcome_score": float,
    "session_id": str,
    "external_id": str,
}
# The first page holds the file header (100 bytes) and the table of tables.
_HEADER = 100
_PAGE = 4096
_INTERIOR = 5  # the kind of a table's page that only points at others
# Bytes; a header that states more than this beyond the end of the file is itself damaged.
_LONGEST_GAP = 1 << 34


@record
class Salvaged:
    """How much was saved: memories, those among them whose bytes had changed, and ids lost."""

    saved: int
    changed: tuple[int, ...]
    lost: tuple[int, ...]


def salvage(damaged: str, fresh: str) -> Salvaged:
    """Fills a fresh database from a damaged one, which stays as it is."""
    work = fresh + ".reading"
    create_private(fresh)
    try:
        source = _readable(damaged, work)
        try:
            return _transfer(source, fresh)
        finally:
            source.close(True)
    finally:
        for suffix in ("", *SIDE_FILES):
            if os.path.exists(work + suffix):
                os.unlink(work + suffix)


def _readable(damaged: str, work: str) -> apsw.Connection:
    """A connection that finds the table of memories; if need be through a borrowed schema."""
    try:
        return _lenient(damaged)
    except (apsw.Error, UnicodeDecodeError):
        copy_bytes(damaged, work)
    if os.path.exists(damaged + "-wal"):
        copy_bytes(damaged + "-wal", work + "-wal")
    sample = _sample(work + "-sample")
    for mend in (_fill_up, _mend_header, _borrow_schema):
        try:
            mend(work, sample)
            return _lenient(work)
        except (apsw.Error, OSError, UnicodeDecodeError):
            continue
    raise StoreDamaged(f"nothing in {damaged} can be read any more", "recairn backup restore")


def _lenient(path: str) -> apsw.Connection:
    if os.path.exists(path + "-wal"):
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    else:
        db = open_immutable(path)
    try:
        # Lets a file be opened that is shorter than its header says.
        db.pragma("writable_schema", "on")
        # Reads the table of tables alone: a memory that cannot be read says nothing of the others.
        db.execute("explain select row_hash from memories").fetchall()
    except BaseException:
        db.close(True)
        raise
    return db


def _sample(path: str) -> bytes:
    """The bytes of a fresh database."""
    try:
        SqliteStore(path).close()
        _, size = read_bytes(path, 0, 0)
        return read_bytes(path, 0, size)[0]
    finally:
        if os.path.exists(path):
            os.unlink(path)


def _fill_up(work: str, sample: bytes) -> None:
    """Pages of a fresh database, then empty ones, where the file was cut off."""
    header, size = read_bytes(work, 0, _HEADER)
    stated = int.from_bytes(header[28:32], "big") * _PAGE
    whole = size - size % _PAGE
    with open(work, "r+b") as file:
        file.seek(whole)
        file.write(sample[whole:])
    if size < stated <= size + _LONGEST_GAP:
        os.truncate(work, max(stated, len(sample)))


def _mend_header(work: str, sample: bytes) -> None:
    _overwrite(work, 0, sample[:_HEADER])
    _count_pages(work)


def _borrow_schema(work: str, sample: bytes) -> None:
    """A fresh file has its tables at the same places: migrations make them in a fixed order."""
    for page in _schema_pages(sample):
        _overwrite(work, page * _PAGE, sample[page * _PAGE : (page + 1) * _PAGE])
    _count_pages(work)


def _schema_pages(sample: bytes) -> list[int]:
    """The pages (counted from 0) of the table of tables: the first one and those it points at."""
    cells = int.from_bytes(sample[_HEADER + 3 : _HEADER + 5], "big")
    if sample[_HEADER] != _INTERIOR:
        return [0]
    pointers = [sample[_HEADER + 8 : _HEADER + 12]]
    for cell in range(cells):
        at = _HEADER + 12 + 2 * cell
        start = int.from_bytes(sample[at : at + 2], "big")
        pointers.append(sample[start : start + 4])
    return [0, *(int.from_bytes(pointer, "big") - 1 for pointer in pointers)]


def _count_pages(work: str) -> None:
    """Bytes 28 to 31 of the header count the pages; each file has its own number of them."""
    _overwrite(work, 28, (os.path.getsize(work) // _PAGE).to_bytes(4, "big"))


def _overwrite(work: str, at: int, content: bytes) -> None:
    with open(work, "r+b") as file:
        file.seek(at)
        file.write(content)


def _transfer(source: apsw.Connection, fresh: str) -> Salvaged:
    target = Connection(fresh)
    try:
        with target.transaction():
            target.run("pragma defer_foreign_keys=on")
            ids = _known_ids(source)
            saved, changed = _move_memories(source, target, ids)
            if not saved and not ids:
                raise StoreDamaged("no memory in it can be read any more", "recairn backup restore")
            for table in _other_tables(target):
                _move_table(source, target, table)
            _drop_dangling(target)
            _note_lost_history(target)
            erased = _erased(target)
    finally:
        target.close()
    _make_keys(fresh)
    return Salvaged(len(saved), tuple(changed), tuple(sorted(ids - saved - erased)))


def _known_ids(source: apsw.Connection) -> set[int]:
    ids: set[int] = set()
    for sql in _ID_SOURCES:
        ids.update(row[0] for row in _until_damage(source, sql) if isinstance(row[0], int))
    return ids


def _until_damage(source: apsw.Connection, sql: str) -> Iterator[Sequence[Any]]:
    """The rows of a statement up to the first that cannot be read."""
    try:
        yield from source.execute(sql)
    except (apsw.Error, UnicodeDecodeError):
        return


def _move_memories(
    source: apsw.Connection, target: Connection, ids: set[int]
) -> tuple[set[int], list[int]]:
    saved: set[int] = set()
    changed: list[int] = []
    for row in _memories(source, ids):
        values = _completed(row)
        if values is None or values["id"] in saved:
            continue
        intact = row_hash(row[1 : 1 + len(AUTHORED)]) == row[-1]
        if not intact:
            values.update(_made_consistent(values))
        hashed = row_hash([values[name] for name in AUTHORED])
        if target.run(_INSERT, (*(values[name] for name in _COLUMNS), hashed)):
            saved.add(values["id"])
            if not intact:
                changed.append(values["id"])
    return saved, changed


def _memories(source: apsw.Connection, ids: set[int]) -> Iterator[Sequence[Any]]:
    """Forward to the first damage, backward to the last, then number by number in between."""
    reached = 0
    for row in _numbered(source, f"{_select(source)} order by id"):
        reached = row[0]
        yield row
    highest = max(ids, default=reached)
    back = highest + 1
    for row in _numbered(source, f"{_select(source)} where id > {reached} order by id desc"):
        highest, back = max(highest, row[0]), row[0]
        yield row
    for start in range(reached + 1, back, _BATCH):
        yield from _between(source, start, min(start + _BATCH, back))


def _numbered(source: apsw.Connection, sql: str) -> Iterator[Sequence[Any]]:
    """The rows up to the first damage; a damaged schema may have lost what their numbers are."""
    for row in _until_damage(source, sql):
        if not isinstance(row[0], int):
            return
        yield row


def _select(source: apsw.Connection) -> str:
    return f"select {', '.join(_columns(source))} from memories"


def _columns(source: apsw.Connection) -> list[str]:
    """What to ask for; of a column that an older schema lacks, what stands in for it."""
    present = {row[1] for row in _until_damage(source, "pragma table_info(memories)")}
    names = (*_COLUMNS, "row_hash")
    return [name if name in present or not present else "''" for name in names]


def _between(source: apsw.Connection, start: int, end: int) -> Iterator[Sequence[Any]]:
    try:
        yield from source.execute(
            f"{_select(source)} where id >= ? and id < ?", (start, end)
        ).fetchall()
    except (apsw.Error, UnicodeDecodeError):
        for memory in range(start, end):
            yield from _one(source, memory)


def _one(source: apsw.Connection, memory: int) -> Sequence[Sequence[Any]]:
    try:
        return source.execute(f"{_select(source)} where id = ?", (memory,)).fetchall()
    except UnicodeDecodeError:
        return _with_replaced_letters(source, memory)
    except apsw.Error:
        return []


def _with_replaced_letters(source: apsw.Connection, memory: int) -> list[Sequence[Any]]:
    """The row with U+FFFD where its bytes are no longer text."""
    parts = [
        f"case typeof({name}) when 'text' then cast({name} as blob) else {name} end"
        for name in _columns(source)
    ]
    sql = f"select {', '.join(parts)} from memories where id = ?"
    try:
        rows = source.execute(sql, (memory,)).fetchall()
    except apsw.Error:
        return []
    return [
        [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row]
        for row in rows
    ]


def _completed(row: Sequence[Any]) -> dict[str, Any] | None:
    """The row by column, holes filled so that it can be stored; None where no text is left."""
    values = dict(zip(_COLUMNS, row, strict=False))
    if not isinstance(values["content"], str) or not values["content"]:
        return None
    for name, usual in _STAND_INS.items():
        if not isinstance(values[name], type(usual)):
            values[name] = usual
    for name, kinds in _MAY_BE_NONE.items():
        if not isinstance(values[name], kinds):
            values[name] = None
    if values["valid_until"] is not None:
        values["valid_until"] = max(values["valid_until"], values["valid_from"])
    for name, kind in (("fields", dict), ("keywords", list), ("concepts", list)):
        if not _is_json(values[name], kind):
            values[name] = _STAND_INS[name]
    values["uid"] = values["uid"] or new_uid(values["created_at"])
    return values


def _made_consistent(values: dict[str, Any]) -> dict[str, Any]:
    """The columns of a changed memory that follow from others, or must be one of a few words."""
    words = {
        name: values[name] if values[name] in allowed else _STAND_INS[name]
        for name, allowed in _ONE_OF.items()
    }
    derived = text_columns(values["title"], values["content"], from_json(values["fields"], {}))
    return {
        **words,
        **{name: as_stored(name, value) for name, value in derived.items()},
        "reach": reach_tokens(words["tier"], values["project"], values["session_id"]),
        "trust": "unverified",
    }


def _is_json(text: str, kind: type) -> bool:
    import json

    try:
        return isinstance(json.loads(text), kind)
    except ValueError:
        return False


def _other_tables(target: Connection) -> list[str]:
    rows = target.rows(
        "select name from pragma_table_list where schema = 'main' and type = 'table'"
    )
    return [name for (name,) in rows if name not in _DERIVED and name != "sqlite_schema"]


def _move_table(source: apsw.Connection, target: Connection, table: str) -> None:
    """Rows from both ends up to the damage; what lies between two damages is not looked for."""
    names = [row[0] for row in target.rows("select name from pragma_table_info(?)", (table,))]
    present = {row[1] for row in _until_damage(source, f"pragma table_info({table})")}
    # An older schema lacks some.
    names = [name for name in names if name in present or not present]
    key = [
        row[0]
        for row in target.rows(
            "select name from pragma_table_info(?) where pk order by pk", (table,)
        )
    ]
    marks = ", ".join("?" * len(names))
    insert = f"insert or ignore into {table}({', '.join(names)}) values ({marks})"
    for direction in ("", " desc"):
        order = ", ".join(name + direction for name in key)
        reading = f"select {', '.join(names)} from {table} order by {order}"
        target.run_many(insert, _until_damage(source, reading))


def _drop_dangling(target: Connection) -> None:
    """Takes out what points at rows that are gone."""
    for table in ("memories", *_other_tables(target)):
        links = target.rows(
            'select "table", "from", "to", on_delete from pragma_foreign_key_list(?)', (table,)
        )
        for parent, column, key, on_delete in links:
            dangling = f"{column} is not null and {column} not in (select {key} from {parent})"
            if on_delete == "SET NULL":
                _unlink_rows(target, table, column, dangling)
            else:
                target.run(f"delete from {table} where {dangling}")


def _unlink_rows(target: Connection, table: str, column: str, dangling: str) -> None:
    if table != "memories":
        target.run(f"update {table} set {column} = null where {dangling}")
        return
    columns = ", ".join(AUTHORED)
    for row in target.rows(f"select id, {columns} from memories where {dangling}"):
        values = [
            None if name == column else value for name, value in zip(AUTHORED, row[1:], strict=True)
        ]
        target.run(
            f"update memories set {column} = null, row_hash = ? where id = ?",
            (row_hash(values), row[0]),
        )


def _note_lost_history(target: Connection) -> None:
    """A memory whose creation event was lost says so in its history."""
    target.run(
        "insert into history(memory, at, event, reason)"
        " select id, created_at, 'imported', 'salvaged from a damaged file' from memories m"
        " where not exists (select 1 from history h where h.memory = m.id"
        " and h.event in ('created', 'imported'))"
    )


def _erased(target: Connection) -> set[int]:
    return {row[0] for row in target.rows("select memory from history where event = 'erased'")}


def _make_keys(fresh: str) -> None:
    store = SqliteStore(fresh)
    try:
        with store.transaction():
            store.remake_keys()
        store.scrub()
    finally:
        store.close()
