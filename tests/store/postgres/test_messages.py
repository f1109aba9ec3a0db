"""How many messages the server gets: each is a wait for the network."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import recairn
from recairn import store as stores
from tests.corpus import MEMORIES, PROJECT


@pytest.fixture
def memory(postgres):
    """The corpus on a server, with the usual model, as a process that has just started has it."""
    address = postgres.new_team()
    with recairn.open(address, project=PROJECT) as filling:
        filling.remember_many(MEMORIES)
        filling.remember("Log every reading before it is corrected", kind="rule")
    with recairn.open(address, project=PROJECT) as opened:
        yield opened


def messages(memory: Any, work: Callable[[], object]) -> int:
    """How many messages some work takes; the book-keeping after it is not part of it."""
    memory.settle()
    before = memory.store.connection.messages
    work()
    return memory.store.connection.messages - before


def test_opening_takes_one_message_and_one_more_finds_the_project(postgres):
    address = postgres.new_team()
    store: Any = stores.open(address)
    assert store.connection.messages == 1
    store.close()
    with recairn.open(address, project=PROJECT) as opened:
        store = opened.store
        assert store.connection.messages <= 2


@pytest.mark.parametrize("question", ["gulls sensor", "how are tide tables kept?"])
def test_a_search_takes_two(memory, question):
    assert messages(memory, lambda: memory.search(question)) == 2


def test_a_search_for_what_no_memory_says_takes_two_more_to_be_sure(memory):
    assert messages(memory, lambda: memory.search("walrus")) <= 4


def test_the_links_of_the_hits_take_two_more(memory):
    memory.remember("Harbour office", kind="entity", title="Harbour office")
    memory.remember("Ask the Harbour office for the key of the north lamp")
    assert messages(memory, lambda: memory.search("key of the north lamp")) == 4


def test_a_narrow_search_takes_two(memory):
    assert messages(memory, lambda: memory.search("sensor", kind="learning")) == 2


def test_remembering_takes_two(memory):
    kept = []
    count = messages(
        memory, lambda: kept.append(memory.remember("The north lamp burns until dawn"))
    )
    assert (count, kept[0].status) == (2, "added")


def test_remembering_what_names_an_entity_takes_two(memory):
    memory.remember("Harbour office", kind="entity", title="Harbour office")
    text = "Ask the Harbour office for the key of the north lamp"
    assert messages(memory, lambda: memory.remember(text)) == 2
    assert memory.verify().problems == ()


def test_a_context_for_a_prompt_takes_three(memory):
    found = []
    count = messages(memory, lambda: found.append(memory.context(prompt="gulls at the sensor")))
    assert count <= 3
    assert found[0].rules
    assert found[0].hits


def test_the_driver_is_loaded_without_what_only_old_libraries_need():
    code = "import sys, recairn.store.postgres; print({'ssl', 'socket'} & {*sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "set()\n"
