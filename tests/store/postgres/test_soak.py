"""Sixteen clients for ten minutes, while clients and the server are killed and started again.

SOAK_SECONDS=120 python3 run.py test --slow tests/store/postgres/test_soak.py
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import recairn
from tests.postgres_server import DURABLE, Server, own_server

CLIENTS = 16
SECONDS = int(os.environ.get("SOAK_SECONDS", "600"))
# Seconds between two accidents.
BETWEEN = 10
pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 600)]
PROGRAM = Path(__file__).with_name("soak_client.py")


class Ledger:
    """What the clients of one name were told, and what may have been kept besides."""

    def __init__(self, path: Path) -> None:
        self.added: set[int] = set()
        self.forgotten: set[int] = set()
        self.edits: dict[int, int] = {}
        self.tried: set[str] = set()
        for line in path.read_text().splitlines():
            what, *figures = line.split()
            if what == "trying":
                self.tried.add(" ".join(figures))
            elif what == "added":
                self.added.add(int(figures[0]))
            elif what == "forgot":
                self.forgotten.add(int(figures[0]))
            elif what == "edited":
                self.edits[int(figures[0])] = int(figures[1])


@pytest.fixture
def server():
    with own_server(*DURABLE) as own:
        yield own


def started(server: Server, folder: Path, name: str) -> subprocess.Popen[bytes]:
    ledger = str(folder / f"{name}.ledger")
    return subprocess.Popen([sys.executable, str(PROGRAM), server.address(), name, ledger])


def test_nothing_that_was_acknowledged_is_lost_or_there_twice(server, tmp_path):
    chance = random.Random(17)
    names = [f"watch{number}" for number in range(CLIENTS)]
    clients = {name: started(server, tmp_path, name) for name in names}
    ends, accidents = time.monotonic() + SECONDS, 0
    while time.monotonic() < ends:
        time.sleep(min(BETWEEN, max(0.0, ends - time.monotonic())))
        accidents += 1
        if accidents % 3 == 0:
            server.kill()
            server.start()
        elif accidents % 3 == 1:
            server.stop()
            server.start()
        else:
            name = chance.choice(list(clients))
            clients[name].kill()
            clients.pop(name).wait()
            # One that begins anew has another name: it does not know what the other one wrote.
            names.append(f"{name}x{accidents}")
            clients[names[-1]] = started(server, tmp_path, names[-1])
    assert all(client.poll() is None for client in clients.values()), "a client gave up"
    for client in clients.values():
        client.kill()
        client.wait()
    check(server, {name: Ledger(tmp_path / f"{name}.ledger") for name in names})


def check(server: Server, ledgers: dict[str, Ledger]) -> None:
    with recairn.open(server.address(), project="soak", model="none") as memory:
        kept: dict[tuple[str, int], list[recairn.Memory]] = {}
        for each in memory.every_memory():
            watch, _, sight, _ = each.content.split()
            kept.setdefault((watch, int(sight)), []).append(each)
        assert [key for key, found in kept.items() if len(found) > 1] == []
        total = 0
        for name, ledger in ledgers.items():
            total += len(ledger.added)
            lost = [number for number in ledger.added if (name, number) not in kept]
            assert lost == [], name
            for number in ledger.added:
                (found,) = kept[name, number]
                edit = int(found.category.split()[-1]) if found.category else 0
                told = ledger.edits.get(number, 0)
                assert edit == told or f"edited {number} {edit}" in ledger.tried
                assert edit >= told
                gone = found.deleted_at is not None
                assert gone or number not in ledger.forgotten
                assert not gone or f"forgot {number}" in ledger.tried
        assert memory.verify().problems == ()
        assert total > CLIENTS
