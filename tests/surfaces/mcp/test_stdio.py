"""The server as an agent starts it: a process of its own, with pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from recairn.core.times import now_ms
from recairn.surfaces.cli import main
from tests.corpus import PROJECT, opened, place
from tests.house.test_cold_imports import HEAVY

LONGEST = 4 * 1024 * 1024


class Process:
    """A running `recairn mcp`."""

    def __init__(self, path: Any, *words: str, **options: Any) -> None:
        self.command = [sys.executable, "-m", "recairn", "mcp", "--db", str(place(path))]
        self.child = subprocess.Popen(
            [*self.command, "--project", PROJECT, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.input, self.output = self.child.stdin, self.child.stdout

    def write(self, *messages: Any) -> None:
        lines = [
            each if isinstance(each, bytes) else json.dumps(each).encode() for each in messages
        ]
        self.input.write(b"".join(line + b"\n" for line in lines))
        self.input.flush()

    def read(self) -> Any:
        return json.loads(self.output.readline())

    def ask(self, id: Any, method: str, /, **params: Any) -> Any:
        self.write(request(id, method, **params))
        return self.read()

    def end(self) -> tuple[int, list[Any], str]:
        """Closes the input; exit status, the answers that were left, and standard error."""
        out, err = self.child.communicate(timeout=30)
        return self.child.returncode, [json.loads(line) for line in out.splitlines()], err.decode()


def request(id: Any, method: str, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def call(id: Any, tool: str, /, **arguments: Any) -> dict[str, Any]:
    return request(id, "tools/call", name=tool, arguments=arguments)


HELLO = request(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})


@pytest.fixture
def start(path):
    """Starts the server on the corpus; whatever is left of it is ended with the test."""
    running: list[Process] = []

    def started(*words: str, **options: Any) -> Process:
        running.append(Process(path, *words, **options))
        return running[-1]

    yield started
    for each in running:
        if each.child.poll() is None:
            each.child.kill()
        each.child.communicate()


def test_an_agent_connects_calls_and_leaves(start):
    server = start()
    server.write(HELLO)
    assert server.read()["result"]["serverInfo"]["name"] == "recairn"
    server.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert len(server.ask(1, "tools/list")["result"]["tools"]) <= 8
    server.write(call(2, "recairn_search", query="gulls at the sensor"))
    assert server.read()["result"]["structuredContent"]["hits"][0]["id"] == 3
    assert server.end() == (0, [], "")


def test_everything_sent_before_the_input_ended_is_answered(start):
    server = start()
    server.write(HELLO, *[call(number, "recairn_get", id="1") for number in range(1, 40)])
    status, answers, errors = server.end()
    assert (status, errors) == (0, "")
    assert [each["id"] for each in answers] == [*range(40)]


def test_a_last_line_without_its_end_is_a_line(start):
    server = start()
    server.input.write(json.dumps(HELLO).encode())
    status, answers, _ = server.end()
    assert (status, answers[0]["id"]) == (0, 0)


def test_broken_lines_are_answered_and_the_next_one_is_read(start):
    server = start()
    server.write(HELLO, b"", b"   ", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": NaN}')
    server.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r')
    _, *answers = server.end()[1]
    assert [each["error"]["code"] for each in answers[:-1]] == [-32700] * 4
    assert answers[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_line_that_is_too_long_is_refused_and_the_next_one_is_read(start):
    server = start()
    server.write(HELLO)
    server.read()
    filler = b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"' + b"a" * 100_000
    writer = threading.Thread(
        target=lambda: [server.input.write(filler) for _ in range(2 * LONGEST // 100_000)]
    )
    writer.start()
    writer.join()
    server.write(b'"}}', request(1, "ping"))
    refused, answered = server.read(), server.read()
    assert (refused["id"], refused["error"]["code"]) == (None, -32600)
    assert answered == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_endless_line_is_not_kept_in_memory(start):
    server = start()
    for _ in range(64):
        server.input.write(b"a" * 1_000_000)
    server.write(b"", HELLO)
    assert [server.read()["id"] for _ in range(2)] == [None, 0]
    status = Path(f"/proc/{server.child.pid}/status").read_text()
    peak_kib = int(status.partition("VmHWM:")[2].split()[0])
    assert peak_kib < 40_000


def test_a_large_memory_passes(start):
    server = start()
    text = "".join(f"\u00e4{number} " for number in range(14_000))
    server.write(HELLO, call(1, "recairn_add", content=text))
    server.read()
    assert server.read()["result"]["structuredContent"]["status"] == "added"


def test_pings_and_cancellations_are_taken_while_a_call_runs(start, path):
    server = start()
    server.write(HELLO)
    server.read()
    with opened(path, clock=now_ms) as memory, memory.store.transaction():
        # Somebody else holds the write lock, so the call has to wait.
        server.write(call(1, "recairn_add", content="Waits for the lock"))
        server.write(call(2, "recairn_add", content="Waits in the queue"))
        server.write(request(3, "ping"))
        assert server.read() == {"jsonrpc": "2.0", "id": 3, "result": {}}
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        server.write({**cancelled, "params": {"requestId": 2}}, request(4, "tools/list"))
        assert server.read()["id"] == 4
    assert server.read()["id"] == 1
    assert server.end() == (0, [], "")
    with opened(path, clock=now_ms) as memory:
        assert not [each for each in memory.listing() if each.content == "Waits in the queue"]


def test_hundreds_of_requests_at_once_are_each_answered_once(start):
    server = start("--tools", "default,tx,lore,brain,ccmemory")
    server.write(HELLO)
    server.read()
    questions = [call(f"q{number}", "recairn_search", query="gulls") for number in range(100)]
    thoughts = [
        call(f"a{number}", "recairn_add", content=f"Buoy {number} sends {number * 37}", force=True)
        for number in range(100)
    ]
    pings = [request(f"p{number}", "ping") for number in range(100)]
    everything = [each for group in zip(questions, thoughts, pings, strict=True) for each in group]
    writer = threading.Thread(target=lambda: server.write(*everything))
    writer.start()
    answers = [server.read() for _ in everything]
    writer.join()
    assert sorted(each["id"] for each in answers) == sorted(each["id"] for each in everything)
    assert all("result" in each and not each["result"].get("isError") for each in answers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(start, number):
    server = start()
    server.write(HELLO, call(1, "recairn_get", id="1"))
    server.read(), server.read()
    server.child.send_signal(number)
    out, err = server.output.read(), server.child.stderr.read()
    assert (server.child.wait(30), out, err) == (0, b"", b"")


def test_signals_end_it_even_while_a_call_waits_for_the_database(start, path):
    server = start()
    server.write(HELLO)
    server.read()
    with opened(path, clock=now_ms) as memory, memory.store.transaction():
        memory.store.set_config("busy", "yes", 1)
        server.write(call(1, "recairn_add", content="Waits for the lock"))
        server.write(call(2, "recairn_add", content="Waits in the queue"), request(3, "ping"))
        assert server.read()["id"] == 3
        server.child.send_signal(signal.SIGTERM)
        server.child.send_signal(signal.SIGTERM)
        assert server.child.wait(30) == 0
    assert server.child.stderr.read() == b""
    with opened(path, clock=now_ms) as memory:
        assert not [each for each in memory.listing() if each.content.startswith("Waits")]


def test_a_client_that_stops_reading_ends_it(start):
    server = start()
    server.write(HELLO)
    server.read()
    server.output.close()
    server.write(call(1, "recairn_get", id="1"))
    assert server.child.wait(30) == 0
    assert server.child.stderr.read() == b""


def test_nothing_but_the_protocol_reaches_standard_output(start, path):
    server = start(cwd="/")
    server.write(HELLO, call(1, "recairn_handoff", content="git is asked here"))
    status, answers, _ = server.end()
    assert (status, [each["id"] for each in answers]) == (0, [0, 1])
    # What a library prints, or a child process, goes to standard error.
    code = (
        "import os, sys\n"
        "from recairn.surfaces.mcp.calls import default\n"
        "default.get = lambda call: (print('stray'), os.system('echo child'), {'id': 1})[2]\n"
        "from recairn.surfaces.mcp.stdio import main\n"
        f"main(['--db', {str(path)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-u", "-c", code],
        input="\n".join(json.dumps(each) for each in (HELLO, call(1, "recairn_get", id="1"))),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1]
    assert sorted(done.stderr.split()) == ["child", "stray"]


@pytest.mark.unmeasured
def test_the_handshake_and_the_lists_import_neither_the_engine_nor_anything_heavy(path):
    lists = [request(number, f"{name}/list") for number, name in enumerate(("tools", "prompts"), 1)]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recairn", "mcp", "--db", str(path)],
        input="".join(json.dumps(each) + "\n" for each in (HELLO, *lists)),
        capture_output=True,
        text=True,
        timeout=30,
    )
    lines = [line.split("|") for line in done.stderr.splitlines() if line.count("|") == 2]
    imported = {line[2].strip() for line in lines}
    # `-m` itself brings some of them along; the console script does not.
    brought = {"importlib", "pkgutil", "runpy", "typing", "inspect", "zipimport"}
    assert len(done.stdout.splitlines()) == 3
    assert not {"recairn.engine", "recairn.store", "apsw", "simsimd"} & imported
    assert not {name for name in imported if name.partition(".")[0] in HEAVY - brought}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tool", "tx"], "did you mean '--tools'?"),
        (["--tools"], "--tools needs a value"),
        (["--tools", "tx,brian"], "did you mean 'brain'?"),
        (["--tools="], "no set of tools was named"),
        (["stdio"], "mcp has no option 'stdio'"),
    ],
)
def test_a_mistyped_command_line_is_told_and_exits_with_2(capsys, words, said):
    assert main(["mcp", *words]) == 2
    assert said in capsys.readouterr().err


def test_options_before_the_command_are_understood(path):
    done = subprocess.run(
        [sys.executable, "-m", "recairn", "--db", str(path), "mcp", "--tools", "lore"],
        input="".join(json.dumps(each) + "\n" for each in (HELLO, request(1, "tools/list"))),
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "RECAIRN_DB": "/nowhere/at/all.db"},
    )
    listed = json.loads(done.stdout.splitlines()[1])["result"]["tools"]
    assert [each["name"] for each in listed] == [
        "lore_search",
        "lore_show",
        "lore_graph_traverse",
    ]


ASKING = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={"elicitation": {}}, clientInfo={}
)


def asked_to_destroy(server: Process) -> Any:
    """The question that a client is sent when an agent wants to destroy #1."""
    server.write(ASKING)
    server.read()
    server.write(call(1, "recairn_update", id="1", action="destroy"))
    question = server.read()
    assert question["method"] == "elicitation/create"
    assert question["params"]["requestedSchema"]["required"] == ["yes"]
    return question


def answered(question: Any, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": question["id"], "result": result}


def test_a_user_who_is_asked_and_says_yes_has_the_memory_destroyed(start, path):
    server = start()
    question = asked_to_destroy(server)
    assert question["params"]["message"].startswith("Destroy memory #1 for good?")
    server.write(answered(question, action="accept", content={"yes": True}))
    assert "destroyed for good, as the user said" in str(server.read()["result"])
    with opened(path) as memory:
        assert memory.get(1) is None


@pytest.mark.parametrize(
    "result",
    [
        {"action": "decline"},
        {"action": "accept", "content": {"yes": False}},
        {"action": "accept", "content": {"yes": "true"}},
        {"action": "accept"},
    ],
)
def test_a_user_who_does_not_say_yes_keeps_the_memory(start, path, result):
    server = start()
    server.write(answered(asked_to_destroy(server), **result))
    refused = server.read()["result"]
    assert (refused["isError"], "the user wants #1 kept" in str(refused)) == (True, True)
    with opened(path) as memory:
        assert memory.get(1).deleted_at is None


@pytest.mark.parametrize("answer", [{"action": "cancel"}, None], ids=["cancelled", "left"])
def test_without_an_answer_the_memory_is_hidden_and_waits_in_review(start, path, answer):
    server = start()
    question = asked_to_destroy(server)
    if answer is not None:
        server.write(answered(question, **answer))
    status, answers, _ = server.end()
    assert (status, "recairn review accept 1" in str(answers)) == (0, True)
    with opened(path) as memory:
        assert [record.id for record, _ in memory.erasure_requests()] == [1]


def test_while_a_question_is_open_a_ping_is_answered_and_a_cancellation_taken(start, path):
    server = start()
    asked_to_destroy(server)
    assert server.ask(2, "ping")["id"] == 2
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    server.write({"jsonrpc": "2.0", **cancelled})
    assert server.ask(3, "tools/call", name="recairn_search", arguments={"query": "x"})["id"] == 3
    with opened(path) as memory:
        assert memory.get(1).deleted_at is None
