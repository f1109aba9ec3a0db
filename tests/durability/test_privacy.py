"""Nobody else can read the files, and no plain open() takes the locks away from them."""

from __future__ import annotations

import pytest

from tests.durability.children import run

MODES = """
import json, os, sys
os.umask(int(sys.argv[2], 8))
import recairn
from recairn.store.sqlite import backup
database = sys.argv[1]
with recairn.open(database, project="p") as memory:
    memory.remember("for the owner alone")
    backup.create(database)
    modes = {}
    for folder, folders, files in os.walk(os.path.dirname(os.path.dirname(database))):
        for name in (*folders, *files):
            modes[name] = oct(os.stat(os.path.join(folder, name)).st_mode & 0o777)
print(json.dumps(modes))
"""


@pytest.mark.parametrize("umask", ["000", "022", "077"])
def test_files_are_0600_and_folders_0700_under_any_umask(tmp_path, umask):
    modes = run(MODES, tmp_path / "new" / "deep" / "recairn" / "memory.db", umask)
    (backup,) = [name for name in modes if name.startswith("memory-")]
    assert modes == {
        "recairn": "0o700",
        "backups": "0o700",
        "memory.db": "0o600",
        "memory.db-wal": "0o600",
        "memory.db-shm": "0o600",
        backup: "0o600",
    }


def test_folders_made_on_the_way_are_private_too(tmp_path):
    run(MODES, tmp_path / "new" / "deep" / "recairn" / "memory.db", "000")
    for folder in ("new", "new/deep", "new/deep/recairn"):
        assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700


OPENED = """
import json, os, sys
import recairn
from recairn.store.sqlite import backup, doctor

database = sys.argv[1]
opened = []
def watch(event, arguments):
    if event == "open" and str(arguments[0]) in (database, database + "-shm"):
        opened.append(str(arguments[0]))

first = recairn.open(database, project="p")
sys.addaudithook(watch)
if sys.argv[2] == "planted":
    open(database, "rb").close()
first.remember("Locks live as long as nobody opens the file beside SQLite")
first.search("locks")
made = backup.create(database)
backup.listing(os.path.dirname(made.path))
doctor.diagnose(database)
first.verify()
with recairn.open(database, project="p") as second:
    second.remember("A second connection of the same process")
with recairn.open(database, project="p", read_only=True) as reader:
    reader.search("connection")
backup.restore(made.path, database)
doctor.repair(database)
first.edit(1, content="Still writable after all of that")
first.close()
print(json.dumps(opened))
"""


def test_no_python_open_touches_the_database_while_a_connection_exists(database):
    """Closing such a file would drop every lock that SQLite holds for this process."""
    assert run(OPENED, database, "") == []


def test_a_planted_open_is_noticed(database):
    assert run(OPENED, database, "planted") == [str(database)]
