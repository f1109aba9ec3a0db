"""One flipped bit anywhere: the export is as before, or verify speaks, or the export says so."""

from __future__ import annotations

import json
import os
import random
import tempfile
from pathlib import Path

import pytest

import recairn
from recairn.core.errors import RecairnError
from tests.corpus import Clock
from tests.durability.ledger import WORDS

# Flips of a gate's run; each costs an export, and a verify where that differs.
FLIPS = 100
MINUTE = 60_000
MEMORIES = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """In memory where there is such a place: it is bytes that are tested here, not a disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path_factory.mktemp("flips")
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def well_used(folder):
    """(the bytes of a database in which something happened in every table, its export)"""
    path = folder / "memory.db"
    dice, clock = random.Random(7), Clock()
    with recairn.open(path, project="tower", model="none", clock=clock) as memory:
        for _ in range(MEMORIES):
            live(memory, dice, clock)
        (folder / "tides.md").write_text("# Tides\n\nSpring tides follow the new moon.\n")
        memory.add_documents([str(folder / "tides.md")])
        (folder / "notes.jsonl").write_text('{"content": "Bring rope", "external_id": "r-1"}\n')
        memory.import_from(str(folder / "notes.jsonl"))
        memory.compact(before=clock())
        memory.set_config("retrieval.limit", "7")
        exported = lines(memory)
    return path.read_bytes(), exported


def live(memory, dice, clock):
    """A turn of somebody's work with its memory."""

    def say(most=12):
        return " ".join(dice.choices(WORDS, k=dice.randint(3, most)))

    clock.advance(MINUTE)
    memory.start_session(f"watch-{dice.randint(1, 6)}", summary=say())
    number = memory.remember(say(60), category=dice.choice(WORDS), force=True).id
    task = memory.add_task(say(), description=say(30))
    memory.start_task(task.id)
    memory.context(task.id)
    memory.search(say(4))
    memory.edit(number, title=say(4))
    memory.feedback(number, dice.random(), query=say(4))
    if number > 2:
        memory.link(number, dice.randint(1, number - 1), "relates_to")
        memory.add_dependency(task.id, memory.add_task(say()).id)
    memory.record_miss(say(3), number, note=say())
    memory.note(prompt=say())
    memory.finish_task(task.id, "success", note=say())


def lines(memory):
    return [json.dumps(record) for record in memory.export_records()]


def is_noticed(path, exported):
    """Whether the export is as it was, or somebody says that something is wrong."""
    try:
        with recairn.open(path, project="tower", model="none", read_only=True) as memory:
            return lines(memory) == exported or bool(memory.verify().problems)
    except RecairnError:
        return True


def silent(folder, well_used, dice, count):
    content, exported = well_used
    path = folder / "memory.db"
    for _ in range(count):
        broken = bytearray(content)
        at, bit = dice.randrange(len(broken)), dice.randrange(8)
        broken[at] ^= 1 << bit
        path.write_bytes(broken)
        if not is_noticed(path, exported):
            yield f"bit {bit} of byte {at}"


def test_a_flipped_bit_changes_no_export_in_silence(folder, well_used, seed):
    """N = 100 flips over all pages."""
    assert list(silent(folder, well_used, random.Random(seed), FLIPS)) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_5000_flipped_bits_change_no_export_in_silence(folder, well_used, seed, sizes):
    """N = 5,000 by default (RECAIRN_TEST_FLIPS)."""
    assert list(silent(folder, well_used, random.Random(seed + 1), sizes["flips"])) == []
