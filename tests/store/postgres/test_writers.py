"""Many clients at once: nothing is lost or there twice, and no gap is taken for the end."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import psycopg2
import pytest

import recairn
from recairn import store as stores
from recairn.core.errors import StoreBusy, StoreError
from recairn.store.postgres.address import Address
from recairn.store.postgres.schema import LATEST
from recairn.store.postgres.setup import migrate
from recairn.store.tables import BEGINNING
from tests.corpus import NOW, PROJECT, logged_search
from tests.postgres_server import OWNER, Server, new_folder

pytestmark = pytest.mark.thorough

CLIENTS = 8


def at_once(*works):
    """Runs functions in threads of their own, all at the same time; what each returned."""
    start = threading.Barrier(len(works))
    answers: list[Any] = [None] * len(works)

    def run(at, work):
        start.wait()
        try:
            answers[at] = work()
        except Exception as error:
            answers[at] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def opened(address):
    return recairn.open(address, project=PROJECT, model="none")


def remembering(address, *texts):
    def work():
        with opened(address) as memory:
            return [memory.remember(text, force=True) for text in texts]

    return work


def test_the_same_text_from_eight_clients_is_one_memory(postgres):
    address = postgres.new_team()
    with opened(address):
        pass
    answers = at_once(*[remembering(address, "The lamp burns until dawn")] * CLIENTS)
    assert sorted(answer[0].status for answer in answers) == ["added"] + ["reinforced"] * 7
    with opened(address) as memory:
        assert memory.stats()["memories"] == 1
        assert memory.verify().problems == ()


def test_every_memory_of_eight_clients_has_its_own_number_and_none_is_left_out(postgres):
    address = postgres.new_team()
    texts = [
        [f"buoy {client} reads {number} fathoms" for number in range(6)] for client in range(8)
    ]
    answers = at_once(*[remembering(address, *own) for own in texts])
    ids = sorted(each.id for answer in answers for each in answer)
    assert ids == list(range(1, 49))
    with opened(address) as memory:
        assert memory.verify().problems == ()


def test_no_change_of_several_clients_is_lost(postgres):
    address = postgres.new_team()
    with opened(address) as memory:
        memory.remember("The lamp burns until dawn")

    def use():
        store: Any = stores.open(address)
        for _ in range(5):
            with store.transaction():
                store.log_search(logged_search("lamp"), [1])
        store.close()

    assert at_once(*[use] * CLIENTS) == [None] * CLIENTS
    with opened(address) as memory:
        assert memory.get(1).usage_count == 5 * CLIENTS


def test_who_follows_the_history_misses_nothing_that_is_written_meanwhile(postgres):
    address = postgres.new_team()
    done = threading.Event()

    def follow():
        store: Any = stores.open(address)
        position, seen, last_round = BEGINNING, set[int](), False
        while True:
            changes = store.changed_after(position)
            position = changes.position
            seen.update(changes.memories)
            if last_round:
                store.close()
                return seen
            last_round = done.is_set()

    def write():
        texts = [[f"buoy {client} reads {number}" for number in range(5)] for client in range(4)]
        answers = at_once(*[remembering(address, *own) for own in texts])
        done.set()
        return {each.id for answer in answers for each in answer}

    seen, written = at_once(follow, write)
    assert written <= seen


def test_a_writer_waits_only_as_long_as_it_is_patient(postgres):
    address = postgres.new_team()
    first: Any = stores.open(address)
    second: Any = stores.open(address, patience_s=0.05)
    with first.transaction():
        first.set_config("a", "1", NOW)
        with pytest.raises(StoreBusy, match="another client is writing"):
            second.set_config("a", "2", NOW)
    second.set_config("a", "3", NOW)
    assert second.config() == {"a": "3"}
    first.close()
    second.close()


def test_twelve_owners_at_once_make_the_tables_once(postgres):
    address = Address(postgres.server.address(OWNER, schema="by_twelve"))
    answers = at_once(*[lambda: migrate(address)] * 12)
    made = list(range(1, LATEST + 1))
    assert sorted(answers, key=len) == [[]] * 11 + [made]


def cut(store):
    """Ends the connection of a store, as a restart of the server would."""
    owner = psycopg2.connect(
        f"{store.connection.address.conninfo.replace('recairn_app@', 'owner@')}"
    )
    with owner.cursor() as cursor:
        cursor.execute("select pg_terminate_backend(%s)", (store.connection._db.info.backend_pid,))
    owner.close()


def test_a_reader_whose_connection_ended_goes_on_with_a_new_one(postgres):
    store: Any = stores.open(postgres.new_team())
    store.set_config("a", "1", NOW)
    cut(store)
    assert store.read_position("a", "b") == 0
    cut(store)
    with store.transaction():
        assert store.seal() == ""
        store.set_config("a", "2", NOW)
    assert store.config() == {"a": "2"}
    store.close()


def test_a_writer_whose_connection_ended_in_the_middle_is_told_and_has_written_nothing(postgres):
    store: Any = stores.open(postgres.new_team())

    def write():
        with store.transaction():
            store.set_config("a", "1", NOW)
            assert store.seal() == ""  # what waited has gone to the server by now
            cut(store)
            store.seal()

    with pytest.raises(StoreError):
        write()
    store.forget_basics()
    assert store.config() == {}
    store.set_config("a", "2", NOW)
    assert store.config() == {"a": "2"}
    store.close()


# Remembers until it is killed, and says what was acknowledged.
WRITER = """
import sys, recairn
with recairn.open(sys.argv[1], project="puffin", model="none") as memory:
    for number in range(100_000):
        memory.remember(f"lamp {sys.argv[2]} burns {number} hours", force=True)
        print(number, flush=True)
"""


def test_a_client_that_is_killed_leaves_what_was_acknowledged_whole_and_no_lock(postgres):
    address = postgres.new_team()
    clients = [
        subprocess.Popen([sys.executable, "-c", WRITER, address, name], stdout=subprocess.PIPE)
        for name in ("one", "two")
    ]
    said: list[int] = []
    for client in clients:
        assert client.stdout is not None
        for _ in range(5):
            client.stdout.readline()
        client.kill()
        said.append(5 + client.stdout.read().count(b"\n"))
        client.wait()
        client.stdout.close()
    with opened(address) as memory:
        memory.remember("whoever comes after them waits for nobody")
        kept = [each.content for each in memory.every_memory()]
        for name, count in zip(("one", "two"), said, strict=True):
            theirs = {text for text in kept if f"lamp {name}" in text}
            assert {f"lamp {name} burns {number} hours" for number in range(count)} <= theirs
            assert len(theirs) <= count + 1
        assert memory.verify().problems == ()


@pytest.fixture
def own_server():
    """A server that flushes what it acknowledges."""
    folder = new_folder()
    server = Server(folder, "fsync=on", "full_page_writes=on", "synchronous_commit=on")
    server.make()
    server.start()
    yield server
    server.stop()
    server.remove()


def test_what_was_acknowledged_survives_that_the_server_is_killed(own_server):
    migrate(Address(own_server.address(OWNER)))
    acknowledged: list[list[str]] = [[], [], []]
    enough, stopped = threading.Event(), threading.Event()

    def write(client):
        def work():
            with opened(own_server.address()) as memory:
                for number in range(10_000):
                    if stopped.is_set():
                        return
                    text = f"buoy {client} reads {number} fathoms"
                    memory.remember(text, force=True)
                    acknowledged[client].append(text)
                    if number == 5:
                        enough.set()

        return work

    def kill():
        enough.wait()
        own_server.kill()
        stopped.set()
        own_server.start()

    at_once(write(0), write(1), write(2), kill)
    with opened(own_server.address()) as memory:
        kept = {each.content for each in memory.every_memory()}
        assert {text for texts in acknowledged for text in texts} <= kept
        assert memory.verify().problems == ()
