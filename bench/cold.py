"""Whole cold processes, beside an empty Python, medians of interleaved runs.

    python3 run.py bench cold [MEMORIES]

Promises: `recairn search` over 10,000 memories at most 4.5 x an empty Python, `--help` 5 x.
The package must be byte-compiled, as an installed wheel is; `run.py` sees to that.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from corpus import memories, questions

import recairn

ROUNDS = 41
SCRIPT = Path(sys.executable).with_name("recairn")


def wall(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with recairn.open(path) as memory:
            memory.remember_many(memories(count), on_similar="add")
        environment = {**os.environ, "RECAIRN_DB": str(path), "RECAIRN_PROJECT": "project7"}
        question = iter(questions(10 * ROUNDS))
        commands = {
            "empty python": lambda: [sys.executable, "-c", "pass"],
            "recairn --help": lambda: [str(SCRIPT), "--help"],
            "recairn search": lambda: [str(SCRIPT), "search", next(question)],
            "recairn search --json": lambda: [str(SCRIPT), "search", "--json", next(question)],
            "recairn search --mode keyword": lambda: [
                str(SCRIPT),
                "search",
                "--mode",
                "keyword",
                next(question),
            ],
        }
        spent: dict[str, list[float]] = {label: [] for label in commands}
        for _ in range(ROUNDS):
            for label, command in commands.items():
                spent[label].append(wall(command(), environment))
    empty = statistics.median(spent["empty python"])
    print(f"{count:,} memories, {ROUNDS} interleaved rounds, medians of wall time")
    for label, values in spent.items():
        middle = statistics.median(values)
        print(f"{label:32s} {middle:7.1f} ms   {middle / empty:5.2f} x")


if __name__ == "__main__":
    main()
