"""Hybrid search at 100,000 memories, warm, beside its two bare parts in the same run.

    python3 run.py bench hybrid [COUNT]

The parts: the FTS5 statement for the question's words, and the scan of all vectors for its nearest
hundred. The aim is at most 1.5 x their sum, with the statement as somebody would write it who wants
what a search wants: only what the project may see and what is believed now. Beside it stands the
statement that asks for nothing of the kind.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
from corpus import memories, questions

import recairn
from recairn.core.model import Filter
from recairn.store.sqlite.text_index import MEMORY

QUESTIONS = 200
LIMIT = 100
NOW = 2**42
STEP = 10_000

BARE = "select rowid, rank from memories_fts where memories_fts match ? order by rank limit ?"
FILTERED = f"""
select f.rowid, f.rank from memories_fts f join memories m on m.id = f.rowid & {MEMORY}
where f.memories_fts match ? and (m.project = 'one' or m.tier = 'global') and m.tier <> 'session'
    and m.kind <> 'chunk' and m.deleted_at is null
    and (m.valid_until is null or m.valid_until > ?)
    and (m.expires_at is null or m.expires_at > ?)
order by f.rank limit ?
"""


def bare(db: apsw.Connection, expression: str) -> None:
    db.execute(BARE, (expression, LIMIT)).fetchall()


def filtered(db: apsw.Connection, expression: str) -> None:
    db.execute(FILTERED, (expression, NOW, NOW, LIMIT)).fetchall()


def spent(call: Callable[..., object], *values: object) -> float:
    started = time.perf_counter()
    call(*values)
    return (time.perf_counter() - started) * 1000


def fill(path: Path, count: int, **given: str) -> None:
    """Writes so many memories into one project; every hundredth has what else was given."""
    with recairn.open(path, project="one", model="static") as memory:
        for start in range(0, count, STEP):
            drafts = memories(min(STEP, count - start), seed=start)
            for at, draft in enumerate(drafts):
                draft.update(given if at % 100 == 0 else {}, project="one")
            memory.remember_many(drafts, on_similar="add")
    # A search does not pay for the writing before it: what that left behind is put away.
    gc.collect()
    gc.freeze()


def measure(path: Path) -> dict[str, float]:
    """Milliseconds of each part and of the whole, medians of interleaved runs."""
    with recairn.open(path, project="one", model="static") as memory:
        db = apsw.Connection(str(path))
        everything = Filter(project="one", now=NOW)
        names = ("words", "filtered", "vectors", "search")
        rows: dict[str, list[float]] = {label: [] for label in names}
        for question in questions(QUESTIONS):
            expression = " OR ".join(f'"{word}"' for word in question.split())
            asked = memory.meaning.question(question)
            assert asked is not None
            rows["words"].append(spent(bare, db, expression))
            rows["filtered"].append(spent(filtered, db, expression))
            rows["vectors"].append(
                spent(memory.store.match_vector, asked.model, asked.codes, everything, LIMIT)
            )
            rows["search"].append(spent(partial(memory.search, question, track=False)))
        db.close()
    return {label: statistics.median(values) for label, values in rows.items()}


def report(count: int, middle: dict[str, float]) -> None:
    search = middle["search"]
    print(f"{count:,} memories in one project, {QUESTIONS} questions of three words, medians")
    print(
        f"FTS5 statement          {middle['filtered']:7.2f} ms   unfiltered {middle['words']:.2f}"
    )
    print(f"vector scan             {middle['vectors']:7.2f} ms")
    print(
        f"whole hybrid search()   {search:7.2f} ms"
        f"   {search / (middle['filtered'] + middle['vectors']):.2f} x,"
        f" {search / (middle['words'] + middle['vectors']):.2f} x of the unfiltered parts"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        fill(path, count)
        report(count, measure(path))


if __name__ == "__main__":
    main()
