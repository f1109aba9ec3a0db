"""`tune`, `observe`, `outcome observe` and `compact`."""

import pytest

from tests.recall.test_tune import SUBJECTS


def test_tune_says_how_much_evidence_is_missing(lamp):
    lamp("helpful", "1", "--query", "storm lens")
    ran = lamp("tune")
    assert (ran.status, ran.out.splitlines()[0]) == (
        0,
        "0 questions with a known better answer, 0 pairs: too few to learn from, 12 more needed",
    )
    ran = lamp("tune", "--apply")
    assert ran.status == 1
    assert "12 are needed" in ran.err
    assert lamp("tune", "--undo").status == 1


@pytest.fixture
def rated(recairn):
    recairn("config", "set", "embedding.model", "none")
    for number, subject in enumerate(SUBJECTS):
        query = f"care of the {subject}"
        recairn("add", f"{query}: sing to it at dusk", "--importance", "0.5", "--force")
        recairn("add", f"{query}: oil it in spring", "--importance", "0.7", "--force")
        recairn("helpful", str(2 * number + 2), "--query", query)
        recairn("unhelpful", str(2 * number + 1), "--query", query)
        recairn("reinforce", str(2 * number + 1))
        recairn("search", query, "-n", "1")
    return recairn


@pytest.mark.slow
def test_tune_shows_weights_before_and_after_and_the_pairs_held_back(rated):
    answer = rated("tune", "--json").json
    assert (answer["questions"], answer["missing"], answer["applied"]) == (24, 0, [])
    assert set(answer["held_back_right"]) == {"before", "after"}
    assert set(answer["weights"]["importance"]) == {"before", "after"}
    text = rated("tune").out
    assert "pairs in the right order:" in text
    assert "importance" in text


def test_observe_passes_the_exit_status_on(recairn):
    recairn("task", "add", "Keep watch", "--id", "t-1")
    recairn("task", "start", "t-1")
    assert recairn("observe", "--", "true").status == 0
    assert recairn("observe", "--task", "t-1", "--", "sh", "-c", "exit 5").status == 5
    assert recairn("observe").status == 2


def test_observe_says_on_what_it_noted_the_outcome_and_the_task_has_it(lamp):
    lamp("task", "add", "Wipe the lens", "--id", "t-1")
    lamp("task", "start", "t-1")
    lamp("context", "t-1")
    ran = lamp("observe", "--", "true", tty=True)
    said = "recairn: t-1: pass (true); noted on the task, and on 1 memory handed out for it\n"
    assert (ran.out, ran.err) == ("", said)
    assert lamp("task", "show", "t-1", "--json").json["metadata"]["last_run"] == "true passed"
    lamp("observe", "--", "false")
    assert "  Metadata last_run: false failed\n" in lamp("task", "show", "t-1").out


def test_observe_without_a_task_says_how_to_have_one(recairn):
    ran = recairn("observe", "--", "true", tty=True)
    assert "no task was started here, so nothing was noted; recairn task start" in ran.err


def test_outcomes_are_read_off_reports_and_statuses(recairn, tmp_path):
    ran = recairn("outcome", "observe", "--status", "0")
    assert (ran.status, ran.out) == (0, "")
    assert "no task was started here" in ran.err
    recairn("task", "add", "Keep watch", "--id", "t-1")
    recairn("task", "start", "t-1")
    (tmp_path / "r.xml").write_text("<testsuite><testcase name='a'/></testsuite>")
    assert recairn("outcome", "observe", "--junit", "r.xml").out == (
        "t-1: pass (1 of 1 tests in r.xml); noted on the task,"
        " but no memory was handed out for it\n"
    )
    assert recairn("outcome", "observe", "--status", "2", "--json").json == {
        "observed": [
            {"task": "t-1", "outcome": "fail", "what": "a program with status 2", "memories": 0}
        ]
    }
    assert recairn("outcome", "observe").out == "nothing new was seen\n"
    assert recairn("outcome", "observe", "--junit", "missing.xml").status == 1


def test_compact_shows_then_makes_then_finds_nothing_more(recairn, tmp_path):
    assert recairn("compact").out == (
        "nothing to compact: no task done 7 days ago or earlier (--before) is left\n"
    )
    recairn("task", "add", "Install the horn", "--id", "t-1")
    recairn("task", "done", "t-1", "--outcome", "success")
    assert recairn("compact", "--before", "2030-01-01", "--dry-run").out == (
        "would become Install the horn (t-1)\n    Install the horn: success\n"
    )
    ran = recairn("compact", "--before", "2030-01-01", "--output", "CLAUDE.md")
    assert ran.out == (
        "#1 Install the horn (t-1)\n    Install the horn: success\nAdded #1 to CLAUDE.md\n"
    )
    assert recairn("compact", "--before", "2030-01-01", "--json").json == {
        "dry_run": False,
        "compacted": [],
        "output": None,
        "appended": [],
    }
