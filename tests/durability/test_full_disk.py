"""No room, no permission, no folder: a clean error with the way out, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from recairn.core.errors import RecairnError, StoreError
from tests.durability.children import environment, result_of, run

FILL = """
import json, os, resource, sys
import recairn
from recairn.core.errors import RecairnError

database, way = sys.argv[1], sys.argv[2]
os.makedirs(os.path.dirname(database), exist_ok=True)
filler = database + ".filler"
with open(filler, "wb") as file:
    file.write(bytes(300_000))
stored, error = [], None
with recairn.open(database, project="p") as memory:
    if way == "rlimit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_400_000, resource.RLIM_INFINITY))
    for number in range(4000):
        text = f"memory {number} takes room: " + f"word{number} filling " * 60
        try:
            memory.remember(text, force=True)
        except RecairnError as refused:
            error = refused
            break
        stored.append(text.strip())
    if way == "rlimit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    os.unlink(filler)
    after = memory.remember("there is room again").status
with recairn.open(database, project="p") as memory:
    found = {each.content for start in range(0, 4000, 50)
             for each in memory.listing(limit=50, offset=start)}
    print(json.dumps({
        "error": type(error).__name__, "hint": getattr(error, "hint", ""), "stored": len(stored),
        "lost": len(set(stored) - found), "extra": len(found) - len(stored) - 1, "after": after,
        "problems": [each.detail for each in memory.verify().problems],
    }))
"""


def test_a_file_that_may_not_grow_loses_nothing(database):
    outcome = run(FILL, database, "rlimit")
    assert outcome["stored"] > 10
    assert outcome["hint"]
    assert outcome["error"] in ("StoreError", "StoreFull")
    assert (outcome["lost"], outcome["extra"], outcome["problems"]) == (0, 0, [])
    assert outcome["after"] == "added"


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(tmp_path):
    """On a file system of 2 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=2000k tmpfs "$1" && exec "$2" -c "$3" "$1/memory.db" disk'
    command = ["unshare", "-Urm", "sh", "-c", script, "sh", str(disk), sys.executable, FILL]
    allowed = ["unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    if not shutil.which("unshare") or subprocess.run(allowed, capture_output=True).returncode:
        pytest.skip("this machine does not let us mount a small disk (unshare -Urm)")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    outcome = result_of(process)
    assert outcome["stored"] > 10
    assert outcome["error"] == "StoreFull"
    assert outcome["hint"] == "free some space; nothing was half-written"
    assert (outcome["lost"], outcome["extra"], outcome["problems"]) == (0, 0, [])
    assert outcome["after"] == "added"


READ_ONLY = """
import contextlib, io, json, os, sys
import recairn
from recairn.store.sqlite import doctor
from recairn.surfaces.cli import main
from recairn.core.errors import RecairnError
from recairn.surfaces.mcp.dispatch import Desk
from recairn.surfaces.mcp.server import Connection

folder, kind = sys.argv[1], sys.argv[2]
warm = os.path.join(folder, "warm.db")
with recairn.open(warm, project="p") as memory:  # imports all it needs while root may read it
    memory.remember("warming up")
    memory.search("warming")
    memory.verify()
doctor.diagnose(warm)

def typed(path, *words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["--db", path, "--project", "p", *words])
    return [status, out.getvalue(), err.getvalue().replace(path, "IT")]

typed(warm, "search", "warming")
typed(warm, "add", "warming up by hand")
typed(warm, "nonsense")

def told(path, *calls):
    desk = Desk(path, "p")
    connection = Connection(desk)
    connection.handle(
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}},
        }
    )
    answers = []
    for name, arguments in calls:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answers.append(connection.handle(message)["result"])
    desk.close()
    return answers

CALLS = (
    ("recairn_search", {"query": "door warming"}),
    ("recairn_add", {"content": "written by an agent"}),
)
told(warm, *CALLS)
if os.getuid() == 0:  # root may do anything; go on as somebody who may not
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
database = os.path.join(folder, "own", "memory.db")
with recairn.open(database, project="p") as memory:
    memory.remember("written before the door was closed")
if kind == "file":
    os.chmod(database, 0o400)
else:
    os.chmod(os.path.dirname(database), 0o500)
outcome = {"errors": []}
try:
    with recairn.open(database, project="p") as memory:
        memory.remember("written after the door was closed")
except RecairnError as error:
    outcome["errors"].append([type(error).__name__, error.hint])
if kind == "folder":
    try:
        recairn.open(os.path.join(os.path.dirname(database), "new", "memory.db"))
    except RecairnError as error:
        outcome["errors"].append([type(error).__name__, error.hint])
with recairn.open(database, project="p", read_only=True) as memory:
    outcome["found"] = [hit.memory.content for hit in memory.search("door").hits]
    outcome["problems"] = [each.detail for each in memory.verify().problems]
outcome["levels"] = sorted({each.level for each in doctor.diagnose(database)})
outcome["searched"] = typed(database, "search", "door")
outcome["added"] = typed(database, "add", "written by hand")
outcome["agent"] = told(database, *CALLS)
os.chmod(os.path.dirname(database), 0o700)
os.chmod(database, 0o600)
with recairn.open(database, project="p") as memory:
    outcome["after"] = memory.remember("written when it was open again").status
print(json.dumps(outcome))
"""


@pytest.fixture
def reachable_folder():
    """A folder that another user can reach, with one inside that is theirs."""
    folder = Path(tempfile.mkdtemp(prefix="recairn-test-"))
    folder.chmod(0o755)
    own = folder / "own"
    own.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(own, 65534, 65534)
    yield folder
    shutil.rmtree(folder)


def test_a_read_only_file_is_searched_but_not_written(reachable_folder):
    outcome = run(READ_ONLY, reachable_folder, "file")
    status, out, err = outcome["searched"]
    assert (status, out[:7], err) == (0, "1 hit:\n", "")
    refusal = "recairn: IT may not be written\n  hint: check the file's permissions\n"
    assert outcome["added"] == [1, "", refusal]
    found, refused = outcome["agent"]
    assert len(found["structuredContent"]["hits"]) == 1
    assert refused["isError"]
    assert refused["content"][0]["text"].endswith(
        "may not be written\ncheck the file's permissions"
    )
    assert outcome["errors"] == [["StoreReadOnly", "check the file's permissions"]]
    assert outcome["found"] == ["written before the door was closed"]
    assert (outcome["problems"], outcome["levels"]) == ([], ["ok", "warning"])
    assert outcome["after"] == "added"


def test_a_read_only_folder_is_searched_but_not_written(reachable_folder):
    outcome = run(READ_ONLY, reachable_folder, "folder")
    assert outcome["errors"] == [
        ["StoreReadOnly", "check that the folder is writable"],
        ["StoreReadOnly", "name another file with --db or RECAIRN_DB"],
    ]
    assert outcome["found"] == ["written before the door was closed"]
    assert (outcome["problems"], outcome["levels"]) == ([], ["ok", "warning"])
    assert outcome["after"] == "added"


CLOSED = """
import contextlib, io, json, os, sys
from recairn.surfaces.cli import main

folder = sys.argv[1]
open_one, closed = os.path.join(folder, "open"), os.path.join(folder, "own", "closed")
database = os.path.join(folder, "own", "memory.db")

def typed(*words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*words])
    return [status, (out.getvalue() + err.getvalue()).replace(closed, "IT")]

def type_all(place, path):
    return {
        "doc": typed("--db", path, "doc", "add", place),
        "import": typed("--db", path, "import", place),
        "backup": typed("--db", path, "backup", "create", "--folder", place),
        "doctor": typed("--db", os.path.join(place, "memory.db"), "doctor"),
    }

os.mkdir(open_one)
typed("--db", os.path.join(folder, "warm.db"), "add", "warming up")
type_all(open_one, os.path.join(folder, "warm.db"))  # imports all it needs while root may read it
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.mkdir(closed, 0o000)
typed("--db", database, "add", "the door is closed")
print(json.dumps(type_all(closed, database)))
os.chmod(closed, 0o700)
"""


def test_a_folder_one_may_not_enter_is_told_to_be_closed(reachable_folder):
    said = run(CLOSED, reachable_folder)
    assert said["doc"] == [
        1,
        "recairn: the folder IT may not be read\n  hint: check its permissions\n",
    ]
    assert said["import"] == [1, "recairn: IT may not be read\n  hint: check its permissions\n"]
    assert said["backup"] == [
        1,
        "recairn: IT may not be written\n  hint: name another folder with --folder\n",
    ]
    status, report = said["doctor"]
    assert (status, report.splitlines()[1]) == (1, "problem  IT may not be entered by you")


def test_a_folder_that_cannot_be_made_is_a_clean_error(tmp_path):
    import recairn

    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot create") as caught:
        recairn.open(tmp_path / "file" / "memory.db")
    assert caught.value.hint == "name another file with --db or RECAIRN_DB"


def test_a_folder_in_the_place_of_the_database_is_a_clean_error(tmp_path):
    import recairn

    with pytest.raises(RecairnError) as caught:
        recairn.open(tmp_path)
    assert caught.value.hint


DOCUMENT = """
import contextlib, io, json, os, resource, sys
import recairn
from recairn.surfaces.cli import main

database, page = sys.argv[1], sys.argv[2]
with recairn.open(database, project="p") as memory:
    memory.remember("warming up")
    with open(page, "w") as file:
        file.write("# Tides\\n\\n" + "The chart reads them from the harbour office. " * 2000)
    room = os.path.getsize(database) + 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["--db", database, "--project", "p", "doc", "add", page])
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(json.dumps([status, out.getvalue(), err.getvalue(), len(memory.documents())]))
"""


def test_a_document_that_found_no_room_is_not_said_to_be_written(database, tmp_path):
    database.parent.mkdir(parents=True, exist_ok=True)
    status, said, trouble, kept = run(DOCUMENT, database, tmp_path / "tides.md")
    assert (status, said, kept) == (1, "nothing was written\n", 0)
    assert "tides.md" in trouble
