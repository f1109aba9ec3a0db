"""A hook asks a running MCP server first, and does its own work whenever that does not answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import recairn
from recairn.host import hook_socket
from tests.surfaces.hooks.conftest import event

pytestmark = [pytest.mark.thorough, pytest.mark.files("a server at an address is slow to open")]

LAMP = "The lamp in src/lamp.py burns oil, and test_lamp_burns fails without any"
PROMPT = "why does the lamp burn so much oil in here?"
RUN = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
FAILED = {"stdout": "FAILED tests/test_lamp.py::test_lamp_burns\n1 failed"}


@pytest.fixture
def home(monkeypatch, checkout):
    """A folder of the user with a short path, and a memory of the project puffin."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    (folder / "recairn").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    with recairn.open(model="static") as memory:
        memory.remember(LAMP, force=True)
    yield folder / "recairn" / "run"
    shutil.rmtree(folder)


@pytest.fixture
def ask(checkout, process):
    """Sends an event to a hook; what it says, and whether it has worked that out itself."""

    def sent(name: str, session: str, env=None, **fields):
        given = json.dumps(event(name, checkout, **{**fields, "session_id": session}))
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "recairn", "hook", name],
            input=given.encode(),
            capture_output=True,
            env={**os.environ, "RECAIRN_HOOK_SECONDS": "50", **(env or {})},
            check=True,
        )
        # Who is answered by a server has not even read the event.
        return done.stdout.decode(), b"recairn.surfaces.hooks.event" in done.stderr

    return sent


class Server:
    """`recairn mcp`, and its client."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "recairn", "mcp", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked = 0
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})

    def ask(self, method: str, **params):
        self._asked += 1
        sent = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(sent).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def search(self) -> str:
        """A call, which is answered after all that was asked before."""
        found = self.ask("tools/call", name="recairn_search", arguments={"query": "lamp oil"})
        return str(found["content"][0]["text"])

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@pytest.fixture
def ask_server(ask):
    """The same until the server has answered, which a machine at work may not let it do in time:
    each time in another session. What it says, and the session."""

    def asked(name: str, session: str, **fields):
        for attempt in range(20):
            said, itself = ask(name, f"{session}-{attempt}", **fields)
            if not itself:
                return said, f"{session}-{attempt}"
        raise AssertionError("the server answers no hook")

    return asked


@pytest.fixture
def server(home):
    """Starts a server, and waits until hooks find it."""
    started: list[Server] = []

    def start(*options: str) -> Server:
        known = set(os.listdir(home)) if home.exists() else set()
        started.append(Server(*options))
        end = time.monotonic() + 20
        while not home.exists() or not set(os.listdir(home)) - known:
            assert time.monotonic() < end, "the server does not listen"
            started[-1].ask("ping")
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        with each.process:
            each.process.wait(20)


def listening(home: Path, header: bytes | None = None) -> socket.socket:
    """A socket of the test's own in the place of a server's."""
    home.mkdir(mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / f"{hook_socket.name_of(header or hook_socket.header())}1"))
    listener.listen()
    return listener


def test_a_server_says_what_the_hook_itself_would_say(home, server, ask, ask_server, checkout):
    events: dict[str, dict[str, Any]] = {
        "UserPromptSubmit": {"prompt": PROMPT},
        "PostToolUse": {
            "tool_name": "Read",
            "tool_input": {"file_path": str(checkout / "src" / "lamp.py")},
            "tool_response": {"file": {"content": "x = 1\n"}},
        },
        "PostToolUseFailure": {**RUN, "tool_response": FAILED},
    }
    alone = {name: ask(name, f"alone-{name}", **fields) for name, fields in events.items()}
    assert all(LAMP in said and itself for said, itself in alone.values())
    running = server()
    ask("UserPromptSubmit", "first", prompt="what else is there to do today?")
    assert LAMP in running.search()  # by then everything is loaded
    served = {name: ask_server(name, f"served-{name}", **fields) for name, fields in events.items()}
    assert {name: said for name, (said, _) in served.items()} == {
        name: said for name, (said, _) in alone.items()
    }
    prompted = served["UserPromptSubmit"][1]
    with recairn.open() as memory:
        assert memory.notes(prompted) == memory.notes("alone-UserPromptSubmit")
        for name in events:
            noted = [memory.turns(session) for session in (f"alone-{name}", served[name][1])]
            kept = [[(turn.event, turn.prompt, turn.silence) for turn in turns] for turns in noted]
            assert kept[0] == kept[1] != []
    assert ask("UserPromptSubmit", prompted, prompt=PROMPT)[0] == ""
    assert LAMP in running.search()
    running.end()
    assert os.listdir(home) == []


def test_what_must_be_the_same_is_the_same_or_the_server_is_not_asked(
    home, server, ask, ask_server, tmp_path
):
    running = server()
    ask("UserPromptSubmit", "first", prompt=PROMPT)
    running.search()
    other = str(tmp_path / "other.db")
    with recairn.open(other, model="static") as memory:
        memory.remember("The lamp of the other database burns gas", force=True)
    said, itself = ask("UserPromptSubmit", "a", env={"RECAIRN_DB": other}, prompt=PROMPT)
    assert ("burns gas" in said, LAMP in said, itself) == (True, False, True)
    assert ask("UserPromptSubmit", "b", env={"RECAIRN_MODEL": "none"}, prompt=PROMPT)[1]
    assert ask("UserPromptSubmit", "c", env={"RECAIRN_PROJECT": "puffin"}, prompt=PROMPT)[1]
    # A session and a folder that only the environment names are the hook's own to know.
    assert ask("UserPromptSubmit", "", prompt=PROMPT)[1]
    assert ask("UserPromptSubmit", "d", cwd="", prompt=PROMPT)[1]
    assert LAMP in ask_server("UserPromptSubmit", "e", prompt=PROMPT)[0]
    with recairn.open() as memory:
        memory.set_config("hooks.server", "off")
    assert ask("UserPromptSubmit", "f", prompt=PROMPT)[1]
    running.process.terminate()
    running.process.wait(20)
    assert os.listdir(home) == []


def test_the_socket_of_a_server_that_was_killed_is_in_nobodys_way(home, server, ask, ask_server):
    killed, running = server(), server()
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait(20)
    assert len(os.listdir(home)) == 2
    said, itself = ask("UserPromptSubmit", "a", prompt=PROMPT)
    assert (LAMP in said, itself) == (True, True)
    assert len(os.listdir(home)) == 1
    running.search()
    assert ask_server("UserPromptSubmit", "b", prompt=PROMPT)[0] == said


@pytest.mark.parametrize("said", [b"", b"B", b"BD", b"BA0000000z"])
def test_a_hook_does_its_own_work_when_a_server_hangs_or_talks_nonsense(home, ask, said):
    with listening(home) as listener:
        taken = []

        def answer():
            connection, _ = listener.accept()
            connection.sendall(said)
            taken.append(connection)

        thread = threading.Thread(target=answer)
        thread.start()
        heard, itself = ask("UserPromptSubmit", "a", prompt=PROMPT)
        thread.join()
        taken[0].close()
    assert (LAMP in heard, itself) == (True, True)


@pytest.mark.parametrize("how", ["open to others", "a link"])
def test_a_folder_that_is_not_the_users_alone_is_not_trusted(home, ask, how):
    with listening(home) as listener:
        if how == "a link":
            home.rename(home.with_name("elsewhere"))
            home.symlink_to("elsewhere")
        else:
            home.chmod(0o755)
        listener.setblocking(False)
        said, itself = ask("UserPromptSubmit", "a", prompt=PROMPT)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert (LAMP in said, itself) == (True, True)


def test_a_folder_of_somebody_else_is_not_trusted(home, monkeypatch):
    home.mkdir(mode=0o700)
    assert hook_socket.is_private(str(home))
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert not hook_socket.is_private(str(home))


def test_a_process_of_somebody_else_is_not_answered(monkeypatch):
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert hook_socket.is_own(one)
        owner = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        assert not hook_socket.is_own(one) or not hasattr(socket, "SO_PEERCRED")


def test_a_socket_whose_path_is_too_long_is_not_made():
    assert hook_socket.fits("/home/somebody/.local/share/recairn/run/1e9428ad4c402712.22657")
    assert not hook_socket.fits(f"/home/{'long' * 24}/x")
