"""PostgreSQL beside SQLite in one run: the same memories, the same questions, CPU of both sides.

    python3 run.py bench postgres [COUNT] [PART ...] [FOLDER ...]

COUNT synthetic memories, 10,000 unless said otherwise, once in a project of a twentieth of them
(the part `apart`) and once as one scope (`together`); then `writers`, sixteen at once; then the
question sets in FOLDERs (corpus.jsonl.gz, queries.jsonl.gz). Parts that are named run alone: with
100,000 each takes two minutes of CPU. 0 leaves the synthetic ones out. The server is the tests'
own, with its log flushed and a usual cache, and pgbench says beside the writers what it and its
disk can do; BENCH_POSTGRES=postgresql://owner@host/database names another, of which only its
client's side is measured.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import gzip
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg2
from corpus import memories, questions

import recairn
from recairn.store.postgres.address import Address
from recairn.store.postgres.setup import migrate
from tests.postgres_server import OWNER, Server, binaries, new_folder

QUESTIONS = 100
PARTS = ("apart", "together", "writers")
CLIENTS = 16
WRITES = 20
# Seconds that pgbench runs.
_PGBENCH_S = 5
# What pgbench's clients do: one row, flushed; the same while they take turns, as writers did that
# held theirs until it was flushed.
_ONE_ROW = "insert into bench_rows(text) values ('a row of one hundred bytes or so');"
_IN_TURNS = f"begin;\nselect from bench_turn for update;\n{_ONE_ROW}\ncommit;"
_WRITER = """
import sys
sys.path.append(sys.path.pop(0))
sys.path.append(sys.argv[1])
import recairn
from corpus import memories
with recairn.open(sys.argv[2], project="one", model="static") as memory:
    memory.remember(f"writer {sys.argv[3]} is there", force=True)
    drafts = memories(int(sys.argv[4]), seed=10_000 + int(sys.argv[3]))
    print("ready", flush=True)
    sys.stdin.readline()
    for draft in drafts:
        memory.remember(draft["content"], force=True)
"""


@contextmanager
def server() -> Iterator[tuple[str, str]]:
    """The addresses of an owner and of a client."""
    named = os.environ.get("BENCH_POSTGRES")
    if named:
        migrate(Address(named))
        yield named, named.replace("://" + named.split("://")[1].split("@")[0], "://recairn_app")
        return
    flushed = ("fsync=on", "full_page_writes=on", "synchronous_commit=on")
    own = Server(new_folder(), *flushed, "shared_buffers=1GB")
    own.make()
    own.start()
    try:
        migrate(Address(own.address(OWNER)))
        yield own.address(OWNER), own.address()
    finally:
        own.stop()
        own.remove()


def team(owner: str, client: str, name: str) -> str:
    """The address of a new team."""
    migrate(Address(f"{owner}&team={name}"))
    return f"{client}&team={name}"


class Spent:
    """CPU of this process and of the server's side of one connection, in milliseconds."""

    def __init__(self, memory: Any) -> None:
        connection = getattr(memory.store, "connection", None)
        self._connection = connection
        self._stat = Path(f"/proc/{connection.backend()}/schedstat") if connection else None
        self.reset()

    def _server_s(self) -> float:
        if self._stat is None or not self._stat.exists():
            return 0.0
        return int(self._stat.read_text().split()[0]) / 1e9

    def reset(self) -> None:
        self._client, self._server = time.process_time(), self._server_s()
        self._messages = self._connection.messages if self._connection else 0

    def all_ms(self) -> float:
        """Of both sides together."""
        return (time.process_time() - self._client + self._server_s() - self._server) * 1000

    def per(self, count: int) -> str:
        client = (time.process_time() - self._client) * 1000 / count
        there = (self._server_s() - self._server) * 1000 / count
        text = f"{client:7.2f} ms here"
        if self._connection:
            trips = (self._connection.messages - self._messages) / count
            text += f", {there:6.2f} ms on the server, {trips:.2f} round trips"
        return text


def filled(address: str, drafts: list[dict[str, Any]]) -> None:
    with recairn.open(address, project="one", model="static") as memory:
        spent = Spent(memory)
        for start in range(0, len(drafts), 1000):
            memory.remember_many(drafts[start : start + 1000], on_similar="add")
        print(f"  {_name(address):10} written {spent.per(len(drafts))}")


def _name(address: str) -> str:
    return "PostgreSQL" if "://" in address else "SQLite"


def compared(places: list[str], asked: list[tuple[str, str]]) -> None:
    """Asks every place the same, (project, question) each; prints costs and how the hits agree."""
    answers: list[list[list[str]]] = []
    costs: list[float] = []
    for place in places:
        with recairn.open(place, project="one", model="static") as memory:
            found: list[list[str]] = []
            for project, question in asked[:10]:  # what the first ones load is not measured
                memory.search(question, project=project, track=False)
            spent = Spent(memory)
            for project, question in asked:
                hits = memory.search(question, project=project, track=False).hits
                found.append([hit.memory.content for hit in hits])
            costs.append(spent.all_ms())
            print(f"  {_name(place):10} search  {spent.per(len(asked))}")
            answers.append(found)
    pairs = [pair for pair in zip(*answers, strict=True) if pair[0] or pair[1]]
    share = sum(len({*a} & {*b}) / max(len(a), len(b)) for a, b in pairs) / max(len(pairs), 1)
    first = sum(a[:1] == b[:1] for a, b in pairs) / max(len(pairs), 1)
    print(f"  {costs[1] / costs[0]:.2f} x the CPU of SQLite,", end=" ")
    print(f"same hits {share:.3f}, same first {first:.3f} over {len(pairs)} questions")


def writers(address: str, owner: str) -> None:
    """How fast many clients remember at once, each a process that writes a memory at a time."""
    with recairn.open(address, project="one", model="static"):
        pass  # what is made once is there
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, Path(__file__).parent, address, str(at), str(WRITES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for at in range(CLIENTS)
    ]
    for client in clients:
        assert client.stdout is not None
        client.stdout.readline()
    started = time.perf_counter()
    for client in clients:
        assert client.stdin is not None
        client.stdin.write(b"\n")
        client.stdin.flush()
    failed = sum(bool(client.wait()) for client in clients)
    rate = CLIENTS * WRITES / (time.perf_counter() - started)
    print(f"  {CLIENTS} clients: {rate:.0f} writes a second, {failed} failed")
    with recairn.open(address, project="one", model="none") as memory:
        kept = memory.stats()["memories"]
    print(f"  {kept} of {CLIENTS * (WRITES + 1)} memories are there")
    if "BENCH_POSTGRES" in os.environ:
        return
    print(f"  pgbench, {CLIENTS} clients, a row each: {pgbench(owner, _ONE_ROW):.0f} a second")
    print(f"  pgbench, the same in turns: {pgbench(owner, _IN_TURNS):.0f} a second")


def pgbench(owner: str, script: str) -> float:
    """Transactions a second of a script on the same server."""
    with psycopg2.connect(owner) as db, db.cursor() as cursor:
        cursor.execute("create table if not exists bench_rows(id serial primary key, text text)")
        cursor.execute("create table if not exists bench_turn as select 1 as one")
    db.close()
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        options = ["-n", "-c", str(CLIENTS), "-j", "2", "-T", str(_PGBENCH_S), "-f", file.name]
        done = subprocess.run(
            [binaries() / "pgbench", *options, owner], capture_output=True, text=True, check=True
        )
    line = next(line for line in done.stdout.splitlines() if line.startswith("tps"))
    return float(line.split()[2])


def synthetic(owner: str, client: str, count: int, folder: Path, name: str) -> None:
    """The same memories in projects, or as one of them."""
    drafts = memories(count, projects=20)
    project = "project1"
    if name == "together":
        project = "one"
        drafts = [{**draft, "project": project} for draft in drafts]
    print(f"{count:,} memories, {name}: a question sees the project {project}", flush=True)
    places = [str(folder / f"{name}.db"), team(owner, client, name)]
    for place in places:
        filled(place, drafts)
    compared(places, [(project, question) for question in questions(QUESTIONS)])


def question_set(owner: str, client: str, source: Path, folder: Path) -> None:
    """A set of documents and questions, each in its own scope."""
    documents = [each for each in _lines(source / "corpus.jsonl.gz") if each["text"].strip()]
    asked = list(_lines(source / "queries.jsonl.gz"))
    print(f"{source.name}: {len(documents):,} documents, {len(asked):,} questions")
    places = [str(folder / f"{source.name}.db"), team(owner, client, source.name)]
    for place in places:
        filled(place, [{"content": d["text"], "project": _scope(d)} for d in documents])
    compared(places, [(_scope(each), each["text"]) for each in asked])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _scope(record: dict[str, Any]) -> str:
    return str((record.get("meta") or {}).get("scope") or "one")


def main() -> None:
    words = sys.argv[1:]
    count = int(words.pop(0)) if words and words[0].isdigit() else 10_000
    parts = [word for word in words if word in PARTS]
    sources = [word for word in words if word not in PARTS]
    with tempfile.TemporaryDirectory() as name, server() as (owner, client):
        for part in parts or PARTS:
            if part == "writers":
                writers(team(owner, client, "writers"), owner)
            elif count:
                synthetic(owner, client, count, Path(name), part)
        for source in sources:
            question_set(owner, client, Path(source), Path(name))


if __name__ == "__main__":
    main()
