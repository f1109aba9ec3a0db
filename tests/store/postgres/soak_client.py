"""A client of the soak: writes, changes and reads until it is told to end, or killed.

    python soak_client.py ADDRESS NAME LEDGER

What the server acknowledged is a line of the ledger: `added N`, `edited N TIMES`, `forgot N`. What
was tried and may have been kept though nobody said so is `trying …` before it.
"""

from __future__ import annotations

import os
import random
import sys
import time

import recairn
from recairn.core.errors import RecairnError

# Seconds until a lost server is asked again.
_PAUSE_S = 0.3


class Client:
    def __init__(self, address: str, name: str, ledger: str) -> None:
        self._address, self._name = address, name
        self._ledger = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._chance = random.Random(name)
        self._numbers: dict[int, int] = {}
        self._edits: dict[int, int] = {}
        self._next = 0

    def _say(self, line: str) -> None:
        os.write(self._ledger, f"{line}\n".encode())

    def live(self) -> None:
        while True:
            try:
                with recairn.open(self._address, project="soak", model="none") as memory:
                    while True:
                        self._turn(memory)
            except RecairnError:
                time.sleep(_PAUSE_S)

    def _turn(self, memory: recairn.Recairn) -> None:
        dice = self._chance.random()
        if dice < 0.5 or not self._numbers:
            self._next += 1
            self._say(f"trying added {self._next}")
            kept = memory.remember(f"{self._name} saw {self._next} gulls", force=True)
            assert kept.id is not None
            self._numbers[self._next] = kept.id
            self._say(f"added {self._next}")
        elif dice < 0.75:
            mine = self._chance.choice(list(self._numbers))
            times = self._edits[mine] = self._edits.get(mine, 0) + 1
            self._say(f"trying edited {mine} {times}")
            memory.edit(self._numbers[mine], category=f"edit {times}")
            self._say(f"edited {mine} {times}")
        elif dice < 0.8:
            mine = self._chance.choice(list(self._numbers))
            self._say(f"trying forgot {mine}")
            memory.forget(self._numbers.pop(mine))
            self._say(f"forgot {mine}")
        else:
            memory.search(f"who saw {self._chance.randrange(1, self._next + 1)} gulls")


if __name__ == "__main__":
    Client(*sys.argv[1:]).live()
