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
from typing import Any

from corpus import memories, questions

import recairn
from recairn.core.kinds import RELATIONS
from recairn.core.model import Edge

QUESTIONS = 200
PROJECTS = 20
DEPTHS = (0, 1, 2, 3)


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
    """Depths 0 to 3; and again where one kind is wanted, which gives fewer ways an early end."""
    spent: dict[tuple[str, int], list[float]] = {}
    brought: dict[tuple[str, int], list[int]] = {}
    for question in questions(QUESTIONS):
        for kind in ("any kind", "fact"):
            for depth in DEPTHS:
                options: dict[str, Any] = {} if kind == "any kind" else {"kind": kind}
                started = time.perf_counter()
                hits = memory.search(
                    question, mode=mode, all=True, graph_depth=depth, track=False, **options
                ).hits
                took = (time.perf_counter() - started) * 1000
                spent.setdefault((kind, depth), []).append(took)
                reached = sum(hit.match == "graph" for hit in hits)
                brought.setdefault((kind, depth), []).append(reached)
    print(f"{what}, {QUESTIONS} questions, medians")
    for kind, depth in spent:
        plain = statistics.median(spent[kind, 0])
        middle = statistics.median(spent[kind, depth])
        mean = statistics.mean(brought[kind, depth])
        print(
            f"{kind:8s} depth {depth} {middle:7.2f} ms  {middle / plain:.2f} x  {mean:4.1f} reached"
        )


if __name__ == "__main__":
    main()
