"""An import in a process of its own, killed at one of its commits.

    killed_import.py DATABASE FILE COMMIT

The file holds one record a line, as in `beacons`. Says how many commits there were, if it lives.
"""

import os
import signal
import sys

from recairn.core.model import Draft
from recairn.sources.format import Extra, Record, Source
from tests.corpus import Clock, opened


def read(origin):
    """Records with links to later ones, some of them put away, and asides of several shapes."""
    for line in origin.json_lines():
        number, told = line
        place = origin.place(number)
        if "shape" in told:
            yield Extra(told["key"], told["shape"], told["values"], place)
            continue
        draft = Draft(told["text"], source_type="import", external_id=told["id"])
        links = [(relation, other) for relation, other in told.get("links", ())]
        yield Record(told["id"], draft, place, links, retired=told.get("retired", ""))


BEACONS = Source(
    "beacons", "lines of JSON", lambda path: False, lambda folder: [], read, distinct=True
)


def watch(connection, commits):
    """Lets a function be called before each commit of an engine's connection."""
    if hasattr(connection._db, "set_commit_hook"):
        connection._db.set_commit_hook(commits)
        return
    really = type(connection)._commit

    def commit():
        if connection._begun or connection._pending:
            commits()
        really(connection)

    connection._commit = commit


def main():
    database, path, deadly = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with opened(database, clock=Clock()) as memory:
        count = 0

        def commits():
            nonlocal count
            count += 1
            if count == deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            return False

        watch(memory.store._c, commits)
        memory.import_from(path, BEACONS)
        watch(memory.store._c, lambda: False)
        sys.stdout.write(str(count))


if __name__ == "__main__":
    main()
