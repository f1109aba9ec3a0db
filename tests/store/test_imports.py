"""What every store promises about imported records."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.model import Act, Draft, Event
from recairn.core.record import replace
from recairn.store.contract.imported import OWED, SETTLED, WAITING, ImportedRow
from tests.corpus import NOW, PROJECT

HERE = ("claude-md", "puffin:CLAUDE.md")


@pytest.fixture
def gull(store):
    ready = prepare(Draft(content="a gull"), project=PROJECT, session=None, allow=(), now=NOW)
    with store.transaction():
        return store.put([(ready.row, ready.keys)])[0]


def keep(store, *rows):
    with store.transaction():
        store.put_imported(*HERE, rows)


def test_imported_records_are_found_by_key_and_origin(store, gull):
    row = ImportedRow("a", "1f", gull, True, 4)
    keep(store, row, ImportedRow("b", "2f", gull, False, 2))
    assert store.imported(*HERE, ["a", "zzz"]) == [row]
    assert [(row.key, row.own) for row in store.imported(*HERE)] == [("b", False), ("a", True)]
    assert store.imported("claude-md", "puffin:AGENTS.md") == []
    assert store.imported("tx", "puffin:CLAUDE.md", ["a"]) == []


def test_the_origins_of_a_source_are_told(store, gull):
    with store.transaction():
        for origin in ("puffin:b.md", "puffin:a.md"):
            for key in ("a", "b"):
                store.put_imported("claude-md", origin, [ImportedRow(key, "1f", gull, True, 0)])
    assert store.import_origins("claude-md") == ["puffin:a.md", "puffin:b.md"]
    assert store.import_origins("tx") == []


def test_a_key_kept_again_is_replaced(store, gull):
    keep(store, ImportedRow("a", "1f", gull, True, 0))
    row = ImportedRow("a", "9f", gull, True, 7)
    keep(store, row)
    assert store.imported(*HERE) == [row]


def test_what_is_left_to_do_for_a_record_is_kept_beside_what_it_said(store, gull):
    rows = [
        ImportedRow(state, "1f", gull, True, position, state)
        for position, state in enumerate((SETTLED, OWED, WAITING))
    ]
    keep(store, *rows)
    assert store.imported(*HERE) == rows
    keep(store, *(replace(row, state=SETTLED) for row in rows))
    assert {(row.hash, row.state) for row in store.imported(*HERE)} == {("1f", SETTLED)}


def test_a_forgotten_memory_is_told_and_a_destroyed_one_stays_known(store, gull):
    row = ImportedRow("a", "1f", gull, True, 0)
    keep(store, row)
    event = Event(0, gull, NOW, "forgotten", "", {}, {}, Act(NOW).session, None)
    with store.transaction():
        store.change(gull, {"deleted_at": NOW}, event)
    assert store.imported(*HERE) == [replace(row, live=False, forgotten=True)]
    with store.transaction():
        store.erase(gull, event)
    assert store.imported(*HERE) == [replace(row, memory=None, live=False)]


def test_dropped_keys_are_unknown_again(store, gull):
    keep(store, ImportedRow("a", "1f", gull, True, 0), ImportedRow("b", "2f", gull, True, 1))
    with store.transaction():
        store.drop_imported(*HERE, ["a"])
    assert [row.key for row in store.imported(*HERE)] == ["b"]


def test_thousands_of_keys_are_asked_for_at_once(store, gull):
    keep(store, *(ImportedRow(f"k{n}", "1f", gull, True, n) for n in range(3000)))
    assert len(store.imported(*HERE, [f"k{n}" for n in range(2500)])) == 2500


def test_a_file_is_the_source_of_all_its_lines(store):
    for reference in ("CLAUDE.md:1", "CLAUDE.md:22", "CLAUDE.mdx", "CLAUDE.md", "XCLAUDE.md:1"):
        draft = Draft(content=f"from {reference}", source_ref=reference)
        ready = prepare(draft, project=PROJECT, session=None, allow=(), now=NOW)
        with store.transaction():
            store.put([(ready.row, ready.keys)])
    assert store.from_source("CLAUDE.md") == [1, 2, 4]


def test_what_an_import_made_is_found_by_its_format_and_by_its_path(store, gull):
    ready = prepare(Draft(content="a tern"), project=PROJECT, session=None, allow=(), now=NOW)
    with store.transaction():
        (tern,) = store.put([(ready.row, ready.keys)])
        store.put_imported(
            "tx",
            "puffin:.tx",
            [ImportedRow("a", "1f", tern, True, 0), ImportedRow("b", "", None, True, 1)],
        )
        store.put_imported("mem0", "puffin", [ImportedRow("c", "1f", tern, True, 0)])
    keep(store, ImportedRow("a", "1f", gull, True, 0), ImportedRow("b", "2f", tern, False, 1))
    for name in ("tx", ".tx", "mem0"):
        assert store.brought_by(name, "puffin") == [tern]
        assert store.brought_by(name, "auk") == store.brought_by(name, "puf") == []
    assert store.brought_by("CLAUDE.md", None) == [gull]
    assert store.brought_by("mem0", None) == [tern]
    assert store.brought_by("UDE.md", None) == []
    assert store.brought_by("CLAUDE.md", "puffin") == [gull]
    for name in ("", "md", "puffin"):
        assert store.brought_by(name, "puffin") == []
    event = Event(0, gull, NOW, "forgotten", "", {}, {}, None, None)
    with store.transaction():
        store.change(gull, {"deleted_at": NOW}, event)
    assert store.brought_by("claude-md", "puffin") == []
