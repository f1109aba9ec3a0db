"""A team's server as laptops and agents meet it: requests for each CPU second it spends.

    python3 run.py bench server [MEMORIES] [ADDRESS]

ADDRESS is that of a team on PostgreSQL, which must be empty; without it the team is a file. What is
counted is the CPU of the `serve` process (and not the database server's own), so that the figures
hold on a busy machine.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus import memories, questions

import recairn
from recairn.sync.wire import Wire

SCRIPT = str(Path(sys.executable).with_name("recairn"))
# Machines that take turns, so that none asks more than one may.
MACHINES = 40
REQUESTS = 400
PROJECT = "bench"
TICKS = os.sysconf("SC_CLK_TCK")


class Team:
    """A server with machines that know its project."""

    def __init__(self, folder: str, address: str) -> None:
        with recairn.open(address, project="", model="none") as memory:
            memory.add_member("ann", role="admin")
            tokens = [memory.add_device("ann", f"{number}")[1] for number in range(MACHINES)]
        self.address = address
        self.child = subprocess.Popen(
            [SCRIPT, "serve", "--team", "--port", "0", "--db", address],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.child.stdout is not None
        found = re.search(r"http://\S+", self.child.stdout.readline())
        assert found
        self.lines = [Wire(found[0], token) for token in tokens]

    def set(self, name: str, value: str | None) -> None:
        with recairn.open(self.address, project="", model="none") as memory:
            memory.set_config(name, value)

    def cpu(self) -> float:
        """Seconds of CPU that the server has spent."""
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def measure(self, name: str, ask: Callable[[Wire, int], object], number: int) -> None:
        for wire in self.lines:
            wire.hello()
        before = self.cpu()
        for turn in range(number):
            ask(self.lines[turn % MACHINES], turn)
        spent = max(self.cpu() - before, 1 / TICKS)
        print(f"{name:34} {number / spent:8.0f} a CPU second {spent / number * 1000:8.2f} ms")

    def stop(self) -> None:
        for wire in self.lines:
            wire.close()
        self.child.terminate()
        self.child.wait()


def records(folder: str, number: int) -> list[dict[str, Any]]:
    """What a laptop would send for so many memories."""
    drafts = [{"content": each["content"]} for each in memories(number)]
    with recairn.open(os.path.join(folder, "laptop.db"), project=PROJECT, model="none") as memory:
        memory.remember_many(drafts, on_similar="add")
        memory.share_project(PROJECT, PROJECT, "https://nowhere.example")
        page = memory.outbox_page(limit=10**6, max_bytes=10**9)
        return [*page["records"]]


def main(count: int, address: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        team = Team(folder, address or os.path.join(folder, "team.db"))
        try:
            first = team.lines[0]
            first.share(PROJECT)
            sent = records(folder, count + REQUESTS)
            batches = [sent[at : at + 200] for at in range(0, count, 200)]
            before = team.cpu()
            for batch in batches:
                first.push(batch)
            each = (team.cpu() - before) / max(1, len(batches) * 200) * 1000
            print(f"{count:,} memories, pushed in batches of 200: {each:.2f} ms of CPU a record")
            new = sent[count:]
            team.measure("push of one record", lambda wire, n: wire.push([new[n]]), len(new))
            team.measure("push that was sent before", lambda wire, n: wire.push([new[n]]), len(new))
            page = first.pull(PROJECT, "", 500)
            team.measure("pull of 500", lambda wire, n: wire.pull(PROJECT, "", 500), 40)
            while page["more"]:
                page = first.pull(PROJECT, page["next"], 500)
            last = page["next"]
            team.measure("pull of nothing", lambda wire, n: wire.pull(PROJECT, last), REQUESTS)
            asked = questions(REQUESTS)
            for name, reranker in (("search", "off"), ("search with a second look", None)):
                team.set("retrieval.reranker", reranker)
                team.measure(
                    name, lambda wire, n: wire.search(asked[n % len(asked)], PROJECT, 10), 200
                )
        finally:
            team.stop()


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 2_000,
        sys.argv[2] if len(sys.argv) > 2 else None,
    )
