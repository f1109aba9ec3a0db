"""Two servers on one PostgreSQL, five laptops, a line that cuts, delays, repeats and truncates,
and kills of everything: nothing acknowledged is lost, and all are equal at the end.

    ACCIDENT_SECONDS=300 python3 run.py test --slow tests/surfaces/hub/test_accidents.py
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.postgres_server import DURABLE, own_server
from tests.repository import ROOT
from tests.surfaces.hub.proxy import Proxy, standing_between
from tests.surfaces.hub.team import TeamServer, members

LAPTOPS = 5
SECONDS = int(os.environ.get("ACCIDENT_SECONDS", "120"))
# Seconds between two kills.
BETWEEN = 2.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 600)]


@pytest.fixture
def postgres_address():
    with own_server(*DURABLE) as own:
        yield own.address()


class Hubs:
    """Server processes that come back on their own ports."""

    def __init__(self, folder: Path, address: str, number: int) -> None:
        self.folder, self.address = folder, address
        self.running = [TeamServer(folder, address) for _ in range(number)]
        self.ports = [each.port for each in self.running]

    def kill(self, which: int) -> None:
        self.running[which].process.kill()
        self.running[which].process.communicate()
        self.running[which] = TeamServer(self.folder, self.address, port=self.ports[which])

    def stop(self) -> None:
        for each in self.running:
            each.stop(signal.SIGTERM)


def living(home: Path, url: str, token: str, seed: int, seconds: float) -> subprocess.Popen[str]:
    words = [str(home), url, token, "lantern", str(seed), str(seconds)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.hub.laptop_life", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RECAIRN_MODEL": "none"},
    )


def test_nothing_acknowledged_is_lost_and_all_are_equal_at_the_end(postgres_address, tmp_path):
    names = [f"m{number}" for number in range(LAPTOPS)]
    tokens = members(postgres_address, **dict.fromkeys(names, "writer"))
    homes = [tmp_path / name for name in names]
    for home in homes:
        home.mkdir()
    hubs = Hubs(tmp_path, postgres_address, 2)
    chance = random.Random(18)
    proxy = Proxy(hubs.ports, seed=18, harm=0.3)
    try:
        with standing_between(proxy) as url:
            end = time.monotonic() + SECONDS
            lives = [
                living(home, url, tokens[name], seed, SECONDS)
                for seed, (name, home) in enumerate(zip(names, homes, strict=True))
            ]
            kills = 0
            while time.monotonic() < end:
                time.sleep(BETWEEN)
                kills += 1
                which = chance.randrange(LAPTOPS + 2)
                if which >= LAPTOPS:
                    hubs.kill(which - LAPTOPS)
                    continue
                lives[which].kill()
                lives[which].communicate()
                left = max(0.1, end - time.monotonic())
                lives[which] = living(homes[which], url, tokens[names[which]], kills, left)
            for life in lives:
                life.communicate(timeout=120)
            proxy.harm = 0.0
            states = []
            for _ in range(2):  # what the last one sent, the first ones take in the second turn
                states = [
                    json.loads(living(home, url, tokens[name], 0, 0).communicate(timeout=120)[0])
                    for name, home in zip(names, homes, strict=True)
                ]
    finally:
        hubs.stop()
    assert all(state == states[0] for state in states)
    check_ledgers(homes, states[0], proxy)


def check_ledgers(homes, state, proxy) -> None:
    """Each memory that somebody was told is kept is there, unless somebody hid or destroyed it."""
    told = "".join((home / "ledger.jsonl").read_text() for home in homes)
    # The last line of a life that was killed may be half a line.
    lines = [json.loads(line) for line in told.splitlines() if line.endswith("}")]
    gone = {each["uid"] for each in lines if each["did"] in ("forgetting", "destroying")}
    destroyed = {each["uid"] for each in lines if each["did"] == "destroyed"}
    added = {each["uid"] for each in lines if each["did"] == "added"}
    texts: dict[str, set[str]] = {}
    for each in lines:
        if each["did"] in ("added", "editing"):
            texts.setdefault(each["uid"], set()).add(each["text"])
    tried = {each["text"] for each in lines if "text" in each}
    assert len(added) > 20
    assert not (added - gone) - state.keys(), "a memory was lost"
    assert not destroyed & state.keys(), "a destroyed memory is alive"
    assert {content for _, content, _ in state.values()} <= tried
    assert len(proxy.seen) > 100
