"""Sessions, handoffs and ageing from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkouts import Checkout, needs_git
from tests.corpus import Clock

# Sessions


def test_a_session_is_begun_joined_and_ended(recairn):
    assert recairn("session", "start", "s1", "--summary", "lamp work").out == "Began session s1\n"
    recairn("add", "Wipe the lens after every storm")
    assert recairn("show", "1", "--json").json["session"] == "s1"
    assert recairn("session", "current", "--json").json["id"] == "s1"
    assert recairn("session", "end", "--summary", "done").out == "Ended session s1\n"
    recairn("add", "Gulls nest behind the lamp")
    assert recairn("show", "2", "--json").json["session"] is None


def test_a_session_taken_up_again_says_so(lamp):
    lamp("session", "start", "s1")
    lamp("add", "Gulls nest behind the lamp")
    assert lamp("session", "start", "s1").out == "Took up session s1\n"


def test_a_named_session_wins_over_the_current_one(recairn, monkeypatch):
    recairn("session", "start", "s1")
    recairn("add", "one gull", "--session", "s2")
    monkeypatch.setenv("RECAIRN_SESSION", "s3")
    recairn("add", "two terns")
    assert recairn("show", "1", "--json").json["session"] == "s2"
    assert recairn("show", "2", "--json").json["session"] == "s3"


def test_without_a_session_there_is_none_to_show_or_end(recairn):
    assert recairn("session", "current").out.startswith("no session is open here\n")
    assert recairn("session").status == 0
    assert recairn("session", "current", "--json").json is None
    assert recairn("session", "list").out.startswith("no sessions yet\n")
    for command in ("show", "end"):
        ran = recairn("session", command)
        assert (ran.status, ran.err) == (
            1,
            "recairn: no session is open here\n  hint: recairn session start\n",
        )


def test_the_end_tells_what_became_of_its_own_memories(recairn):
    recairn("session", "start", "s1")
    recairn("add", "Gulls steal the chips", "--tier", "session")
    recairn("add", "A tern sat on the lamp", "--tier", "session")
    recairn("deemphasize", "2", "--amount", "0.5")
    ended = recairn("session", "end", "--json").json
    assert (ended["promoted"], ended["expired"], ended["state"]) == ([1], [2], "ended")
    assert recairn("list", "--expired", "--json").json["memories"][0]["id"] == 2


def test_a_session_shows_what_it_did(lamp):
    lamp("session", "start", "s1", "--agent", "claude")
    lamp("search", "lens")
    shown = lamp("session", "show", "s1")
    assert "Agent: claude" in shown.out
    assert "recalled   #1 [lamp] Wipe the lens after every storm" in shown.out
    whole = lamp("session", "show", "--json").json
    assert whole["uses"] == {"recalled": 1}
    assert [(each["usage"], each["memory"]["id"]) for each in whole["used"]] == [("recalled", 1)]


def test_sessions_are_listed_in_a_line_each(recairn):
    recairn("session", "start", "s1", "--summary", "lamp work")
    recairn("session", "start", "s2")
    assert recairn("session", "list", "-n", "5").out == (
        "s2 (open, 0 memories, just now)\ns1 (open, 0 memories, just now): lamp work\n"
    )
    listed = recairn("session", "list", "--all-projects", "--json").json["sessions"]
    assert [each["id"] for each in listed] == ["s2", "s1"]


# Show


def test_show_tells_the_chain_and_the_last_use(lamp):
    lamp("session", "start", "s1")
    lamp("correct", "1", "Wipe the lens before every storm")
    lamp("search", "lens")
    text = lamp("show", "2").out
    assert "  Chain: #1 -> #2\n" in text
    assert "  Last Use: recalled just now in s1 (open, 2 memories, just now)\n" in text
    whole = lamp("show", "1", "--json").json
    assert whole["chain"] == [[1], [2]]
    assert whole["session_context"]["usage"] == "updated"


def test_show_as_of_a_time_before_the_memory_finds_nothing(lamp):
    lamp("edit", "1", "Wipe it daily")
    assert lamp("show", "1", "--as-of", "now", "--json").json["content"] == "Wipe it daily"
    ran = lamp("show", "1", "--as-of", "7d")
    assert (ran.status, ran.err) == (1, "recairn: 1 was not there yet\n  hint: recairn history 1\n")


# Handoffs


def test_a_handoff_is_resumed(recairn):
    said = recairn(
        *("handoff", "Charts draw,", "the legend does not", "--next", "draw the legend"),
        *("--next", "measure", "--blocker", "no licence", "--question", "metres?", "--goal", "v1"),
    )
    assert said.out == (
        f"Added handoff #1 to project {Path.cwd().name} (recairn resume shows it)\n"
    )
    text = recairn("resume").out
    assert text == (
        "#1 handoff, just now\n"
        "  Charts draw, the legend does not\n"
        "  Next:\n    - draw the legend\n    - measure\n"
        "  Blocked by:\n    - no licence\n"
        "  Open questions:\n    - metres?\n"
    )
    found = recairn("resume", "--json").json
    assert found["threads"]["next_steps"] == ["draw the legend", "measure"]
    assert found["git"] is None


def test_new_handoffs_are_new_once(recairn):
    recairn("handoff", "first watch")
    recairn("handoff", "second watch")
    assert recairn("resume").err == "2 handoffs are new to you; recairn resume --new shows them\n"
    assert len(recairn("resume", "--new", "--json").json["handoffs"]) == 2
    assert recairn("resume", "--new").out.startswith("nothing new\n")
    assert len(recairn("resume", "--all", "--reader", "ines", "--json").json["handoffs"]) == 2
    assert recairn("handoff", stdin="").status == 1


@needs_git
def test_resume_tells_the_state_of_the_checkout(recairn, tmp_path, monkeypatch):
    checkout = Checkout(tmp_path / "shop", Clock())
    checkout.write("legend.py", "draw()")
    monkeypatch.chdir(checkout.root)
    recairn("handoff", "Charts draw")
    assert recairn("resume").out == (
        "#1 handoff, just now, branch main\n"
        "  Charts draw\n\n"
        "On branch main\n  Not committed:\n    - legend.py\n"
    )
    assert recairn("handoff", "Bare", "--no-git", "--json").json["id"] == 2
    assert recairn("show", "2", "--json").json["fields"] == {}


def test_a_timeline_stands_under_its_sessions(recairn):
    recairn("add", "one gull", "--created-at", "2026-01-01")
    recairn("add", "two terns", "--created-at", "2026-01-02", "--session", "s1")
    recairn("add", "three auks", "--created-at", "2026-01-03", "--session", "s1")
    assert recairn("timeline", "2", "--after", "1").out == (
        "outside any session\n"
        "  2026-01-01T00:00:00.000Z  #1 learning\n      one gull\n"
        "s1 (open, 2 memories, just now)\n"
        "> 2026-01-02T00:00:00.000Z  #2 learning\n      two terns\n"
        "  2026-01-03T00:00:00.000Z  #3 learning\n      three auks\n"
    )
    found = recairn("timeline", "2", "--before", "0", "--json").json
    assert (found["before"], [each["id"] for each in found["after"]]) == ([], [3])
    assert found["sessions"]["s1"]["memories"] == 2
    assert found["anchor"]["latest_session"] == "s1"


def test_a_memory_stands_under_the_session_it_was_made_in_whoever_used_it_last(recairn):
    recairn("add", "two terns", "--created-at", "2026-01-02", "--session", "s1")
    recairn("--session", "s2", "session", "start", "s2")
    recairn("search", "terns", "--session", "s2")
    recairn("reinforce", "1")
    recairn("session", "end", "s2")
    found = recairn("timeline", "1", "--json").json
    assert (found["anchor"]["session"], found["anchor"]["latest_session"]) == ("s1", "s2")
    assert recairn("timeline", "1").out.startswith("s1 (")


def test_a_timeline_says_what_no_longer_holds(recairn):
    recairn("add", "The pier opens at nine", "--created-at", "2026-01-01")
    recairn("add", "The crane rests", "--created-at", "2026-01-02", "--source-type", "run")
    recairn("supersede", "1", "The pier opens at eight")
    lines = recairn("timeline", "2").out.splitlines()
    assert lines[1] == "  2026-01-01T00:00:00.000Z  #1 learning, superseded by #3"
    assert lines[3] == "> 2026-01-02T00:00:00.000Z  #2 learning, unverified"


# Ageing


def test_a_correction_replaces(lamp):
    assert lamp("correct", "1", "Wipe it", "before the storm").out == "#1 is corrected by #2\n"
    assert (
        lamp(
            "correct",
            "2",
            "-",
            stdin="Wipe it twice",
        ).out
        == "#2 is corrected by #3\n"
    )
    assert lamp("correct", "3", "Wipe it thrice", "--json").json["status"] == "superseded"
    ran = lamp("correct", "1", "again")
    assert (ran.status, ran.err) == (
        1,
        "recairn: #1 is superseded by #2\n  hint: recairn correct 2 ...\n",
    )


def test_memories_are_pinned_promoted_and_expired(lamp):
    assert lamp("pin", "1").out == "Pinned learning #1\n"
    assert lamp("unpin", "1").out == "Unpinned learning #1\n"
    assert lamp("expire", "1", "--at", "30d").out == "learning #1 expires in 1 month\n"
    assert lamp("expire", "1").out == ("Expired learning #1 (recairn restore 1 brings it back)\n")
    assert lamp("restore", "1").out == "Restored learning #1\n"
    assert lamp("expire", "1", "--at", "never").status == 2
    recorded = lamp("add", "mine alone", "--tier", "session", "--session", "s1", "--project", "p")
    assert recorded.status == 0
    assert lamp("promote", "p/2").out == "Promoted learning #2: visible in the tier project\n"


def test_an_immutable_memory_needs_force(recairn):
    recairn("add", "Never feed the gulls", "--immutable")
    for words in (["correct", "1", "Feed them"], ["promote", "1"], ["expire", "1"]):
        assert recairn(*words).status == 1
    assert recairn("expire", "1", "--force").status == 0


def test_archive_only_tells_until_it_is_told(lamp):
    lamp("add", "An old storm", "--created-at", "2020-01-01", "-k", "failure")
    ran = lamp("archive", "--before", "90d")
    assert ran.out == "#2 failure: An old storm\n"
    assert ran.err == "1 memory would be put away; --yes does it\n"
    assert lamp("archive", "--before", "90d", "--yes", "--json").json["dry_run"] is False
    assert lamp("list", "--deleted", "--json").json["memories"][0]["id"] == 2
    assert lamp("archive").out == "nothing has faded so far\n"
    assert lamp("restore", "2").status == 0


def test_settings_of_sessions_are_checked(recairn):
    assert recairn("config", "set", "session.idle_hours", "2.5").status == 0
    assert recairn("config", "get", "session.idle_hours").out == "2.5\n"
    assert recairn("config", "set", "session.promote_above", "much").status == 1


@pytest.mark.parametrize("words", [["stale"], ["stale", "--json"]])
def test_nothing_is_stale_before_a_check(lamp, words):
    said = "nothing was checked yet\n  recairn stale --check compares with the checkout\n"
    empty = '{"checked": 0, "memories": []}\n'
    assert lamp(*words).out == (empty if "--json" in words else said)


@needs_git
def test_stale_memories_are_listed_with_the_reason(recairn, tmp_path, monkeypatch):
    checkout = Checkout(tmp_path / "shop", Clock())
    checkout.write("lamp.py", "x")
    checkout.commit("Light it")
    monkeypatch.chdir(checkout.root)
    recairn("add", "lamp.py must be called first")
    assert recairn("stale", "--check").out == (
        "none of 1 memory that name files or symbols is stale\n"
    )
    checkout.git("rm", "-q", "lamp.py")
    commit = checkout.commit("Blow it out")
    text = recairn("stale", "--check").out
    assert text.startswith("#1 lamp.py must be called first\n      lamp.py was deleted in ")
    assert commit in text
    (found,) = recairn("stale", "--json").json["memories"]
    assert (found["id"], found["state"], found["value"]) == (1, "deleted", 1.0)


@pytest.mark.parametrize("variable", ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"])
def test_what_an_agent_types_in_its_shell_belongs_to_its_own_session(
    recairn, monkeypatch, variable
):
    recairn("session", "start", "--agent", "another, which started last")
    monkeypatch.setenv(variable, "s-mine")
    recairn("add", "Wipe the lens after every storm")
    monkeypatch.delenv(variable)
    recairn("add", "The horn needs air")
    mine = recairn("list", "--in-session", "s-mine", "--json").json["memories"]
    assert [each["content"] for each in mine] == ["Wipe the lens after every storm"]
    assert recairn("undo", "--session", "s-mine").out == "Took back: #1 created\n"
    assert [each["id"] for each in recairn("recent", "--json").json["memories"]] == [2]
