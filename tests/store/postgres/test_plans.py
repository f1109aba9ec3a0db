"""What a server is asked often it plans once, wherever its connection is ours alone."""

from __future__ import annotations

from typing import Any

import pytest

import recairn
from recairn import store as stores
from recairn.core.errors import StoreBusy
from tests.corpus import MEMORIES, NOW, PROJECT
from tests.store.postgres.test_pool import pool  # noqa: F401
from tests.store.postgres.test_writers import cut

QUESTION = "gulls at the sensor"


@pytest.fixture
def address(postgres):
    address = postgres.new_team()
    with recairn.open(address, project=PROJECT) as memory:
        memory.remember_many(MEMORIES)
    return address


def planned(memory: Any) -> int:
    """How many plans the server keeps for the connection of a memory."""
    return int(memory.store.connection.value("select count(*) from pg_prepared_statements"))


def found(memory: Any) -> list[int]:
    return [hit.id for hit in memory.search(QUESTION, track=False).hits]


def test_a_search_is_planned_once_and_finds_the_same_as_one_that_is_planned_anew(address):
    with recairn.open(address, project=PROJECT) as memory:
        first = found(memory)
        assert planned(memory) == 0  # whoever asks once pays for one plan
        assert [found(memory), found(memory)] == [first, first]
        kept = planned(memory)
        assert kept == 2
        assert found(memory) == first
        assert planned(memory) == kept
        new = memory.remember(f"{QUESTION}, {QUESTION}", force=True).id
        assert new in found(memory)
        assert found(memory) == [hit.id for hit in memory.search(QUESTION).hits]


def test_no_search_waits_until_the_server_has_started_a_process_beside(address):
    with recairn.open(address, project=PROJECT) as memory:
        store: Any = memory.store
        assert store.connection.value("show max_parallel_workers_per_gather") == "0"


def test_plans_that_were_lost_with_their_connection_are_made_anew(address):
    with recairn.open(address, project=PROJECT) as memory:
        first = [found(memory) for _ in range(3)]
        cut(memory.store)
        assert [found(memory) for _ in range(3)] == first
        assert planned(memory) == 2


def test_plans_survive_a_change_that_failed_before_it_was_sent_and_one_the_server_refused(address):
    other: Any = stores.open(address)
    memory: Any
    with recairn.open(address, project=PROJECT, model="none") as memory:
        for number in range(3):
            memory.remember(f"Buoy {number} has a bell", force=True)

        def broken() -> None:
            with memory.store.transaction():
                memory.remember("Buoy 7 has a horn", force=True)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            broken()
        memory.store.connection.relax(0.05)
        with other.transaction():
            other.set_config("a", "1", NOW)
            with pytest.raises(StoreBusy):
                memory.remember("Buoy 8 has a horn", force=True)
        memory.store.connection.insist()
        for number in range(3, 6):
            memory.remember(f"Buoy {number} has a bell", force=True)
        kept = {each.content for each in memory.every_memory()}
        assert {f"Buoy {number} has a bell" for number in range(6)} <= kept
        assert not [text for text in kept if "horn" in text]
        assert memory.verify().problems == ()
    other.close()


def test_nothing_is_planned_ahead_behind_a_pool(address, pool):  # noqa: F811
    with recairn.open(pool(address), project=PROJECT) as memory:
        first = [found(memory) for _ in range(4)]
        memory.remember("Terns rest on the buoy")
        memory.remember("Skuas do not rest on it")
        assert first == [first[0]] * 4
        assert planned(memory) == 0
