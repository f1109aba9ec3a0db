"""Sessions: begun, joined, left open, ended; what they did with memories."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.errors import Ambiguous, NotFound
from recairn.core.times import DAY, HOUR, MINUTE
from tests.corpus import NOW, PROJECT, opened


def reopened(path, clock, **options):
    return opened(path, clock=clock, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "puffin.db"


# Begin


def test_a_session_knows_where_it_began(memory, tmp_path):
    session = memory.start_session("s1", summary="tide tables", agent="claude")
    assert (session.id, session.project, session.summary) == ("s1", PROJECT, "tide tables")
    assert (session.agent, session.directory) == ("claude", str(tmp_path))
    assert (session.started_at, session.ended_at, session.state) == (NOW, None, "open")
    assert (session.memories, session.uses) == (0, {})


def test_the_branch_is_read_from_the_checkout(memory, tmp_path, monkeypatch):
    (tmp_path / "yard" / ".git").mkdir(parents=True)
    (tmp_path / "yard" / ".git" / "HEAD").write_text("ref: refs/heads/feature/buoy\n")
    monkeypatch.chdir(tmp_path / "yard")
    assert memory.start_session().branch == "feature/buoy"


def test_a_detached_head_is_named_by_its_commit(memory, tmp_path, monkeypatch):
    (tmp_path / "yard" / ".git").mkdir(parents=True)
    (tmp_path / "yard" / ".git" / "HEAD").write_text("0123456789abcdef0123\n")
    monkeypatch.chdir(tmp_path / "yard")
    assert memory.start_session().branch == "0123456789"


def test_the_branch_of_a_linked_worktree_is_its_own(memory, tmp_path, monkeypatch):
    inside = tmp_path / "main" / ".git" / "worktrees" / "side"
    inside.mkdir(parents=True)
    (inside / "HEAD").write_text("ref: refs/heads/side\n")
    (tmp_path / "side").mkdir()
    (tmp_path / "side" / ".git").write_text(f"gitdir: {inside}\n")
    monkeypatch.chdir(tmp_path / "side")
    assert memory.start_session().branch == "side"


def test_without_a_name_each_session_gets_its_own(memory):
    one, two = memory.start_session(), memory.start_session()
    assert one.id != two.id
    assert one.id.startswith("s-")


def test_the_environment_may_name_the_session(memory, monkeypatch):
    monkeypatch.setenv("RECAIRN_SESSION", "from-outside")
    assert memory.start_session().id == "from-outside"
    assert memory.start_session("s1").id == "s1"


def test_what_follows_belongs_to_the_session(memory):
    memory.start_session("s1")
    assert memory.get(memory.remember("one gull").id).session_id == "s1"


def test_a_session_can_be_taken_up_again(memory, clock):
    memory.start_session("s1", summary="tide tables", agent="claude")
    memory.end_session()
    clock.advance(HOUR)
    again = memory.start_session("s1", summary="legends")
    assert (again.started_at, again.last_seen_at) == (NOW, NOW + HOUR)
    assert (again.summary, again.agent, again.state) == ("legends", "claude", "open")


def test_secrets_do_not_reach_a_summary(memory):
    token = "ghp_" + "R7mQ2xVb9LkT4wYz8NcJ5hFd3GsP6aEu1oXi"
    assert token not in memory.start_session("s1", summary=f"use {token} here").summary


# Join


def test_a_later_process_joins_the_session_of_its_place(path, memory, clock):
    memory.start_session("s1")
    with reopened(path, clock) as later:
        assert later.session is None
        assert later.join_session() == "s1"
        assert later.get(later.remember("one gull").id).session_id == "s1"


def test_another_folder_is_another_place(path, memory, clock, tmp_path, monkeypatch):
    memory.start_session("s1")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with reopened(path, clock) as later:
        assert later.join_session() is None


def test_another_user_is_in_another_place(path, memory, clock, monkeypatch):
    memory.start_session("s1")
    monkeypatch.setenv("USER", "somebody-else")
    with reopened(path, clock) as later:
        assert later.join_session() is None


def test_a_named_session_is_not_left_for_the_current_one(path, memory, clock):
    memory.start_session("s1")
    with reopened(path, clock, session="s2") as later:
        assert later.join_session() == "s2"


def test_an_ended_session_is_not_joined(path, memory, clock):
    memory.start_session("s1")
    memory.end_session()
    with reopened(path, clock) as later:
        assert later.join_session() is None


# Left open


def test_a_session_left_open_counts_as_ended_after_idleness(memory, clock):
    memory.start_session("s1")
    clock.advance(HOUR)
    memory.remember("one gull")
    clock.advance(12 * HOUR - 1)
    assert memory.session_info("s1").state == "open"
    clock.advance(1)
    left = memory.session_info("s1")
    assert (left.state, left.ended_at) == ("idle", NOW + HOUR)


def test_an_idle_session_is_not_joined(path, memory, clock):
    memory.start_session("s1")
    clock.advance(12 * HOUR)
    with reopened(path, clock) as later:
        assert later.join_session() is None


def test_how_long_is_idle_can_be_set(memory, clock):
    memory.set_config("session.idle_hours", "1")
    memory.start_session("s1")
    clock.advance(HOUR)
    assert memory.session_info("s1").state == "idle"


def test_the_next_session_ends_those_left_open(memory, clock):
    memory.start_session("s1")
    kept = memory.remember("one gull", tier="session").id
    faded = memory.remember("two terns on the mole", tier="session").id
    memory.deemphasize(faded, 0.5)
    clock.advance(DAY)
    memory.start_session("s2")
    ended = memory.session_info("s1")
    assert (ended.state, ended.ended_at) == ("ended", NOW)
    assert memory.get(kept).tier == "project"
    assert memory.get(faded).expires_at == NOW + DAY


def test_use_after_the_end_opens_a_session_again(memory, clock):
    memory.start_session("s1")
    memory.end_session()
    clock.advance(MINUTE)
    memory.remember("one gull", session="s1")
    assert memory.session_info("s1").state == "open"


# End


def test_an_ended_session_says_what_it_did(memory, clock):
    memory.start_session("s1")
    clock.advance(MINUTE)
    ended = memory.end_session(summary="tables done")
    assert (ended.session.state, ended.session.summary) == ("ended", "tables done")
    assert ended.session.ended_at == NOW + MINUTE
    assert memory.session is None


def test_at_the_end_the_salient_are_promoted_and_the_rest_expire(memory, clock):
    memory.start_session("s1")
    salient = memory.remember("gulls steal the chips of tourists", tier="session").id
    faded = memory.remember("a tern sat on the lamp for an hour", tier="session").id
    memory.deemphasize(faded, 0.3)
    shared = memory.remember("the pier is closed in winter").id
    clock.advance(MINUTE)
    ended = memory.end_session()
    assert (ended.promoted, ended.expired) == ((salient,), (faded,))
    assert [memory.get(each).tier for each in (salient, faded, shared)] == [
        "project",
        "session",
        "project",
    ]
    assert [event.event for event in memory.history(salient)] == ["created", "promoted"]
    assert [hit.id for hit in memory.search("gulls chips").hits] == [salient]
    assert [each.id for each in memory.listing(order="id")] == [salient, shared]
    assert memory.verify().problems == ()


def test_the_salience_that_is_enough_can_be_set(memory):
    memory.set_config("session.promote_above", "0.99")
    memory.start_session("s1")
    kept = memory.remember("gulls steal chips", tier="session").id
    lost = memory.remember("a tern sat on the lamp", tier="session").id
    memory.deemphasize(lost, 0.05)
    assert memory.end_session().promoted == (kept,)


def test_a_pinned_memory_outlives_its_session(memory):
    memory.start_session("s1")
    pinned = memory.remember("never feed the gulls", tier="session", pinned=True).id
    memory.deemphasize(pinned, 0.9)
    assert memory.end_session().promoted == (pinned,)


def test_undoing_a_session_takes_back_what_its_end_did(memory, clock):
    memory.start_session("s1")
    one = memory.remember("gulls steal chips", tier="session").id
    clock.advance(MINUTE)
    memory.end_session()
    memory.undo(one)
    assert memory.get(one).tier == "session"
    assert memory.listing() == []
    assert memory.verify().problems == ()


def test_a_promoted_memory_is_found_by_meaning(tmp_path, clock):
    with recairn.open(tmp_path / "m.db", project=PROJECT, clock=clock) as memory:
        memory.start_session("s1")
        one = memory.remember("The login uses JSON web tokens", tier="session").id
        memory.end_session()
        hits = memory.search("authentication", mode="semantic").hits
        assert [hit.id for hit in hits] == [one]


def test_there_must_be_a_session_to_end(memory):
    with pytest.raises(NotFound, match="no session is open here"):
        memory.end_session()
    with pytest.raises(NotFound, match="no session 's9'"):
        memory.end_session("s9")


# What sessions did


def test_every_use_is_counted_by_its_sort(memory, clock):
    one = memory.remember("one gull on the pier").id
    memory.start_session("s1")
    memory.remember("two terns")
    memory.search("gull")
    memory.edit(one, category="birds")
    memory.reinforce(one)
    session = memory.session_info()
    assert session.uses == {"created": 1, "recalled": 1, "updated": 1, "reinforced": 1}
    assert session.memories == 2
    used = [(each.id, usage) for each, usage, _ in memory.session_uses()]
    assert sorted(used) == [(1, "recalled"), (1, "reinforced"), (1, "updated"), (2, "created")]


def test_replacing_belongs_to_the_session_that_did_it(memory):
    old, new = memory.remember("one gull").id, memory.remember("two terns").id
    memory.start_session("s1")
    memory.supersede(old, new)
    assert memory.history(old)[-1].session_id == "s1"
    memory.undo(session="s1")
    assert memory.get(old).superseded_by is None


def test_the_context_of_a_memory_is_its_latest_use(memory, clock):
    memory.start_session("s1", summary="first watch")
    one = memory.remember("one gull").id
    assert memory.session_context(one).usage == "created"
    clock.advance(MINUTE)
    memory.start_session("s2")
    memory.search("gull")
    context = memory.session_context(one)
    assert (context.session.id, context.usage, context.at) == ("s2", "recalled", NOW + MINUTE)
    assert context.memories_in_session == 1


def test_sessions_are_listed_newest_first_and_by_project(memory, path, clock):
    memory.start_session("s1")
    clock.advance(MINUTE)
    memory.start_session("s2")
    with opened(path, project="kestrel", clock=clock) as other:
        other.start_session("k1")
        assert [each.id for each in other.sessions()] == ["k1"]
    assert [each.id for each in memory.sessions()] == ["s2", "s1"]
    assert {each.id for each in memory.sessions(all_projects=True)} == {"s1", "s2", "k1"}
    assert len(memory.sessions(limit=1)) == 1


def test_a_session_is_found_by_the_beginning_of_its_id(memory):
    memory.start_session("harbour-1")
    memory.start_session("harbour-2")
    assert memory.session_info("harbour-1").id == "harbour-1"
    with pytest.raises(Ambiguous, match="harbour-1, harbour-2"):
        memory.session_info("harb")


def test_erasing_a_memory_erases_its_uses(memory):
    memory.start_session("s1")
    one = memory.remember("one gull").id
    memory.forget(one, hard=True)
    assert memory.session_info().uses == {}
    assert memory.verify().problems == ()
