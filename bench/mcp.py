"""`recairn mcp` as an agent meets it: time to the first answer, memory, and warm calls.

    python3 run.py bench mcp [MEMORIES]

Promises: initialize is answered, and the process ended, within 4 x an empty Python; at most 30 MB
resident before the first call. Medians of interleaved runs; the package must be byte-compiled, as
an installed wheel is; `run.py` sees to that.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import memories, questions

import recairn

ROUNDS = 41
CALLS = 200
SCRIPT = str(Path(sys.executable).with_name("recairn"))
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench"}}


class Server:
    """A running server; times are milliseconds from its start."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        pipe = subprocess.PIPE
        self.child = subprocess.Popen([SCRIPT, "mcp"], stdin=pipe, stdout=pipe)

    def ask(self, method: str, **params: Any) -> float:
        """How long an answer takes."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        began = time.perf_counter()
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        answer = json.loads(self.child.stdout.readline())
        assert "result" in answer, answer
        assert not answer["result"].get("isError"), answer
        return (time.perf_counter() - began) * 1000

    def age(self) -> float:
        return (time.perf_counter() - self.started) * 1000

    def resident(self) -> float:
        """MB in memory now (Linux); 0 where that cannot be read."""
        try:
            pages = int(Path(f"/proc/{self.child.pid}/statm").read_text().split()[1])
        except OSError:
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        self.child.communicate()


def search(server: Server, question: str) -> float:
    return server.ask("tools/call", name="recairn_search", arguments={"query": question})


def start_up() -> dict[str, list[float]]:
    """Whole processes beside an empty one, and what each step of a start takes."""
    spent: dict[str, list[float]] = {}
    asked = iter(questions(ROUNDS))

    def note(label: str, value: float) -> None:
        spent.setdefault(label, []).append(value)

    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        note("empty python", (time.perf_counter() - began) * 1000)
        server = Server()
        server.ask("initialize", **HELLO)
        note("start to initialize", server.age())
        server.end()
        note("initialize and end", server.age())
        server = Server()
        server.ask("initialize", **HELLO)
        server.ask("tools/list")
        note("start to tools/list", server.age())
        note("MB", server.resident())
        note("first search after that", search(server, next(asked)))
        note("MB after it", server.resident())
        server.end()
    return spent


def warm_calls() -> tuple[list[float], list[float], list[float]]:
    """Searches through a running server, each beside the same one in this process; and pings."""
    warm, here = [], []
    server = Server()
    server.ask("initialize", **HELLO)
    with recairn.open() as memory:
        for question in questions(CALLS):
            warm.append(search(server, question))
            began = time.perf_counter()
            memory.search(question, limit=5, trust="verified", track=False)
            here.append((time.perf_counter() - began) * 1000)
    pings = [server.ask("ping") for _ in range(CALLS)]
    server.end()
    return warm, here, pings


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "memory.db"
        with recairn.open(path) as memory:
            memory.remember_many(memories(count), on_similar="add")
        os.environ |= {"RECAIRN_DB": str(path), "RECAIRN_PROJECT": "project7"}
        spent = start_up()
        warm, here, pings = warm_calls()
    empty = statistics.median(spent["empty python"])
    print(f"{count:,} memories, {ROUNDS} interleaved rounds, medians of wall time")
    for label, values in spent.items():
        middle = statistics.median(values)
        unit = "MB" if label.startswith("MB") else "ms"
        times = "" if unit == "MB" else f"   {middle / empty:5.2f} x"
        print(f"{label.replace('MB', 'resident'):28s} {middle:7.1f} {unit}{times}")
    for label, values in (("warm search", warm), ("the engine alone", here), ("ping", pings)):
        ranked = sorted(values)
        p99 = ranked[int(0.99 * len(ranked))]
        print(f"{label:28s} {statistics.median(values):7.2f} ms   p99 {p99:.2f} ms")


if __name__ == "__main__":
    main()
