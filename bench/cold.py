"""Whole cold processes, beside an empty Python, medians of interleaved runs.

    python3 run.py bench cold [MEMORIES] [server]

With `server` a PostgreSQL of the tests' own is asked the same, which may take 3.5 empty Pythons
more than a file (BENCH_POSTGRES names another, see postgres.py).

Promises, over 10,000 memories: `--help` at most 5 x an empty Python, `recairn search` by words
3.4 x, hybrid with the static model 3.7 x, with minilm (measured where it was pulled) 12 x.
`recairn context` for a task takes at most 1.3 times what `recairn search` takes for the same words.
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
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from corpus import memories, questions

import recairn
from recairn.embed.download import installed
from recairn.host.project import models_folder

ROUNDS = 41
# What every task is about beside its title, and where it belongs.
ABOUT = "Concerns src/chart.py and migrations/0013.sql; the rollback must be tested."
CATEGORY = "charts"
SAME_WORDS = "recairn search, words of TASK"
SCRIPT = Path(sys.executable).with_name("recairn")


def warn_of_script() -> None:
    """Says so where some old pip has written the command: then all figures hold its own import."""
    if "import re\n" in SCRIPT.read_text():
        print("an old pip wrote the command, which imports re each time: .6 x of every figure;")
        print("  python -m pip install --no-deps --no-build-isolation -e . with pip 26 mends it")


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
    return [
        memory.add_task(title, project="project7", description=ABOUT, category=CATEGORY).id
        for title in titles
    ]


def prepare_server(stack: ExitStack, path: Path) -> str:
    """The address of a server that has the same memories."""
    from postgres import server, team

    address = team(*stack.enter_context(server()), "cold")
    with recairn.open(path) as memory:
        memory.move_to(address)
    return address


def main() -> None:
    words = sys.argv[1:]
    with_server = "server" in words
    warn_of_script()
    count = int(next((word for word in words if word.isdigit()), 10_000))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        path = Path(name) / "memory.db"
        with recairn.open(path) as memory:
            memory.remember_many(memories(count), on_similar="add")
            titles = questions(ROUNDS)
            tasks = prepare_tasks(memory, titles)
        environment = {**os.environ, "RECAIRN_DB": str(path), "RECAIRN_PROJECT": "project7"}
        with_minilm = {**environment, "RECAIRN_DB": str(Path(name) / "minilm.db")}
        question, title, task = iter(questions(10 * ROUNDS)), iter(titles), iter(tasks)
        commands = {
            "empty python": lambda: [sys.executable, "-c", "pass"],
            "recairn --help": lambda: [str(SCRIPT), "--help"],
            "recairn search, static": lambda: [str(SCRIPT), "search", next(question)],
            SAME_WORDS: lambda: [str(SCRIPT), "search", f"{next(title)} {CATEGORY} {ABOUT}"],
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
        on_server = environment
        if with_server:
            on_server = {**environment, "RECAIRN_DB": prepare_server(stack, path)}
            commands["recairn search, on a server"] = commands["recairn search, static"]
        if prepare_minilm(path, with_minilm["RECAIRN_DB"]):
            commands["recairn search, minilm"] = commands["recairn search, static"]
        spent: dict[str, list[float]] = {label: [] for label in commands}
        for _ in range(ROUNDS):
            for label, command in commands.items():
                chosen = with_minilm if "minilm" in label else environment
                chosen = on_server if "server" in label else chosen
                spent[label].append(wall(command(), chosen))
    empty = statistics.median(spent["empty python"])
    print(f"{count:,} memories, {ROUNDS} interleaved rounds, medians of wall time")
    ratio = statistics.median(
        one / other
        for one, other in zip(spent["recairn context TASK, static"], spent[SAME_WORDS], strict=True)
    )
    print(f"context takes {ratio:.2f} times a search for the same words, median of the rounds")
    for label, values in spent.items():
        middle = statistics.median(values)
        print(f"{label:32s} {middle:7.1f} ms   {middle / empty:5.2f} x")


if __name__ == "__main__":
    main()
