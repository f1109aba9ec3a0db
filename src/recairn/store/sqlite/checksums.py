"""What the rows of each table add up to: made anew, and compared. The connection keeps it up."""

from __future__ import annotations

from zlib import crc32

import apsw

from recairn.core.errors import StoreError
from recairn.store.sqlite.schema import MODULUS, SUMMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from recairn.store.sqlite.connection import Connection


# As a row of a new memory is spelled: what it has for `salience`, `helpful`, `harmful`,
# `outcome_score`, `usage_count` and `last_used_at`; its times and hash follow, and no stamps.
_NEW = ascii((1.0, 0.0, 0.0, None, 0, None))[:-1]
# What the event of its making says: `event`, `reason`, `before` and `after`.
_CREATED = ("created", "", "{}", "{}")


def of_new_memories(known: Iterable[tuple[int, int, int, str]]) -> int:
    """What new memories add to the sum of theirs: number, times of creation and change, row hash.

    As `Connection.checksum` adds up what the engine made of them, which takes three times as long.
    """
    return sum(
        [
            crc32(f"({number}, {_NEW}, {created}, {at}, {at}), '{hashed}', '')".encode())
            for number, created, at, hashed in known
        ]
    )


def of_created(events: Iterable[tuple[int, int, int, str | None, str]]) -> int:
    """The same of their first events: number, memory, time, session and author."""
    return sum(
        [
            crc32(ascii((number, memory, at, *_CREATED, session, None, author)).encode())
            for number, memory, at, session, author in events
        ]
    )


def remake(db: apsw.Connection, checksum: Callable[[str, tuple[Any, ...]], int]) -> None:
    """Adds up what is there now, whoever wrote it; inside the caller's transaction."""
    db.execute("delete from checksums")
    for table in sorted(SUMMED):
        try:
            total = sum(checksum(table, row) for row in db.execute(f"select * from {table}"))
        except (apsw.CorruptError, UnicodeDecodeError):
            continue  # without a sum `verify` names it; a damaged table keeps nobody from the rest
        db.execute("insert into checksums values (?, ?)", (table, total % MODULUS))


def differing(c: Connection) -> Iterator[str]:
    """The tables whose rows do not add up to what was written."""
    for table in sorted(SUMMED):
        try:
            fits = _fits(c, table)
        except StoreError:
            fits = False
        if not fits:
            yield table


def _fits(c: Connection, table: str) -> bool:
    # One statement, one snapshot: somebody may be writing.
    wanted = "select c.value, t.* from checksums c left join {} t where c.name = ?"
    sums, total = set(), 0
    for row in c.iterate(wanted.format(table), (table,)):
        sums.add(row[0])
        if any(value is not None for value in row[1:]):
            total += c.checksum(table, row[1:])
    return sums == {total % MODULUS}
