"""Bulk writing with every guard on, beside the same texts put bare into the same FTS5 table.

    python3 run.py bench bulk [COUNT]

Prints rows per second of both, interleaved, and their ratio (the promise: at least 0.40).
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import statistics
import tempfile
import time
from pathlib import Path

import apsw
from corpus import memories

import recairn

ROUNDS = 5


def bare(folder: Path, texts: list[str]) -> float:
    """Seconds to insert the texts into a table with an FTS5 index kept by a trigger."""
    db = apsw.Connection(str(folder / "bare.db"))
    db.execute("pragma journal_mode=wal; pragma synchronous=full").fetchall()
    db.execute(
        "create table t(id integer primary key, content text);"
        "create virtual table f using fts5(content, content='t', content_rowid='id',"
        " tokenize='porter unicode61 remove_diacritics 2');"
        "create trigger i after insert on t begin"
        " insert into f(rowid, content) values (new.id, new.content); end"
    )
    started = time.process_time()
    db.execute("begin immediate")
    db.executemany("insert into t(content) values (?)", [(text,) for text in texts])
    db.execute("commit")
    spent = time.process_time() - started
    db.close()
    return spent


def guarded(folder: Path, drafts: list[dict[str, str]]) -> float:
    """Seconds for the same texts through the write door."""
    with recairn.open(folder / "guarded.db", project="bench") as memory:
        started = time.process_time()
        memory.remember_many(drafts)
        return time.process_time() - started


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    ratios = []
    for number in range(ROUNDS):
        drafts = memories(count, seed=number)
        texts = [draft["content"] for draft in drafts]
        with tempfile.TemporaryDirectory() as name:
            raw, ours = bare(Path(name), texts), guarded(Path(name), drafts)
        ratios.append(raw / ours)
        print(f"bare FTS5 {count / raw:8.0f} rows/s   remember_many {count / ours:8.0f} rows/s")
    print(f"ratio, median of {ROUNDS}: {statistics.median(ratios):.2f} (at least 0.40)")


if __name__ == "__main__":
    main()
