"""Many processes at once: nobody is told `locked`, nothing is lost, nothing is there twice."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import pytest

import recairn
from recairn.core.errors import Refused
from tests.durability.children import results_of, start
from tests.durability.ledger import all_memories, broken_promises, connection_of

PROCESSES = 8
COMMON = 12

WORKER = """
import json, random, sys
import recairn, recairn.memory.remember, recairn.memory.lifecycle
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
import recairn, recairn.memory.remember
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


def while_it_waits(memory: recairn.Recairn, path: object, other: Callable[[], object]) -> None:
    """Lets `other` happen while the next write of this memory waits for the lock."""
    holder = apsw.Connection(str(path))
    holder.execute("begin immediate")
    waiting = iter([True])

    def meanwhile(_: int) -> bool:
        holder.execute("rollback")
        other()
        return next(waiting, False)

    connection_of(memory)._db.set_busy_handler(meanwhile)


def test_two_undos_at_once_take_back_one_change_each(database):
    with recairn.open(database, project="p") as one, recairn.open(database, project="p") as other:
        one.remember("The kettle boils at sea level")
        one.edit(1, content="The kettle boils anywhere")
        while_it_waits(one, database, lambda: other.undo(1))
        assert [each.what for each in one.undo(1)] == ["created"]
        undone = [event.undo_of for event in one.history(1) if event.undo_of is not None]
        assert undone == [2, 1]


def test_of_two_corrections_at_once_the_second_is_refused(database):
    with recairn.open(database, project="p") as one, recairn.open(database, project="p") as other:
        one.remember("The radio listens on port 7331")
        while_it_waits(one, database, lambda: other.correct(1, "It listens on port 7332"))
        with pytest.raises(Refused, match="#1 is superseded by #2"):
            one.correct(1, "The radio has port 7333")
        assert one.count() == 1
