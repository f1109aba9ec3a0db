"""Is the database healthy? One function for the tests and for `doctor`."""

from __future__ import annotations

from recairn.core.errors import StoreBusy, StoreError
from recairn.core.report import Problem, Report
from recairn.store.sqlite.checksums import differing
from recairn.store.sqlite.memories import settle_keys
from recairn.store.sqlite.tallies import miscounted, recount
from recairn.store.sqlite.text_index import ADD_ALL, JOIN, REMOVE_ALL
from recairn.store.sqlite.vector_checks import check_vectors, rebuild_blocks
from recairn.store.statements.checks import REBUILD, checked, history, row_hashes, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.store.sqlite.connection import Connection

_RESTORE = "recairn backup restore"


def verify(c: Connection) -> Report:
    return checked(c, _CHECKS, _RESTORE)


def rebuild_indexes(c: Connection) -> None:
    """Makes everything that derives from the rows anew; documents nobody can read are emptied."""
    with c.transaction():
        for table, column, row, raw in _unspellable(c):
            text = raw.decode("utf-8", "replace")
            c.run(f"update {table} set {column} = ? where id = ?", (text, row))
        for table, _, columns in _DOCUMENTS:
            for column in columns:
                nothing = "[]" if table == "compactions" else "{}"
                c.run(f"update {table} set {column} = ? where not json_valid({column})", (nothing,))
        for statement in (REMOVE_ALL, ADD_ALL, JOIN):
            c.run(statement)
        settle_keys(c)
        c.run("delete from look_alikes where memory not in (select id from memories)")
        recount(c)
        rebuild_blocks(c)
        c.remake_sums()


def _integrity(c: Connection) -> Iterator[Problem]:
    # A connection that has searched keeps an outline of the full-text index. Opening a cursor on it
    # renews that; the pragma opens none, and would take what others wrote meanwhile for damage.
    c.rows("select rowid from memories_fts where memories_fts match 'a' limit 1")
    for row in c.rows("pragma integrity_check(20)"):
        if row[0] != "ok":
            yield Problem("integrity", str(row[0]), _RESTORE)


def _foreign_keys(c: Connection) -> Iterator[Problem]:
    for table, rowid, parent, _ in c.rows("pragma foreign_key_check"):
        yield Problem("foreign keys", f"{table} row {rowid} points to no {parent}", _RESTORE)


def _full_text(c: Connection) -> Iterator[Problem]:
    """Only rank 1 compares the index with the rows it was made from."""
    comparison = "insert into memories_fts(memories_fts, rank) values ('integrity-check', 1)"
    try:
        if c.read_only:
            c.check_in_copy(comparison)
        else:
            c.run(comparison)
    except StoreBusy as error:
        yield Problem("full text", f"not checked: {error.message}", "recairn verify")
    except StoreError as error:
        yield Problem(
            "full text", f"the index does not match the memories: {error.message}", REBUILD
        )


def _row_hashes(c: Connection) -> Iterator[Problem]:
    return row_hashes(c, _RESTORE)


def _checksums(c: Connection) -> Iterator[Problem]:
    """Rows that have no hash of their own are seen by what all of a table add up to."""
    for table in differing(c):
        what = f"{table} holds something else than was written: a flipped bit, or another program"
        yield Problem("checksums", what, f"{_RESTORE}, or to keep what is there {REBUILD}")


def _orphans(c: Connection) -> Iterator[Problem]:
    for table in ("known_keys", "session_memories", "injection_memories", "vectors", "feedback"):
        count = c.value(
            f"select count(*) from {table} where memory not in (select id from memories)"
        )
        if count:
            yield Problem("orphans", f"{count} rows of {table} belong to no memory", REBUILD)


def _tallies(c: Connection) -> Iterator[Problem]:
    """Counts are kept up by triggers, and shown without reading a memory."""
    count = miscounted(c)
    if count:
        yield Problem("tallies", f"{count} counts differ from the memories there are", REBUILD)


def _history(c: Connection) -> Iterator[Problem]:
    yield from history(c, _RESTORE)
    yield from _documents(c)


# Columns that hold a document each, beside those of memories, whose row hash covers them.
_DOCUMENTS = (
    ("history", "id", ("before", "after")),
    ("tasks", "id", ("metadata",)),
    ("task_events", "id", ("before",)),
    ("sessions", "id", ("context",)),
    ("compactions", "id", ("task_ids", "memories")),
    ("turns", "id", ("left_out", "terms")),
)


# Columns of words beside those of memories; one that is no text any more stops an export.
_TEXTS = {
    "history": ("event", "reason", "before", "after", "session_id", "author"),
    "tasks": ("title", "description", "metadata", "outcome_note"),
    "task_events": ("event", "reason", "before", "author"),
    "query_log": ("query", "tool", "mode", "profile", "project", "result_ids"),
    "search_failures": ("query", "note"),
    "injections": ("query", "surface", "project"),
    "turns": ("session_id", "project", "agent", "event", "prompt", "silence"),
    "feedback": ("query", "note", "source"),
    "compactions": ("summary", "exported_to"),
    "documents": ("path", "url", "title"),
}


def _unspellable(c: Connection) -> list[tuple[str, str, Any, bytes]]:
    """Table, column, row and bytes of every text beside memories that is no UTF-8 any more."""
    unspellable = []
    for table, columns in _TEXTS.items():
        listed = ", ".join(f"cast({column} as blob)" for column in columns)
        for row, *values in c.iterate(f"select id, {listed} from {table}"):
            for column, raw in zip(columns, values, strict=True):
                if raw is not None and not _is_text(raw):
                    unspellable.append((table, column, row, raw))
    return unspellable


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _documents(c: Connection) -> Iterator[Problem]:
    """What cannot be read any more is passed over by every command, and so told here."""
    for table, column, row, _ in _unspellable(c):
        what = f"{column} of {table} row {row} is no text any more"
        yield Problem("documents", what, REBUILD)
    for table, key, columns in _DOCUMENTS:
        broken = " or ".join(f"not json_valid({column})" for column in columns)
        for (row,) in c.rows(f"select {key} from {table} where {broken} limit 20"):
            yield Problem("documents", f"{table} row {row} cannot be read any more", REBUILD)


_CHECKS = (
    ("integrity", _integrity),
    ("foreign keys", _foreign_keys),
    ("full text", _full_text),
    ("row hashes", _row_hashes),
    ("checksums", _checksums),
    ("orphans", _orphans),
    ("tallies", _tallies),
    ("vectors", check_vectors),
    ("history", _history),
    ("times", times),
)
