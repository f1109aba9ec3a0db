"""Outcomes read off the work itself: exit statuses, reports, reverts; never in anyone's way."""

import os
import signal
import subprocess
import sys
import time

import pytest

from recairn.core.errors import BadInput
from recairn.work.outcomes import Report, read_report, reverts
from recairn.work.test_commands import verdict
from tests.checkouts import Checkout
from tests.work.test_feedback import counts, handed_out


@pytest.fixture
def watch(memory):
    """A task at work, for which a memory was handed out and cited."""
    memory.remember("Sound the horn in fog")
    memory.add_task("Keep watch", id="t-watch")
    memory.start_task("t-watch")
    handed_out(memory, "t-watch", {1: "cited"})
    return memory


@pytest.mark.parametrize(
    ("program", "status", "passed"),
    [
        (["make", "check"], 0, True),
        (["make", "check"], 2, False),
        (["pytest", "-q"], 1, False),
        (["pytest", "-q"], 2, None),
        ([".venv/bin/python", "-m", "pytest"], 5, None),
        (["nosuch"], 127, None),
        (["make"], 143, None),
    ],
)
def test_what_an_exit_status_says_about_the_work(program, status, passed):
    assert verdict(program, status) is passed


def test_a_result_reaches_what_was_handed_out_for_the_current_task(watch):
    seen = watch.observe(True, what="pytest -q")
    assert (seen.task, seen.outcome, seen.memories) == ("t-watch", "pass", 1)
    assert counts(watch, 1) == (0.25, 0.0)
    assert watch.evidence(1)[0].note == "pytest -q passed, cited"


def test_without_a_task_there_is_nothing_to_note(memory):
    assert memory.observe(True) is None


# Reports

JUNIT = """<?xml version="1.0"?>
<testsuites><testsuite name="lamp" tests="3">
<testcase name="a"/><testcase name="b">{inside}</testcase><testcase name="c"><skipped/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", Report(3, 0, 1)),
        ("<failure>no light</failure>", Report(3, 1, 1)),
        ("<error/>", Report(3, 1, 1)),
    ],
)
def test_a_test_report_is_counted(tmp_path, inside, expected):
    path = tmp_path / "report.xml"
    path.write_text(JUNIT.format(inside=inside))
    assert read_report(str(path)) == expected


def test_a_report_in_which_nothing_ran_says_nothing():
    assert Report(2, 0, 2).passed is None
    assert Report(0, 0, 0).passed is None


@pytest.mark.parametrize(
    "text",
    [
        "not xml",
        "<html/>",
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite>&b;</testsuite>',
        "<testsuite>",
    ],
)
def test_what_is_no_report_is_refused(tmp_path, text):
    path = tmp_path / "report.xml"
    path.write_text(text)
    with pytest.raises(BadInput):
        read_report(str(path))


# Reverts


@pytest.fixture
def repository(tmp_path, monkeypatch, clock):
    made = Checkout(tmp_path / "light", clock)
    monkeypatch.chdir(tmp_path / "light")
    return made


def commit(repository, message):
    repository.git("commit", "-q", "--allow-empty", "-m", message)
    return repository.git("rev-parse", "HEAD")


def revert(repository, sha):
    return commit(repository, f'Revert "something"\n\nThis reverts commit {sha}.')


def test_a_reverted_commit_that_names_a_task_makes_it_a_failure(watch, repository):
    watch.finish_task("t-watch", "success")
    sha = commit(repository, "Light the lamp (t-watch)")
    by = revert(repository, sha)
    (seen,) = watch.observe_reverts()
    assert (seen.task, seen.outcome, seen.memories) == ("t-watch", "failure", 1)
    assert watch.task("t-watch").outcome == "failure"
    assert watch.task("t-watch").outcome_note == (f"commit {sha[:10]} was reverted by {by[:10]}")
    assert counts(watch, 1) == (0.0, 0.5)
    assert watch.observe_reverts() == []


def test_a_task_still_at_work_is_not_ended_by_a_revert(watch, repository):
    revert(repository, commit(repository, "Light the lamp (t-watch)"))
    assert [seen.outcome for seen in watch.observe_reverts()] == ["fail"]
    assert watch.task("t-watch").status == "active"
    assert counts(watch, 1) == (0.0, 0.125)
    assert watch.observe_reverts() == []


def test_a_revert_that_was_reverted_does_not_count_until_it_is_again(repository):
    first = commit(repository, "Light the lamp (t-watch)")
    second = revert(repository, first)
    third = revert(repository, second)
    assert reverts(os.getcwd()) == []
    revert(repository, third)
    assert [each.commit for each in reverts(os.getcwd())] == [first]


def test_reverts_of_other_commits_and_places_without_git_say_nothing(watch, repository, tmp_path):
    revert(repository, commit(repository, "Tidy up"))
    revert(repository, "0" * 40)
    assert watch.observe_reverts() == []
    assert reverts(str(tmp_path)) == []


# The command, as a real process


def observed(*program, database=None, stdin=b"", **options):
    environment = {**os.environ, **({"RECAIRN_DB": str(database)} if database else {})}
    return subprocess.run(
        [sys.executable, "-m", "recairn", "observe", "--", *program],
        input=stdin,
        capture_output=True,
        env=environment,
        timeout=60,
        **options,
    )


def test_streams_and_status_pass_through_untouched():
    done = observed(
        "sh", "-c", "cat; echo '\x1b[31mred'; echo oops >&2; exit 3", stdin=b"in \xff\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"in \xff\n\x1b[31mred\n", b"oops\n")


def test_a_program_ended_by_a_signal_answers_128_and_its_number():
    assert observed("sh", "-c", "kill -TERM $$").returncode == 128 + signal.SIGTERM


def test_a_program_that_is_not_there_answers_as_a_shell_would(tmp_path):
    assert observed("no-such-program-here").returncode == 127
    (tmp_path / "plain").write_text("not a program")
    assert observed("./plain").returncode == 126


def test_the_result_is_noted_for_the_current_task(tmp_path):
    def recairn(*words):
        return subprocess.run(
            [sys.executable, "-m", "recairn", *words], check=True, capture_output=True, text=True
        ).stdout

    recairn("task", "add", "Keep watch", "--id", "t-watch")
    recairn("task", "start", "t-watch")
    done = observed("false")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("trouble", ["garbage", "folder", "missing folder"])
def test_memory_in_trouble_never_changes_how_the_program_ends(tmp_path, trouble):
    database = tmp_path / "trouble.db"
    if trouble == "garbage":
        database.write_text("this is no database")
    elif trouble == "folder":
        database.mkdir()
    else:
        database = tmp_path / "plain" / "x.db"
        (tmp_path / "plain").write_text("a file in the way")
    done = observed("sh", "-c", "echo fine; exit 4", database=database)
    assert (done.returncode, done.stdout, done.stderr) == (4, b"fine\n", b"")


def test_a_signal_for_us_is_passed_on_to_the_program(tmp_path):
    ready = tmp_path / "ready"
    program = (
        "import signal, sys, pathlib\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('told', flush=True), sys.exit(9)))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "signal.pause()"
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "recairn", "observe", "--", sys.executable, "-c", program],
        stdout=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not ready.exists() and time.monotonic() < deadline:
        os.sched_yield()
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    assert (child.returncode, out) == (9, b"told\n")
