"""Writers and a reader that are killed over and over; run as a program, prints what came of it.

    python kill_writers.py FOLDER KILLS SEED

A clean process forks them: a fork is killed as really as any process, and starts in a millisecond.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import traceback
from pathlib import Path

import recairn
from recairn.engine import open_memory
from tests.durability.ledger import Pen, broken_promises, write_something

WRITERS = ("left", "right")
# Kills between two full checks of the database.
CHECK_EVERY = 60
# Changes before the first fork: among so many is one of every kind.
LOADING = 30
# Seconds after which a silent set of writers is a fault of its own.
STALLED = 20.0


def write_for_ever(folder, name, generation, seed):
    rng = random.Random(f"{seed} {name} {generation}")
    pen = Pen(folder / "ledger", f"{name}.{generation}")
    with recairn.open(folder / "memory.db", project="kills") as memory:
        number = 0
        while True:
            number += 1
            write_something(memory, pen, f"{name}.{generation}", number, rng)
            if rng.random() < 0.05:
                memory.store.scrub()


def read_for_ever(folder, seed):
    rng = random.Random(seed)
    with recairn.open(folder / "memory.db", project="kills") as memory:
        while True:
            for hit in memory.search(rng.choice(("anchor", "basin cedar", "number"))).hits:
                assert hit.memory.content
            rng.choice((memory.listing, memory.stats))()


class Play:
    def __init__(self, folder, seed):
        self.folder = folder
        self.seed = seed
        self.rng = random.Random(seed)
        self.generation = 0
        self.running: dict[str, int] = {}
        self.parent = os.getppid()

    def start(self, name):
        self.generation += 1
        child = os.fork()
        if child:
            self.running[name] = child
            return
        try:
            if name == "reader":
                read_for_ever(self.folder, self.generation)
            else:
                write_for_ever(self.folder, name, self.generation, self.seed)
        except BaseException as error:
            trace = "".join(traceback.format_exception(error))
            Path(self.folder / f"error-{self.generation}").write_text(trace)
        finally:
            os._exit(1)

    def kill(self, name):
        child = self.running.pop(name)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def wait_for_progress(self):
        """Until something was acknowledged since the last kill, and then a random moment more."""
        ledger = self.folder / "ledger"
        before, waited = size(ledger), 0.0
        while size(ledger) == before and waited < STALLED:
            pause(0.001)
            waited += 0.001
        pause(self.rng.uniform(0, 0.02))

    def check(self):
        with open_memory(self.folder / "memory.db", project="kills") as memory:
            return broken_promises(memory, self.folder / "ledger")

    def load(self):
        """What writers and readers use is loaded here, once, and not by each of their lives."""
        (self.folder / "before").touch()
        pen = Pen(self.folder / "before", "before")
        with open_memory(self.folder / "before.db", project="kills") as memory:
            for number in range(LOADING):
                write_something(memory, pen, "before", number, self.rng)
            memory.search("anchor")
            memory.stats()
            memory.store.scrub()

    def run(self, kills):
        self.load()
        open_memory(self.folder / "memory.db", project="kills").close()
        (self.folder / "ledger").touch()
        wrong: list[str] = []
        for done in range(kills):
            if os.getppid() != self.parent:  # the test was ended; end with it
                break
            for name in (*WRITERS, "reader"):
                if name not in self.running:
                    self.start(name)
            self.wait_for_progress()
            self.kill(self.rng.choice((*WRITERS, *WRITERS, "reader")))
            if done % CHECK_EVERY == CHECK_EVERY - 1 or done == kills - 1:
                for name in list(self.running):
                    self.kill(name)
                wrong += self.check()
        for name in list(self.running):
            self.kill(name)
        wrong += [path.read_text() for path in self.folder.glob("error-*")]
        return wrong


def size(path):
    return os.stat(path).st_size


def pause(seconds):
    select.select([], [], [], seconds)


def main(folder, kills, seed):
    wrong = Play(Path(folder), int(seed)).run(int(kills))
    lines = (Path(folder) / "ledger").read_text().count('{"ack"')
    sys.stdout.write(json.dumps({"wrong": wrong, "acknowledged": lines}))


if __name__ == "__main__":
    main(*sys.argv[1:])
