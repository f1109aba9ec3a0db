"""What the page asks for at 100,000 memories, in CPU beside a bare search on the same database.

    python3 run.py bench page [COUNT]

Answers come as those of `recairn serve` do: nobody writes meanwhile, so what was counted is kept;
`after a write` is the first answer after another process has stored a memory. The aims: a page of a
list costs at most a tenth of a search in both, and no answer is larger than 50 KB.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus import memories, questions

import recairn
from recairn.surfaces.web.answers import context, health, one_memory, recall, review, sessions
from recairn.surfaces.web.asked import Asked
from recairn.surfaces.web.desk import Desk

ROUNDS = 25
SESSION = "s-bench"


def views(count: int) -> dict[str, tuple[Callable[..., Any], Callable[[str], Asked]]]:
    """Name → what answers, and what is asked for a question."""
    deep: dict[str, str] = {}

    def far(question: str) -> Asked:
        return Asked(query={"after": deep["cursor"]} if "cursor" in deep else {})

    def listed(memory: Any, asked: Asked) -> Any:
        found = recall.listing(memory, asked)
        if found["meta"]["next"]:
            deep["cursor"] = found["meta"]["next"]
        return found

    def one(question: str) -> Asked:
        return Asked(path={"id": str(1 + hash(question) % count)})

    return {
        "search": (recall.search, lambda question: Asked(query={"q": question})),
        "list, first page": (recall.listing, lambda question: Asked()),
        "list, going on": (listed, far),
        "histogram": (recall.histogram, lambda question: Asked()),
        "overview": (recall.overview, lambda question: Asked()),
        "memory": (one_memory.show, one),
        "review": (review.candidates, lambda question: Asked()),
        "session": (sessions.show, lambda question: Asked(path={"id": SESSION})),
        "rules": (context.rules, lambda question: Asked()),
        "ledger by day": (context.ledger, lambda question: Asked()),
        "health": (health.health, lambda question: Asked()),
    }


def cost(desk: Desk, work: Callable[..., Any], asked: Asked) -> tuple[float, int]:
    """Milliseconds of CPU and bytes of the answer."""
    started = time.process_time()
    answer = desk.answer(None, lambda memory: work(memory, asked))
    text = json.dumps(answer, separators=(",", ":"))
    return (time.process_time() - started) * 1000, len(text)


def after_a_write(writer: Any, desk: Desk, work: Callable[..., Any], asked: Asked) -> float:
    """The same for the first answer after another connection has stored something."""
    writer.remember(f"Noted at {time.perf_counter_ns()}", force=True)
    return cost(desk, work, asked)[0]


def bare_search(memory: Any, question: str) -> float:
    started = time.process_time()
    memory.search(question, track=False)
    return (time.process_time() - started) * 1000


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        path = str(Path(name) / "memory.db")
        with recairn.open(path, project="one", model="static") as memory:
            for start in range(0, count, 10_000):
                drafts = memories(min(10_000, count - start), seed=start)
                memory.remember_many([{**d, "project": "one"} for d in drafts], on_similar="add")
            memory.start_session(SESSION, agent="bench")
            for question in questions(20):
                memory.context(prompt=question, surface="hook")
        desk, asked = Desk(path, "one"), questions(ROUNDS)
        with recairn.open(path, project="one", model="static") as memory:
            bare = statistics.median(bare_search(memory, question) for question in asked)
        print(f"{count:,} memories; a bare search takes {bare:.2f} ms of CPU\n")
        print(f"{'view':<18} {'CPU ms':>8} {'of a search':>12} {'after a write':>14} {'bytes':>8}")
        with recairn.open(path, project="one", model="static") as writer:
            for title, (work, wanted) in views(count).items():
                spent = [cost(desk, work, wanted(question)) for question in asked]
                anew = [
                    after_a_write(writer, desk, work, wanted(question)) for question in asked[:7]
                ]
                middle = statistics.median(each for each, _ in spent)
                first = statistics.median(anew) / bare
                most = max(size for _, size in spent)
                print(
                    f"{title:<18} {middle:>8.2f} {middle / bare:>12.2f} {first:>14.2f} {most:>8,}"
                )
        desk.close()


if __name__ == "__main__":
    main()
