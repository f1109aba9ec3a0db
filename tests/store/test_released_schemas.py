"""A database of every released schema is carried over, and nothing in it is lost.

`python -m tools.schema_fixture` makes one; beside it lies what its own code exported. Later code
may say more about a record, and nothing else.
"""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest

import recairn
from recairn.store.sqlite.schema import LATEST
from tests.repository import DATA, ROOT

RELEASED = sorted(DATA.glob("schema-*.db.gz"))


def version_in(name: str) -> int:
    return int(re.findall(r"\d+", name)[0])


@pytest.fixture(params=RELEASED, ids=lambda path: path.name)
def frozen(request, tmp_path):
    """The copy of a released database, and the records that its own code has exported."""
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    exported = request.param.with_name(request.param.name.replace(".db.gz", ".jsonl"))
    return path, [json.loads(line) for line in exported.read_text().splitlines()]


def says(now: Any, before: Any) -> bool:
    """Whether a record still says what it said; objects, also inner ones, may say more."""
    if isinstance(before, dict) and isinstance(now, dict):
        return all(name in now and says(now[name], value) for name, value in before.items())
    return bool(now == before)


def test_what_was_exported_then_is_exported_now_and_the_database_is_sound(frozen):
    path, before = frozen
    with recairn.open(path, project="lighthouse", model="none") as memory:
        now = [dict(each) for each in memory.export_records()]
        assert memory.verify().problems == ()
    for record in before:
        if record["type"] == "memory":
            # Which versions there were before is said by stamps since schema 11.
            record = {name: record[name] for name in record if name not in ("past", "changed_at")}
        assert any(says(each, record) for each in now), record
    assert len(now) >= len(before)


def test_a_database_carried_over_is_searched_and_written_as_any_other(frozen):
    path, _ = frozen
    with recairn.open(path, project="lighthouse") as memory:
        memory.embed()
        assert memory.search("broker retry").hits[0].id == 2
        assert [rule.content for rule in memory.context(prompt="ship it").rules] == [
            "Ship migrations in one transaction"
        ]
        assert memory.history(6)[-1].undo_of is not None
        memory.edit(2, category="queues")
        memory.undo(2)
        memory.remember("Younger than the release")
        assert memory.verify().problems == ()


def test_a_release_has_a_database_of_its_schema():
    heading = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    newest = max(version_in(path.name) for path in RELEASED)
    assert newest <= LATEST
    if "unreleased" not in heading:
        assert newest == LATEST, "run: python -m tools.schema_fixture"
