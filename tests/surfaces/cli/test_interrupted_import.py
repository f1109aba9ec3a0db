"""An import that was stopped midway: what came in stays, and the same command goes on there."""

import json
import re

import pytest

from tests.durability.children import start

LINES = 50
# The program itself, in small transactions; at one of its commits it gets a signal.
PROGRAM = """
import os, signal, sys
import apsw
from recairn.sources import imported
from recairn.surfaces.cli import main

file, deadly, name = sys.argv[1:]
imported.BATCH = 10
commits = 0

def at_commit():
    global commits
    commits += 1
    if commits == int(deadly):
        os.kill(os.getpid(), getattr(signal, name))
    return False

apsw.connection_hooks.append(lambda db: db.set_commit_hook(at_commit))
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(["import", "jsonl", file]))
"""

pytestmark = pytest.mark.files("what is counted are the commits of a file")


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.jsonl"
    texts = [f"Buoy {number} lies {number * 7} fathoms off the mole" for number in range(LINES)]
    path.write_text("".join(json.dumps({"content": text}) + "\n" for text in texts))
    return path


def stopped(path, commit, signal):
    process = start(PROGRAM, path, commit, signal)
    _, said = process.communicate()
    return process.returncode, said


def kept(recairn):
    return {memory["content"] for memory in recairn("list", "-n", "99", "--json").json["memories"]}


def test_who_interrupts_an_import_is_told_what_stays_and_it_goes_on_from_there(recairn, lines):
    recairn("add", "The mole was built of granite")
    status, said = stopped(lines, 4, "SIGINT")
    assert status == 130, said
    told = re.search(r"stopped; (\d+) memories came in and stay; the same command goes on", said)
    assert told is not None, said
    so_far = len(kept(recairn)) - 1
    assert 0 < so_far < LINES
    assert int(told[1]) == so_far

    again = recairn("import", "jsonl", str(lines), "--json").json["imports"][0]
    assert (again["added"], again["unchanged"]) == (LINES - so_far, so_far)
    assert len(kept(recairn)) == LINES + 1


@pytest.mark.parametrize("commit", [3, 5, 8])
def test_an_import_that_was_killed_goes_on_without_doubles(recairn, lines, commit):
    assert stopped(lines, commit, "SIGKILL")[0] == -9
    before = len(kept(recairn))
    again = recairn("import", "jsonl", str(lines), "--json").json["imports"][0]
    assert (again["added"], again["unchanged"], again["known"]) == (LINES - before, before, 0)
    assert len(kept(recairn)) == LINES


def test_an_interrupted_export_leaves_nothing_and_says_so(recairn, lines, tmp_path):
    recairn("import", "jsonl", str(lines))
    export = tmp_path / "export.jsonl"
    recairn("export", str(export))
    other = tmp_path / "other.db"
    process = start(
        "import os; os.environ['RECAIRN_DB'] = " + repr(str(other)) + PROGRAM, export, 3, "SIGINT"
    )
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert "an export comes whole or not at all: nothing of" in said


def test_how_far_an_import_has_come_is_drawn_on_a_terminal_alone(recairn, lines, tmp_path):
    assert "imported, MB" not in recairn("import", "jsonl", str(lines)).err
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"content": "A lightship lies off the bar"}) + "\n")
    assert "imported, MB" in recairn("import", "jsonl", str(other), tty=True).err
