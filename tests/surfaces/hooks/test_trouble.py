"""Whatever is wrong, a hook ends with status 0 and says nothing.

Events that differ only in what they would have said run in this process; where the end of the
process itself matters, it is a real one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.surfaces.hooks.conftest import event

SILENT = (0, "", "")
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Why do gulls peck the tide sensor? Never paint it yellow."},
    "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "/a.py"}},
    "Stop": {"stop_hook_active": False},
    "PreCompact": {"trigger": "auto"},
    "SessionEnd": {"reason": "other"},
}
every_event = pytest.mark.parametrize("name", EVENTS)
asking: tuple[str, dict[str, Any]] = ("UserPromptSubmit", EVENTS["UserPromptSubmit"])


@pytest.fixture
def database(store):
    """A healthy database that has an answer, which trouble then befalls."""
    with store() as memory:
        memory.remember("Gulls peck the yellow tide sensor: paint it grey")
    return Path(os.environ["RECAIRN_DB"])


def test_a_healthy_database_is_asked_in_a_process_of_its_own(process, database):
    said = process(asking[0], **asking[1])
    assert (said.status, said.err) == (0, "")
    assert "paint it grey" in said.context


@every_event
def test_without_a_database_none_is_made(hook, name):
    assert hook(name, **EVENTS[name]) == SILENT
    assert not Path(os.environ["RECAIRN_DB"]).exists()


@pytest.fixture
def other(database):
    """Another program's connection to the same database."""
    with closing(apsw.Connection(str(database))) as connection:
        yield connection


@pytest.fixture
def writer(store, database):
    """Somebody else whose change is not done yet."""
    with store() as memory, memory.store.transaction():
        memory.store.set_config("busy", "yes", 1)
        yield memory


@every_event
def test_a_locked_database(hook, writer, name):
    assert hook(name, **EVENTS[name]) == SILENT


@pytest.mark.files("no writer of a server keeps a reader out")
def test_a_database_locked_against_readers_too(process, other):
    other.execute("pragma locking_mode=exclusive")
    other.execute("begin exclusive; insert into meta values ('a', 'b')")
    assert process(asking[0], **asking[1]) == SILENT


@pytest.mark.files("damages its bytes")
@pytest.mark.parametrize("damage", ["header", "middle", "noise"])
def test_a_damaged_database(process, database, damage):
    content = bytearray(database.read_bytes())
    if damage == "header":
        content[:100] = bytes(100)
    elif damage == "middle":
        content[4096 : len(content)] = os.urandom(len(content) - 4096)
    else:
        content = bytearray(os.urandom(5000))
    for side in ("-wal", "-shm"):
        Path(f"{database}{side}").unlink(missing_ok=True)
    database.write_bytes(content)
    assert process(asking[0], **asking[1]) == SILENT


@pytest.mark.files("tests/surfaces/cli/test_servers.py has the server's")
def test_a_database_of_a_newer_recairn(hook, other):
    other.execute("pragma user_version=999")
    assert hook(asking[0], **asking[1]) == SILENT


@pytest.mark.files("forbids the file")
def test_a_database_that_may_not_be_written(process, database):
    if os.geteuid() == 0:
        # Root may write everything but a file that is a folder.
        database.unlink()
        database.mkdir()
        (database / "x").touch()
    else:
        database.chmod(0o400)
    assert process(asking[0], **asking[1]) == SILENT


@pytest.mark.unmeasured
@pytest.mark.files("the disk is that of the server")
@pytest.mark.parametrize("name", ["UserPromptSubmit", "SessionEnd"])
def test_a_full_disk(checkout, database, name):
    given = json.dumps(event(name, checkout, **EVENTS[name])).encode()
    script = 'ulimit -f 0; exec "$1" -m recairn hook "$2"'
    settings = {**os.environ, "RECAIRN_HOOK_SECONDS": "50"}
    done = subprocess.run(
        ["sh", "-c", script, "sh", sys.executable, name],
        input=given,
        capture_output=True,
        env=settings,
        cwd=checkout,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "raw",
    [b"{", b"[1, 2]", b"null", b"\xff\xfe\x00", b'{"prompt": 7}', b'{"a":' * 5000, b"x" * 100],
)
def test_nonsense_on_standard_input(hook, database, raw):
    assert hook("UserPromptSubmit", raw=raw) == SILENT


def test_nothing_on_standard_input(checkout, database):
    command = [sys.executable, "-m", "recairn", "hook", "UserPromptSubmit"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_input_that_never_ends_is_given_up(checkout, database):
    command = [sys.executable, "-m", "recairn", "hook", "UserPromptSubmit"]
    settings = {**os.environ, "RECAIRN_HOOK_SECONDS": "0.2"}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=settings, **pipes) as waiting:
        assert waiting.wait(30) == 0
        assert waiting.stdout is not None
        assert waiting.stdout.read() == b""


@pytest.mark.parametrize(
    "words",
    [
        ("hook",),
        ("hook", "NoSuchEvent"),
        ("hook", "--bogus"),
        ("--bogus", "hook", "PreToolUse"),
        ("--db", "/nowhere/x.db", "hook", "UserPromptSubmit"),
    ],
)
def test_a_wrong_command_line_is_no_usage_error(process, checkout, words):
    assert process("PreToolUse", *words, prompt="why?") == SILENT


def test_a_reader_that_went_away_is_no_error(checkout, database):
    given = json.dumps(event(asking[0], checkout, **asking[1])).encode()
    command = [sys.executable, "-m", "recairn", "hook", asking[0]]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, input=given, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_that_is_gone_is_no_error(hook, database):
    assert hook("Stop", cwd="/no/such/folder", stop_hook_active=False) == SILENT


def test_the_environment_switches_all_off(hook, database, monkeypatch):
    monkeypatch.setenv("RECAIRN_HOOKS", "off")
    assert hook(asking[0], **asking[1]) == SILENT


def test_a_checkout_switches_all_off_for_everyone(hook, database, checkout):
    (checkout / ".recairn").mkdir()
    (checkout / ".recairn" / "hooks-off").touch()
    assert hook(asking[0], **asking[1]) == SILENT
