"""Filtered keyword search at 100,000 memories, beside the bare FTS5 statement on the same table.

    python3 run.py bench keyword [COUNT]

Both run interleaved on the same questions, warm; the promise is at most 2 x.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import statistics
import tempfile
import time
from pathlib import Path

import apsw
from corpus import memories, questions

import recairn
from recairn.core.model import Filter
from recairn.core.words import understand

QUESTIONS = 300
LIMIT = 100  # what the search pipeline asks its keyword arm for


def bare(db: apsw.Connection, question: str) -> None:
    words = " OR ".join(f'"{word}"' for word in question.split())
    db.execute(
        "select rowid, rank from memories_fts where memories_fts match ? order by rank limit ?",
        (words, LIMIT),
    ).fetchall()


def timed(call: object, *values: object) -> float:
    started = time.perf_counter()
    call(*values)  # type: ignore[operator]
    return (time.perf_counter() - started) * 1000


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with recairn.open(path, project="project7") as memory:
            for start in range(0, count, 20_000):
                size = min(20_000, count - start)
                memory.remember_many(memories(size, seed=start), on_similar="add")
            db = apsw.Connection(str(path))
            strict = Filter(project="project7", now=2**42)
            rows: dict[str, list[float]] = {"bare": [], "store": [], "search": []}
            for question in questions(QUESTIONS):
                plan = understand(question)
                rows["bare"].append(timed(bare, db, question))
                rows["store"].append(timed(memory.store.match_text, plan, strict, LIMIT))
                rows["search"].append(
                    timed(lambda q: memory.search(q, mode="keyword", track=False), question)
                )
    middle = {name: statistics.median(values) for name, values in rows.items()}
    print(f"{count:,} memories, {QUESTIONS} questions of three words, medians")
    print(f"bare FTS5 statement          {middle['bare']:7.2f} ms")
    for name, what in (
        ("store", "filtered keyword recall "),
        ("search", "whole search() call     "),
    ):
        print(f"{what}     {middle[name]:7.2f} ms   {middle[name] / middle['bare']:.2f} x")


if __name__ == "__main__":
    main()
