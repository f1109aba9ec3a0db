"""What one session leaves for the next."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.times import HOUR, MINUTE
from tests.checkouts import Checkout, needs_git
from tests.corpus import PROJECT, opened


@pytest.fixture
def checkout(tmp_path, clock, monkeypatch):
    made = Checkout(tmp_path / PROJECT, clock)
    made.write("chart.py", "draw()")
    made.commit("Draw the chart")
    monkeypatch.chdir(made.root)
    return made


def contents(resumed):
    return [each.content for each in resumed.handoffs]


def test_the_last_handoff_comes_back_with_what_is_open(memory, clock):
    memory.handoff("an older one")
    clock.advance(HOUR)
    memory.handoff(
        "Charts draw, the legend does not",
        fields={
            "next_steps": ["draw the legend", "measure the paint"],
            "blockers": ["no map licence"],
            "questions": ["metres or feet?"],
        },
    )
    resumed = memory.resume()
    assert contents(resumed) == ["Charts draw, the legend does not"]
    assert resumed.threads == {
        "next_steps": ("draw the legend", "measure the paint"),
        "blockers": ("no map licence",),
        "questions": ("metres or feet?",),
    }
    assert resumed.git is None


def test_without_a_handoff_there_is_nothing_to_resume(memory):
    resumed = memory.resume()
    assert (resumed.handoffs, resumed.threads, resumed.unread) == ((), {}, 0)


def test_two_handoffs_may_resemble_each_other(memory, clock):
    memory.handoff("Stopped at the legend of the first chart today")
    clock.advance(HOUR)
    assert memory.handoff("Stopped at the legend of the second chart today").status == "added"


def test_handoffs_of_other_projects_are_not_ours(memory, tmp_path, clock):
    with recairn.open(tmp_path / "puffin.db", project="kestrel", clock=clock, model="none") as one:
        one.handoff("the nest box")
    assert memory.resume().handoffs == ()


@needs_git
def test_a_handoff_notes_the_state_of_the_checkout(memory, checkout):
    commit = checkout.git("rev-parse", "--short", "HEAD")
    checkout.write("legend.py", "todo()")
    left = memory.get(memory.handoff("Charts draw").id)
    assert left.fields["branch"] == "main"
    assert left.fields["commits"] == [f"{commit} Draw the chart"]
    assert left.fields["files"] == ["legend.py"]


@needs_git
def test_the_checkout_can_be_left_alone(memory, checkout):
    assert memory.get(memory.handoff("Charts draw", git=False).id).fields == {}


@needs_git
def test_resuming_tells_what_happened_since(memory, checkout, clock):
    memory.handoff("Charts draw")
    clock.advance(MINUTE)
    checkout.git("checkout", "-q", "-b", "legend")
    checkout.write("legend.py", "draw()")
    commit = checkout.commit("Draw the legend")
    checkout.git("mv", "chart.py", "charts.py")
    resumed = memory.resume()
    assert resumed.git.branch == "legend"
    assert resumed.since == (f"{commit} Draw the legend",)
    assert resumed.git.files == ("charts.py",)


@needs_git
def test_a_repository_without_commits_has_a_branch_only(memory, tmp_path, clock, monkeypatch):
    monkeypatch.chdir(Checkout(tmp_path / "fresh", clock).root)
    assert memory.get(memory.handoff("Just begun").id).fields == {"branch": "main"}


# Read cursors


def test_nothing_is_shown_twice_as_new(memory, clock):
    memory.handoff("first watch")
    clock.advance(HOUR)
    memory.handoff("second watch")
    assert memory.resume().unread == 2
    assert contents(memory.resume(new=True)) == ["first watch", "second watch"]
    assert contents(memory.resume(new=True)) == []
    clock.advance(HOUR)
    memory.handoff("third watch")
    assert contents(memory.resume(new=True)) == ["third watch"]
    assert contents(memory.resume()) == ["third watch"]


def test_each_reader_reads_on_their_own(memory):
    memory.handoff("first watch")
    assert contents(memory.resume(new=True, reader="ines")) == ["first watch"]
    assert contents(memory.resume(new=True, reader="olaf")) == ["first watch"]
    assert contents(memory.resume(new=True, reader="ines")) == []


def test_looking_at_the_last_one_leaves_it_new(memory):
    memory.handoff("first watch")
    memory.resume()
    memory.resume(all=True)
    assert contents(memory.resume(new=True)) == ["first watch"]


def test_every_handoff_comes_oldest_first(memory, clock):
    for text in ("first watch", "second watch", "third watch"):
        clock.advance(HOUR)
        memory.handoff(text)
    assert contents(memory.resume(all=True)) == ["first watch", "second watch", "third watch"]


def test_a_reader_without_the_right_to_write_may_resume(memory, tmp_path, clock):
    memory.handoff("first watch")
    memory.close()
    path = tmp_path / "puffin.db"
    with opened(path, clock=clock, read_only=True) as reader:
        assert contents(reader.resume(new=True)) == ["first watch"]
