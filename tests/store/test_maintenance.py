"""What looks after a store from outside promises, whichever engine it is."""

import os

import pytest

from recairn import store as stores
from recairn.core.draft import prepare
from recairn.core.errors import NotFound, Refused
from recairn.core.model import Draft
from recairn.store.memory_rows import NewMemory
from tests.corpus import NOW, PROJECT
from tests.store.engines import FILES, SERVERS


@pytest.fixture
def upkeep(store, address):
    keep(store, "gulls on the pier")
    return stores.maintenance(address)


def keep(store, content):
    ready = prepare(Draft(content), project=PROJECT, session=None, allow=(), now=NOW)
    with store.transaction():
        store.put([NewMemory(ready.row, ready.keys)])


def test_a_healthy_store_has_nothing_to_mend(store, upkeep):
    assert {finding.level for finding in upkeep.diagnose()} <= {"ok", "warning"}
    repaired = upkeep.repair()
    assert (repaired.memories, repaired.lost, repaired.aside) == (1, (), None)


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_a_backup_is_found_by_its_name_and_as_the_latest_one(store, upkeep):
    with pytest.raises(NotFound, match="backup"):
        upkeep.find_backup("latest")
    made = upkeep.create_backup(now=NOW)
    assert made.memories == 1
    assert upkeep.backups() == (made,)
    assert os.path.dirname(made.path) == upkeep.backup_folder()
    assert upkeep.find_backup("latest") == made.path
    assert upkeep.find_backup(os.path.basename(made.path)) == made.path
    with pytest.raises(NotFound, match="nowhere"):
        upkeep.find_backup("nowhere")


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_a_restored_backup_takes_the_place_of_what_came_later(store, upkeep, open_store):
    made = upkeep.create_backup(now=NOW)
    keep(store, "a storm took the pier")
    store.close()
    restored = upkeep.restore(made.path, now=NOW)
    assert restored.memories == 1
    assert [each.memories for each in upkeep.backups() if each.path == restored.previous] == [2]
    again = open_store()
    assert [memory.content for memory in again.get_many([1, 2]).values()] == ["gulls on the pier"]


@pytest.mark.parametrize("address", SERVERS, indirect=True)
def test_where_the_server_makes_the_backups_every_way_to_one_says_so(store, upkeep):
    for ask in (
        upkeep.create_backup,
        upkeep.backup_folder,
        upkeep.backups,
        lambda: upkeep.find_backup("latest"),
        lambda: upkeep.restore("yesterday"),
    ):
        with pytest.raises(Refused, match="the server backs it up") as refused:
            ask()
        assert "recairn export" in refused.value.hint


def test_an_inspection_tells_kinds_rules_and_settings_and_changes_nothing(store, upkeep, address):
    ready = prepare(
        Draft("Log every ship", kind="rule"), project=PROJECT, session=None, allow=(), now=NOW
    )
    with store.transaction():
        store.put([NewMemory(ready.row, ready.keys)])
        store.set_config("redaction.allow", "re:.*", NOW)
    found = upkeep.inspect()
    assert found.kinds == {"learning": 1, "rule": 1}
    assert found.rules == ("Log every ship",)
    assert found.settings == {"redaction.allow": "re:.*"}
    assert found.strangers == ()
