"""Work that nobody waits for: a process of its own, which outlives the one that begins it."""

from __future__ import annotations

import os
import sys


def begin(words: tuple[str, ...]) -> bool:
    """Starts this very recairn with these words, silent and on its own; whether that went well."""
    nothing = os.devnull
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, nothing, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, nothing, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, nothing, os.O_WRONLY, 0),
    ]
    command = [sys.executable, "-m", "recairn", *words]
    try:
        # A session of its own: an agent that ends takes its whole group along.
        os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsid=True)
    except (OSError, NotImplementedError):
        return False
    return True
