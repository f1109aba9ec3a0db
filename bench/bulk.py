"""Bulk writing with every guard on, beside the same texts put bare into the same FTS5 table.

    python3 run.py bench bulk [COUNT] [FOLDER ...]

Prints rows per second of both, interleaved, and their ratio (wanted: at least 0.25). Drawn texts
are made word by word, which no guard stops at and nothing resembles; real ones, the docstrings of
the standard library, cost more. A FOLDER with a corpus.jsonl.gz, as `recairn bench` reads it, is
written as well, and told apart.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import apsw
from corpus import docstrings, memories

import recairn
from recairn.core.draft import MAX_CONTENT

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


def real(folder: str, count: int) -> list[dict[str, str]]:
    """So many documents of a benchmark set, with their texts."""
    with gzip.open(Path(folder) / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, count)]
    return [{"content": text[:MAX_CONTENT]} for text in texts if text.strip()]


def compare(label: str, batches: Iterable[list[dict[str, str]]]) -> None:
    """Prints the rates of both for each batch of drafts, and the median of their ratios."""
    ratios = []
    for drafts in batches:
        texts, count = [draft["content"] for draft in drafts], len(drafts)
        with tempfile.TemporaryDirectory() as name:
            raw, ours = bare(Path(name), texts), guarded(Path(name), drafts)
        ratios.append(raw / ours)
        print(f"bare FTS5 {count / raw:8.0f} rows/s   remember_many {count / ours:8.0f} rows/s")
    print(f"{label}: ratio, median of {len(ratios)}: {statistics.median(ratios):.2f}")


def main() -> None:
    words = sys.argv[1:]
    count = int(next((word for word in words if word.isdigit()), 10_000))
    compare("drawn texts (wanted: 0.25)", (memories(count, seed=seed) for seed in range(ROUNDS)))
    said = [{"content": text[:MAX_CONTENT]} for text in docstrings()[:count]]
    compare("docstrings", [said] * ROUNDS)
    for folder in [word for word in words if not word.isdigit()]:
        compare(folder, [real(folder, count)] * ROUNDS)


if __name__ == "__main__":
    main()
