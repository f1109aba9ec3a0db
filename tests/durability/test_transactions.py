"""A change happens as a whole or not at all, also when somebody catches an error inside it."""

from __future__ import annotations

import shutil

import pytest

import recairn
from recairn.core.errors import BadInput, NotFound, StoreBusy, StoreError
from recairn.store.sqlite import SqliteStore
from tests.durability.ledger import connection_of


def test_an_error_caught_inside_a_transaction_undoes_all_of_it(database):
    with recairn.open(database, project="p") as memory:

        def half_of_it():
            with memory.store.transaction():
                memory.remember("the first half of a change")
                with pytest.raises(NotFound):
                    memory.forget(999)
                with pytest.raises(ValueError, match="inner"), memory.store.transaction():
                    raise ValueError("inner")

        with pytest.raises(StoreError, match="all of it was undone"):
            half_of_it()
        assert memory.count() == 0
        assert memory.remember("the next change is a new one").status == "added"
        assert memory.count() == 1


def test_nothing_is_written_after_a_part_of_the_transaction_failed(database):
    with recairn.open(database, project="p") as memory:

        def go_on_after_a_failure():
            with memory.store.transaction():
                with pytest.raises(ValueError, match="inner"), memory.store.transaction():
                    raise ValueError("inner")
                memory.remember("a change after the failure")

        with pytest.raises(StoreError, match="all of it was undone"):
            go_on_after_a_failure()
        assert memory.count() == 0


def test_a_bad_draft_undoes_the_whole_bulk_and_says_which(database):
    with recairn.open(database, project="p") as memory:
        with pytest.raises(BadInput, match="draft 2"):
            memory.remember_many([{"content": "good"}, {"content": ""}])
        assert memory.count() == 0
        assert memory.remember("good").status == "added"


def test_a_writer_that_waits_in_vain_is_told_who_is_to_blame(database):
    with recairn.open(database, project="p") as memory:
        hasty = SqliteStore(str(database), patience_s=0.05)
        with memory.store.transaction():
            with (
                pytest.raises(StoreBusy, match="another process holds the write lock") as caught,
                hasty.transaction(),
            ):
                pytest.fail("two writers at once")
            assert caught.value.hint == "try again in a moment"
        with hasty.transaction():
            hasty.set_config("patience", "rewarded", 0)
        hasty.close()
        assert memory.config() == {"patience": "rewarded"}


def test_closing_while_a_listing_is_half_read_is_no_error(database):
    memory = recairn.open(database, project="p")
    memory.remember("one of the rows")
    rows = connection_of(memory).iterate("select m.id from memories m, history")
    next(rows)
    memory.close()


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_database_that_is_gone_takes_no_more_writes(database, how):
    """The engine alone would go on writing into the deleted file."""
    with recairn.open(database, project="p") as memory:
        memory.remember("while the file was there")
        shutil.rmtree(database.parent)
        if how == "replaced":
            recairn.open(database, project="p").close()
        with pytest.raises(StoreError, match="moved, replaced or deleted") as caught:
            memory.remember("after it had gone")
        assert "start this program again" in caught.value.hint
