"""Vector search through the real store, beside numpy float32 brute force in the same run.

    python3 run.py bench vectors [COUNT ...]        default 10000 100000; 1000000 takes minutes

For each count: recall@10 against float32 brute force, unfiltered and under a filter that lets 1 %
through; CPU milliseconds per warm search, and for the first one of a process; bytes on disk and
in memory per vector. Promises: recall at least .98, at least 5 x faster than numpy at 100,000.
The vectors are random, in clusters, 384 dimensions; the memories around them are bare rows.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core against one core

import statistics
import tempfile
import time
from pathlib import Path

import numpy

import recairn
from recairn.core.kinds import reach_tokens
from recairn.core.model import Filter, Vectors
from recairn.ranking.codes import codes_of
from recairn.store.sqlite import SqliteStore

DIM = 384
PER_CLUSTER = 200
# How far vectors lie from the middle of their cluster, as a share of its distance from zero.
SPREAD = 0.7
QUERIES = 100
BATCH = 5000
# One memory in so many carries the category that the filter asks for.
ONE_IN = 100
NOW = 1_800_000_000_000
PROJECT = "bench"


def clustered(count: int) -> numpy.ndarray:
    """Unit vectors in clusters, float32; equal for equal counts."""
    rng = numpy.random.default_rng(count)
    middles = rng.standard_normal((max(10, count // PER_CLUSTER), DIM), dtype="f4")
    vectors = middles[rng.integers(0, len(middles), count)]
    vectors += SPREAD * rng.standard_normal((count, DIM), dtype="f4")
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def fill(path: Path, vectors: numpy.ndarray) -> float:
    """Puts the vectors through the real store; CPU seconds of that alone."""
    with recairn.open(path, project=PROJECT, model="none") as memory:
        memory.remember("word " * 40, category="common")
    store = SqliteStore(str(path))
    reach = reach_tokens("project", PROJECT, None)
    copy = copying(store)
    spent = 0.0
    with store.transaction():
        model = store.add_model(
            {"fingerprint": "bench@1/384/l2", "name": "bench", "revision": "1", "dim": DIM}, at=NOW
        )
    for start in range(0, len(vectors), BATCH):
        part = vectors[start : start + BATCH]
        codes = numpy.rint(part * (127 / numpy.abs(part).max(1, keepdims=True))).astype("i1")
        ids = range(start + 1, start + len(part) + 1)
        with store.transaction():
            store._c.run_many(copy, [(i, "common" if i % ONE_IN else "rare") for i in ids if i > 1])
            rows = zip(ids, codes, strict=True)
            made = [Vectors(number, reach, "h", [row.tobytes()]) for number, row in rows]
            began = time.process_time()
            store.put_vectors(model, made)
            spent += time.process_time() - began
    store.scrub()
    store.close()
    return spent


def copying(store: SqliteStore) -> str:
    """A statement that makes memory ?1 like the first one, in category ?2."""
    names = [row[0] for row in store._c.rows("select name from pragma_table_info('memories')")]
    other = {"id": "?1", "uid": "printf('%026d', ?1)", "category": "?2", "content_hash": "'h'"}
    values = ", ".join(other.get(name, name) for name in names)
    return f"insert into memories({', '.join(names)}) select {values} from memories where id = 1"


def vector_bytes(store: SqliteStore) -> int:
    tables = ("vectors", "vector_blocks", "vector_blocks_by_reach")
    return sum(
        store._c.value("select sum(pgsize) from dbstat where name = ?", (name,)) for name in tables
    )


def nearest(vectors: numpy.ndarray, query: numpy.ndarray, wanted: int = 10) -> numpy.ndarray:
    scores = vectors @ query
    best = numpy.argpartition(-scores, wanted)[:wanted]
    return best[numpy.argsort(-scores[best])]


def measure(store: SqliteStore, vectors: numpy.ndarray) -> dict[str, float]:
    rng = numpy.random.default_rng(1)
    count = len(vectors)
    rare = numpy.arange(ONE_IN - 1, count, ONE_IN)
    plain = Filter(project=PROJECT, now=NOW)
    narrow = Filter(project=PROJECT, now=NOW, category="rare")
    spent: dict[str, list[float]] = {"ours": [], "numpy": [], "narrow": []}
    recall: dict[str, list[float]] = {"plain": [], "narrow": []}

    def timed(label, work, *arguments):
        began = time.process_time()
        found = work(*arguments)
        spent[label].append((time.process_time() - began) * 1000)
        return found

    first = 0.0
    for number in range(QUERIES):
        query = vectors[rng.integers(count)] + rng.standard_normal(DIM, dtype="f4") / 40
        query /= numpy.linalg.norm(query)
        codes = codes_of(query.tolist())
        ours = timed("ours", store.match_vector, 1, codes, plain, 10)
        if number == 0:
            first = spent["ours"].pop()
        exact = timed("numpy", nearest, vectors, query)
        recall["plain"].append(len({m for m, _ in ours} & {int(i) + 1 for i in exact}) / 10)
        if number < QUERIES // 5:
            some = timed("narrow", store.match_vector, 1, codes, narrow, 10)
            exact = rare[nearest(vectors[rare], query)]
            recall["narrow"].append(len({m for m, _ in some} & {int(i) + 1 for i in exact}) / 10)
    middle = {label: statistics.median(values) for label, values in spent.items()}
    return {
        **middle,
        "first": first,
        "recall": statistics.mean(recall["plain"]),
        "recall narrow": statistics.mean(recall["narrow"]),
    }


def main() -> None:
    counts = [int(each) for each in sys.argv[1:]] or [10_000, 100_000]
    for count in counts:
        vectors = clustered(count)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vectors.db"
            written = fill(path, vectors)
            store = SqliteStore(str(path), read_only=True)
            disk = vector_bytes(store) / count
            got = measure(store, vectors)
            kept = store._sketches
            assert kept is not None
            held = (sum(map(len, kept.bits)) + kept.members.itemsize * len(kept.members)) / count
            store.close()
        print(f"{count:,} vectors of {DIM} dimensions, CPU ms, medians of {QUERIES} queries")
        print(f"  recall@10          {got['recall']:.3f}   under a 1 % filter"
              f" {got['recall narrow']:.3f}   (at least .98)")  # fmt: skip
        print(f"  warm search        {got['ours']:8.2f}   first of a process {got['first']:.2f}")
        print(f"  numpy float32      {got['numpy']:8.2f}   {got['numpy'] / got['ours']:.1f} x ours"
              "   (at least 5 x at 100,000)")  # fmt: skip
        print(f"  under a 1 % filter {got['narrow']:8.2f}")
        print(f"  per vector         {disk:.0f} bytes on disk, {held:.0f} in memory while warm,"
              f" {written / count * 1e6:.0f} us to write")  # fmt: skip


if __name__ == "__main__":
    main()
