"""What a large database costs: each promise that is about scale, in one run.

    python3 run.py bench scale [COUNT] [FOLDER]

First bulk writing beside bare FTS5 inserts (wanted: .25), and 100,000 memories in one project:
hybrid search beside its bare parts (1.5 x), under a filter that lets 1 % through (10 ms), right
after a write, and a listing of the newest ten (.05 of a search). Then COUNT (a million; 100,000
takes a minute), half of them in one project, the rest in a hundred others of 0.5 % each: the rate
of bulk writing at the beginning and at the end (at least .8 of it), the disk, and processor time of
searches of nine words, as cold processes and warm, interleaved: in a small project at most 1.3 x
the same project alone, in the large one cold at most 12 x an empty Python. A warm process has
answered as many other questions before. With a FOLDER the databases stay there, and a run that
broke off goes on where it was.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import gc
import os
import random
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import bulk
import hybrid
from corpus import docstrings, memories, questions

import recairn

STEP = 10_000
ROUNDS = 41
# The memories among which a filter is measured; and what every hundredth of them goes by.
MIDDLE = 100_000
RARE = {"category": "rare"}
SMALL, LARGE = "project7", "large"
SCRIPT = Path(sys.executable).with_name("recairn")


def drafts(start: int) -> list[dict[str, Any]]:
    """The memories of one step, half of them in the large project; equal for equal starts."""
    draw = random.Random(start)
    made = memories(STEP, seed=start)
    return [{**each, "project": LARGE} if draw.random() < 0.5 else each for each in made]


def fill(path: Path, count: int, project: str | None) -> list[float]:
    """Writes what is missing of all, or of one project's; the rates of the steps, rows a second."""
    rates = []
    with recairn.open(path, project=SMALL, model="static") as memory:
        done = int(memory.config().get("bench.steps", 0))
        for start in range(STEP * done, count, STEP):
            chosen = [each for each in drafts(start) if project in (None, each["project"])]
            started = time.process_time()
            memory.remember_many(chosen, on_similar="add")
            rates.append(len(chosen) / (time.process_time() - started))
            memory.set_config("bench.steps", str(start // STEP + 1))
    return rates


def warm(memory: recairn.Recairn, question: str, **filters: Any) -> float:
    started = time.process_time()
    memory.search(question, track=False, **filters)
    return (time.process_time() - started) * 1000


def in_one_project(folder: Path) -> None:
    """The promises about 100,000 memories in one project."""
    path = folder / "one.db"
    if not path.exists():
        hybrid.fill(path, MIDDLE, **RARE)
    hybrid.report(MIDDLE, hybrid.measure(path))
    spent: dict[str, list[float]] = {"plain": [], "filtered": [], "written": [], "newest": []}
    with recairn.open(path, project="one", model="static") as memory:
        for number, question in enumerate(questions(ROUNDS)):
            spent["plain"].append(warm(memory, question))
            spent["filtered"].append(warm(memory, question, **RARE))
            memory.remember(f"Note {number}: {questions(1, words_each=30, seed=number)[0]}")
            spent["written"].append(warm(memory, question))
            started = time.process_time()
            memory.listing(limit=10)
            spent["newest"].append((time.process_time() - started) * 1000)
    medians = {label: statistics.median(values) for label, values in spent.items()}
    plain = medians["plain"]
    print(f"under a filter of 1 %   {medians['filtered']:7.2f} ms CPU (at most 10)")
    print(f"right after a write     {medians['written'] / plain:7.2f} x a search")
    print(f"newest ten              {medians['newest'] / plain:7.3f} x a search (at most .05)")


def cold(path: Path | None, project: str, question: str) -> float:
    """Milliseconds of processor time of a process that asks once, or does nothing."""
    command = [sys.executable, *([str(SCRIPT), "search", question] if path else ["-c", "pass"])]
    environment = {**os.environ, "RECAIRN_DB": str(path), "RECAIRN_PROJECT": project}
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(command[0], command, environment)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, command
    return (used.ru_utime + used.ru_stime) * 1000


def ask(crowd: Path, alone: Path) -> None:
    spent: dict[str, list[float]] = {}
    with (
        recairn.open(crowd, project=SMALL, model="static") as one,
        recairn.open(crowd, project=LARGE, model="static") as large,
        recairn.open(alone, project=SMALL, model="static") as other,
    ):
        asked = (("alone", other), ("small", one), ("large", large))
        for question in questions(ROUNDS, words_each=9, seed=4):
            for _, memory in asked:
                memory.search(question, track=False)
        gc.collect()
        for question in questions(ROUNDS, words_each=9):
            for label, memory in asked:
                spent.setdefault(f"warm {label}", []).append(warm(memory, question))
    cases = {"empty Python": None, "alone": alone, "small": crowd, "large": crowd}
    for question in questions(ROUNDS, words_each=9, seed=3):
        for label, path in cases.items():
            project = LARGE if label == "large" else SMALL
            spent.setdefault(f"cold {label}", []).append(cold(path, project, question))
    middle = {label: statistics.median(values) for label, values in spent.items()}
    for label, value in middle.items():
        beside = middle["warm alone"] if "warm" in label else middle["cold empty Python"]
        print(f"{label:20} {value:8.2f} ms CPU {value / beside:6.2f} x")
    for kind in ("warm", "cold"):
        ratio = middle[f"{kind} small"] / middle[f"{kind} alone"]
        print(f"{kind}: the small project in the crowd {ratio:.2f} x the same alone (at most 1.3)")


def main() -> None:
    words = sys.argv[1:]
    count = int(next((word for word in words if word.isdigit()), 1_000_000))
    drawn = (memories(STEP, seed=seed) for seed in range(bulk.ROUNDS))
    bulk.compare("drawn texts (wanted: 0.25)", drawn)
    bulk.compare("docstrings", [[{"content": text} for text in docstrings()]] * bulk.ROUNDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(next((word for word in words if not word.isdigit()), name))
        folder.mkdir(parents=True, exist_ok=True)
        in_one_project(folder)
        crowd, alone = folder / "crowd.db", folder / "alone.db"
        rates = fill(crowd, count, None)
        fill(alone, count, SMALL)
        if len(rates) == count // STEP:
            first, last = statistics.median(rates[:5]), statistics.median(rates[-5:])
            print(f"bulk: {first:.0f} rows/s at first, {last:.0f} at last: {last / first:.2f}")
        print(f"{count:,} memories, {crowd.stat().st_size / count:.0f} bytes on disk each")
        ask(crowd, alone)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{most:.0f} MB of memory at most, with three databases open")


if __name__ == "__main__":
    main()
