"""What one says of a link reaches the other, and what was said last holds in both clones."""

from __future__ import annotations

import json

import pytest

import recairn
from tests.sync.clones import MINUTE, Clone, exchange, number_of

LAMP = "The lamp is lit at dusk"
CHORES = ("Trim the wick", "Fill the oil", "Wind the clock", "Clean the lens", "Log the weather")


def assert_equal(north: Clone, south: Clone) -> None:
    assert north.links() == south.links()
    assert north.files()["links.jsonl"] == south.files()["links.jsonl"]
    for clone in (north, south):
        assert clone.memory.verify().problems == ()


def holding(clone: Clone) -> dict[str, float]:
    """The chores that are linked to the lamp, and by which weight."""
    return {source: weight for source, _, target, weight in clone.links() if target == LAMP}


@pytest.fixture
def chores(two, clock):
    """Both clones know five chores; north has linked each of them to the lamp."""
    north, south = two
    for text in (LAMP, *CHORES):
        north.memory.remember(text)
    for number in range(2, 7):
        north.memory.link(number, 1, "affects")
    exchange(north, south)
    assert holding(south) == dict.fromkeys(CHORES, 1.0)
    return two


class Speaker:
    """One person who says things about the links of the chores, a minute apart."""

    def __init__(self, clone: Clone, clock) -> None:
        self._clone, self._clock = clone, clock

    def _ends(self, chore: str) -> tuple[int, int]:
        self._clock.advance(MINUTE)
        return number_of(self._clone, chore), number_of(self._clone, LAMP)

    def link(self, chore: str, weight: float = 1.0) -> None:
        self._clone.memory.link(*self._ends(chore), "affects", weight=weight)

    def unlink(self, chore: str) -> None:
        self._clone.memory.unlink(*self._ends(chore))

    def undo(self, chore: str) -> None:
        self._clone.memory.undo(self._ends(chore)[0])


def test_what_was_said_last_of_a_link_holds_in_both_clones(chores, clock):
    north, south = (Speaker(clone, clock) for clone in chores)
    wick, oil, winding, lens, weather = CHORES
    north.undo(wick)  # untouched in the south
    north.unlink(oil)
    south.unlink(oil)
    south.link(oil, 0.5)  # removed in both, made again later in the south
    north.unlink(winding)
    north.undo(winding)  # removed and brought back
    south.link(lens, 0.25)
    north.unlink(lens)  # the end comes after the change
    north.undo(weather)
    south.link(weather, 0.75)  # the change comes after the end
    exchange(*chores)
    assert_equal(*chores)
    assert holding(chores[1]) == {oil: 0.5, winding: 1.0, weather: 0.75}

    south.undo(oil)
    north.link(wick, 0.5)
    north.link(lens)
    north.undo(lens)
    exchange(*chores)
    assert_equal(*chores)
    assert holding(chores[1]) == {wick: 0.5, winding: 1.0, weather: 0.75}


def test_a_clock_that_is_slow_takes_back_what_it_knows(chores, clock):
    north, south = chores
    south.slow_ms = 60 * MINUTE
    Speaker(south, clock).unlink("Trim the wick")
    Speaker(south, clock).unlink("Fill the oil")
    Speaker(south, clock).link("Fill the oil", 0.5)
    exchange(north, south)
    assert_equal(north, south)
    assert "Trim the wick" not in holding(north)
    assert holding(north)["Fill the oil"] == 0.5


def test_a_link_that_arrived_is_an_event_that_undo_takes_back(chores, clock):
    north, south = chores
    Speaker(north, clock).unlink("Trim the wick")
    exchange(north, south)
    wick = number_of(south, "Trim the wick")
    (event,) = south.memory.history(wick)[1:]
    assert (event.event, event.reason.partition(":")[0]) == ("unlinked", "from links.jsonl")
    Speaker(south, clock).undo("Trim the wick")
    exchange(north, south)
    assert_equal(north, south)
    assert "Trim the wick" in holding(north)


def test_a_link_that_nobody_took_in_yet_is_not_written_over(chores, clock):
    north, _ = chores
    path = north.mirror / "links.jsonl"
    lines = path.read_text().splitlines()
    theirs = {**json.loads(lines[0]), "valid_until": "2027-01-01T00:00:00.000Z"}
    path.write_text("\n".join([*lines, json.dumps(theirs)]) + "\n")
    for number in range(2, 7):
        north.memory.link(number, 1, "affects", weight=0.5)
    assert json.dumps(theirs) in north.files()["links.jsonl"].splitlines()
    north.memory.pull_mirror()
    assert len(holding(north)) == 4
    assert len(north.files()["links.jsonl"].splitlines()) == 5


def test_links_of_what_was_forgotten_leave_the_folder_and_come_back(tower, clock, tmp_path):
    for text in (LAMP, *CHORES[:2]):
        tower.memory.remember(text)
    tower.memory.link(2, 1, "affects")
    tower.memory.link(3, 1, "affects")
    tower.memory.forget(2)
    assert tower.files()["links.jsonl"].count("\n") == 1
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as other:
        assert other.start_mirror(tower.mirror).problems == ()
        assert len(other.graph()[1]) == 1
    tower.memory.restore(2)
    assert tower.files()["links.jsonl"].count("\n") == 2


def test_a_link_to_what_was_forgotten_elsewhere_is_no_trouble(tower, clock, tmp_path):
    for text in (LAMP, CHORES[0]):
        tower.memory.remember(text)
    tower.memory.link(2, 1, "affects")
    before = tower.files()["links.jsonl"]
    tower.memory.forget(2)
    tower.memory.settle()
    (tower.mirror / "links.jsonl").write_text(before)  # as a merge brings it
    with recairn.open(tmp_path / "new.db", project="tower", model="none", clock=clock) as other:
        assert other.start_mirror(tower.mirror).problems == ()
    assert (tower.mirror / "links.jsonl").read_text() == ""


def test_of_two_successors_the_later_one_keeps_its_link(two, clock):
    north, south = two
    north.memory.remember("Burn whale oil", kind="decision")
    exchange(north, south)
    for clone, text in ((north, "Burn rape oil"), (south, "Burn paraffin")):
        clock.advance(MINUTE)
        old = number_of(clone, "Burn whale oil")
        clone.memory.remember(text, kind="decision", supersede=old)
    exchange(north, south)
    assert_equal(north, south)
    assert north.links() == {("Burn paraffin", "supersedes", "Burn whale oil", 1.0)}
    clock.advance(MINUTE)
    north.memory.undo(number_of(north, "Burn whale oil"))
    exchange(north, south)
    assert_equal(north, south)
    assert south.links() == {("Burn rape oil", "supersedes", "Burn whale oil", 1.0)}


def test_a_mention_travels_only_where_somebody_said_it_is_none(two, clock):
    north, south = two
    north.memory.remember("Bergen", kind="entity", title="Bergen")
    north.memory.remember("Oil comes from Bergen")
    exchange(north, south)
    assert "links.jsonl" not in north.files()
    assert len(south.links()) == 1
    clock.advance(MINUTE)
    north.memory.unlink(2, 1)
    exchange(north, south)
    assert_equal(north, south)
    assert south.links() == set()
    clock.advance(MINUTE)
    south.memory.undo(number_of(south, "Oil comes from Bergen"))
    exchange(north, south)
    assert_equal(north, south)
    assert len(north.links()) == 1


def test_what_somebody_said_of_a_link_outweighs_that_it_makes_itself(two, clock):
    north, south = two
    north.memory.remember("Bergen", kind="entity", title="Bergen")
    north.memory.remember("Oil comes by ship")
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.edit(2, content="Oil comes from Bergen")
    north.memory.link(2, 1, "relates_to", weight=0.5)
    clock.advance(MINUTE)
    exchange(north, south)
    assert_equal(north, south)
    assert south.links() == {("Oil comes from Bergen", "relates_to", "Bergen", 0.5)}


def test_what_was_destroyed_here_stays_so_when_an_old_export_comes(tmp_path, clock):
    with recairn.open(tmp_path / "one.db", project="tower", clock=clock) as memory:
        for text in (LAMP, *CHORES[:2]):
            memory.remember(text)
        memory.link(2, 1, "affects")
        memory.supersede(3, 2)
        memory.feedback(2, 1.0)
        memory.search("wick")
        memory.context(prompt="trim the wick")
        memory.record_miss("which wick", 2)
        memory.settle()
        old = [(f"old:{n}", each) for n, each in enumerate(memory.export_records(), start=1)]
        memory.forget(2, hard=True)
        memory.settle()
        before = list(memory.export_records())
        taken = memory.take_records(old)
        assert (taken.added, taken.updated, taken.joined, taken.problems) == ((), (), (), ())
        assert [each for each in memory.export_records() if each not in before] == []
        assert memory.verify().problems == ()
