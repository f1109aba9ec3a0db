"""An export taken in by an empty database gives the same database."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recairn
from recairn.core.errors import BadInput, Refused
from recairn.store.tables import SHAPES
from tests.corpus import Clock

WORDS = (
    "lamp lens keeper tide rope signal harbour winter PaymentGateway parse_tide docs/chart.md "
    "lantern oil brass wick fog bell storm ledger anchor mooring"
).split()
KINDS = ("learning", "decision", "pattern", "rule", "entity", "note", "failure", "handoff")
MINUTE = 60_000


class Life:
    """A database that a random life happens to."""

    def __init__(self, path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.clock = Clock()
        self.memory = recairn.open(path, project="tower", model="none", clock=self.clock)
        self.ids: list[int] = []

    def say(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(2, 12)))

    def some(self) -> int:
        return self.dice.choice(self.ids)

    def step(self, name: str) -> None:
        self.clock.advance(MINUTE)
        if name == "remember" or not self.ids:
            return self.remember()
        try:
            getattr(self, name)()
        except recairn.RecairnError:
            return None  # a refusal is part of life
        return None

    def remember(self) -> None:
        kind = self.dice.choice(KINDS)
        fields = (
            {"rationale": self.say(), "alternatives": [self.say()]} if kind == "decision" else {}
        )
        made = self.memory.remember(
            self.say(),
            kind=kind,
            fields=fields,
            category=self.dice.choice(("", "upkeep")),
            keywords=self.dice.sample(WORDS, 2),
            tier=self.dice.choice((None, "global")),
            force=True,
        )
        if made.id is not None:
            self.ids.append(made.id)

    def edit(self) -> None:
        self.memory.edit(self.some(), content=self.say())

    def pin(self) -> None:
        self.memory.pin(self.some())

    def forget(self) -> None:
        self.memory.forget(self.some())

    def erase(self) -> None:
        self.memory.forget(self.some(), hard=True)

    def replace(self) -> None:
        self.memory.supersede(self.some(), self.some())

    def link(self) -> None:
        self.memory.link(self.some(), self.some(), "relates_to")

    def unlink(self) -> None:
        self.memory.unlink(self.some(), self.some())

    def rate(self) -> None:
        self.memory.feedback(self.some(), self.dice.random())

    def undo(self) -> None:
        self.memory.undo(self.some())

    def session(self) -> None:
        self.memory.start_session(f"watch-{self.dice.randint(1, 3)}", summary=self.say())

    def search(self) -> None:
        self.memory.search(self.say())


STEPS = st.lists(
    st.sampled_from(
        "remember remember edit pin forget erase replace link link unlink rate undo session"
        " search".split()
    ),
    max_size=12,
)
names = itertools.count()


def lines(memory) -> list[str]:
    return [json.dumps(record) for record in memory.export_records()]


def told(exported: list[str]):
    return [(f"export:{n}", json.loads(line)) for n, line in enumerate(exported, start=1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where lives are kept: in memory where there is such a place, a disk is not what is tested."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path_factory.mktemp("lives")
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


@pytest.mark.parametrize("part", range(4))
@settings(max_examples=50)
@given(data=st.data())
def test_taking_an_export_in_gives_the_same_database(folder, part, data):
    seed, steps = 4 * data.draw(st.integers(0, 2**30)) + part, data.draw(STEPS)
    life = Life(folder / f"{next(names)}.db", seed)
    with life.memory as memory:
        for step in ("remember", "remember", *steps):
            life.step(step)
        exported = lines(memory)
        with recairn.open(
            folder / f"{next(names)}.db", project="tower", model="none", clock=life.clock
        ) as other:
            taken = other.take_records(told(exported), as_mine=True)
            assert taken.problems == ()
            assert lines(other) == exported
            again = other.take_records(told(exported), as_mine=True)
            assert (again.added, again.updated, again.joined, again.problems) == ((), (), (), ())
            assert not any(again.belongings.values())
            assert lines(other) == exported


def test_what_was_taken_in_is_whole_and_found_alike(tmp_path):
    life = Life(tmp_path / "one.db", 7)
    life.memory.close()
    with (
        recairn.open(tmp_path / "one.db", project="tower", clock=life.clock) as memory,
        recairn.open(tmp_path / "two.db", project="tower", clock=life.clock) as other,
    ):
        memory.remember("Trim the wick before dusk", kind="rule")
        memory.remember("The brass lantern needs oil from Bergen")
        memory.remember("Fog bells ring twice a minute", kind="decision")
        assert other.take_records(told(lines(memory)), as_mine=True).problems == ()
        assert other.verify().problems == ()
        for query in ("oil for the lantern", "bells in fog", "evening chores"):
            here, there = memory.search(query, track=False), other.search(query, track=False)
            assert [(hit.id, hit.score) for hit in here.hits] == [
                (hit.id, hit.score) for hit in there.hits
            ]


def test_a_number_that_is_taken_is_replaced_and_links_follow(tmp_path, clock):
    with (
        recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory,
        recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other,
    ):
        memory.remember("Trim the wick before dusk")
        memory.remember("Wicks come from the chandler in Hull")
        memory.link(2, 1, "depends_on")
        other.remember("The tower has 199 steps")
        taken = other.take_records(told(lines(memory)), as_mine=True)
        assert taken.added == (3, 2)
        (edge,) = other.store.edges_between(2, 3)
        assert edge.relation == "depends_on"
        assert [event.event for event in other.history(3)] == ["created"]
        assert other.verify().problems == ()


def test_secrets_in_an_export_stay_outside(tmp_path, clock):
    secret = "ghp_" + "q7Zk2mVx9RtLw4Ns8Yp3Hd6Jf1Gb5CcT0AaE"
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        memory.remember("Trim the wick")
        memory.edit(1, content="Trim the wick before dusk")
        exported = [line.replace("Trim the wick", f"key {secret}") for line in lines(memory)]
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        other.take_records(told(exported), as_mine=True)
        assert secret not in "".join(lines(other))
        assert [each.content for each in other.listing()] == ["key ghp_[REDACTED] before dusk"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"uid": "nonsense"}, "'nonsense' is no uid"),
        ({"content": None}, "a memory record needs content"),
        ({"content": 7}, "content must be text, got int"),
        ({"stamps": {"text": 7}}, "'text' of stamps is no stamp"),
        ({"pinned": "yes"}, "pinned must be true or false"),
        ({"salience": float("nan")}, "salience must be a number from 0 on, got nan"),
        ({"usage_count": -4}, "usage_count must be a number from 0 on, got -4"),
        ({"created_at": "some day"}, "cannot read 'some day' as a time"),
        ({"importance": 4}, "importance must lie between 0 and 1, got 4"),
        ({"keywords": "rope"}, "keywords must be a list"),
        ({"id": "12"}, "'12' is no memory number"),
        ({"type": "spell"}, "unknown type 'spell'"),
    ],
)
def test_a_bad_record_is_named_and_stops_nothing_else(tmp_path, clock, change, said):
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        memory.remember("Trim the wick")
        memory.remember("Ring the bell")
        records = [json.loads(line) for line in lines(memory)]
    bad = records[1]
    bad.update(change)
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        taken = other.take_records(
            [(f"f:{n}", each) for n, each in enumerate(records, start=1)], as_mine=True
        )
        assert taken.problems[0] == f"f:2: {said}"
        assert [each.content for each in other.listing()] == ["Ring the bell"]
        assert other.verify().problems == ()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"type": "edge", "source": "x"}, "source: there is no memory 'x'"),
        ({"type": "session", "id": "s"}, "a session record needs project"),
        ({"type": "edge"}, "an edge record needs source"),
        ({"type": "use", "session_id": "nobody"}, "there is no session 'nobody'"),
        ({"type": "setting", "key": "a", "value": [1]}, "value must be text, got list"),
        ({"type": "session", "motto": ""}, "a session record has no field 'motto'"),
    ],
)
def test_a_bad_belonging_is_named(tmp_path, clock, record, said):
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        assert other.take_records([("f:9", record)], as_mine=True).problems == (f"f:9: {said}",)


@pytest.mark.parametrize(
    ("noun", "change", "said"),
    [
        ("event", {"memory": {"a": 1}}, "memory: there is no memory \"{'a': 1}\""),
        ("event", {"memory": None}, "an event record needs memory"),
        ("event", {"before": ["x"]}, "before and after must be objects"),
    ],
)
def test_an_event_of_nobody_is_named_and_stops_nothing_else(tmp_path, clock, noun, change, said):
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        memory.remember("Trim the wick")
        records = [json.loads(line) for line in lines(memory)]
    (bad,) = [each for each in records if each["type"] == noun]
    bad.update(change)
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        taken = other.take_records([("f:9", each) for each in records], as_mine=True)
        assert taken.problems == (f"f:9: {said}",)
        assert [each.content for each in other.listing()] == ["Trim the wick"]


def test_where_one_version_of_a_memory_is_refused_the_next_takes_its_place(tmp_path, clock):
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        memory.remember("Trim the wick")
        (record,) = [each for each in memory.export_records() if each["type"] == "memory"]
    refused = {**record, "importance": 4}
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        taken = other.take_records(
            [("f:1", refused), ("f:2", record), ("f:3", record)], as_mine=True
        )
        assert taken.problems == ("f:1: importance must lie between 0 and 1, got 4",)
        assert (taken.added, taken.unchanged) == ((1,), 1)


def test_two_versions_of_a_memory_that_come_together_both_count(tmp_path, clock):
    def opened(name):
        return recairn.open(tmp_path / name, project="tower", model="none", clock=clock)

    with opened("one.db") as one, opened("two.db") as two, opened("three.db") as three:
        one.remember("Trim the wick")
        for other in (two, three):
            other.take_records(told(lines(one)), as_mine=True)
        clock.advance(MINUTE)
        one.edit(1, content="Trim the wick daily")
        clock.advance(MINUTE)
        two.pin(1)
        taken = three.take_records(told(lines(one) + lines(two)), as_mine=True)
        assert (taken.updated, taken.joined, taken.clashes) == ((1,), (1,), ())
        (memory,) = three.every_memory()
        assert (memory.content, memory.pinned) == ("Trim the wick daily", True)


@pytest.mark.parametrize("name", ["changed_at", "updated_at", "valid_from"])
def test_a_time_that_a_record_leaves_open_is_the_usual_one(tmp_path, clock, name):
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        memory.remember("Trim the wick")
        exported = list(memory.export_records())
    with recairn.open(tmp_path / "two.db", project="tower", clock=clock) as other:
        open_time = [
            {**each, name: None} if each["type"] == "memory" else each for each in exported
        ]
        assert (
            other.take_records([("f:1", each) for each in open_time], as_mine=True).problems == ()
        )
        assert list(other.export_records()) == exported


# What is made anew, or belongs to one machine or one team.
STAYS = {
    *("current_sessions", "current_tasks", "look_alikes", "meta", "models", "vectors"),
    *("vector_blocks", "memories_fts", "memories_terms", "project_changes", "turns", "checksums"),
    *("members", "erased", "shares", "outbox", "outbox_refused", "feed_heads", "feed"),
    *("kept_records", "erasure_acks", "devices", "tallies", "recent_keys"),
}


def test_every_table_travels_or_is_made_anew(tmp_path):
    from recairn.store.sqlite import schema
    from recairn.store.statements.exchange import TABLES

    made = "".join(schema.statements(version) for version in range(1, schema.LATEST + 1))
    tables = set(re.findall(r"^create (?:virtual )?table (\w+)", made, re.MULTILINE))
    assert tables - STAYS == {"memories", *(TABLES[shape.name] for shape in SHAPES)}
    recairn.open(tmp_path / "fresh.db").close()
    fresh = apsw.Connection(str(tmp_path / "fresh.db"))
    for shape in SHAPES:
        columns = [row[1] for row in fresh.execute(f"pragma table_info({TABLES[shape.name]})")]
        assert [column.name for column in shape.columns] == columns


def test_what_happened_twice_within_a_millisecond_arrives_twice(tmp_path, clock):
    with (
        recairn.open(tmp_path / "one.db", project="tower", model="none", clock=clock) as memory,
        recairn.open(tmp_path / "two.db", project="tower", model="none", clock=clock) as other,
    ):
        memory.remember("Trim the wick before dusk")
        for _ in range(3):
            memory.search("wick")
            memory.settle()
        exported = lines(memory)
        assert sum('"type": "access"' in line for line in exported) == 3
        other.remember("Ring the bell in fog")
        for _ in range(3):
            other.search("bell")
            other.settle()
        # Two copies in one file are one database all the same.
        assert other.take_records(told(exported + exported), as_mine=True).belongings["access"] == 3
        assert not any(other.take_records(told(exported), as_mine=True).belongings.values())
        assert sum('"type": "access"' in line for line in lines(other)) == 6
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as new:
        new.take_records(told(exported), as_mine=True)
        assert lines(new) == exported


def test_a_newer_format_is_refused(tmp_path):
    with recairn.open(tmp_path / "two.db") as other, pytest.raises(BadInput, match="version 9"):
        other.take_records([("f:1", {"type": "recairn", "version": 9})], as_mine=True)


def test_an_export_left_half_read_ends_without_a_word(tmp_path):
    script = (
        "import recairn, sys\n"
        "memory = recairn.open(sys.argv[1], project='tower', model='none')\n"
        "memory.remember('Trim the wick')\n"
        "left = memory.export_records()\n"
        "print(next(left)['type'])\n"
        "memory.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "one.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("recairn\n", "")


def test_a_half_read_export_lets_others_be_read_and_writing_wait(tmp_path, clock):
    with recairn.open(tmp_path / "one.db", project="tower", model="none", clock=clock) as memory:
        memory.remember("Trim the wick")
        left = memory.export_records()
        next(left)
        assert len(lines(memory)) == len(lines(memory)) == 3
        with pytest.raises(Refused, match="an export is still being read"):
            memory.remember("Ring the bell in fog")
        left.close()
        memory.remember("Ring the bell in fog")
        assert len(lines(memory)) == 5
