"""The life of one laptop in a process of its own, which may be killed at any moment.

    python -m tests.surfaces.hub.laptop_life HOME URL TOKEN PROJECT SEED SECONDS

It remembers, edits, forgets, destroys and exchanges, and notes in HOME/ledger.jsonl what it was
about to do and what it was told had been done. With SECONDS 0 it only exchanges until nothing
moves any more, and prints what it holds.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

import recairn
from recairn.core.errors import RecairnError


def main() -> None:
    home, url, token, project, seed, seconds = sys.argv[1:]
    os.environ["XDG_DATA_HOME"] = os.path.join(home, "share")
    chance = random.Random(f"{seed} {os.getpid()}")
    database = os.path.join(home, "memory.db")
    with recairn.open(database, project=project, model="none") as memory:
        memory.author = "person"
        with open(os.path.join(home, "ledger.jsonl"), "a") as ledger:
            note = Note(ledger)
            joined(memory, url, token)
            end = time.monotonic() + float(seconds)
            while time.monotonic() < end:
                live(memory, chance, note)
        if float(seconds) == 0:
            settle(memory)
            sys.stdout.write(json.dumps(state(memory)))


class Note:
    """A line of the ledger; it is on its way to the disk before anything follows."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __call__(self, **what: Any) -> None:
        self._file.write(json.dumps(what) + "\n")
        self._file.flush()


def joined(memory: Any, url: str, token: str) -> None:
    """Joined and shared, however often the server is away meanwhile."""
    while not memory.shares():
        try:
            memory.join_team(url, token)
            memory.share_with_team()
        except RecairnError:
            time.sleep(0.1)


def live(memory: Any, chance: random.Random, note: Note) -> None:
    known = memory.listing(limit=1000)
    draw = chance.random()
    words = f"Reading {chance.randrange(10**12)} of buoy {chance.randrange(10**6)}"
    if draw < 0.35 or not known:
        note(did="trying", text=words)
        added = memory.remember(words, force=True)
        uid = next(each.uid for each in memory.listing(limit=1000) if each.id == added.id)
        note(did="added", uid=uid, text=words)
    elif draw < 0.6:
        chosen = chance.choice(known)
        note(did="editing", uid=chosen.uid, text=words)
        memory.edit(chosen.id, content=words)
        note(did="edited", uid=chosen.uid, text=words)
    elif draw < 0.64:
        chosen = chance.choice(known)
        note(did="forgetting", uid=chosen.uid)
        memory.forget(chosen.id)
    elif draw < 0.66:
        chosen = chance.choice(known)
        note(did="destroying", uid=chosen.uid)
        memory.destroy(chosen.id)
        note(did="destroyed", uid=chosen.uid)
    else:
        try:
            memory.sync()
        except RecairnError:
            time.sleep(0.05)


def settle(memory: Any) -> None:
    """Rounds until two of them moved nothing."""
    quiet = 0
    while quiet < 2:
        told = memory.sync()
        moved = ("sent", "later", "added", "updated", "joined", "erased")
        quiet = 0 if any(told[name] for name in moved) else quiet + 1


def state(memory: Any) -> dict[str, Any]:
    found = memory.listing(limit=1000)
    return {each.uid: [each.title, each.content, each.kind] for each in found}


if __name__ == "__main__":
    main()
