"""Programs that hold a memory wrongly are told so, with the way out, and ruin nothing."""

from __future__ import annotations

import os
import threading

import pytest

import recairn
from recairn.core.errors import BadInput, StoreError


def test_a_closed_memory_says_how_to_open_one(database):
    memory = recairn.open(database, project="p")
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="this memory was closed") as caught:
        memory.search("lamp")
    assert caught.value.hint == "recairn.open() opens one"


def test_a_child_does_not_write_through_its_parents_memory(database):
    """Locks are not inherited: both writing at once could ruin the file."""
    with recairn.open(database, project="p") as memory:
        memory.remember("written before the fork")
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                memory.remember("written by the child")
                said = "written"
            except StoreError as error:
                said = error.hint
            os.write(writer, said.encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with open(reader) as told:
            assert told.read() == "open it again in this process; nothing was written"
        memory.remember("written by the parent")
        assert memory.count() == 2
        assert memory.verify().problems == ()


def test_two_threads_in_one_memory_are_told_to_open_two(database):
    with recairn.open(database, project="p") as memory:
        memory.remember("the lamp burns")
        errors: list[StoreError] = []

        def other() -> None:
            try:
                memory.count()
            except StoreError as error:
                errors.append(error)

        def meanwhile(_: str, *__: object) -> None:
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()

        connection = memory.store._c._db  # type: ignore[attr-defined]
        connection.create_scalar_function("meanwhile", lambda: meanwhile(""))
        connection.execute("select meanwhile()").fetchall()
    assert [error.hint for error in errors] == ["open one for each thread"]


def test_half_a_character_in_a_filter_is_bad_input(database):
    with recairn.open(database, project="p") as memory, pytest.raises(BadInput, match="no text"):
        memory.search("lamp", category="\ud800")


def test_a_path_may_be_bytes(database):
    with recairn.open(os.fsencode(database), project="p") as memory:
        assert memory.remember("the lamp burns").status == "added"


def test_a_project_to_look_into_is_named_like_one_to_be_in(database):
    with recairn.open(database, project=" north\nlight ") as memory:
        memory.remember("the lamp burns")
        assert [hit.id for hit in memory.search("lamp", project="north  light").hits] == [1]
        assert memory.search("lamp", project="\ud800").hits == ()


def test_a_project_that_is_no_text_is_bad_input(database):
    with pytest.raises(BadInput, match="project must be text, got int"):
        recairn.open(database, project=5)  # type: ignore[arg-type]
