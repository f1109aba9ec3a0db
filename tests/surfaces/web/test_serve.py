"""`recairn serve` itself: how it begins, how it ends, and what it says of a database in trouble."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import apsw
import pytest

import recairn
from recairn.surfaces.web.serve import listening as listening_socket
from tests.surfaces.web.serving import PATIENCE_S, bound_by_permissions, surroundings

pytestmark = pytest.mark.thorough


def filled(path, text="Fog is visibility below 800 m"):
    with recairn.open(str(path), project="lantern", model="none") as memory:
        memory.remember(text)


def listening(served):
    """An open live stream: the socket, after the first event came."""
    stream = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_S)
    stream.sendall(
        f"GET /api/changes HTTP/1.1\r\nHost: {served.host}\r\n"
        f"Authorization: Bearer {served.token}\r\n\r\n".encode()
    )
    told = b""
    while b"event: ready" not in told:
        told += stream.recv(4096)
    return stream


def until_changed(stream):
    """All that a live stream says until it tells of a change."""
    told, end = b"", time.monotonic() + PATIENCE_S
    while b"event: changed" not in told:
        assert time.monotonic() < end, told
        told += stream.recv(4096)
    return told


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_with_open_streams(serve, tmp_path, how):
    filled(tmp_path / "memories.db")
    served = serve()
    streams = [listening(served) for _ in range(3)]
    served.process.send_signal(how)
    served.process.communicate(timeout=5)
    assert served.process.returncode == (0 if how == signal.SIGINT else -signal.SIGTERM)
    for stream in streams:
        stream.close()


def test_the_body_of_an_answer_does_not_wait_until_its_head_is_confirmed():
    with (
        listening_socket(socket.AF_INET, "127.0.0.1", 0) as ours,
        socket.create_connection(ours.getsockname()[:2]),
    ):
        taken, _ = ours.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_without_the_extra_it_says_what_to_install(tmp_path):
    script = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from recairn.surfaces.cli import main; sys.exit(main(['serve']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=surroundings(tmp_path)
    )
    assert done.returncode == 1
    assert "pip install 'recairn[web]'" in done.stderr


def test_a_change_by_another_process_is_told_to_who_listens(serve, tmp_path):
    filled(tmp_path / "memories.db")
    stream = listening(serve("--project", "lantern"))
    filled(tmp_path / "memories.db", "Gulls sit on the fog sensor at dawn")
    told = until_changed(stream)
    message = told[told.index(b"event: changed") :]
    assert b"Gulls" not in told
    assert len(message) <= 200
    stream.close()


# Databases in trouble


def test_where_there_is_no_database_the_page_says_so_and_none_is_made(serve, tmp_path):
    overview = serve().get("/api/overview")
    assert overview["absent"] is True
    assert overview["counts"]["memories"] == 0
    assert not (tmp_path / "memories.db").exists()


def test_a_write_that_another_process_holds_up_is_told_within_seconds(serve, tmp_path):
    filled(tmp_path / "memories.db")
    served = serve("--project", "lantern")
    holder = apsw.Connection(str(tmp_path / "memories.db"))
    holder.execute("begin immediate")
    answer = served.ask("POST", "/api/memories/1/forget", {})
    assert (answer.status, answer.error) == (503, "StoreBusy")
    assert served.get("/api/memories/1")["deleted_at"] is None
    holder.execute("rollback")
    assert served.post("/api/memories/1/forget")["memory"]["deleted_at"]
    holder.close()


def test_what_another_process_wrote_is_in_the_next_answer(serve, tmp_path):
    """Counts and names that were kept, too."""
    filled(tmp_path / "memories.db")
    served = serve("--project", "lantern")
    for address in ("/api/overview", "/api/memories", "/api/histogram"):
        served.get(address)
    filled(tmp_path / "memories.db", "Gulls sit on the fog sensor at dawn")
    assert served.get("/api/overview")["counts"]["memories"] == 2
    assert served.get("/api/memories")["meta"]["total"] == 2
    assert served.get("/api/histogram")["total"] == 2
    assert served.get("/api/overview?project=puffin")["projects"][0]["memories"] == 2
    with recairn.open(str(tmp_path / "memories.db"), project="lantern", model="none") as memory:
        memory.rename_project("lighthouse", "lantern")
    assert served.get("/api/overview")["project"] == "lighthouse"
    assert served.get("/api/memories")["meta"]["total"] == 2


def test_a_database_that_was_replaced_is_the_one_that_answers(serve, tmp_path):
    filled(tmp_path / "memories.db")
    filled(tmp_path / "other.db", "The lamp turns with a stepper motor")
    served = serve("--project", "lantern")
    assert "Fog" in served.get("/api/search?q=fog")["hits"][0]["content"]
    for leftover in tmp_path.glob("memories.db-*"):
        leftover.unlink()
    os.replace(tmp_path / "other.db", tmp_path / "memories.db")
    assert "lamp" in served.get("/api/search?q=lamp")["hits"][0]["content"]


def test_a_database_that_vanished_is_told_and_may_come_back(serve, tmp_path):
    filled(tmp_path / "memories.db")
    served = serve("--project", "lantern")
    assert served.get("/api/overview")["counts"]["memories"] == 1
    shutil.move(tmp_path / "memories.db", tmp_path / "away.db")
    assert served.get("/api/overview")["absent"] is True
    assert served.ask("GET", "/api/memories/1").status == 404
    shutil.move(tmp_path / "away.db", tmp_path / "memories.db")
    assert served.get("/api/overview")["counts"]["memories"] == 1


def test_a_file_that_is_no_database_is_told(serve, tmp_path):
    (tmp_path / "memories.db").write_bytes(b"this is no database at all, " * 300)
    answer = serve().ask("GET", "/api/overview")
    assert answer.status == 500
    assert answer.error == "StoreDamaged"
    assert answer.json["error"]["hint"]


def test_a_read_only_database_is_read(serve, tmp_path):
    filled(tmp_path / "memories.db")
    (tmp_path / "memories.db").chmod(0o400)
    served = serve("--project", "lantern", confined=bound_by_permissions)
    assert served.get("/api/overview")["read_only"] is True
    assert served.get("/api/search?q=fog")["hits"][0]["id"] == 1
    answer = served.ask("POST", "/api/memories/1/forget", {})
    assert (answer.status, answer.error) == (403, "StoreReadOnly")
    assert answer.json["error"]["hint"]
    (tmp_path / "memories.db").chmod(0o600)
    assert served.post("/api/memories/1/forget")["memory"]["deleted_at"]


def test_a_page_over_a_server_shows_every_place_and_takes_a_change_back(serve, postgres):
    address = postgres.new_team()
    with recairn.open(address, project="lantern", model="none", session="s-1") as memory:
        for text in ("Fog is visibility below 800 m", "Gulls sit on the fog sensor at dawn"):
            memory.remember(text)
        memory.remember("The lamp may need oil", trust="unverified", source_type="hook")
        memory.link(1, 2, "relates_to")
        memory.add_task("Oil the bearings", id="t-oil")
        memory.add_text(b"# Fog\n\nSound the horn.\n", "fog.md")
        memory.context(prompt="what is fog", surface="mcp")
    served = serve("--project", "lantern", database=address)
    stream = listening(served)
    for place in ("search?q=fog", "search?q=fog&as_of=2020-01-01", "memories?limit=1", "histogram"):
        served.get(f"/api/{place}")
    for place in ("sessions", "sessions/s-1", "rules", "ledger", "documents", "projects", "health"):
        served.get(f"/api/{place}")
    counts = served.get("/api/overview")["counts"]
    assert counts == {"memories": 3, "review": 1, "rules": 0, "sessions": 1, "tasks": 1}
    assert served.get("/api/review")["total"] == 1
    assert served.get("/api/graph/1")["edges"]
    assert "Fog" in served.post("/api/try", {"prompt": "what is fog"})["text"]
    done = served.post("/api/tasks/t-oil/done", {"outcome": "success"})
    served.post("/api/undo", done["back"])
    forgotten = served.post("/api/memories/1/forget")
    assert served.get("/api/memories")["meta"]["total"] == 2
    served.post("/api/undo", {"events": forgotten["events"]})
    assert served.get("/api/memories")["meta"]["total"] == 3
    assert served.get("/api/tasks/t-oil")["status"] == "open"
    until_changed(stream)
    stream.close()


@pytest.mark.unmeasured
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_an_idle_page_takes_little_memory(serve, tmp_path):
    filled(tmp_path / "memories.db")
    served = serve("--project", "lantern")
    served.get("/api/overview")
    with open(f"/proc/{served.process.pid}/status") as status:
        used = next(line for line in status if line.startswith("VmRSS"))
    assert int(used.split()[1]) <= 45 * 1024, used


def test_another_project_is_looked_at_in_its_own_name(serve, tmp_path):
    filled(tmp_path / "memories.db")
    with recairn.open(str(tmp_path / "memories.db"), project="puffin", model="none") as memory:
        memory.remember("Puffins nest in burrows")
    served = serve("--project", "lantern")
    assert served.get("/api/overview")["project"] == "lantern"
    assert served.get("/api/overview?project=puffin")["project"] == "puffin"
    assert [each["id"] for each in served.get("/api/memories?project=puffin")["memories"]] == [2]
    assert len(served.get("/api/memories?project=*")["memories"]) == 2
    # What is of another project is read, but changed only from there, or from all of them.
    assert served.ask("POST", "/api/memories/2/forget", {}).status == 409
    assert served.ask("POST", "/api/memories/2/forget?project=*", {}).status == 200


def test_no_other_command_loads_the_server(tmp_path):
    script = (
        "import sys\nfrom recairn.surfaces.cli import main\n"
        "main(['add', 'Fog is below 800 m']); main(['search', 'fog']); main(['stats'])\n"
        "print([each for each in ('starlette', 'uvicorn', 'anyio') if each in sys.modules])"
    )
    env = {**surroundings(tmp_path), "RECAIRN_DB": str(tmp_path / "m.db")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert done.stdout.strip().endswith("[]"), done
