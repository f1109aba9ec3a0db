"""Memories against the repository: what they name may be gone, moved or rewritten."""

from __future__ import annotations

import os

import pytest

from recairn.core.times import DAY, MINUTE
from recairn.host.git import git
from tests.checkouts import Checkout, needs_git
from tests.corpus import PROJECT, opened

pytestmark = needs_git

LINES = [f"line {number}" for number in range(20)]


@pytest.fixture
def checkout(tmp_path, clock, monkeypatch):
    """A repository with two modules, committed a minute before the memories."""
    made = Checkout(tmp_path / PROJECT, clock)
    made.write("server/clock.py", "def sync_clock():", *LINES)
    made.write("server/radio.py", "class TideModel:", *LINES)
    made.write("schema/first.sql", "create table tides")
    made.commit("Begin")
    clock.advance(MINUTE)
    monkeypatch.chdir(made.root)
    return made


def verdicts(memory):
    return [(each.memory.id, each.state, each.value) for each in memory.check_stale()]


def test_what_still_fits_is_not_stale(memory, checkout):
    memory.remember("Call `sync_clock` from server/clock.py before the first reading")
    memory.remember("TideModel lives in radio.py")
    assert memory.checked_memories() == []
    assert verdicts(memory) == []
    assert memory.checked_memories() == [1, 2]


def test_a_deleted_file_makes_a_memory_stale(memory, checkout, clock):
    one = memory.remember("server/clock.py must be called first").id
    clock.advance(DAY)
    checkout.git("rm", "-q", "server/clock.py")
    commit = checkout.commit("Remove the clock")
    (found,) = memory.check_stale()
    assert (found.memory.id, found.state, found.value) == (one, "deleted", 1.0)
    assert found.detail.startswith(f"server/clock.py was deleted in {commit}")
    assert memory.get(one).deleted_at is None


def test_a_moved_file_says_where_it_went(memory, checkout, clock):
    one = memory.remember("clock.py must be called first").id
    clock.advance(DAY)
    checkout.git("mv", "server/clock.py", "server/time.py")
    checkout.commit("Rename the clock")
    clock.advance(DAY)
    checkout.git("mv", "server/time.py", "server/moment.py")
    checkout.commit("Rename it again")
    (found,) = memory.check_stale()
    assert (found.memory.id, found.state, found.value) == (one, "moved", 0.5)
    assert found.detail == "clock.py is now server/moment.py"


def test_a_rewritten_file_counts_by_the_lines_that_are_gone(memory, checkout, clock):
    one = memory.remember("server/radio.py keeps its state in a list").id
    clock.advance(DAY)
    checkout.write("server/radio.py", "class TideModel:", *LINES[:5], *["other"] * 40)
    checkout.commit("Rewrite the radio")
    (found,) = memory.check_stale()
    assert (found.memory.id, found.state) == (one, "changed")
    assert found.value == pytest.approx(15 / 21, abs=0.001)
    assert found.detail == "71% of server/radio.py was rewritten"


def test_a_little_change_is_none(memory, checkout, clock):
    memory.remember("server/radio.py keeps its state in a list")
    clock.advance(DAY)
    checkout.write("server/radio.py", "class TideModel:", *LINES[2:], "one more")
    checkout.commit("Tidy up")
    assert verdicts(memory) == []


def test_what_was_rewritten_before_the_memory_does_not_count(memory, checkout, clock):
    checkout.write("server/radio.py", "other")
    checkout.commit("Rewrite the radio")
    clock.advance(MINUTE)
    memory.remember("server/radio.py keeps its state in a list")
    assert verdicts(memory) == []


def test_a_symbol_that_occurs_nowhere_any_more_is_gone(memory, checkout, clock):
    one = memory.remember("Call `sync_clock()` before the first reading").id
    clock.advance(DAY)
    checkout.write("server/clock.py", "def align_clock():", *LINES)
    checkout.commit("Rename the function")
    (found,) = memory.check_stale()
    assert (found.memory.id, found.state, found.value) == (one, "gone", 0.8)
    assert found.detail == "sync_clock occurs nowhere any more"


def test_a_scope_that_matches_no_file_any_more_is_stale(memory, checkout, clock):
    one = memory.remember(
        "Run schema changes in a transaction", kind="rule", scope="schema/**/*.sql"
    ).id
    assert verdicts(memory) == []
    checkout.git("rm", "-q", "-r", "schema")
    checkout.commit("Drop SQL")
    assert verdicts(memory) == [(one, "deleted", 1.0)]


def test_one_of_several_names_counts_its_share(memory, checkout, clock):
    one = memory.remember("server/clock.py and server/radio.py share a lock").id
    clock.advance(DAY)
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    assert verdicts(memory) == [(one, "deleted", 0.5)]


def test_a_file_named_twice_counts_once(memory, checkout, clock):
    one = memory.remember("clock.py, that is server/clock.py, shares a lock with radio.py").id
    clock.advance(DAY)
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    assert verdicts(memory) == [(one, "deleted", 0.5)]


def test_what_never_was_of_this_repository_says_nothing(memory, checkout):
    memory.remember("In the other project lib/engine.rs defines `spin_up_engine`")
    memory.remember("See ~/notes/todo.md and /etc/hosts and https://puffin.example/a/b.html")
    assert verdicts(memory) == []
    assert memory.store.staleness() == {}


def test_a_slash_does_not_make_a_path(memory, checkout):
    memory.remember("TCP/IP and/or client/server, in any case")
    assert verdicts(memory) == []
    assert memory.store.staleness() == {}


def test_a_file_that_came_back_is_not_stale(memory, checkout, clock):
    memory.remember("server/clock.py must be called first")
    clock.advance(DAY)
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    clock.advance(DAY)
    checkout.git("checkout", "-q", "HEAD~1", "--", "server/clock.py")
    checkout.commit("Bring the clock back")
    assert verdicts(memory) == []


def test_a_file_not_committed_yet_is_there(memory, checkout):
    checkout.write("server/new.py", "x")
    memory.remember("server/new.py is the way in")
    assert verdicts(memory) == []


def test_only_memories_of_the_project_are_checked(memory, checkout, clock):
    memory.remember("server/clock.py elsewhere", project="kestrel", tier="global")
    memory.remember("server/clock.py at the handoff", kind="handoff")
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    assert verdicts(memory) == []


def test_an_edit_makes_a_memory_fresh_until_the_next_check(memory, checkout, clock):
    one = memory.remember("server/clock.py must be called first").id
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    clock.advance(MINUTE)
    memory.check_stale()
    assert [each.memory.id for each in memory.stale()] == [one]
    clock.advance(MINUTE)
    memory.edit(one, content="server/radio.py must be called first")
    assert memory.stale() == []
    assert verdicts(memory) == []


def test_what_is_forgotten_or_replaced_is_not_listed(memory, checkout):
    one = memory.remember("server/clock.py must be called first").id
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    memory.check_stale()
    memory.forget(one)
    assert memory.stale() == []
    memory.restore(one)
    memory.forget(one, hard=True)
    assert memory.store.staleness() == {}
    assert memory.verify().problems == ()


def test_the_last_check_is_remembered_by_the_next_process(memory, checkout, clock, tmp_path):
    one = memory.remember("server/clock.py must be called first").id
    checkout.git("rm", "-q", "server/clock.py")
    checkout.commit("Remove the clock")
    memory.check_stale()
    with opened(tmp_path / "puffin.db", clock=clock) as later:
        assert [each.memory.id for each in later.stale()] == [one]


def test_a_repository_without_commits_is_looked_at_by_its_files(
    memory, tmp_path, clock, monkeypatch
):
    fresh = Checkout(tmp_path / "fresh", clock)
    fresh.write("server/radio.py", "x")
    monkeypatch.chdir(fresh.root)
    memory.remember("server/radio.py is the way in")
    gone = memory.remember("server/clock.py must be called first").id
    assert verdicts(memory) == [(gone, "deleted", 1.0)]


def test_without_git_only_the_files_are_looked_for(memory, tmp_path, monkeypatch):
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "radio.py").write_text("x")
    monkeypatch.setenv("PATH", "")
    memory.remember("server/radio.py is the way in")
    memory.remember("lib/engine.rs is of another project, and so is `spin_up_engine`")
    gone = memory.remember("server/clock.py must be called first").id
    assert verdicts(memory) == [(gone, "deleted", 1.0)]


def test_a_git_that_hangs_is_given_up(memory, checkout, monkeypatch, tmp_path):
    """A stand-in for git on a dead network drive."""
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    assert git(str(checkout.root), "status", timeout_s=0.05) is None
