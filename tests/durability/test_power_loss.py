"""The power may go at any moment: what was acknowledged is there, and the database is whole."""

from __future__ import annotations

import json
import random
import shutil

import pytest

import recairn
from tests.durability.disks import (
    RecordingDisk,
    after_power_cut,
    inserted,
    lines_until,
    write_files,
)
from tests.durability.ledger import broken_promises, connection_of, write_something

CUTS = 330
# Changes in one recorded life of a database, from its creation on.
CHANGES = 45


class RecordedPen:
    """Writes the ledger into the record of the disk, where its order among the writes shows."""

    def __init__(self, events):
        self._events = events
        self._count = 0
        self.own: list[int] = []

    def tries(self, **change):
        self._count += 1
        self._events.append(("line", json.dumps({"try": f"w/{self._count}", **change})))
        return f"w/{self._count}"

    def acknowledges(self, change, **result):
        self._events.append(("line", json.dumps({"ack": change, **result})))
        self.own += result.get("ids", ())


def record(path, seed, fault=""):
    """The events of a life: creation (the migration), then random changes and checkpoints."""
    rng = random.Random(seed)
    with inserted(RecordingDisk) as disk:
        memory = recairn.open(path, project="power")
        # A small log wraps and is overwritten often, which is where orders of writes matter.
        connection_of(memory).rows("pragma wal_autocheckpoint=30")
        pen = RecordedPen(disk.events)
        for number in range(CHANGES):
            if fault:  # again each time: after book-keeping all is strict again
                connection_of(memory).run(f"pragma synchronous={fault}")
            write_something(memory, pen, "w.0", number, rng)
            if rng.random() < 0.1:
                memory.store.scrub()
        events = list(disk.events)
        memory.close()
    return events


def outcomes(events, cuts, folder, rng):
    """For each cut: the promises that the database found after it does not keep."""
    ledger = folder / "ledger"
    for _ in range(cuts):
        cut = rng.randrange(len(events) + 1)
        files = after_power_cut(events, cut, rng)
        ledger.write_text("".join(line + "\n" for line in lines_until(events, cut)))
        write_files(folder / "disk", files)
        try:
            with recairn.open(folder / "disk" / "memory.db", project="power") as memory:
                yield cut, broken_promises(memory, ledger)
        except recairn.RecairnError as error:
            yield cut, [repr(error)]
        shutil.rmtree(folder / "disk")


def failures(folder, seed, cuts, fault=""):
    events = record(folder / "life" / "memory.db", seed, fault)
    rng = random.Random(f"{seed} cuts")
    return [(cut, wrong) for cut, wrong in outcomes(events, cuts, folder, rng) if wrong]


def test_330_power_cuts_lose_nothing_acknowledged(tmp_path, seed):
    """N = 330 cuts over creation, insert, edit, forget, erase, supersede, bulk and checkpoint."""
    for life in range(3):
        folder = tmp_path / str(life)
        folder.mkdir()
        assert failures(folder, seed + life, CUTS // 3) == []


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_10000_power_cuts_lose_nothing_acknowledged(tmp_path, seed, sizes):
    """N = 10,000 by default (RECAIRN_TEST_CUTS), a new life for every 250."""
    for life in range(sizes["cuts"] // 250):
        folder = tmp_path / str(life)
        folder.mkdir()
        assert failures(folder, seed + life, 250) == []


@pytest.mark.parametrize("fault", ["normal", "off"])
def test_the_cuts_catch_a_store_that_syncs_too_little(tmp_path, seed, fault):
    """Tests the test: with synchronous=NORMAL or OFF acknowledged writes must be seen to go."""
    found = failures(tmp_path, seed, 30, fault)
    assert any("is lost" in line for _, wrong in found for line in wrong)
