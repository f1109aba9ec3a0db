"""Processes that make vectors, killed over and over; run as a program, prints what came of it.

    python kill_embedders.py PLAY FOLDER KILLS SEED

PLAY is embed, switch or bulk. A clean process forks the others: a fork is killed as really as any
process, and starts in a millisecond.
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
from recairn.core.memory_text import whole_text
from recairn.embed.models import load
from recairn.ranking.codes import codes_of
from tests.store.vectors.made_up import Listening, configure, made_up_vector

# Memories to embed: several batches, so that a kill finds the work half done.
MEMORIES = 600
# Memories one bulk write stores.
AT_ONCE = 40
# Seconds up to which a process lives, a random part of it each time: some batches' worth.
LONGEST = {"embed": 0.12, "switch": 0.6, "bulk": 0.12}
# Seconds between two writes while a model is switched.
PAUSE = 0.02


def opened(folder, model=None):
    return recairn.open(folder / "memory.db", project="kills", model=model)


def texts(name, count):
    return [{"content": f"{name} {number} of the {'gull cliff tide'.split()[number % 3]}"}
            for number in range(count)]  # fmt: skip


# What the processes do until they are killed


def embed_for_ever(folder, seed):
    with opened(folder, "static") as memory:
        while True:
            memory.embed(again=seed % 2 == 1)


def switch_for_ever(folder, seed):
    with opened(folder) as memory:
        wanted = memory.config().get("embedding.model", "static")
        while True:
            memory.use_model(wanted)
            memory.embed()
            wanted = "static" if wanted == "external" else "external"


def write_for_ever(folder, seed):
    with opened(folder) as memory:
        number = 0
        while True:
            # Who writes without a pause is faster than a model that is asked over HTTP: a switch
            # would go after it and never be done.
            select.select([], [], [], PAUSE)
            number += 1
            if number % 3 == 0:
                known = memory.listing(limit=1)[0]
                memory.edit(known.id, content=f"edited {seed} {number}")
            else:
                memory.remember(f"one more {seed} {number}", force=True)


def write_bulk_for_ever(folder, seed):
    with opened(folder, "static") as memory:
        number = 0
        while True:
            number += 1
            drafts = texts(f"bulk {seed}.{number}", AT_ONCE)
            memory.remember_many(drafts, on_similar="add")


WORK = {
    "embed": (embed_for_ever,),
    "switch": (switch_for_ever, write_for_ever),
    "bulk": (write_bulk_for_ever, write_bulk_for_ever),
}


# Kills in the middle of the work that a play wants, and how much longer it goes on for them.
ENOUGH = {"embed": 3, "switch": 10, "bulk": 0}
_PATIENCE = 5


class Play:
    def __init__(self, name, folder, seed):
        self.name = name
        self.folder = folder
        self.rng = random.Random(seed)
        self.generation = 0
        self.models_seen: set[str] = set()
        self.half_done = 0

    def fork(self, work, *arguments):
        self.generation += 1
        child = os.fork()
        if child:
            return child
        try:
            work(*arguments)
        except BaseException as error:
            trace = "".join(traceback.format_exception(error))
            (self.folder / f"error-{self.generation}").write_text(trace)
        finally:
            os._exit(1)

    def prepare(self):
        with opened(self.folder, "none") as memory:
            memory.remember_many(texts("memory", MEMORIES), on_similar="add")
            if self.name == "switch":
                listening = Listening()
                configure(memory, listening.url)
                self.server = self.fork(listening.serve_forever)
        if self.name == "switch":
            with opened(self.folder, "static") as memory:
                memory.embed()
                memory.use_model("external")

    def run(self, kills):
        self.prepare()
        wrong: list[str] = []
        done = 0
        while done < kills or (self.missed_the_middle() and done < _PATIENCE * kills):
            children = [self.fork(work, self.folder, self.generation) for work in WORK[self.name]]
            select.select([], [], [], self.rng.uniform(0.01, LONGEST[self.name]))
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            done += 1
            with opened(self.folder) as memory:
                wrong += self.faults(memory)
                if self.name == "embed" and not memory.batch_left():
                    with memory.store.transaction():
                        memory.store.drop_vectors(memory.store.living(0, -1))
        if self.name == "switch":
            # However far the killed ones came, the switch can be finished.
            with opened(self.folder) as memory:
                memory.use_model("external")
                memory.embed()
                wrong += self.faults(memory)
            os.kill(self.server, signal.SIGKILL)
            os.waitpid(self.server, 0)
        with opened(self.folder) as memory:
            wrong += self.mixed(memory)
            memory.meaning.want("static")
            memory.embed()
            wrong += self.faults(memory)
            active = [each for each in memory.models() if each.state == "active"]
            left = sum(each.total - each.done for each in active)
            wrong += [f"{left} memories have no vector in the end"] if left else []
        return wrong + [path.read_text() for path in self.folder.glob("error-*")]

    def missed_the_middle(self):
        """Whether too few kills came in the middle of the work: a busy machine moves them."""
        both = self.name != "switch" or len(self.models_seen) == 2
        return self.half_done < ENOUGH[self.name] or not both

    def faults(self, memory):
        """What is wrong after a kill."""
        wrong = [f"{each.detail}" for each in memory.verify().problems]
        counts = {each.name: each for each in memory.models() if each.state}
        active = [each for each in counts.values() if each.state == "active"]
        self.models_seen |= {each.name for each in active}
        if any(0 < each.done < each.total for each in counts.values()):
            self.half_done += 1
        total = memory.count(limit=1)
        if self.name != "embed":
            # What is committed has its vector; only a process killed between reading the active
            # model and writing may be behind it by the one memory it was at.
            wrong += [
                f"{each.name} answers with {each.done} of {each.total}"
                for each in active
                if each.total - each.done > self.tolerated()
            ]
        if self.name == "bulk" and (total - MEMORIES) % AT_ONCE:
            wrong.append(f"half of a bulk write: {total}")
        if total < MEMORIES:
            wrong.append(f"{MEMORIES - total} memories are lost")
        return wrong

    def tolerated(self):
        """Memories that a kill after a write, before its late vector, may leave without one."""
        return MEMORIES if self.name == "bulk" else self.generation

    def mixed(self, memory):
        """Vectors that are not what their own model makes of the memory's text."""
        static = load("static", models_dir="")
        wrong = []
        for name, number, codes in memory.store._c.rows(
            "select d.name, v.memory, v.codes from vectors v join models d on d.id = v.model"
        ):
            text = whole_text(memory.get(number))
            right = (
                static.embed_documents([text])[0]
                if name == "static"
                else made_up_vector(text, "first")
            )
            pairs = zip(codes, codes_of(right), strict=True)
            if any((one - other + 1) % 256 > 2 for one, other in pairs):
                wrong.append(f"#{number} has a vector of another model than {name}")
        return wrong


def main(name, folder, kills, seed):
    play = Play(name, Path(folder), int(seed))
    wrong = play.run(int(kills))
    seen = sorted(play.models_seen)
    answer = {"wrong": wrong, "half_done": play.half_done, "answered": seen}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
