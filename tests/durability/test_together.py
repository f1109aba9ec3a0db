"""Many processes at once: nobody is told `locked`, nothing is lost, nothing is there twice."""

from __future__ import annotations

import recairn
from tests.durability.children import results_of, start
from tests.durability.ledger import all_memories, broken_promises

PROCESSES = 8
COMMON = 12

WORKER = """
import json, random, sys
import recairn, recairn.remember, recairn.lifecycle
from tests.durability.ledger import Pen, write_something

database, ledger, name, seed = sys.argv[1:]
rng = random.Random(f"{seed} {name}")
pen = Pen(ledger, f"{name}.0")
statuses, locked = [], []
sys.stdin.readline()
with recairn.open(database, project="together") as memory:
    for number in range(36):
        if number % 3 == 0:
            text = f"Everybody knows rule {number // 3}: ship on day {number}, rest on the next"
            statuses.append(memory.remember(text, force=True).status)
        write_something(memory, pen, f"{name}.0", number, rng)
        if number % 2:
            memory.search(rng.choice(("anchor", "cedar ravine", "everybody knows")))
print(json.dumps(statuses))
"""


def test_8_processes_create_and_write_one_database_at_once(database, tmp_path, seed):
    """N = 8 processes x 48 writes and 18 searches, beginning with the creation of the file."""
    ledger = tmp_path / "ledger"
    ledger.touch()
    workers = [
        start(WORKER, database, ledger, f"worker{number}", seed) for number in range(PROCESSES)
    ]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    statuses = [status for each in results_of(workers) for status in each]
    assert sorted(statuses) == ["added"] * COMMON + ["reinforced"] * COMMON * (PROCESSES - 1)
    with recairn.open(database, project="together") as memory:
        common = [
            each.content
            for each in all_memories(memory).values()
            if each.content.startswith("Everybody knows")
        ]
        assert len(common) == len(set(common)) == COMMON
        wrong = broken_promises(memory, ledger)
        assert [line for line in wrong if not line.startswith("nobody wrote 'Everybody")] == []


CREATOR = """
import json, sys
import recairn, recairn.remember
sys.stdin.readline()
with recairn.open(sys.argv[1], project="together") as memory:
    print(json.dumps(memory.remember(f"writer {sys.argv[2]} was here first").status))
"""


def test_processes_that_create_the_same_database_at_once_all_succeed(database):
    """N = 3 rounds of 8: the migration happens once, and nobody finds a half-made file."""
    for attempt in range(3):
        path = database.with_name(f"{attempt}.db")
        workers = [start(CREATOR, path, number) for number in range(PROCESSES)]
        for worker in workers:
            worker.stdin.write("go\n")
            worker.stdin.flush()
        assert results_of(workers) == ["added"] * PROCESSES
        with recairn.open(path, project="together") as memory:
            assert memory.count() == PROCESSES
            assert memory.verify().problems == ()
