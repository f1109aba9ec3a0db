"""Each write, sync or truncation of a remember() fails in turn: a clean error, nothing by half."""

from __future__ import annotations

from contextlib import suppress

import apsw
import pytest

import recairn
from recairn.core.errors import StoreError, StoreFull
from tests.durability.disks import FailingDisk, inserted
from tests.durability.ledger import connection_of

# More changes of files than one remember() makes, with the checkpoint at its end.
ENOUGH = 200
FAULTS = [
    ("IOERR_WRITE", False),
    ("IOERR_WRITE", True),
    ("IOERR_FSYNC", False),
    ("FULL", False),
    ("FULL", True),
]


@pytest.mark.parametrize(("fault", "stays"), FAULTS)
def test_the_nth_failing_write_raises_cleanly_and_a_retry_succeeds(database, fault, stays):
    """N = 1, 2, 3 … until a remember() and its checkpoint need fewer writes than that."""
    code = getattr(apsw, f"SQLITE_{fault}")
    tried = 0
    with inserted(FailingDisk) as disk, recairn.open(database, project="p") as memory:
        # The engine forgives its own checkpoint; a Python disk's exception would come out anyway.
        connection_of(memory).rows("pragma wal_autocheckpoint=0")
        memory.remember("what was here before the disk began to fail")
        for at in range(1, ENOUGH):
            tried += 1
            text = f"memory {at} of the failing disk is about {'granite ' * 20}"
            disk.fail(code, at, stays=stays)
            outcome = attempt(memory, text)
            disk.mend()
            if not disk.failed:
                break
            stored = [each.content for each in memory.listing(limit=ENOUGH)]
            assert outcome == ("stored" if text.strip() in stored else "refused")
            assert memory.verify().problems == ()
            again = memory.remember(text)
            assert again.status == ("reinforced" if outcome == "stored" else "added")
        assert memory.verify().problems == ()
    assert 5 < tried < ENOUGH
    with recairn.open(database, project="p") as memory:
        assert memory.verify().problems == ()
        assert memory.count() == tried + 1


def attempt(memory, text):
    """`stored` once remember() returned, else `refused`; a failing checkpoint changes neither."""
    try:
        memory.remember(text)
    except StoreError as error:
        return "refused" if error.hint else "refused without a way out"
    with suppress(StoreError):
        memory.store.scrub()
    return "stored"


def test_a_full_disk_is_called_by_its_name(database):
    with inserted(FailingDisk) as disk, recairn.open(database, project="p") as memory:
        disk.fail(apsw.SQLITE_FULL, 1, stays=True)
        with pytest.raises(StoreFull, match="no space left") as caught:
            memory.remember("there is no room for this")
        disk.mend()
        assert "free some space" in caught.value.hint
