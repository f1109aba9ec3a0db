"""Search that follows the graph, beside the same search without it.

    python3 run.py bench graph [MEMORIES [EDGES]]

Depth 3 from ten hits over 100,000 memories and 300,000 edges, warm and interleaved on the same
questions; the promise is at most 3 x.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import random
import statistics
import tempfile
import time
from pathlib import Path

from corpus import memories, questions

import recairn
from recairn.kinds import RELATIONS
from recairn.model import Edge, Filter
from recairn.reached import expand

QUESTIONS = 200
PROJECTS = 20
DEPTHS = (1, 2, 3)


def fill(memory: recairn.Recairn, count: int, edges: int) -> None:
    """Memories of some projects, each linked to others of its own project."""
    by_project: dict[str, list[int]] = {}
    for start in range(0, count, 20_000):
        drafts = memories(min(20_000, count - start), seed=start, projects=PROJECTS)
        stored = memory.remember_many(drafts, on_similar="add")
        for draft, each in zip(drafts, stored, strict=True):
            if each.id is not None:
                by_project.setdefault(draft["project"], []).append(each.id)
    draw = random.Random(5)
    relations = [name for name in RELATIONS if name != "supersedes"]
    made: set[tuple[int, int, str]] = set()
    names = sorted(by_project)
    while len(made) < edges:
        one, other = draw.sample(by_project[draw.choice(names)], 2)
        made.add((one, other, draw.choice(relations)))
    with memory.store.transaction():
        memory.store.put_edges(
            (Edge(*ends, 1.0, 1.0, "bench", 0, 0, None) for ends in sorted(made)), replace=True
        )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    edges = int(sys.argv[2]) if len(sys.argv) > 2 else 3 * count
    with (
        tempfile.TemporaryDirectory() as name,
        recairn.open(Path(name) / "memory.db", project="project7") as memory,
    ):
        fill(memory, count, edges)
        for mode in ("keyword", "hybrid"):
            measure(memory, mode, f"{count:,} memories, {edges:,} edges, {mode}")


def measure(memory: recairn.Recairn, mode: str, what: str) -> None:
    """Depths 1 to 3; and 3 again where only one kind is wanted, so that nothing cuts it short."""
    cases: dict[str, tuple[int, tuple[str, ...]]] = {
        "without graph": (0, ()),
        **{f"depth {depth}": (depth, ()) for depth in DEPTHS},
        "depth 3, facts": (3, ("fact",)),
    }
    spent: dict[str, list[float]] = {name: [] for name in cases}
    brought: dict[str, list[int]] = {name: [] for name in cases}
    for question in questions(QUESTIONS):
        for name, (depth, kinds) in cases.items():
            seen = Filter(project="project7", kinds=kinds, now=2**42)
            started = time.perf_counter()
            hits = memory.search(question, mode=mode, limit=10, track=False).hits
            found = expand(memory.store, [(hit.id, hit.score) for hit in hits], seen, depth)
            spent[name].append((time.perf_counter() - started) * 1000)
            brought[name].append(len(found))
    plain = statistics.median(spent["without graph"])
    print(f"{what}, {QUESTIONS} questions, medians")
    for name in cases:
        middle, mean = statistics.median(spent[name]), statistics.mean(brought[name])
        print(f"{name:15s} {middle:7.2f} ms   {middle / plain:.2f} x   {mean:4.1f} brought")


if __name__ == "__main__":
    main()
