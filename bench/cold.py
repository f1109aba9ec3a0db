"""Whole cold processes, beside an empty Python, medians of interleaved runs.

    python3 run.py bench cold [MEMORIES]

Promises, over 10,000 memories: `--help` at most 5 x an empty Python, `recairn search` by words
4.5 x, hybrid with the static model 5.5 x, with minilm (measured where it was pulled) 12 x.
`recairn context` for a task takes at most 1.3 times what `recairn search` takes.
The package must be byte-compiled, as an installed wheel is; `run.py` sees to that.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import memories, questions

import recairn
from recairn.embed.download import installed
from recairn.host.project import models_folder

ROUNDS = 41
SCRIPT = Path(sys.executable).with_name("recairn")


def wall(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def prepare_minilm(path: Path, copy: str) -> bool:
    """The same memories where minilm answers; only the project asked about is embedded."""
    if "minilm" not in installed(models_folder()):
        print("minilm was not pulled: recairn model pull minilm")
        return False
    shutil.copy(path, copy)
    with recairn.open(copy, project="project7", model="minilm") as memory:
        store: Any = memory.store
        with store.transaction():
            store._c.run("update memories set deleted_at = 1 where project <> 'project7'")
        memory.embed()
        with store.transaction():
            store._c.run("update memories set deleted_at = null")
    return True


def prepare_tasks(memory: recairn.Recairn, titles: list[str]) -> list[str]:
    """The ids of tasks with those titles, beside rules and a handoff as a project has them."""
    for number in range(20):
        scope = ("", "*.sql", "src/chart.py")[number % 3]
        said = f"Rule {number} of the harbour: keep step {number} before step {number + 1}"
        memory.remember(said, kind="rule", project="project7", scope=scope, force=True)
    memory.remember("Stopped half way", kind="handoff", project="project7", force=True)
    about = "Concerns src/chart.py and migrations/0013.sql; the rollback must be tested."
    return [
        memory.add_task(title, project="project7", description=about, category="charts").id
        for title in titles
    ]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with recairn.open(path) as memory:
            memory.remember_many(memories(count), on_similar="add")
            tasks = prepare_tasks(memory, questions(ROUNDS))
        environment = {**os.environ, "RECAIRN_DB": str(path), "RECAIRN_PROJECT": "project7"}
        with_minilm = {**environment, "RECAIRN_DB": str(Path(name) / "minilm.db")}
        question, task = iter(questions(10 * ROUNDS)), iter(tasks)
        commands = {
            "empty python": lambda: [sys.executable, "-c", "pass"],
            "recairn --help": lambda: [str(SCRIPT), "--help"],
            "recairn search, static": lambda: [str(SCRIPT), "search", next(question)],
            "recairn context TASK, static": lambda: [str(SCRIPT), "context", next(task)],
            "recairn search --json": lambda: [str(SCRIPT), "search", "--json", next(question)],
            "recairn search --mode keyword": lambda: [
                str(SCRIPT),
                "search",
                "--mode",
                "keyword",
                next(question),
            ],
        }
        if prepare_minilm(path, with_minilm["RECAIRN_DB"]):
            commands["recairn search, minilm"] = commands["recairn search, static"]
        spent: dict[str, list[float]] = {label: [] for label in commands}
        for _ in range(ROUNDS):
            for label, command in commands.items():
                chosen = with_minilm if "minilm" in label else environment
                spent[label].append(wall(command(), chosen))
    empty = statistics.median(spent["empty python"])
    print(f"{count:,} memories, {ROUNDS} interleaved rounds, medians of wall time")
    ratio = statistics.median(
        one / other
        for one, other in zip(
            spent["recairn context TASK, static"], spent["recairn search, static"], strict=True
        )
    )
    print(f"context takes {ratio:.2f} times what search takes, median of the rounds")
    for label, values in spent.items():
        middle = statistics.median(values)
        print(f"{label:32s} {middle:7.1f} ms   {middle / empty:5.2f} x")


if __name__ == "__main__":
    main()
