"""What a project costs lies in the project: strangers beside it cost nothing.

The engine counts the steps of its own machine for every statement, so that no clock is needed.
"""

import apsw
import pytest

from recairn.core.model import Filter
from recairn.core.words import understand
from tests.corpus import MEMORIES, NOW, PROJECT, opened

OWN = [
    {**draft, "content": f"{draft['content']} on mooring {number}"}
    for number in range(10)
    for draft in MEMORIES
    if draft.get("kind", "learning") != "rule"
]
STRANGERS = [
    {
        "content": f"Crane{number} lifts{number} barrel{number} of herring",
        "project": f"quay{number % 20}",
    }
    for number in range(1000)
]
SEEN = Filter(project=PROJECT, session="s-1", now=NOW)
NARROW = Filter(project=PROJECT, session="s-1", now=NOW, kinds=("learning",))
READINGS = {
    "newest": lambda store: store.listing(SEEN, order="newest", limit=10),
    "used": lambda store: store.listing(SEEN, order="used", limit=10),
    "count": lambda store: store.count(SEEN),
    "superseded": lambda store: store.count(Filter(project=PROJECT, now=NOW, hidden="superseded")),
    "ids": lambda store: store.visible_ids(SEEN),
    "days": lambda store: store.made_by_day(SEEN),
    "filter": lambda store: store.match_vector(1, b"\x01" * 256, NARROW, 10),
    "inside words": lambda store: store.match_text(understand("herringbone"), SEEN, 10),
    "words": lambda store: store.match_text(understand("herring mooring barrel tide"), SEEN, 10),
    "links": lambda store: store.visible_edges(Filter(project="nowhere", now=NOW)),
    "naming": lambda store: store.naming(["herring"], SEEN, 10),
}


class Steps:
    """How many steps the engine took since this was emptied."""

    def __init__(self):
        self.taken = 0

    def count(self, event):
        if "'main'." not in event["sql"]:  # the text index's own, which add up over its life
            self.taken += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """The same project alone and in a crowd: store and steps of each."""
    folder = tmp_path_factory.mktemp("scopes")
    made, memories = {}, []
    for name, beside in (("alone", []), ("crowd", STRANGERS)):
        connections: list[apsw.Connection] = []
        apsw.connection_hooks.append(connections.append)
        try:
            memory = opened(folder / f"{name}.db", model="static", clock=lambda: NOW)
        finally:
            apsw.connection_hooks.remove(connections.append)
        memories.append(memory)
        # Half of the strangers are older, half are newer.
        half = len(beside) // 2
        for drafts in (beside[:half], OWN, beside[half:]):
            memory.remember_many(drafts, on_similar="add")
        steps = Steps()
        connections[0].trace_v2(apsw.SQLITE_TRACE_PROFILE, steps.count)
        made[name] = memory.store, steps
    yield made
    for memory in memories:
        memory.close()


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_takes_as_many_steps_in_a_crowd_as_alone(stores, reading):
    taken, answers = {}, {}
    for name, (store, steps) in stores.items():
        steps.taken = 0
        answers[name] = READINGS[reading](store)
        taken[name] = steps.taken
    assert taken["crowd"] <= 1.3 * taken["alone"] + 100
    assert len(str(answers["crowd"])) >= len(str(answers["alone"]))
