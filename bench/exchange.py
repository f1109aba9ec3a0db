"""What an exchange costs beside a plain `edit`: mirrors, records taken in, outbox, first sync.

    python3 run.py bench exchange [MEMORIES]

All memories are of one project. "Edits" is CPU time over that of one `edit` in the same database,
so the figures hold on a busy machine; each is the median of its rounds.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import gc
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from corpus import memories

import recairn
from recairn.engine.team_sync import TAKEN_AT_ONCE
from recairn.store.tables import BEGINNING

ROUNDS = 15
PROJECT = "bench"
MODEL = "none"


def cpu(work: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Milliseconds of CPU of one call, the median of some."""
    spent = []
    for turn in range(rounds):
        started = time.process_time()
        work(turn)
        spent.append((time.process_time() - started) * 1000)
    return statistics.median(spent)


def say(name: str, ms: float, edit: float) -> None:
    print(f"{name:44} {ms:9.2f} ms {ms / edit:8.2f} edits", flush=True)


class Laptop:
    """A database of so many memories of one project."""

    def __init__(self, path: Path, new: int, known: int = 0) -> None:
        self.memory = recairn.open(path, project=PROJECT, model=MODEL)
        drafts = [{**each, "project": PROJECT} for each in memories(new)]
        for start in range(0, new, 5000):
            self.memory.remember_many(drafts[start : start + 5000], on_similar="add")
        self._draw = random.Random(3)
        self._count = known + new

    def any(self) -> int:
        return self._draw.randint(1, self._count)

    def edit(self, _: int = 0) -> None:
        self.memory.edit(self.any(), content=f"Edited {self._draw.random()} once more")
        self.memory.settle()

    def note(self, _: int = 0) -> None:
        self.memory.edit(self.any(), category=f"shelf {self._draw.randrange(10**6)}")
        self.memory.settle()

    def link_some(self, number: int) -> None:
        for _ in range(number):
            one, other = self.any(), self.any()
            if one != other:
                self.memory.link(one, other, "affects")


def mirrors(laptop: Laptop, folder: Path, edit: float) -> None:
    """A mirror after a change, and after git brought a line."""
    memory = laptop.memory
    laptop.link_some(1000)
    started = time.process_time()
    memory.start_mirror(folder)
    print(f"mirror on: {time.process_time() - started:.1f} s", flush=True)
    files = [path for path in folder.glob("*.jsonl") if "links" not in path.name]
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files of lines, {size / 1e6:.1f} MB", flush=True)
    for path in folder.iterdir():  # as if it had been written a while ago
        os.utime(path, (path.stat().st_mtime - 10,) * 2)
    memory.pull_mirror()
    say("edit with a mirror", cpu(laptop.edit), edit)
    say("another group with a mirror", cpu(laptop.note), edit)

    def bring(_: int) -> None:
        """Others' new line, as git writes it: a new file in the place of the old one."""
        path = random.choice(files)
        words = {"content": f"Brought {os.urandom(4).hex()}", "created_at": "2026-01-01T00:00:00Z"}
        line = json.dumps({"uid": _uid(), **words}) + "\n"
        fresh = path.with_suffix(".new")
        fresh.write_bytes(path.read_bytes() + line.encode())
        os.replace(fresh, path)

    pulls, looks = [], []
    for turn in range(ROUNDS):
        bring(turn)
        looks.append(cpu(lambda _: memory.mirrors(), 1))
        pulls.append(cpu(lambda _: memory.pull_mirror(), 1))
    say("mirror status with one line from git", statistics.median(looks), edit)
    say("mirror pull of one line from git", statistics.median(pulls), edit)
    say("mirror status, nothing new", cpu(lambda _: memory.mirrors()), edit)
    say("mirror pull, nothing new", cpu(lambda _: memory.pull_mirror()), edit)


def _uid() -> str:
    from recairn.core.ids import new_uid

    return new_uid(int(time.time() * 1000))


def records(laptop: Laptop, folder: Path, edit: float) -> None:
    """One record taken in, and what changed found."""
    memory = laptop.memory
    with recairn.open(folder / "other.db", project=PROJECT, model=MODEL) as other:
        other.remember_many(
            [{"content": each["content"]} for each in memories(ROUNDS, seed=9)], on_similar="add"
        )
        new = [each for each in other.export_records() if each.get("type") == "memory"]
    say("take one new record", cpu(lambda n: memory.take_records([("1", new[n])])), edit)
    known = [_changed(memory, number) for number in range(1, ROUNDS + 1)]
    say("take one known record", cpu(lambda n: memory.take_records([("1", known[n])])), edit)


def _changed(memory: recairn.Recairn, number: int) -> dict[str, object]:
    """A memory as somebody else has changed it."""
    found = memory.get(number)
    assert found is not None
    later = [int(time.time() * 1000), "elsewhere"]
    text = {"content": f"{found.content} Changed.", "stamps": {"text": later}}
    whole = next(each for each in memory.export_records() if each.get("uid") == found.uid)
    return {**whole, **text}


def outbox(plain: Laptop, shared: Laptop, rounds: int = 80) -> None:
    """An edit where the project is shared over one where it is not, in turn."""
    ratios = []
    for _ in range(rounds):
        before = cpu(plain.edit, 1)
        ratios.append(cpu(shared.edit, 1) / before)
    print(f"{'an edit with an outbox, over one without':44} {statistics.median(ratios):9.3f} x")


def first_sync(laptop: Laptop, folder: Path) -> None:
    """All of a project taken into an empty database, over writing it there, both with static."""
    sent: list[dict[str, object]] = []
    while (page := laptop.memory.outbox_page())["records"]:
        sent += page["records"]
        laptop.memory.outbox_answers(page["marks"], [{"answer": "ok"}] * len(page["records"]))
    gc.collect()
    gc.freeze()  # a laptop never holds all of it, and so never looks through all of it
    with recairn.open(folder / "door.db", project=PROJECT, model="static") as memory:
        drafts = memories(200, seed=5)
        memory.remember("The model is loaded by now")
        door = cpu(lambda n: memory.remember(drafts[n]["content"], force=True), len(drafts))
    with recairn.open(folder / "fresh.db", project=PROJECT, model="static") as memory:
        memory.share_project(PROJECT, PROJECT, "https://nowhere.example")
        memory.remember("The model is loaded by now")
        started = time.process_time()
        for start in range(0, len(sent), TAKEN_AT_ONCE):
            page = {"records": sent[start : start + TAKEN_AT_ONCE], "next": "e.1"}
            memory.take_page(PROJECT, page)
        memory.settle()
        each = (time.process_time() - started) / len(sent) * 1000
    print(
        f"first sync of {len(sent):,}: {each:.3f} ms a record; the write door {door:.3f} ms", end=""
    )
    print(f", {each / door:.3f} of it", flush=True)


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        small = Laptop(folder / "small.db", max(100, count // 10))
        tenth = changed_after(small)
        laptop = Laptop(folder / "laptop.db", count)
        laptop.memory.close()
        shutil.copy(folder / "laptop.db", folder / "shared.db")
        laptop, shared = (Laptop(folder / name, 0, count) for name in ("laptop.db", "shared.db"))
        edit = cpu(laptop.edit, 60)
        print(f"{count:,} memories; one edit {edit:.2f} ms", flush=True)
        records(laptop, folder, edit)
        whole = changed_after(laptop)
        print(f"{'changed after, over that at a tenth':44} {whole / tenth:9.2f} x", flush=True)
        shared.memory.share_project(PROJECT, PROJECT, "https://nowhere.example")
        outbox(laptop, shared)
        first_sync(shared, folder)
        mirrors(laptop, folder / "mirror", edit)


def changed_after(laptop: Laptop) -> float:
    laptop.edit()
    last = laptop.memory.store.changed_after(BEGINNING).position
    laptop.edit()
    return cpu(lambda _: laptop.memory.store.changed_after(last), 400)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
